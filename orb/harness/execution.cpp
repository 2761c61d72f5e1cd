#include "execution.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include "clock.hpp"
#include "errors.hpp"

namespace modelstress {

std::shared_ptr<const Endpoints> Target::endpoints() {
  const std::lock_guard guard(lock_);
  return endpoints_;
}

void Target::hold() {
  const std::lock_guard guard(lock_);
  released_ = false;
}

void Target::release(const std::map<std::string, std::string>& urls) {
  const std::lock_guard guard(lock_);
  Endpoints moved = *endpoints_;
  for (const auto& [name, url] : urls) {
    const std::string& node = name.empty() ? moved.main : name;
    if (!moved.urls.count(node)) throw ConfigError("there is no node " + node);
    moved.urls[node] = url;
  }
  endpoints_ = std::make_shared<const Endpoints>(std::move(moved));
  released_ = true;
  changed_.notify_all();
}

bool Target::released() {
  const std::lock_guard guard(lock_);
  return released_;
}

bool Target::wait(const Stage& stage) {
  std::unique_lock lock(lock_);
  while (!released_) {
    if (stage.over()) return false;
    changed_.wait_for(lock, std::chrono::milliseconds(5));
  }
  return true;
}

bool Execution::begin(Stage& stage, Target& target, const Sample& sample,
                      std::optional<std::int64_t> ticket) {
  const std::lock_guard guard(lock_);
  check();
  if (!target.released()) return false;
  sample_ = sample;
  if (ticket) {
    slot_ = stage.first_slot + *ticket;
    std::tie(sample_.phase, sample_.start_ns) = stage.admit(*ticket);
    sample_.intended_start_ns = stage.due_ns(*ticket).value_or(sample_.start_ns);
  } else {
    slot_ = NO_SLOT;
    sample_.start_ns = now_ns();
  }
  state_ = RUNNING;
  return true;
}

void Execution::restart_clock(bool open_loop) {
  const std::lock_guard guard(lock_);
  check();
  sample_.start_ns = now_ns();
  sample_.think_ns = 0;
  if (!open_loop) sample_.intended_start_ns = sample_.start_ns;
}

void Execution::think(double ms) {
  bool within;
  {
    const std::lock_guard guard(lock_);
    within = state_ == RUNNING;
    if (within) {
      state_ = THINKING;
      thinking_since_ = now_ns();
    }
  }
  std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(std::max(0.0, ms)));
  if (!within) return;
  const std::lock_guard guard(lock_);
  check();
  sample_.think_ns += now_ns() - thinking_since_;
  state_ = RUNNING;
}

std::pair<Sample, std::int64_t> Execution::end() {
  const std::int64_t now = now_ns();
  const std::lock_guard guard(lock_);
  check();
  state_ = RECORDING;
  sample_.duration_ns = now - sample_.intended_start_ns - sample_.think_ns;
  return {sample_, now};
}

void Execution::recorded() {
  const std::lock_guard guard(lock_);
  check();
  state_ = IDLE;
}

void Execution::check() const {
  if (state_ == LOST) throw GivenUp();
}

bool Execution::under_way() {
  const std::lock_guard guard(lock_);
  return state_ == RUNNING;
}

std::optional<Taken> Execution::overdue(std::int64_t limit_ns) {
  const std::lock_guard guard(lock_);
  const std::int64_t lasted = now_ns() - sample_.start_ns - sample_.think_ns;
  if (state_ == RUNNING && lasted > limit_ns) return taken();
  return std::nullopt;
}

std::optional<Taken> Execution::take() {
  const std::lock_guard guard(lock_);
  if (state_ == RUNNING || state_ == THINKING) return taken();
  return std::nullopt;
}

std::pair<bool, std::optional<Taken>> Execution::stop(std::int64_t deadline_ns) {
  while (true) {
    {
      const std::lock_guard guard(lock_);
      if (state_ == RUNNING || state_ == THINKING) return {true, taken()};
      if (state_ != RECORDING) {
        state_ = LOST;
        return {true, std::nullopt};
      }
    }
    if (now_ns() > deadline_ns) return {false, std::nullopt};
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

Taken Execution::taken() {
  if (state_ == THINKING) sample_.think_ns += now_ns() - thinking_since_;
  state_ = LOST;  // from here on its thread does not touch the sample
  return {slot_, sample_};
}

}  // namespace modelstress
