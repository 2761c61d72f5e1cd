#include "samples.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>

#include "errors.hpp"
#include "mssf.hpp"

namespace modelstress {

using nlohmann::json;

namespace {
constexpr const char* KINDS[] = {"",        "ok",         "incorrect", "error",
                                 "timeout", "unfinished", "rejected",  "aborted"};
constexpr const char* PHASES[] = {"warmup", "measure", "cooldown"};

/** A record as the file has it, little-endian as all computers that this is built for. */
struct Record {
  std::int16_t invocation, client, thread;
  std::uint16_t operation;
  std::int64_t intended_start_ns, start_ns, duration_ns, verify_ns;
  std::uint64_t result_digest;
  std::int64_t bytes_sent, bytes_received, think_ns;
  std::int32_t items, result_count, sequence;
  std::uint16_t attempts;
  std::uint8_t phase;
  std::atomic<std::uint8_t> outcome;  // written last
};
constexpr std::int64_t RECORD_SIZE = 96, CHUNK_RECORDS = 1 << 14, PAGE = 4096;
constexpr std::int64_t CHUNK_SIZE = RECORD_SIZE * CHUNK_RECORDS;
static_assert(sizeof(Record) <= RECORD_SIZE && CHUNK_SIZE % PAGE == 0);

json columns() {
  json found = {
      mssf_column("invocation", "int16", offsetof(Record, invocation)),
      mssf_column("client", "int16", offsetof(Record, client)),
      mssf_column("thread", "int16", offsetof(Record, thread)),
      mssf_column("operation", "uint16", offsetof(Record, operation), true),
      mssf_column("intended_start_ns", "int64", offsetof(Record, intended_start_ns)),
      mssf_column("start_ns", "int64", offsetof(Record, start_ns)),
      mssf_column("duration_ns", "int64", offsetof(Record, duration_ns)),
      mssf_column("verify_ns", "int64", offsetof(Record, verify_ns)),
      mssf_column("result_digest", "uint64", offsetof(Record, result_digest)),
      mssf_column("bytes_sent", "int64", offsetof(Record, bytes_sent)),
      mssf_column("bytes_received", "int64", offsetof(Record, bytes_received)),
      mssf_column("think_ns", "int64", offsetof(Record, think_ns)),
      mssf_column("items", "int32", offsetof(Record, items)),
      mssf_column("result_count", "int32", offsetof(Record, result_count)),
      mssf_column("sequence", "int32", offsetof(Record, sequence)),
      mssf_column("attempts", "uint16", offsetof(Record, attempts)),
      mssf_column("phase", "uint8", offsetof(Record, phase), true),
      mssf_column("outcome", "uint8", offsetof(Record, outcome), true),
  };
  for (json& column : found) {
    if (column["name"].get<std::string>().rfind("bytes_", 0) == 0) column["unit"] = "B";
  }
  return found;
}
}  // namespace

const char* word(Kind kind) { return KINDS[static_cast<int>(kind)]; }
const char* word(Phase phase) { return PHASES[static_cast<int>(phase)]; }

SampleWriter::SampleWriter(const std::string& path, int invocation, int client,
                           const std::vector<std::string>& operations, const json& meta)
    : path_(path), invocation_(invocation), client_(client) {
  file_ = open(path.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0644);
  if (file_ < 0 && errno == EEXIST) {
    throw ConfigError("--out: " + path + " exists; measured data is not overwritten, name another");
  }
  if (file_ < 0) {
    throw ConfigError("--out: " + path + " cannot be created: " + std::strerror(errno));
  }
  const json words = {{"operation", operations}, {"outcome", KINDS}, {"phase", PHASES}};
  const std::string head = mssf_header(RECORD_SIZE, columns(), words, meta);
  begin_ = static_cast<std::int64_t>(head.size());
  append(head, 0);
}

SampleWriter::~SampleWriter() = default;  // the process ends: mappings and files with it

void SampleWriter::append(const std::string& data, std::int64_t at) {
  if (!write_at(file_, data, at)) {
    throw FileFullError(path_ + ": no room for samples: " + std::strerror(errno));
  }
}

/** Writes zeros first: in a file with holes a full disk would end the process later. */
void SampleWriter::claim(std::int64_t slot) {
  const std::int64_t wanted = slot / CHUNK_RECORDS;
  if (wanted < chunk_count_.load(std::memory_order_acquire)) return;
  const std::lock_guard guard(growing_);
  for (std::int64_t number = chunk_count_.load(); number <= wanted; number++) {
    if (number == static_cast<std::int64_t>(MOST_CHUNKS)) {
      throw FileFullError(path_ + ": more samples than a file has room for");
    }
    const std::int64_t at = begin_ + number * CHUNK_SIZE;
    append(std::string(CHUNK_SIZE, '\0'), at);
    void* mapped = mmap(nullptr, CHUNK_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, file_, at);
    if (mapped == MAP_FAILED) {
      throw FileFullError(path_ + ": samples cannot be mapped: " + std::strerror(errno));
    }
    chunks_[static_cast<std::size_t>(number)] = static_cast<char*>(mapped);
    chunk_count_.store(number + 1, std::memory_order_release);
  }
}

void SampleWriter::record(std::int64_t slot, const Sample& sample) {
  char* chunk = chunks_[static_cast<std::size_t>(slot / CHUNK_RECORDS)].load();
  auto* record = reinterpret_cast<Record*>(chunk + slot % CHUNK_RECORDS * RECORD_SIZE);
  record->invocation = static_cast<std::int16_t>(invocation_);
  record->client = static_cast<std::int16_t>(client_);
  record->thread = static_cast<std::int16_t>(sample.thread);
  record->operation = static_cast<std::uint16_t>(sample.operation);
  record->intended_start_ns = sample.intended_start_ns;
  record->start_ns = sample.start_ns;
  record->duration_ns = sample.duration_ns;
  record->bytes_sent = record->bytes_received = -1;
  record->think_ns = sample.think_ns;
  record->items = static_cast<std::int32_t>(sample.items);
  record->result_count = sample.outcome == Kind::OK ? record->items : 0;
  record->sequence = static_cast<std::int32_t>(sample.sequence);
  record->attempts = static_cast<std::uint16_t>(sample.attempts);
  record->phase = static_cast<std::uint8_t>(sample.phase);
  record->outcome.store(static_cast<std::uint8_t>(sample.outcome), std::memory_order_release);
}

void SampleWriter::close(std::optional<std::int64_t> slots) {
  const std::lock_guard guard(growing_);
  if (slots) {
    const std::int64_t kept = std::min(*slots, chunk_count_.load() * CHUNK_RECORDS);
    if (ftruncate(file_, begin_ + kept * RECORD_SIZE) != 0) {
      throw FileFullError(path_ + ": cannot be cut: " + std::strerror(errno));
    }
  }
  ::close(file_);
}

}  // namespace modelstress
