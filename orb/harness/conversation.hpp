// The conversation with the controller, one line each way.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <string>

#include "console.hpp"
#include "generator.hpp"

namespace modelstress {

/**
 * Whoever ends it first decides how the file is closed: the last execution, the end of standard
 * input, or a signal.
 */
class Conversation : public Listener {
 public:
  Conversation(Console& console, LoadGenerator& generator, Failures& failures);

  /**
   * Holds it until everything is measured and the file closed. When it ends otherwise (end of
   * input, signal) the process ends with exit code 143. SIGTERM and SIGINT must be blocked in all
   * threads. Raises what a thread met.
   */
  void hold();

  void progress(const nlohmann::json& said) override;
  void window_ended(std::int64_t clock_ns) override;
  void warmed(const Result& result, const std::optional<Verdict>& verdict) override;
  bool released() override;

 private:
  void obey();
  bool slice();
  void finish();
  void read();
  void hear(const std::string& line);
  void resume(const nlohmann::json& message);
  bool begin_ending();
  [[noreturn]] void terminate();
  void tell_failures();
  std::string next_command();

  Console& console_;
  LoadGenerator& generator_;
  Failures& failures_;
  std::mutex lock_;
  std::condition_variable changed_;
  std::deque<std::string> commands_;
  std::mutex finishing_;
  bool ending_ = false;
  const bool sliced_;
  bool unasked_ = false;
  std::int64_t next_progress_ns_ = 0, executions_ = 0, cooldown_ = 0;
};

}  // namespace modelstress
