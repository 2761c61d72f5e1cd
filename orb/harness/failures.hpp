// Distinct failure messages, each to be told once.
#pragma once

#include <deque>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <tuple>

#include "driver.hpp"

namespace modelstress {

/** Operation, outcome and message. */
using Failure = std::tuple<std::string, std::string, std::string>;

class Failures {
 public:
  /** Notes a failure unless it, or too many others, have been seen. */
  void add(const std::string& operation, Kind outcome, const std::string& message);
  /** The next one to tell. */
  std::optional<Failure> poll();

 private:
  std::mutex lock_;
  std::set<Failure> seen_;
  std::deque<Failure> untold_;
};

}  // namespace modelstress
