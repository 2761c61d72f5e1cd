#include "orb.hpp"

#include <omniORB4/IOP_C.h>
#include <omniORB4/minorCode.h>
#include <omniORB4/omniIOR.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <sstream>

#include "directory.hh"
#include "harness/errors.hpp"
#include "path.hpp"

namespace modelstress {

using nlohmann::json;

namespace {
constexpr const char* DIRECTORY = "directory";

const std::map<Side, std::vector<std::string>> OPTIONS = {
    {Side::SERVER,
     {"threadPerConnectionPolicy", "threadPoolWatchConnection", "connectionWatchImmediate",
      "connectionWatchPeriod", "maxServerThreadPerConnection", "maxServerThreadPoolSize",
      "supportCurrent"}},
    {Side::CLIENT,
     {"oneCallPerConnection", "maxGIOPConnectionPerServer", "clientCallTimeOutPeriod",
      "maxGIOPVersion", "supportPerThreadTimeOut"}},
};

/** Versions that there are: omniORB takes any two numbers, and prints them as they were given. */
const std::vector<std::string> GIOP_VERSIONS = {"1.0", "1.1", "1.2"};

std::string* dump = nullptr;  // what the ORB logs while it starts

void log_line(const char* line) {
  if (dump) {
    *dump += line;
  } else {
    std::fputs(line, stderr);
  }
}

std::string text_of(const json& level) {
  return level.is_string() ? level.get<std::string>() : level.dump();
}

/** Lines `omniORB:   key = value` of what the ORB logged. */
std::map<std::string, std::string> in_force(const std::string& logged) {
  std::map<std::string, std::string> found;
  std::istringstream lines(logged);
  for (std::string line; std::getline(lines, line);) {
    const auto begin = line.find("omniORB:   "), equals = line.find(" = ");
    if (begin != 0 || equals == std::string::npos) continue;
    found[line.substr(11, equals - 11)] = line.substr(equals + 3);
  }
  return found;
}

void refuse_unreal(const std::map<std::string, std::string>& asked) {
  const auto version = asked.find("maxGIOPVersion");
  if (version == asked.end()) return;
  if (std::find(GIOP_VERSIONS.begin(), GIOP_VERSIONS.end(), version->second) ==
      GIOP_VERSIONS.end()) {
    throw ConfigError("options: maxGIOPVersion is " + version->second +
                      ", a version of GIOP that there is not; it must be 1.0, 1.1 or 1.2");
  }
}

void confirm(const std::map<std::string, std::string>& asked, const std::string& logged) {
  const auto found = in_force(logged);
  for (const auto& [key, value] : asked) {
    const auto at = found.find(key);
    if (at == found.end()) throw ConfigError("omniORB does not say what " + key + " is");
    if (at->second != value) {
      throw ConfigError("omniORB has " + key + " = " + at->second + " although it was told " +
                        value + "; write it as omniORB prints it");
    }
  }
}

CORBA::ORB_ptr init(const std::vector<std::string>& words) {
  std::vector<char*> argv;
  for (const auto& one : words) argv.push_back(const_cast<char*>(one.c_str()));
  int argc = static_cast<int>(argv.size());
  argv.push_back(nullptr);
  return CORBA::ORB_init(argc, argv.data());
}
}  // namespace

CORBA::ORB_ptr start_orb(Side side, const json& options, const std::vector<std::string>& more) {
  std::vector<std::string> words = {"modelstress", "-ORBdumpConfiguration", "1"};
  std::map<std::string, std::string> asked;
  for (const auto& key : OPTIONS.at(side)) {
    const auto found = options.find(key);
    if (found == options.end()) continue;
    asked[key] = text_of(*found);
    words.push_back("-ORB" + key);
    words.push_back(asked[key]);
  }
  refuse_unreal(asked);
  words.insert(words.end(), more.begin(), more.end());
  std::string logged;
  dump = &logged;
  omniORB::setLogFunction(log_line);
  try {
    CORBA::ORB_var orb = init(words);
    dump = nullptr;
    Directory::_nil();  // which omniidl's code makes when it is first wanted, without a lock
    confirm(asked, logged);
    return orb._retn();
  } catch (const CORBA::Exception& error) {
    dump = nullptr;
    throw ConfigError("omniORB does not start (" + std::string(error._name()) + "): " + logged);
  }
}

namespace {
/** The objects of a server by name. */
class DirectoryServant : public POA_modelstress::Directory {
 public:
  explicit DirectoryServant(std::map<std::string, CORBA::Object_ptr> objects)
      : objects_(std::move(objects)) {}

  CORBA::Object_ptr find(const char* name) override {
    const auto found = objects_.find(name);
    if (found == objects_.end()) throw modelstress::Directory::Unknown(name);
    return CORBA::Object::_duplicate(found->second);
  }

  void stamp_requests() override { modelstress::stamp_requests(); }

