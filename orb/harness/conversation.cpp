#include "conversation.hpp"

#include <signal.h>
#include <unistd.h>

#include <cmath>
#include <iostream>
#include <thread>

#include "clock.hpp"
#include "errors.hpp"

namespace modelstress {

using nlohmann::json;

namespace {
constexpr std::int64_t PROGRESS_NS = SECOND / 2;
constexpr double CLOSING_S = 2;
constexpr unsigned ABORTING_S = 4;

[[noreturn]] void wait_for_end() {
  while (true) pause();
}

void await_signal() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  int found;
  sigwait(&signals, &found);
}
}  // namespace

Conversation::Conversation(Console& console, LoadGenerator& generator, Failures& failures)
    : console_(console),
      generator_(generator),
      failures_(failures),
      sliced_(generator.slices_left() > 1) {}

void Conversation::hold() {
  std::thread([this] {
    await_signal();
    terminate();
  }).detach();
  generator_.start();
  console_.say("READY", {{"pid", getpid()}, {"clock_ns", now_ns()}});
  std::thread([this] { read(); }).detach();
  try {
    obey();
  } catch (const Stopped&) {
    wait_for_end();  // the end of the process has begun
  } catch (...) {
    if (!begin_ending()) wait_for_end();
    generator_.abort();
    throw;
  }
}

void Conversation::obey() {
  bool warm = false;
  while (true) {
    const std::string command = next_command();
    if (command == "WARM") {
      unasked_ = false;
      generator_.warm_up(*this);
      warm = true;
    } else if (command == "GO") {
      if (!warm) {
        unasked_ = true;
        while (generator_.warmups_left() > 0) generator_.warm_up(*this);
      }
      warm = true;
      if (slice()) return;
    } else if (command == "PAUSE") {
      console_.say("PAUSED", json::object());  // what a warm-up's rule had going on has ended
    } else {
      std::cerr << "not understood: " << command << std::endl;
    }
  }
}

/** Measures one slice of the window; whether it was the last. */
bool Conversation::slice() {
  const Result result = generator_.measure(*this);
  executions_ += result.executions;
  cooldown_ += result.cooldown;
  if (sliced_) {
    console_.say("SLICED", {{"executions", result.executions}, {"cooldown", result.cooldown}});
  }
  if (generator_.slices_left() > 0) return false;
  finish();
  return true;
}

void Conversation::finish() {
  const std::lock_guard guard(finishing_);  // the HELD that ended the last executions comes first
  if (!begin_ending()) wait_for_end();
  generator_.close(CLOSING_S);
  tell_failures();
  console_.say("DONE", {{"executions", executions_}, {"cooldown", cooldown_}});
}

bool Conversation::begin_ending() {
  const std::lock_guard guard(lock_);
  if (ending_) return false;
  return ending_ = true;
}

void Conversation::read() {
  while (const auto line = console_.read()) hear(*line);
  terminate();
}

/** What must be answered while load runs is answered here. */
void Conversation::hear(const std::string& line) {
  const auto space = line.find(' ');
  const std::string word = line.substr(0, space);
  const std::string rest = space == std::string::npos ? "" : line.substr(space + 1);
  try {
    if (word == "PING") {
      console_.say("PONG", {{"clock_ns", now_ns()}});
    } else if (word == "WEDGED") {
      const std::string reason = json::parse(rest).at("reason").get<std::string>();
      const std::lock_guard guard(finishing_);
      console_.say("HELD", {{"timeouts", generator_.hold(reason)}});
    } else if (word == "RESUME") {
      resume(json::parse(rest));
    } else if (!word.empty()) {
      const std::lock_guard guard(lock_);
      commands_.push_back(word);
      changed_.notify_all();
    }
  } catch (const std::exception& error) {
    std::cerr << "not understood (" << error.what() << "): " << line << std::endl;
  }
}

void Conversation::resume(const json& message) {
  if (message.contains("endpoints")) {
    generator_.resume(message["endpoints"].get<std::map<std::string, std::string>>());
  } else {
    generator_.resume({{"", message.at("endpoint").get<std::string>()}});
  }
}

/** End of input or a signal: keeps what was measured, the rest is unfinished, and is gone. */
void Conversation::terminate() {
  if (!begin_ending()) wait_for_end();
  // a controller that no longer reads would hold us up while we tell it the last failures
  std::thread([] {
    sleep(ABORTING_S);
    _exit(TERMINATED);
  }).detach();
  try {
    generator_.abort();
    tell_failures();
  } catch (...) {
    print_error("closing the sample file failed: " + current_message());
  }
  _exit(TERMINATED);
}

/** Says that the warm-up, or its slice, is over, where it was asked for. */
void Conversation::warmed(const Result& result, const std::optional<Verdict>& verdict) {
  tell_failures();
  if (unasked_) return;
  json said = {{"executions", result.executions}, {"seconds", result.seconds}};
  if (verdict) {
    said["steady"] = verdict->steady;
    said["change"] = std::isnan(verdict->change) ? json() : json(verdict->change);
  }
  console_.say("WARMED", said);
}

/** Whether the controller has asked for the window, or for a pause before it. */
bool Conversation::released() {
  const std::lock_guard guard(lock_);
  return unasked_ || !commands_.empty();
}

/** Says how things stand, at most twice a second. */
void Conversation::progress(const json& said) {
  tell_failures();
  const std::int64_t now = now_ns();
  {
    const std::lock_guard guard(lock_);
    if (now < next_progress_ns_ || ending_) return;
    next_progress_ns_ = now + PROGRESS_NS;
  }
  console_.say("PROGRESS", said);
}

void Conversation::window_ended(std::int64_t clock_ns) {
  console_.say("WINDOW", {{"clock_ns", clock_ns}});
}

void Conversation::tell_failures() {
  while (const auto failure = failures_.poll()) {
    const auto& [operation, outcome, message] = *failure;
    console_.say("DETAIL", {{"operation", operation}, {"outcome", outcome}, {"message", message}});
  }
}

std::string Conversation::next_command() {
  std::unique_lock lock(lock_);
  changed_.wait(lock, [&] { return !commands_.empty(); });
  std::string command = commands_.front();
  commands_.pop_front();
  return command;
}

}  // namespace modelstress
