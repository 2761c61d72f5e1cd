// Runs warm-up and window with a fixed pool of threads that share one queue.
#pragma once

#include <exception>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "worker.hpp"

namespace modelstress {

/** What a part came to. */
struct Result {
  std::int64_t executions = 0, cooldown = 0;
  double seconds = 0;
};

/** Whether a warm-up became steady, and how latencies changed at the last look (a fraction). */
struct Verdict {
  bool steady;
  double change;
};

/** Told how things go, by the thread that called `warm_up` or `measure`. */
class Listener {
 public:
  virtual ~Listener() = default;
  virtual void progress(const nlohmann::json& said) = 0;
  virtual void window_ended(std::int64_t clock_ns) = 0;
  virtual void warmed(const Result& result, const std::optional<Verdict>& verdict) = 0;
  /** Whether the load of a warm-up may end. */
  virtual bool released() = 0;
};

/** The end of the process has begun elsewhere. */
struct Stopped {};

/** The threads of a client. */
class LoadGenerator {
 public:
  LoadGenerator(Setup& setup, int threads);

  void start();
  /**
   * The warm-up, or its next slice: first half with few threads, then with all of them; with a rule
   * until it is steady, and then until the listener releases it. Slices after the first have all
   * threads at once, and the rule goes on with what it has seen. Raises Stopped, or what a thread
   * met.
   */
  void warm_up(Listener& listener);
  /** The next slice of the measured window, and its cooldown. Raises as `warm_up`. */
  Result measure(Listener& listener);
  int warmups_left() const { return setup_.workload.slices - warmups_; }
  int slices_left() const { return setup_.workload.slices - slice_; }
  /** Ends all that is under way as timeouts and begins nothing more; how many it ended. */
  int hold(const std::string& reason);
  void resume(const std::map<std::string, std::string>& urls) { setup_.target.release(urls); }
  /** Ends between stages: sessions are closed, in so many seconds at most, then the file. */
  void close(double seconds);
  /** Ends in the middle: executions under way are recorded as unfinished. */
  void abort();

 private:
  using StagePointer = Worker::StagePointer;
  struct Settling {
    std::int64_t before, begin_ns, latest_ns;
  };
  Goal goal(int slice) const;
  StagePointer stage(const Goal& goal, int threads, bool warmup, std::shared_ptr<SteadyRule> rule);
  Warmup warmup(int slice) const;
  void warm_up(const Warmup& policy, std::int64_t begin_ns, Listener& listener);
  std::int64_t run(const StagePointer& stage, Listener& listener);
  void settle(Stage& stage, Listener& listener);
  void tick(Stage& stage, Listener& listener);
  void check_stopped();
  std::vector<std::shared_ptr<Worker>> present();
  StagePointer after(const StagePointer& last);
  void fail(std::exception_ptr cause);
  void watch();
  void give_up(const std::shared_ptr<Worker>& worker, Taken taken, const std::string& reason);
  std::int64_t record(Taken& taken, Kind outcome);
  void stop_threads();

  Setup& setup_;
  std::mutex lock_;
  std::condition_variable changed_;
  std::mutex holding_;
  StagePointer current_;
  bool stopped_ = false;
  std::exception_ptr failure_;
  std::optional<Settling> settling_;
  std::shared_ptr<SteadyRule> rule_;
  std::int64_t slots_ = 0, warmup_sequence_ = 0, measured_sequence_ = 0, answered_ = 0;
  std::int64_t warmed_ = 0, warmed_ns_ = 0;
  int stages_ = 0, warmups_ = 0, slice_ = 0;
  std::vector<std::shared_ptr<Worker>> workers_;
};

}  // namespace modelstress
