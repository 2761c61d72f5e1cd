// Parts of executions, in a file beside the samples (docs/contracts.md, "Parts of an execution").
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "samples.hpp"
#include "workload.hpp"

namespace modelstress {

/** Records samples, and in `FILE.parts.mssf` the parts of those that have some. */
class PartsRecorder : public Recorder {
 public:
  /** Raises ConfigError: the file exists or cannot be made. */
  PartsRecorder(const std::string& path, std::unique_ptr<Recorder> samples,
                const Workload& workload, const std::vector<std::string>& parts, int threads);

  void claim(std::int64_t slot) override { samples_->claim(slot); }
  void record(std::int64_t slot, const Sample& sample) override;
  void tick() override;
  void close(std::optional<std::int64_t> slots) override;

 private:
  struct Thread {
    std::mutex lock;
    std::string records;  // not yet in the file
  };
  void flush();

  const std::string path_;
  const std::unique_ptr<Recorder> samples_;
  const std::size_t parts_;
  const int client_;
  std::vector<std::unique_ptr<Thread>> threads_;
  std::mutex writing_;
  int file_;
  std::int64_t end_ = 0;
};

}  // namespace modelstress
