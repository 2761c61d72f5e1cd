// What a client program gives to the harness: a driver, and its sessions.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace modelstress {

/** Outcomes, numbered as in sample files (docs/contracts.md, "What a driver says"). */
enum class Kind : std::uint8_t {
  NONE,
  OK,
  INCORRECT,
  ERROR,
  TIMEOUT,
  UNFINISHED,
  REJECTED,
  ABORTED
};

/** Word of an outcome in sample files. */
const char* word(Kind kind);

/** One operation as a driver sees it; `index` is its place in the workload. */
struct Operation {
  const std::string& name;
  const nlohmann::json& parameters;
  int index;
  std::int64_t sequence;
};

/**
 * What came of an execution: a count of items, or why there is none; and how long each of its parts
 * took (ns), where the driver told the names of parts.
 */
struct Outcome {
  Kind kind = Kind::OK;
  std::int64_t items = 0;
  std::string detail;
  int attempts = 1;
  std::vector<std::int64_t> parts = {};

  static Outcome ok(std::int64_t items = 0) { return {Kind::OK, items, {}}; }
  static Outcome error(std::string why) { return {Kind::ERROR, 0, std::move(why)}; }
  static Outcome timeout(std::string why) { return {Kind::TIMEOUT, 0, std::move(why)}; }
  static Outcome incorrect(std::string why) { return {Kind::INCORRECT, 0, std::move(why)}; }
};

/** Node to its address, `scheme://host:port`; `main` names the first one of the descriptor. */
struct Endpoints {
  std::string main;
  std::map<std::string, std::string> urls;

  /** Address of a node. Raises std::out_of_range where there is none of that name. */
  const std::string& of(const std::string& node) const { return urls.at(node); }
};

/** Whose session it is. */
struct SessionContext {
  int client;
  int thread;
  std::int64_t session;
  std::uint64_t seed;
  int timeout_ms;
  const nlohmann::json& options;
  /** Pauses within an execution for milliseconds; in no latency. */
  std::function<void(double)> think;
};

/** Used by one thread at a time. */
class Session {
 public:
  virtual ~Session() = default;
  /** What is timed; anything thrown is an outcome `error`, a TimeoutError a `timeout`. */
  virtual Outcome execute(const Operation& operation) = 0;
};

/** One per client program. */
class Driver {
 public:
  virtual ~Driver() = default;
  /** Called once, before READY. Raises ConfigError for options that it does not know. */
  virtual void begin(const nlohmann::json&) {}
  /**
   * Names of the parts of an execution, in the order in which they happen, for a workload with
   * these operations; none where it tells no parts. Called once, after `begin`.
   */
  virtual std::vector<std::string> parts(const std::vector<std::string>&) { return {}; }
  /** Opens a session; called by several threads at once. */
  virtual std::unique_ptr<Session> open(const Endpoints& endpoints, const SessionContext& who) = 0;
};

/**
 * Runs the client program: `client --driver NAME --endpoint [NODE=]URL … --workload FILE
 * --threads N --out FILE` (docs/contracts.md, "Client program"), and ends the process.
 */
[[noreturn]] void run_client(int argc, char** argv, const std::map<std::string, Driver*>& drivers);

}  // namespace modelstress
