// omniORB as the cells of a study configure it, and how servers and clients find one another.
#pragma once

#include <omniORB4/CORBA.h>

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "harness/server.hpp"

namespace modelstress {

/** The two programs, which have different options. */
enum class Side { SERVER, CLIENT };

/**
 * Starts the ORB with those of the options that are its own, by the names that it has for them, and
 * with further arguments. The ORB prints the configuration that is in force, which is compared.
 *
 * Raises ConfigError: an option has a value that the ORB does not take, or takes for another one.
 */
CORBA::ORB_ptr start_orb(Side side, const nlohmann::json& options,
                         const std::vector<std::string>& more = {});

/** Makes all objects of a server; their names to references. */
using Activate =
    std::function<std::map<std::string, CORBA::Object_ptr>(PortableServer::POA_ptr objects)>;

/**
 * A server over `tcp` (an address `iiop://HOST:PORT`) or `unix` (`unix:///PATH`), whose objects
 * have the threads that option `threadPolicy` says: `ORB_CTRL` or `SINGLE`.
 */
class OrbServer : public Server {
 public:
  explicit OrbServer(Activate activate) : activate_(std::move(activate)) {}
  std::map<std::string, std::string> start(const ServerConfig& config) override;
  void stop() override;

 private:
  const Activate activate_;
  CORBA::ORB_var orb_;
  std::string socket_;
};

/**
 * Asks the directory at an address for an object, which must answer in milliseconds. Calls of the
 * object itself have no deadline but that of option `clientCallTimeOutPeriod`. Raises what the ORB
 * raises.
 */
CORBA::Object_ptr find_object(CORBA::ORB_ptr orb, const std::string& address,
                              const std::string& name, int timeout_ms);

/** Asks a server to stamp requests that wish for it (`path.hpp`). Raises what the ORB raises. */
void ask_for_stamps(CORBA::ORB_ptr orb, const std::string& address, int timeout_ms);

/** Runs a function that calls the ORB; its exceptions become `TimeoutError` and runtime errors. */
void translate(const std::function<void()>& call);

}  // namespace modelstress
