#include "worker.hpp"

#include <chrono>

#include "clock.hpp"
#include "errors.hpp"

namespace modelstress {

std::string late(const Setup& setup) {
  return "no answer within " + std::to_string(setup.workload.timeout_ms) +
         " ms; ended by the harness";
}

Worker::Worker(Setup& setup, int number, Next next, Fail fail)
    : number(number), setup_(setup), next_(std::move(next)), fail_(std::move(fail)) {}

Worker::Worker(const Worker& given_up)
    : std::enable_shared_from_this<Worker>(),
      number(given_up.number),
      setup_(given_up.setup_),
      next_(given_up.next_),
      fail_(given_up.fail_),
      position_(given_up.position_.load()) {
  const std::lock_guard guard(given_up.lock_);
  resumed_ = stage_ = given_up.stage_;
}

void Worker::start() {
  std::thread([self = shared_from_this()] { self->work(); }).detach();
}

void Worker::join_until(std::int64_t deadline_ns) {
  std::unique_lock lock(lock_);
  changed_.wait_until(lock,
                      std::chrono::steady_clock::time_point(std::chrono::nanoseconds(deadline_ns)),
                      [&] { return ended_; });
}

Worker::StagePointer Worker::stage() {
  const std::lock_guard guard(lock_);
  return stage_;
}

void Worker::work() {
  try {
    StagePointer stage = resumed_ ? resumed_ : next_(nullptr);
    while (stage) {
      enter(stage);
      if (number < stage->threads) take_part(*stage);
      stage = next_(stage);
    }
    session_.reset();
  } catch (const GivenUp&) {
    return;  // somebody else goes on in this thread's place
  } catch (...) {
    fail_(std::current_exception());
  }
  const std::lock_guard guard(lock_);
  ended_ = true;
  changed_.notify_all();
}

void Worker::enter(const StagePointer& stage) {
  const std::lock_guard guard(lock_);
  if (stage_ && stage_->warmup != stage->warmup) position_ = 0;  // the order begins anew
  stage_ = stage;
}

void Worker::take_part(Stage& stage) {
  paced_ = resumed_.get() == &stage;  // all threads begin a stage at once
  if (setup_.workload.reused && !session_ && resumed_.get() != &stage) open_ahead(stage);
  stage.arrive();
  stage.await_begin();
  while (!stage.over()) execute(stage);
  stage.leave();
}

/** Opens the session before the stage begins; if it fails, the first execution tries. */
void Worker::open_ahead(Stage& stage) {
  Sample sample;
  sample.thread = number;
  if (!begin(stage, sample, std::nullopt)) return;
  try {
    session_ = open();
  } catch (const GivenUp&) {
    throw;
  } catch (...) {
    session_.reset();
  }
  execution.end();
  execution.recorded();
}

void Worker::execute(Stage& stage) {
  const std::int64_t ticket = stage.draw();
  Sample sample;
  sample.thread = number;
  sample.sequence = stage.first_sequence + ticket;
  sample.operation = setup_.plan.index(stage.warmup, sample.sequence, position_);
  const WorkloadOperation& chosen =
      setup_.workload.operations[static_cast<std::size_t>(sample.operation)];
  const std::int64_t slot = stage.first_slot + ticket;
  setup_.recorder.claim(slot);
  await_turn(stage, ticket, sample.operation);
  position_++;  // before it begins: from then on it may be taken, and its thread replaced
  if (stage.over() || !begin(stage, sample, ticket)) {
    position_--;  // nobody waits for this one any more
    return;
  }
  const Operation operation{chosen.name, chosen.parameters, sample.operation, sample.sequence};
  Outcome outcome = run(operation, stage.schedule != nullptr);
  std::int64_t end_ns;
  std::tie(sample, end_ns) = execution.end();
  judge(outcome, chosen.name, sample, end_ns);
  setup_.recorder.record(slot, sample);
  execution.recorded();
  const bool told = sample.outcome == Kind::OK || sample.outcome == Kind::TIMEOUT;
  if (stage.rule && told) stage.rule->add(sample.operation, sample.duration_ns);
  const bool counted = sample.outcome == Kind::OK && chosen.objects;
  stage.finished(sample.phase, end_ns, sample.outcome != Kind::TIMEOUT, counted ? sample.items : 0);
  const std::int64_t pause = setup_.plan.think_ns(sample.operation);
  if (pause > 0) stage.sleep_until(now_ns() + pause);
}

/** Sleeps until an execution is due; in a closed loop once a stage, so that none go in step. */
void Worker::await_turn(Stage& stage, std::int64_t ticket, int index) {
  if (const auto due = stage.due_ns(ticket)) {
    stage.sleep_until(*due);
  } else if (!paced_) {
    const std::int64_t pause = setup_.plan.first_pause_ns(index, number);
    if (pause > 0) stage.sleep_until(now_ns() + pause);
  }
  paced_ = true;
}

bool Worker::begin(Stage& stage, const Sample& sample, std::optional<std::int64_t> ticket) {
  while (setup_.target.wait(stage)) {
    if (execution.begin(stage, setup_.target, sample, ticket)) return true;
  }
  return false;
}

/** What is timed; whatever escapes a driver is an outcome. */
Outcome Worker::run(const Operation& operation, bool open_loop) {
  try {
    return run_session(operation, open_loop);
  } catch (const GivenUp&) {
    throw;
  } catch (const TimeoutError& error) {
    return Outcome::timeout(error.what());
  } catch (...) {
    return Outcome::error(current_message());
  }
}

Outcome Worker::run_session(const Operation& operation, bool open_loop) {
  if (!setup_.workload.reused) return open()->execute(operation);
  if (!session_ || opened_ != setup_.target.endpoints()) {
    session_.reset();
    session_ = open();
    execution.restart_clock(open_loop);
  }
  return session_->execute(operation);
}

std::unique_ptr<Session> Worker::open() {
  const std::int64_t session = setup_.sessions++;
  const auto endpoints = setup_.target.endpoints();
  auto opened = setup_.driver.open(
      *endpoints, {setup_.workload.client, number, session,
                   setup_.plan.session_seed(number, session), setup_.workload.timeout_ms,
                   setup_.workload.options, [this](double ms) { execution.think(ms); }});
  if (!opened) throw std::runtime_error("the driver opened no session");
  opened_ = endpoints;
  return opened;
}

/** Fills the outcome in; the clock has stopped. */
void Worker::judge(Outcome& outcome, const std::string& operation, Sample& sample,
                   std::int64_t end_ns) {
  if (end_ns - sample.start_ns - sample.think_ns > setup_.timeout_ns() + GRACE_NS) {
    outcome = Outcome::timeout(late(setup_));
  } else if (outcome.kind == Kind::NONE || outcome.items < 0 || outcome.items > INT32_MAX ||
             outcome.attempts < 1 || outcome.attempts > UINT16_MAX) {
    outcome = Outcome::error("the driver returned an impossible outcome");
  }
  sample.outcome = outcome.kind;
  sample.items = outcome.items;
  sample.attempts = outcome.attempts;
  sample.parts = std::move(outcome.parts);
  if (outcome.kind != Kind::OK) setup_.failures.add(operation, outcome.kind, outcome.detail);
  // a reused session is opened anew
  if (outcome.kind == Kind::ERROR || outcome.kind == Kind::TIMEOUT) opened_.reset();
}

}  // namespace modelstress
