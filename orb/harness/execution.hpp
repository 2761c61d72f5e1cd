// The execution that a thread has under way, and who may record it.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "samples.hpp"
#include "stage.hpp"

namespace modelstress {

/** This thread's execution was recorded by somebody else; it must end and touch nothing. */
struct GivenUp {};

/** Slot of a session that is opened ahead of any execution. */
constexpr std::int64_t NO_SLOT = -1;

/** Where the load goes, and whether it is held back while the server is restarted. */
class Target {
 public:
  explicit Target(Endpoints endpoints)
      : endpoints_(std::make_shared<const Endpoints>(std::move(endpoints))) {}

  std::shared_ptr<const Endpoints> endpoints();
  void hold();
  /**
   * Goes on, with the nodes at these addresses now; one without a name is the main one's. Raises
   * ConfigError: a name is not a node's.
   */
  void release(const std::map<std::string, std::string>& urls);
  bool released();
  /** Waits while the load is held; false when the stage is over before. */
  bool wait(const Stage& stage);

 private:
  std::mutex lock_;
  std::condition_variable changed_;
  std::shared_ptr<const Endpoints> endpoints_;
  bool released_ = true;
};

/** An execution that was taken from its thread. */
struct Taken {
  std::int64_t slot;
  Sample sample;
};

/** Recorded by exactly one of its thread, the watchdog, a hold and the process's end. */
class Execution {
 public:
  /**
   * Starts the clock, or only the watch over a session's opening (no ticket).
   *
   * False when the load is held, which is judged together with it: whoever holds it says so first
   * and then takes what is under way, so that nothing slips through.
   */
  bool begin(Stage& stage, Target& target, const Sample& sample,
             std::optional<std::int64_t> ticket);
  /** Leaves out what was done up to now: reopening is not part of a reused session's time. */
  void restart_clock(bool open_loop);
  /** Pauses within the execution; elsewhere a plain pause. */
  void think(double ms);
  /** Stops the clock: the sample with the times, and when it ended. */
  std::pair<Sample, std::int64_t> end();
  /** The thread goes on to its next execution. */
  void recorded();
  /** Whether the driver has an execution, or the opening of a session, in its hands. */
  bool under_way();
  /** Takes an execution that has been in the driver's hands for longer. */
  std::optional<Taken> overdue(std::int64_t limit_ns);
  /** Takes an execution that has begun, whatever its deadline. */
  std::optional<Taken> take();
  /** Lets the thread record nothing any more; false when it still records at the deadline. */
  std::pair<bool, std::optional<Taken>> stop(std::int64_t deadline_ns);

 private:
  enum State { IDLE, RUNNING, THINKING, RECORDING, LOST };
  void check() const;
  Taken taken();

  std::mutex lock_;
  State state_ = IDLE;
  std::int64_t slot_ = NO_SLOT, thinking_since_ = 0;
  Sample sample_;
};

}  // namespace modelstress
