// One thread of load.
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "driver.hpp"
#include "execution.hpp"
#include "failures.hpp"
#include "plan.hpp"
#include "samples.hpp"
#include "stage.hpp"

namespace modelstress {

/** What all threads of a client share. */
struct Setup {
  Driver& driver;
  Target& target;
  const Workload& workload;
  const OperationPlan& plan;
  Recorder& recorder;
  Failures& failures;
  std::atomic<std::int64_t> sessions{0};

  std::int64_t timeout_ns() const { return workload.timeout_ms * std::int64_t{1'000'000}; }
};

/** After the deadline, the time that a driver has to notice; then the same to come back. */
constexpr std::int64_t GRACE_NS = 1'000'000'000;

/** What a timeout that the harness ends is called. */
std::string late(const Setup& setup);

/** Takes part in one stage after the other; shared with its thread, which may be given up. */
class Worker : public std::enable_shared_from_this<Worker> {
 public:
  using StagePointer = std::shared_ptr<Stage>;
  using Next = std::function<StagePointer(const StagePointer&)>;
  using Fail = std::function<void(std::exception_ptr)>;

  Worker(Setup& setup, int number, Next next, Fail fail);
  /** In the place of one that was given up. */
  explicit Worker(const Worker& given_up);

  void start();
  /** Waits for its thread, so long at most. */
  void join_until(std::int64_t deadline_ns);
  StagePointer stage();

  Execution execution;
  const int number;

 private:
  void work();
  void enter(const StagePointer& stage);
  void take_part(Stage& stage);
  void open_ahead(Stage& stage);
  void execute(Stage& stage);
  void await_turn(Stage& stage, std::int64_t ticket, int index);
  bool begin(Stage& stage, const Sample& sample, std::optional<std::int64_t> ticket);
  Outcome run(const Operation& operation, bool open_loop);
  Outcome run_session(const Operation& operation, bool open_loop);
  std::unique_ptr<Session> open();
  void judge(Outcome& outcome, const std::string& operation, Sample& sample, std::int64_t end_ns);

  Setup& setup_;
  const Next next_;
  const Fail fail_;
  StagePointer resumed_;
  std::atomic<std::int64_t> position_{0};  // read by who replaces a thread that was given up
  bool paced_ = false;
  std::unique_ptr<Session> session_;
  std::shared_ptr<const Endpoints> opened_;
  mutable std::mutex lock_;
  std::condition_variable changed_;
  StagePointer stage_;
  bool ended_ = false;
};

}  // namespace modelstress
