// Samples, and the memory-mapped file that they go to (docs/contracts.md, "Sample files").
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "driver.hpp"

namespace modelstress {

enum class Phase : std::uint8_t { WARMUP, MEASURE, COOLDOWN };

/** Word of a phase in sample files. */
const char* word(Phase phase);

/** One execution on its way to the file. */
struct Sample {
  int thread = 0;
  std::int64_t sequence = 0;
  int operation = 0;
  Phase phase = Phase::WARMUP;
  std::int64_t intended_start_ns = 0, start_ns = 0, duration_ns = 0, think_ns = 0;
  Kind outcome = Kind::NONE;
  std::int64_t items = 0;
  int attempts = 1;
  std::vector<std::int64_t> parts;  // ns; empty where they are not known
};

/** Where samples go; many threads record, into different slots. */
class Recorder {
 public:
  virtual ~Recorder() = default;
  /** Makes room before a clock starts. Raises FileFullError. */
  virtual void claim(std::int64_t slot) = 0;
  /** Records an execution that has ended. */
  virtual void record(std::int64_t slot, const Sample& sample) = 0;
  /** Does what is due now and then. */
  virtual void tick() = 0;
  /** Closes the file behind so many slots; without a number, as far as it reaches. */
  virtual void close(std::optional<std::int64_t> slots) = 0;
};

/** One record per execution; a process that is killed loses nothing that it had measured. */
class SampleWriter : public Recorder {
 public:
  /** Raises ConfigError: the file exists or cannot be made. */
  SampleWriter(const std::string& path, int invocation, int client,
               const std::vector<std::string>& operations, const nlohmann::json& meta);
  ~SampleWriter() override;

  void claim(std::int64_t slot) override;
  void record(std::int64_t slot, const Sample& sample) override;
  void tick() override {}
  void close(std::optional<std::int64_t> slots) override;

 private:
  static constexpr std::size_t MOST_CHUNKS = 1 << 16;
  void append(const std::string& data, std::int64_t at);

  const std::string path_;
  const int invocation_, client_;
  int file_;
  std::int64_t begin_;
  std::mutex growing_;
  std::atomic<std::int64_t> chunk_count_{0};
  std::array<std::atomic<char*>, MOST_CHUNKS> chunks_{};
};

}  // namespace modelstress
