// The monotonic clock, the same as Java's and Python's.
#pragma once

#include <cstdint>
#include <ctime>

namespace modelstress {

constexpr std::int64_t SECOND = 1'000'000'000;

inline std::int64_t now_ns() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * SECOND + time.tv_nsec;
}

}  // namespace modelstress
