// Samples as one histogram per thread, second and kind of result (`samples: histogram`).
#pragma once

#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>
#include <vector>

#include "samples.hpp"
#include "workload.hpp"

namespace modelstress {

/**
 * Counts of values from 0 to a day in nanoseconds, to three digits, encoded as HdrHistogram's V2.
 *
 * Written here because Debian has no HdrHistogram for C++; a test decodes it with the one for
 * Python.
 */
class Histogram {
 public:
  void add(std::int64_t value);
  std::int64_t total() const { return total_; }
  /** Compressed, base64. */
  std::string encoded() const;

 private:
  std::vector<std::int64_t> counts_;
  std::int64_t total_ = 0;
};

/** JSON lines beside a sample file that has a header and no records. */
class HistogramRecorder : public Recorder {
 public:
  /** Raises ConfigError: the file exists or cannot be made. */
  HistogramRecorder(const std::string& path, std::unique_ptr<Recorder> rows,
                    const Workload& workload, int threads);

  void claim(std::int64_t) override {}
  void record(std::int64_t slot, const Sample& sample) override;
  void tick() override;
  void close(std::optional<std::int64_t> slots) override;

 private:
  using Result = std::tuple<Phase, int, Kind, std::int64_t>;
  struct Bucket {
    std::int64_t second = 0;
    Histogram durations, lateness;
    std::int64_t items = 0, attempts = 0, think_ns = 0;
  };
  struct Thread {
    std::mutex lock;
    std::map<Result, std::unique_ptr<Bucket>> buckets;
  };
  void flush(std::int64_t before);
  void write(int thread, const Result& result, const Bucket& bucket);

  const std::string path_;
  const std::unique_ptr<Recorder> rows_;
  const Workload& workload_;
  std::FILE* file_;
  std::mutex writing_;
  std::vector<std::unique_ptr<Thread>> threads_;
};

}  // namespace modelstress
