#include "workload.hpp"

#include <algorithm>

#include "errors.hpp"
#include "fields.hpp"

namespace modelstress {

using nlohmann::json;

namespace {
constexpr std::int64_t MOST = 1'000'000'000;
constexpr double MOST_S = 86'400;
constexpr double LEAST = 1e-9;

std::vector<WorkloadOperation> operations(const json& list, const std::string& path) {
  std::vector<WorkloadOperation> found;
  for (const json& one : list) {
    Fields fields(one, path + ": operations." + std::to_string(found.size()));
    WorkloadOperation operation;
    operation.name = fields.text("name");
    if (fields.has("weight")) operation.weight = fields.number("weight", LEAST, 1e9);
    if (fields.has("parameters")) operation.parameters = fields.object("parameters");
    if (fields.has("think_ms")) operation.think_ms = fields.number("think_ms", 0, MOST);
    if (fields.has("objects")) operation.objects = fields.flag("objects");
    if (fields.has("arity")) fields.whole("arity", 1, MOST);  // of identifiers
    if (fields.has("text")) fields.text("text");              // of queries
    fields.finish();
    found.push_back(operation);
  }
  if (found.size() > UINT16_MAX) throw ConfigError(path + ": operations: there are too many");
  return found;
}

OpenLoop open_loop(Fields& fields) {
  OpenLoop loop{fields.number("rate_per_s", LEAST, MOST), false};
  if (fields.has("arrivals")) {
    loop.poisson = fields.word("arrivals", {"constant", "poisson"}) == "poisson";
  }
  return loop;
}

Warmup warmup(const json& object, const std::string& path) {
  Fields fields(object, path + ": warmup");
  Warmup found;
  if (fields.has("executions")) found.executions = fields.whole("executions", 0, MOST);
  if (fields.has("seconds")) found.seconds = fields.number("seconds", 0, MOST);
  if (fields.has("threads")) {
    found.threads = static_cast<int>(fields.whole("threads", 1, MOST));
  }
  if (fields.has("steady")) {
    Fields rule(fields.object("steady"), path + ": warmup.steady");
    found.steady = Steady{0.05, 60};
    if (rule.has("within")) found.steady->within = rule.number("within", LEAST, 1e3);
    if (rule.has("most_s")) found.steady->most_s = rule.number("most_s", LEAST, MOST_S);
    rule.finish();
  }
  fields.finish();
  return found;
}

Window window(const json& object, const std::string& path) {
  Fields fields(object, path + ": window");
  Window found;
  if (fields.has("seconds")) found.seconds = fields.number("seconds", LEAST, MOST_S);
  if (fields.has("objects")) found.objects = fields.whole("objects", 1, MOST);
  if (fields.has("per_thread")) found.per_thread = fields.whole("per_thread", 1, MOST);
  if (fields.has("most_s")) found.most_s = fields.number("most_s", LEAST, MOST_S);
  fields.finish();
  if (found.seconds.has_value() == found.objects.has_value()) {
    fields.refuse("seconds", "or objects: say one of them");
  }
  if ((found.per_thread == 0) != (found.most_s == 0)) {
    fields.refuse("per_thread", "and most_s belong together: say both");
  }
  return found;
}

std::vector<int> order(const json& list, const Workload& workload, const std::string& path) {
  std::vector<int> places;
  for (const json& name : list) {
    const auto found =
        std::find_if(workload.operations.begin(), workload.operations.end(),
                     [&](const WorkloadOperation& operation) { return name == operation.name; });
    if (found == workload.operations.end()) {
      throw ConfigError(path + ": order names unknown operation " + name.dump());
    }
    places.push_back(static_cast<int>(found - workload.operations.begin()));
  }
  return places;
}

void read_end(Fields& fields, Workload& workload, const std::string& path) {
  if (fields.has("executions")) workload.executions = fields.whole("executions", 1, MOST);
  if (fields.has("window")) workload.window = window(fields.object("window"), path);
  if (workload.executions.has_value() == workload.window.has_value()) {
    fields.refuse("executions", "or window: say one of them");
  }
  if (fields.has("slices")) workload.slices = static_cast<int>(fields.whole("slices", 1, 1000));
  const auto counted = workload.window ? workload.window->objects : workload.executions;
  if (counted && *counted < workload.slices) {
    fields.refuse("slices", "are more than there is to divide");
  }
}

void read_mode(Fields& fields, Workload& workload, const std::string& path) {
  if (!fields.has("mode")) return;
  Fields mode(fields.object("mode"), path + ": mode");
  const bool open = !mode.has("kind") || mode.word("kind", {"closed", "open"}) == "open";
  if (open && mode.has("kind")) workload.open_loop = open_loop(mode);
  mode.finish();
  for (const auto& operation : workload.operations) {
    if (workload.open_loop && operation.think_ms > 0) {
      fields.refuse("think_ms", "belongs to a closed loop: arrivals set the pace");
    }
  }
}
}  // namespace

Workload read_workload(const std::string& path) {
  const json object = read_object(path);
  Fields fields(object, path);
  Workload found;
  if (fields.has("invocation")) {
    found.invocation = static_cast<int>(fields.whole("invocation", 0, INT16_MAX));
  }
  if (fields.has("client")) found.client = static_cast<int>(fields.whole("client", 0, 63));
  if (fields.has("seed")) {
    found.seed = static_cast<std::uint64_t>(fields.whole("seed", INT64_MIN, INT64_MAX));
  }
  found.operations = operations(fields.list("operations"), path);
  read_mode(fields, found, path);
  if (fields.has("warmup")) found.warmup = warmup(fields.object("warmup"), path);
  if (fields.has("order")) found.order = order(fields.list("order"), found, path);
  read_end(fields, found, path);
  found.timeout_ms = static_cast<int>(fields.whole("timeout_ms", 1, MOST));
  if (fields.has("connection")) {
    found.reused = fields.word("connection", {"per-execution", "reused"}) == "reused";
  }
  if (fields.has("samples")) {
    found.histogram = fields.word("samples", {"rows", "histogram"}) == "histogram";
  }
  if (fields.has("options")) found.options = fields.object("options");
  if (fields.has("unique_condition")) {
    fields.refuse("unique_condition", "is for texts of queries, which this program does not have");
  }
  if (fields.has("ids")) fields.text("ids");  // results here are counts
  fields.finish();
  return found;
}

}  // namespace modelstress
