// The client program: arguments, workload and files; then the conversation.
#include <getopt.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <future>
#include <iostream>
#include <regex>
#include <thread>

#include "clock.hpp"
#include "conversation.hpp"
#include "driver.hpp"
#include "errors.hpp"
#include "histograms.hpp"
#include "parts.hpp"

namespace modelstress {

namespace {
constexpr const char* USAGE =
    "usage: client --driver NAME --endpoint [NODE=]URL ... --workload FILE --threads N --out FILE";
constexpr const char* ONLY_NODE = "server";  // of an address without a name
constexpr int MOST_THREADS = INT16_MAX;

struct Arguments {
  std::string driver, workload, out;
  Endpoints endpoints;
  int threads = 0;
};

void add_endpoint(Endpoints& endpoints, const std::string& text) {
  static const std::regex NAMED("([a-z][a-z0-9-]*)=(.+://.*)");
  std::smatch found;
  const bool named = std::regex_match(text, found, NAMED);
  const std::string node = named ? found[1].str() : ONLY_NODE;
  const std::string url = named ? found[2].str() : text;
  if (url.find("://") == std::string::npos) {
    throw ConfigError("--endpoint: " + text + " is no URL; write [NODE=]SCHEME://HOST:PORT");
  }
  if (!endpoints.urls.emplace(node, url).second) {
    throw ConfigError("--endpoint: node " + node + " has two addresses; name each node once");
  }
  if (endpoints.main.empty()) endpoints.main = node;
}

int thread_count(const std::string& text) {
  std::size_t used = 0;
  int count = 0;
  try {
    count = std::stoi(text, &used);
  } catch (const std::exception&) {
    used = 0;
  }
  if (used != text.size() || text.empty() || count < 1 || count > MOST_THREADS) {
    throw ConfigError("--threads: " + text + " is not from 1 to " + std::to_string(MOST_THREADS));
  }
  return count;
}

Arguments parse(int argc, char** argv) {
  if (argc < 2 || std::string(argv[1]) != "client") throw ConfigError(USAGE);
  const option known[] = {
      {"driver", required_argument, nullptr, 'd'},   {"endpoint", required_argument, nullptr, 'e'},
      {"workload", required_argument, nullptr, 'w'}, {"threads", required_argument, nullptr, 't'},
      {"out", required_argument, nullptr, 'o'},      {nullptr, 0, nullptr, 0}};
  Arguments found;
  opterr = 0;
  optind = 2;
  int choice;
  while ((choice = getopt_long(argc, argv, "", known, nullptr)) != -1) {
    switch (choice) {
      case 'd':
        found.driver = optarg;
        break;
      case 'e':
        add_endpoint(found.endpoints, optarg);
        break;
      case 'w':
        found.workload = optarg;
        break;
      case 't':
        found.threads = thread_count(optarg);
        break;
      case 'o':
        found.out = optarg;
        break;
      default:
        throw ConfigError(USAGE);
    }
  }
  const bool missing = found.driver.empty() || found.workload.empty() || found.out.empty() ||
                       found.threads == 0 || found.endpoints.urls.empty();
  if (optind != argc || missing) throw ConfigError(USAGE);
  return found;
}

Driver& choose(const std::map<std::string, Driver*>& drivers, const std::string& name) {
  const auto found = drivers.find(name);
  if (found != drivers.end()) return *found->second;
  std::string there;
  for (const auto& [known, driver] : drivers) there += (there.empty() ? "" : ", ") + known;
  throw ConfigError("--driver: " + name + " is none of this program's; there: " + there);
}

std::unique_ptr<Recorder> recorder(const Arguments& arguments, const Workload& workload,
                                   const std::vector<std::string>& names) {
  const auto unix_ns = std::chrono::system_clock::now().time_since_epoch();
  const nlohmann::json meta = {
      {"driver", arguments.driver},
      {"endpoints", arguments.endpoints.urls},
      {"threads", arguments.threads},
      {"clock_ns", now_ns()},
      {"unix_ns", std::chrono::duration_cast<std::chrono::nanoseconds>(unix_ns).count()}};
  auto rows = std::make_unique<SampleWriter>(arguments.out, workload.invocation, workload.client,
                                             names, meta);
  if (!workload.histogram) return rows;
  return std::make_unique<HistogramRecorder>(arguments.out, std::move(rows), workload,
                                             arguments.threads);
}

void run(int argc, char** argv, const std::map<std::string, Driver*>& drivers) {
  Console console;
  const Arguments arguments = parse(argc, argv);
  Driver& driver = choose(drivers, arguments.driver);
  const Workload workload = read_workload(arguments.workload);
  driver.begin(workload.options);
  std::vector<std::string> names;
  for (const auto& operation : workload.operations) names.push_back(operation.name);
  const auto parts = driver.parts(names);
  const OperationPlan plan(workload);
  auto file = recorder(arguments, workload, names);
  if (!parts.empty()) {
    file = std::make_unique<PartsRecorder>(arguments.out, std::move(file), workload, parts,
                                           arguments.threads);
  }
  Target target(arguments.endpoints);
  Failures failures;
  Setup setup{driver, target, workload, plan, *file, failures};
  LoadGenerator generator(setup, arguments.threads);
  Conversation conversation(console, generator, failures);
  end_after([&] { conversation.hold(); });
}
}  // namespace

void run_client(int argc, char** argv, const std::map<std::string, Driver*>& drivers) {
  block_ending_signals();
  end_after([&] { run(argc, argv, drivers); });
}

}  // namespace modelstress
