#include "generator.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

#include "clock.hpp"

namespace modelstress {

namespace {
constexpr double TICK_S = 0.25, SETTLING_S = 0.05;
constexpr std::int64_t LEAD_NS = 5'000'000;  // for threads to wake up before an open loop begins
constexpr std::int64_t RECORDING_NS = 2 * SECOND;
constexpr auto WATCH = std::chrono::milliseconds(50);

double seconds(std::int64_t ns) { return static_cast<double>(ns) / static_cast<double>(SECOND); }

/** Of a number, what one slice has; the first ones have what does not divide. */
std::int64_t share(std::int64_t whole, int number, int slices) {
  return whole / slices + (number < whole % slices ? 1 : 0);
}
}  // namespace

LoadGenerator::LoadGenerator(Setup& setup, int threads) : setup_(setup) {
  for (int number = 0; number < threads; number++) {
    workers_.push_back(std::make_shared<Worker>(
        setup, number, [this](const StagePointer& last) { return after(last); },
        [this](std::exception_ptr cause) { fail(cause); }));
  }
}

void LoadGenerator::start() {
  for (const auto& worker : workers_) worker->start();
  std::thread([this] { watch(); }).detach();
}

void LoadGenerator::warm_up(Listener& listener) {
  const Warmup policy = warmup(warmups_++);
  if (policy.executions > 0 || policy.seconds > 0 || policy.steady) {
    const std::int64_t begin = now_ns();
    warm_up(policy, begin, listener);
    warmed_ns_ += now_ns() - begin;
  }
  if (!policy.steady) listener.warmed({warmed_, 0, seconds(warmed_ns_)}, std::nullopt);
}

/** One slice of the warm-up; the first begins with few threads, later ones have all of them. */
Warmup LoadGenerator::warmup(int slice) const {
  Warmup found = setup_.workload.warmup;
  const int slices = setup_.workload.slices;
  found.executions = share(found.executions, slice, slices);
  found.seconds /= slices;
  if (slice > 0) found.threads = static_cast<int>(workers_.size());
  if (found.steady) found.steady->most_s /= slices;
  return found;
}

void LoadGenerator::warm_up(const Warmup& policy, std::int64_t begin_ns, Listener& listener) {
  const int all = static_cast<int>(workers_.size());
  std::int64_t executions = policy.executions;
  double least_s = policy.seconds;
  if (policy.threads < all && (executions >= 2 || least_s > 0)) {
    Goal half;
    half.executions = executions / 2;
    half.seconds = least_s / 2;
    const std::int64_t done = run(stage(half, policy.threads, true, nullptr), listener);
    warmed_ += done;
    // what the first half did beyond its share also counts
    executions = std::max<std::int64_t>(0, executions - done);
    least_s /= 2;
  }
  Goal rest;
  rest.executions = executions;
  rest.seconds = least_s;
  if (policy.steady) {
    if (!rule_) rule_ = std::make_shared<SteadyRule>(policy.steady->within);
    const auto most = static_cast<std::int64_t>(policy.steady->most_s * 1e9);
    settling_ = Settling{warmed_, begin_ns - warmed_ns_, begin_ns + most};
  }
  warmed_ += run(stage(rest, all, true, rule_), listener);
}

/** Says once that a warm-up is over, and ends it when it may end. */
void LoadGenerator::settle(Stage& stage, Listener& listener) {
  const std::int64_t now = now_ns();
  if (settling_) {
    const bool steady = stage.reached() && stage.rule->steady();
    if (steady || now >= settling_->latest_ns) {
      const Settling settled = *settling_;
      settling_.reset();
      listener.warmed({settled.before + stage.ended(), 0, seconds(now - settled.begin_ns)},
                      Verdict{steady, stage.rule->change()});
    }
  }
  if (!settling_ && listener.released()) stage.finish();
}

Result LoadGenerator::measure(Listener& listener) {
  const auto window = stage(goal(slice_), static_cast<int>(workers_.size()), false, nullptr);
  slice_++;
  const std::int64_t done = run(window, listener);
  measured_sequence_ += window->drawn();
  return {done, window->cooldown(), seconds(window->window_end_ns() - window->begin_ns())};
}

/** When a slice of the window ends. */
Goal LoadGenerator::goal(int slice) const {
  const Workload& workload = setup_.workload;
  const int slices = workload.slices;
  Goal found;
  if (!workload.window) {
    found.executions = share(*workload.executions, slice, slices);
    return found;
  }
  const Window& window = *workload.window;
  const std::int64_t per_thread = (window.per_thread + slices - 1) / slices;
  found.least = per_thread * static_cast<std::int64_t>(workers_.size());
  if (window.seconds) found.seconds = *window.seconds / slices;
  if (window.objects) found.objects = share(*window.objects, slice, slices);
  found.most_s = window.most_s / slices;
  return found;
}

LoadGenerator::StagePointer LoadGenerator::stage(const Goal& goal, int threads, bool warmup,
                                                 std::shared_ptr<SteadyRule> rule) {
  std::unique_ptr<Schedule> schedule;
  if (const auto& loop = setup_.workload.open_loop) {
    // not the slots: how many a warm-up took differs, and a seed means the same arrivals
    const std::uint64_t seed =
        setup_.plan.seed() ^ (static_cast<std::uint64_t>(stages_) << 8) ^ (warmup ? 0u : 1u);
    const auto in_time = static_cast<std::int64_t>(loop->rate_per_s * goal.seconds.value_or(0));
    schedule =
        std::make_unique<Schedule>(*loop, seed, setup_.workload.executions.value_or(in_time));
  }
  stages_++;
  return std::make_shared<Stage>(goal, warmup, threads, std::move(schedule), slots_,
                                 warmup ? warmup_sequence_ : measured_sequence_, std::move(rule));
}

std::int64_t LoadGenerator::run(const StagePointer& stage, Listener& listener) {
  {
    const std::lock_guard guard(lock_);
    current_ = stage;
    changed_.notify_all();
  }
  // a thread whose open hangs has been given up by then; the stage begins without it
  stage->await_arrivals(seconds(setup_.timeout_ns() + 4 * GRACE_NS));
  stage->begin(stage->schedule ? LEAD_NS : 0);
  while (!stage->await_window(stage->rule ? SETTLING_S : TICK_S)) {
    tick(*stage, listener);
    if (stage->rule) settle(*stage, listener);
  }
  check_stopped();
  if (!stage->warmup) listener.window_ended(stage->window_end_ns());
  while (!stage->await_departures(TICK_S)) tick(*stage, listener);
  tick(*stage, listener);
  slots_ += stage->drawn();
  if (stage->warmup) warmup_sequence_ += stage->drawn();
  answered_ += stage->answered();
  return stage->ended();
}

void LoadGenerator::tick(Stage& stage, Listener& listener) {
  check_stopped();
  setup_.recorder.tick();
  const auto [done, total] = stage.progress();
  int under_way = 0;
  for (const auto& worker : present()) under_way += worker->execution.under_way();
  listener.progress({{"phase", stage.warmup ? "warmup" : "measure"},
                     {"done", done},
                     {"total", total},
                     {"unit", stage.warmup ? "executions" : stage.goal.unit()},
                     {"answered", answered_ + stage.answered()},
                     {"under_way", under_way}});
}

void LoadGenerator::check_stopped() {
  const std::lock_guard guard(lock_);
  if (failure_) std::rethrow_exception(failure_);
  if (stopped_) throw Stopped();
}

std::vector<std::shared_ptr<Worker>> LoadGenerator::present() {
  const std::lock_guard guard(lock_);
  return workers_;
}

/** The stage after this one, as soon as it exists; null at the end. */
LoadGenerator::StagePointer LoadGenerator::after(const StagePointer& last) {
  std::unique_lock lock(lock_);
  changed_.wait(lock, [&] { return current_ != last || stopped_; });
  return stopped_ ? nullptr : current_;
}

void LoadGenerator::fail(std::exception_ptr cause) {
  const std::lock_guard guard(lock_);
  if (!failure_) failure_ = cause;
  if (current_) current_->finish();
}

/** Ends executions whose driver misses its deadline by two grace periods. */
void LoadGenerator::watch() {
  const std::string reason = late(setup_) + ", its thread given up";
  while (true) {
    std::this_thread::sleep_for(WATCH);
    {
      const std::lock_guard guard(lock_);
      if (stopped_) return;
    }
    for (const auto& worker : present()) {
      if (auto taken = worker->execution.overdue(setup_.timeout_ns() + 2 * GRACE_NS)) {
        give_up(worker, *taken, reason);
      }
    }
  }
}

/** Records what was taken as a timeout, and replaces its thread, which nothing can interrupt. */
void LoadGenerator::give_up(const std::shared_ptr<Worker>& worker, Taken taken,
                            const std::string& reason) {
  std::string operation = "(open)";
  if (taken.slot != NO_SLOT) {
    operation = setup_.workload.operations[static_cast<std::size_t>(taken.sample.operation)].name;
    const std::int64_t end_ns = record(taken, Kind::TIMEOUT);
    if (const auto stage = worker->stage()) stage->finished(taken.sample.phase, end_ns, false, 0);
  }
  setup_.failures.add(operation, Kind::TIMEOUT, reason);
  const std::lock_guard guard(lock_);
  if (stopped_) return;
  auto fresh = std::make_shared<Worker>(*worker);
  workers_[static_cast<std::size_t>(worker->number)] = fresh;
  fresh->start();
}

std::int64_t LoadGenerator::record(Taken& taken, Kind outcome) {
  const std::int64_t now = now_ns();
  Sample& sample = taken.sample;
  sample.duration_ns = std::max<std::int64_t>(0, now - sample.intended_start_ns - sample.think_ns);
  sample.outcome = outcome;
  setup_.recorder.record(taken.slot, sample);
  return now;
}

int LoadGenerator::hold(const std::string& reason) {
  const std::lock_guard holding(holding_);  // the file must not be closed meanwhile
  {
    const std::lock_guard guard(lock_);
    if (stopped_) return 0;
  }
  setup_.target.hold();
  int timeouts = 0;
  for (const auto& worker : present()) {
    if (auto taken = worker->execution.take()) {
      give_up(worker, *taken, reason);
      timeouts += taken->slot != NO_SLOT;
    }
  }
  return timeouts;
}

void LoadGenerator::stop_threads() {
  const std::lock_guard guard(lock_);
  stopped_ = true;
  changed_.notify_all();
  if (current_) current_->finish();
}

void LoadGenerator::close(double limit) {
  stop_threads();
  const std::int64_t deadline = now_ns() + static_cast<std::int64_t>(limit * 1e9);
  for (const auto& worker : present()) worker->join_until(deadline);
  setup_.recorder.close(slots_);
}

void LoadGenerator::abort() {
  stop_threads();
  const std::int64_t deadline = now_ns() + RECORDING_NS;
  bool all_done = true;
  const std::lock_guard holding(holding_);
  for (const auto& worker : present()) {
    auto [done, taken] = worker->execution.stop(deadline);
    all_done = all_done && done;
    if (taken && taken->slot != NO_SLOT) record(*taken, Kind::UNFINISHED);
  }
  std::int64_t drawn;
  {
    const std::lock_guard guard(lock_);
    drawn = current_ ? current_->first_slot + current_->drawn() : 0;
  }
  // whoever is still recording writes into the mapping: then the file must not be cut
  if (all_done) {
    setup_.recorder.close(drawn);
  } else {
    setup_.recorder.close(std::nullopt);
  }
}

}  // namespace modelstress