 private:
  const std::map<std::string, CORBA::Object_ptr> objects_;
};

PortableServer::POA_ptr make_poa(PortableServer::POA_ptr root, const json& options) {
  const std::string policy = text_of(options.value("threadPolicy", json("ORB_CTRL")));
  if (policy != "ORB_CTRL" && policy != "SINGLE") {
    throw ConfigError("options: threadPolicy is " + policy + "; it must be ORB_CTRL or SINGLE");
  }
  CORBA::PolicyList policies(1);
  policies.length(1);
  policies[0] = root->create_thread_policy(policy == "SINGLE" ? PortableServer::SINGLE_THREAD_MODEL
                                                              : PortableServer::ORB_CTRL_MODEL);
  PortableServer::POAManager_var manager = root->the_POAManager();
  return root->create_POA("objects", manager, policies);
}

/** Port of an object's first profile. */
int port_of(CORBA::Object_ptr object) {
  omniIOR_var ior = object->_PR_getobj()->_getIOR();
  const IOP::TaggedProfileList& profiles = ior->iopProfiles();
  for (CORBA::ULong i = 0; i < profiles.length(); i++) {
    if (profiles[i].tag != IOP::TAG_INTERNET_IOP) continue;
    IIOP::ProfileBody body;
    IIOP::unmarshalProfile(profiles[i], body);
    return body.address.port;
  }
  throw std::runtime_error("the ORB has no port");
}

/**
 * Enters a new folder in the work folder, which only this user may enter, and gives the name of a
 * socket there: through this process, since names of sockets have about a hundred characters and
 * those of work folders more.
 */
std::string enter_socket_folder(const std::string& work) {
  std::string folder = (work.empty() ? std::string(".") : work) + "/orb-XXXXXX";
  if (!mkdtemp(folder.data()) || chdir(folder.c_str()) != 0) {
    throw AddressError("no folder for a socket: " + folder + ": " + std::strerror(errno));
  }
  return "/proc/" + std::to_string(getpid()) + "/cwd/socket";
}
}  // namespace

std::map<std::string, std::string> OrbServer::start(const ServerConfig& config) {
  const auto& [protocol, port] = *config.ports.begin();
  if (config.ports.size() != 1 || (protocol != "tcp" && protocol != "unix")) {
    throw ConfigError("ports: this server has one of tcp and unix");
  }
  std::string end_point = "giop:tcp:" + config.bind + ":" + (port ? std::to_string(port) : "");
  if (protocol == "unix") {
    socket_ = enter_socket_folder(config.work);
    end_point = "giop:unix:" + socket_;
  }
  orb_ = start_orb(Side::SERVER, config.options,
                   {"-ORBendPoint", end_point, "-ORBunixTransportPermission", "700"});
  try {
    CORBA::Object_var object = orb_->resolve_initial_references("RootPOA");
    PortableServer::POA_var root = PortableServer::POA::_narrow(object);
    PortableServer::POAManager_var manager = root->the_POAManager();
    PortableServer::POA_var objects = make_poa(root, config.options);
    object = orb_->resolve_initial_references("omniINSPOA");
    PortableServer::POA_var named = PortableServer::POA::_narrow(object);
    auto* directory = new DirectoryServant(activate_(objects));  // the POA keeps it
    PortableServer::ObjectId_var id = PortableServer::string_to_ObjectId(DIRECTORY);
    named->activate_object_with_id(id, directory);
    manager->activate();
    manager = named->the_POAManager();
    manager->activate();
    if (protocol == "unix") return {{protocol, "unix://" + socket_}};
    object = directory->_this();
    return {{protocol, "iiop://" + config.bind + ":" + std::to_string(port_of(object))}};
  } catch (const CORBA::INITIALIZE&) {
    throw AddressError("omniORB cannot listen at " + end_point + ": it is in use or not there");
  } catch (const CORBA::OBJ_ADAPTER&) {
    throw AddressError("omniORB cannot listen at " + end_point + ": it is in use or not there");
  }
}

void OrbServer::stop() {
  orb_->shutdown(false);
  if (!socket_.empty()) unlink(socket_.c_str());
}

namespace {
Directory_ptr directory_at(CORBA::ORB_ptr orb, const std::string& address, int timeout_ms) {
  const auto place = address.find("://");
  const std::string scheme = address.substr(0, place), rest = address.substr(place + 3);
  const std::string where = scheme == "unix" ? "omniunix:" + rest + ":" : "iiop:1.2@" + rest;
  CORBA::Object_var object = orb->string_to_object(("corbaloc:" + where + "/" + DIRECTORY).c_str());
  // no question about its type, which would be another round trip
  Directory_var directory = Directory::_unchecked_narrow(object);
  omniORB::setClientCallTimeout(directory, static_cast<CORBA::ULong>(timeout_ms));
  return directory._retn();
}
}  // namespace

CORBA::Object_ptr find_object(CORBA::ORB_ptr orb, const std::string& address,
                              const std::string& name, int timeout_ms) {
  Directory_var directory = directory_at(orb, address, timeout_ms);
  return directory->find(name.c_str());
}

void ask_for_stamps(CORBA::ORB_ptr orb, const std::string& address, int timeout_ms) {
  Directory_var directory = directory_at(orb, address, timeout_ms);
  directory->stamp_requests();
}

void translate(const std::function<void()>& call) {
  try {
    call();
  } catch (const CORBA::TIMEOUT&) {
    throw TimeoutError("omniORB: TIMEOUT");
  } catch (const CORBA::SystemException& error) {
    const char* minor = error.NP_minorString();
    throw std::runtime_error("omniORB: " + std::string(error._name()) + " " + (minor ? minor : ""));
  } catch (const CORBA::Exception& error) {
    throw std::runtime_error("omniORB: " + std::string(error._name()));
  }
}

}  // namespace modelstress
