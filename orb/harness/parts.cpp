#include "parts.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>

#include "errors.hpp"
#include "mssf.hpp"

namespace modelstress {

namespace {
constexpr const char* SUFFIX = ".parts.mssf";

/** What stands before the parts of a record, little-endian. */
struct Head {
  std::int64_t start_ns, duration_ns;
  std::int32_t sequence;
  std::int16_t client, thread;
  std::uint16_t operation;
  std::uint8_t phase, nothing[5];
};
constexpr std::size_t HEAD = sizeof(Head), PART = sizeof(std::int64_t);
static_assert(HEAD % PART == 0);

nlohmann::json columns(const std::vector<std::string>& parts) {
  nlohmann::json found = {
      mssf_column("start_ns", "int64", offsetof(Head, start_ns)),
      mssf_column("duration_ns", "int64", offsetof(Head, duration_ns)),
      mssf_column("sequence", "int32", offsetof(Head, sequence)),
      mssf_column("client", "int16", offsetof(Head, client)),
      mssf_column("thread", "int16", offsetof(Head, thread)),
      mssf_column("operation", "uint16", offsetof(Head, operation), true),
      mssf_column("phase", "uint8", offsetof(Head, phase), true),
  };
  for (std::size_t i = 0; i < parts.size(); i++) {
    found.push_back(mssf_column(parts[i] + "_ns", "int64", HEAD + PART * i));
  }
  return found;
}
}  // namespace

PartsRecorder::PartsRecorder(const std::string& path, std::unique_ptr<Recorder> samples,
                             const Workload& workload, const std::vector<std::string>& parts,
                             int threads)
    : path_(path + SUFFIX),
      samples_(std::move(samples)),
      parts_(parts.size()),
      client_(workload.client) {
  file_ = open(path_.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0644);
  if (file_ < 0) {
    throw ConfigError("--out: " + path_ + " cannot be created: " + std::strerror(errno));
  }
  std::vector<std::string> operations;
  for (const auto& operation : workload.operations) operations.push_back(operation.name);
  std::vector<std::string> phases;
  for (const Phase phase : {Phase::WARMUP, Phase::MEASURE, Phase::COOLDOWN}) {
    phases.push_back(word(phase));
  }
  const std::string head =
      mssf_header(HEAD + PART * parts_, columns(parts),
                  {{"operation", operations}, {"phase", phases}}, {{"parts", parts}});
  if (!write_at(file_, head, 0)) {
    throw FileFullError(path_ + ": no room: " + std::strerror(errno));
  }
  end_ = static_cast<std::int64_t>(head.size());
  for (int i = 0; i < threads; i++) threads_.push_back(std::make_unique<Thread>());
}

void PartsRecorder::record(std::int64_t slot, const Sample& sample) {
  samples_->record(slot, sample);
  if (sample.outcome != Kind::OK || sample.parts.size() != parts_) return;
  Head head{};
  head.start_ns = sample.start_ns;
  head.duration_ns = sample.duration_ns;
  head.sequence = static_cast<std::int32_t>(sample.sequence);
  head.client = static_cast<std::int16_t>(client_);
  head.thread = static_cast<std::int16_t>(sample.thread);
  head.operation = static_cast<std::uint16_t>(sample.operation);
  head.phase = static_cast<std::uint8_t>(sample.phase);
  Thread& thread = *threads_[static_cast<std::size_t>(sample.thread)];
  const std::lock_guard guard(thread.lock);
  thread.records.append(reinterpret_cast<const char*>(&head), HEAD);
  thread.records.append(reinterpret_cast<const char*>(sample.parts.data()), PART * parts_);
}

void PartsRecorder::tick() {
  samples_->tick();
  flush();
}

void PartsRecorder::flush() {
  for (const auto& thread : threads_) {
    std::string records;
    {
      const std::lock_guard guard(thread->lock);
      records.swap(thread->records);
    }
    const std::lock_guard guard(writing_);
    if (!write_at(file_, records, end_)) {
      throw FileFullError(path_ + ": no room: " + std::strerror(errno));
    }
    end_ += static_cast<std::int64_t>(records.size());
  }
}

void PartsRecorder::close(std::optional<std::int64_t> slots) {
  samples_->close(slots);
  flush();
}

}  // namespace modelstress
