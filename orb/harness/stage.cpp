#include "stage.hpp"

#include <algorithm>
#include <chrono>

#include "clock.hpp"

namespace modelstress {

namespace {
using Clock = std::chrono::steady_clock;  // CLOCK_MONOTONIC

constexpr std::int64_t SPIN_NS = 30'000;  // a sleeping thread wakes up so late

Clock::time_point point(std::int64_t time_ns) {
  return Clock::time_point(std::chrono::nanoseconds(time_ns));
}

std::int64_t nanoseconds(double seconds) {
  return static_cast<std::int64_t>(seconds * static_cast<double>(SECOND));
}
}  // namespace

const char* Goal::unit() const {
  if (objects) return "objects";
  return executions ? "executions" : "seconds";
}

Stage::Stage(Goal goal, bool warmup, int threads, std::unique_ptr<Schedule> schedule,
             std::int64_t first_slot, std::int64_t first_sequence, std::shared_ptr<SteadyRule> rule)
    : goal(goal),
      warmup(warmup),
      threads(threads),
      schedule(std::move(schedule)),
      first_slot(first_slot),
      first_sequence(first_sequence),
      rule(std::move(rule)),
      least_ns_(nanoseconds(goal.seconds.value_or(0))),
      most_ns_(std::max(least_ns_, nanoseconds(goal.most_s))),
      tickets_(goal.executions) {
  if (this->schedule && !goal.executions && !goal.objects) {
    const std::int64_t least = std::min(goal.least, this->schedule->due_before(most_ns_));
    tickets_ = std::max(this->schedule->due_before(least_ns_), least);
  }
}

std::optional<std::int64_t> Stage::due_ns(std::int64_t ticket) const {
  if (!schedule) return std::nullopt;
  return begin_ns_ + schedule->offset_ns(ticket);
}

std::pair<Phase, std::int64_t> Stage::admit(std::int64_t ticket) {
  if (warmup) return {Phase::WARMUP, now_ns()};
  const std::lock_guard guard(lock_);  // else the window could end between clock and verdict
  const std::int64_t now = now_ns();
  if (over_ || !measures(ticket, now)) return {Phase::COOLDOWN, now};
  begun_++;
  return {Phase::MEASURE, now};
}

bool Stage::measures(std::int64_t ticket, std::int64_t now) const {
  if (goal.objects) return objects_ < *goal.objects;
  if (tickets_) return ticket < *tickets_;
  return !time_is_over(now);
}

/** Whether a window in seconds has them, and its least executions or its most seconds. */
bool Stage::time_is_over(std::int64_t now) const {
  const std::int64_t elapsed = now - begin_ns_;
  return elapsed >= least_ns_ && (begun_ >= goal.least || elapsed >= most_ns_);
}

void Stage::finished(Phase phase, std::int64_t end_ns, bool answered, std::int64_t objects) {
  const std::lock_guard guard(lock_);
  timeouts_ += answered ? 0 : 1;
  if (phase == Phase::COOLDOWN) {
    cooldown_++;
    return;
  }
  ended_++;
  objects_ += objects;
  last_end_ns_ = std::max(last_end_ns_, end_ns);
  look(end_ns);
}

/** Ends the stage where nothing more is to come. */
void Stage::look(std::int64_t now) {
  if (warmup) {
    if (!rule && reached_at(now)) finish_at(now);
  } else if (begun_ == ended_ && all_begun(now)) {
    finish_at(std::max(last_end_ns_, begin_ns_ + least_ns_));
  }
}

/** Whether no further execution will be measured. */
bool Stage::all_begun(std::int64_t now) const {
  if (goal.objects) return objects_ >= *goal.objects;
  if (!tickets_) return time_is_over(now);
  return now - begin_ns_ >= least_ns_ && begun_ == *tickets_;
}

bool Stage::reached_at(std::int64_t now) const {
  return ended_ >= goal.executions.value_or(0) && now - begin_ns_ >= least_ns_;
}

bool Stage::reached() {
  const std::lock_guard guard(lock_);
  return reached_at(now_ns());
}

void Stage::finish() {
  const std::lock_guard guard(lock_);
  finish_at(now_ns());
}

void Stage::finish_at(std::int64_t end_ns) {
  if (over_) return;
  window_end_ns_ = end_ns;
  over_ = true;
  changed_.notify_all();
}

std::pair<std::int64_t, std::int64_t> Stage::progress() {
  const std::lock_guard guard(lock_);
  if (!goal.executions && !goal.objects && !warmup) {
    const std::int64_t all = (least_ns_ + SECOND - 1) / SECOND;
    const std::int64_t elapsed = std::max<std::int64_t>(0, now_ns() - begin_ns_);
    return {std::min(all, elapsed / SECOND), all};
  }
  const std::int64_t counted = goal.objects ? objects_ : ended_;
  return {counted, std::max(counted, goal.objects.value_or(goal.executions.value_or(0)))};
}

std::int64_t Stage::ended() {
  const std::lock_guard guard(lock_);
  return ended_;
}

std::int64_t Stage::cooldown() {
  const std::lock_guard guard(lock_);
  return cooldown_;
}

std::int64_t Stage::answered() {
  const std::lock_guard guard(lock_);
  return ended_ + cooldown_ - timeouts_;
}

void Stage::sleep_until(std::int64_t time_ns) {
  if (time_ns - now_ns() > SPIN_NS) {
    std::unique_lock lock(lock_);
    changed_.wait_until(lock, point(time_ns - SPIN_NS), [&] { return over_.load(); });
  }
  while (!over_ && now_ns() < time_ns) {
  }
}

void Stage::begin(std::int64_t lead_ns) {
  const std::lock_guard guard(lock_);
  begin_ns_ = now_ns() + lead_ns;
  started_ = true;
  changed_.notify_all();
}

void Stage::await_begin() {
  std::unique_lock lock(lock_);
  changed_.wait(lock, [&] { return started_; });
}

void Stage::arrive() {
  const std::lock_guard guard(lock_);
  arrived_++;
  changed_.notify_all();
}

void Stage::leave() {
  const std::lock_guard guard(lock_);
  left_++;
  changed_.notify_all();
}

void Stage::await_arrivals(double seconds) {
  std::unique_lock lock(lock_);
  changed_.wait_until(lock, point(now_ns() + nanoseconds(seconds)),
                      [&] { return arrived_ >= threads || over_; });
}

bool Stage::await_window(double seconds) {
  std::unique_lock lock(lock_);
  const std::int64_t now = now_ns(), left = begin_ns_ + least_ns_ - now;
  const std::int64_t pause = nanoseconds(seconds);
  changed_.wait_until(lock, point(now + (left > 0 ? std::min(pause, left) : pause)),
                      [&] { return over_.load(); });
  if (!warmup) look(now_ns());
  return over_;
}

bool Stage::await_departures(double seconds) {
  std::unique_lock lock(lock_);
  return changed_.wait_until(lock, point(now_ns() + nanoseconds(seconds)),
                             [&] { return left_ >= threads; });
}

}  // namespace modelstress
