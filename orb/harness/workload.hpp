// The workload file (docs/contracts.md, "Client program").
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace modelstress {

struct WorkloadOperation {
  std::string name;
  double weight = 1;
  nlohmann::json parameters = nlohmann::json::object();
  double think_ms = 0;
  bool objects = false;
};

struct OpenLoop {
  double rate_per_s;
  bool poisson;
};

struct Steady {
  double within;
  double most_s;
};

struct Warmup {
  std::int64_t executions = 10;
  double seconds = 1;
  int threads = 2;
  std::optional<Steady> steady;
};

/** A window that a clock or a count of objects ends. */
struct Window {
  std::optional<double> seconds;
  std::optional<std::int64_t> objects;
  std::int64_t per_thread = 0;
  double most_s = 0;
};

struct Workload {
  int invocation = 0;
  int client = 0;
  std::uint64_t seed = 0;
  std::vector<WorkloadOperation> operations;
  std::optional<OpenLoop> open_loop;
  Warmup warmup;
  std::vector<int> order;
  std::optional<std::int64_t> executions;
  std::optional<Window> window;
  int slices = 1;
  int timeout_ms = 0;
  bool reused = false;
  bool histogram = false;
  nlohmann::json options = nlohmann::json::object();
};

/**
 * Reads a workload.
 *
 * Texts with a unique condition and maps of identifiers belong to queries, which drivers of this
 * library do not have.
 *
 * Raises ConfigError: it is not JSON, or a field is unknown, missing or out of range.
 */
Workload read_workload(const std::string& path);

}  // namespace modelstress
