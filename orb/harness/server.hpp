// The server program (docs/contracts.md, "Server program").
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>

namespace modelstress {

/** What `serve` is told, as far as servers without a store need it. */
struct ServerConfig {
  std::string tool, node, role, work, bind;
  std::map<std::string, int> ports;  // protocol to port; 0: any that is free
  nlohmann::json options = nlohmann::json::object();
};

class Server {
 public:
  virtual ~Server() = default;
  /**
   * Begins to serve: protocol to address. Raises ConfigError for options that make no sense,
   * AddressError.
   */
  virtual std::map<std::string, std::string> start(const ServerConfig& config) = 0;
  /** Ends within a few seconds. */
  virtual void stop() = 0;
};

/** Runs `serve --config F` until SIGTERM or SIGINT, and ends the process. */
[[noreturn]] void run_server(int argc, char** argv, Server& server);

}  // namespace modelstress
