// A stretch of load with one beginning: half a warm-up, or the window with its cooldown.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "plan.hpp"
#include "samples.hpp"
#include "steady.hpp"

namespace modelstress {

/** When a stage is over. */
struct Goal {
  std::optional<std::int64_t> executions;  // so many; in a warm-up at least
  std::optional<double> seconds;  // in a warm-up at least so long; else what begins within them
  std::optional<std::int64_t> objects;  // the window ends when so many were counted
  std::int64_t least = 0;               // of a window in seconds, so many begin, or it lasts longer
  double most_s = 0;                    // but no longer than so many seconds

  /** What the progress of a window is counted in. */
  const char* unit() const;
};

/** One shared counter of tickets, which number executions in the order in which they start. */
class Stage {
 public:
  Stage(Goal goal, bool warmup, int threads, std::unique_ptr<Schedule> schedule,
        std::int64_t first_slot, std::int64_t first_sequence, std::shared_ptr<SteadyRule> rule);

  const Goal goal;
  const bool warmup;
  const int threads;
  const std::unique_ptr<Schedule> schedule;
  const std::int64_t first_slot, first_sequence;
  const std::shared_ptr<SteadyRule> rule;

  std::int64_t draw() { return drawn_++; }
  std::int64_t drawn() const { return drawn_; }
  bool over() const { return over_; }
  std::int64_t begin_ns() const { return begin_ns_; }
  std::int64_t window_end_ns() const { return window_end_ns_; }
  /** When an execution is due; nothing in a closed loop. */
  std::optional<std::int64_t> due_ns(std::int64_t ticket) const;
  /** Begins an execution: its phase, and the time that its phase was judged by. */
  std::pair<Phase, std::int64_t> admit(std::int64_t ticket);
  /** An execution has ended and is recorded; `answered` unless by a timeout. */
  void finished(Phase phase, std::int64_t end_ns, bool answered, std::int64_t objects);
  /** Whether a warm-up has its least executions and seconds. */
  bool reached();
  /** Ends the stage, whatever is still to do. */
  void finish();
  /** What is done and what there is to do, in the goal's unit. */
  std::pair<std::int64_t, std::int64_t> progress();
  /** Executions that were not of the cooldown, of it, and that ended otherwise than by timeouts. */
  std::int64_t ended();
  std::int64_t cooldown();
  std::int64_t answered();

  /** Sleeps until a time, or until the stage is over. */
  void sleep_until(std::int64_t time_ns);
  /** Lets all threads go; the first arrival of an open loop is due a little later. */
  void begin(std::int64_t lead_ns);
  void await_begin();
  void arrive();
  void leave();
  /** Waits for all threads, so long at most. */
  void await_arrivals(double seconds);
  /** Waits until the stage is over, so long at most, but not beyond the end of its time. */
  bool await_window(double seconds);
  /** Waits until all threads have left, so long at most. */
  bool await_departures(double seconds);

 private:
  bool measures(std::int64_t ticket, std::int64_t now) const;
  bool time_is_over(std::int64_t now) const;
  bool all_begun(std::int64_t now) const;
  bool reached_at(std::int64_t now) const;
  void look(std::int64_t now);
  void finish_at(std::int64_t end_ns);

  std::atomic<std::int64_t> drawn_{0};
  std::atomic<bool> over_{false};
  std::mutex lock_;
  std::condition_variable changed_;
  bool started_ = false;
  int arrived_ = 0, left_ = 0;
  std::int64_t begin_ns_ = 0, window_end_ns_ = 0, last_end_ns_ = 0;
  std::int64_t begun_ = 0, ended_ = 0, objects_ = 0, cooldown_ = 0, timeouts_ = 0;
  std::int64_t least_ns_, most_ns_;
  std::optional<std::int64_t>
      tickets_;  // those below are measured, where neither clock nor count decides
};

}  // namespace modelstress
