#include "server.hpp"

#include <signal.h>
#include <unistd.h>

#include <iostream>
#include <thread>

#include "errors.hpp"
#include "fields.hpp"

namespace modelstress {

using nlohmann::json;

namespace {
constexpr unsigned ENDING_S = 4;

ServerConfig read_config(const std::string& path) {
  const json object = read_object(path);
  Fields fields(object, path);
  ServerConfig found;
  found.tool = fields.text("tool");
  found.node = fields.has("node") ? fields.text("node") : "server";
  found.role = fields.has("role") ? fields.text("role") : found.node;
  found.bind = fields.has("bind") ? fields.text("bind") : "127.0.0.1";
  if (fields.has("work")) found.work = fields.text("work");
  if (fields.has("options")) found.options = fields.object("options");
  const json& ports = fields.object("ports");
  Fields numbers(ports, path + ": ports");
  for (const auto& [protocol, port] : ports.items()) {
    found.ports[protocol] = static_cast<int>(numbers.whole(protocol, 0, 65535));
  }
  if (found.ports.empty()) fields.refuse("ports", "must name a protocol");
  // of stores, models and other nodes, which servers of this library do not have
  for (const char* other :
       {"backend", "model", "dataset", "store", "attributes", "resume", "peers"}) {
    fields.has(other);
  }
  fields.finish();
  return found;
}

ServerConfig config_of(int argc, char** argv) {
  const std::string verb = argc > 1 ? argv[1] : "";
  if (verb == "load") throw ConfigError("this server starts empty: there is nothing to load");
  if (argc != 4 || verb != "serve" || std::string(argv[2]) != "--config") {
    throw ConfigError("usage: serve --config FILE");
  }
  return read_config(argv[3]);
}

void serve(int argc, char** argv, Server& server, const sigset_t& signals) {
  const ServerConfig config = config_of(argc, argv);
  const auto endpoints = server.start(config);
  std::cout << "READY " << json{{"endpoints", endpoints}, {"pid", getpid()}}.dump() << std::endl;
  int signal = 0;
  sigwait(&signals, &signal);
  std::thread([] {
    sleep(ENDING_S);
    _exit(TERMINATED);  // a client that does not let go
  }).detach();
  server.stop();
}
}  // namespace

void run_server(int argc, char** argv, Server& server) {
  const sigset_t signals = block_ending_signals();
  end_after([&] { serve(argc, argv, server, signals); });
}

}  // namespace modelstress
