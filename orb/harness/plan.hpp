// Which operation an execution runs, by seed and number: the same plan as Java's and Python's.
#pragma once

#include <cstdint>
#include <vector>

#include "workload.hpp"

namespace modelstress {

/** One step of splitmix64, which scatters neighbouring numbers. */
std::uint64_t mix(std::uint64_t x);

/** A number from 0 to below 1 of 64 random bits. */
inline double unit(std::uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-53; }

/** The plan of one client process. */
class OperationPlan {
 public:
  explicit OperationPlan(const Workload& workload);

  std::uint64_t seed() const { return seed_; }
  /**
   * Number of the operation of an execution.
   *
   * `warmup`: its phase (the cooldown goes on in the window's numbers); `sequence`: its number in
   * the phase; `position`: its number among its thread's executions of the phase.
   */
  int index(bool warmup, std::int64_t sequence, std::int64_t position) const;
  /** Pause of the thread after an operation. */
  std::int64_t think_ns(int index) const;
  /** Pause of a thread before its first execution of a stage, so that threads do not go in step. */
  std::int64_t first_pause_ns(int index, int thread) const;
  /** Seed of what is random in a session. */
  std::uint64_t session_seed(int thread, std::int64_t session) const;

 private:
  const Workload& workload_;
  std::uint64_t seed_;
  std::vector<double> sums_;
};

/** When the executions of an open loop are due; the answer depends on the seed alone. */
class Schedule {
 public:
  Schedule(const OpenLoop& loop, std::uint64_t seed, std::int64_t expected);

  /** Nanoseconds from the beginning until an execution is due. */
  std::int64_t offset_ns(std::int64_t ticket) const;
  /** How many executions are due earlier than that. */
  std::int64_t due_before(std::int64_t offset_ns) const;

 private:
  double gap_;
  std::vector<std::int64_t> arrivals_;
};

}  // namespace modelstress
