// Where the time of a call goes, by omniORB's own interceptors (omniORB4/omniInterceptors.h).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace modelstress {

/** Points that a call comes by: two in the client, four in the server, two in the client again. */
enum Point { BEGIN, SENT, ARRIVED, WORK_BEGIN, WORK_END, ANSWERED, RECEIVED, END, POINTS };

/** Names of the parts of a call, from each point to the next one. */
std::vector<std::string> path_parts();

/** In the client: calls within a `Path` carry the wish for time stamps from now on. */
void stamp_calls();

/** In the server: requests with that wish are stamped from now on, and answers carry the stamps. */
void stamp_requests();

/**
 * The calls of an execution, while it lives on its thread's stack; their parts are added up. Both
 * programs must have one clock: stamps that are not in the order of points are dropped, and so is
 * every part then.
 */
class Path {
 public:
  Path();
  ~Path();
  Path(const Path&) = delete;
  Path& operator=(const Path&) = delete;

  void begin();
  void end();
  /** From each point to the next one, in ns; empty where a stamp is missing. */
  std::vector<std::int64_t> parts() const;

  std::array<std::int64_t, POINTS> stamps{};  // of the call that is under way

 private:
  std::array<std::int64_t, POINTS - 1> sums_{};
  int calls_ = 0;
  bool whole_ = true;
};

/** The work of a servant, while it lives; of works within one another the outermost counts. */
class Work {
 public:
  Work();
  ~Work();
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;
};

}  // namespace modelstress
