#include "histograms.hpp"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "clock.hpp"
#include "errors.hpp"

namespace modelstress {

namespace {
constexpr const char* SUFFIX = ".histograms.jsonl";
constexpr std::int64_t LONGEST_NS = 24 * 3600 * SECOND;
constexpr int HALF_MAGNITUDE = 10;  // 2,048 counts tell three digits
constexpr std::int64_t HALF = 1 << HALF_MAGNITUDE;
constexpr std::uint32_t V2 = 0x1c849303 | 0x10, COMPRESSED_V2 = 0x1c849304 | 0x10;

std::size_t place_of(std::int64_t value) {
  const int bucket =
      63 - HALF_MAGNITUDE - __builtin_clzll(static_cast<std::uint64_t>(value) | (2 * HALF - 1));
  return static_cast<std::size_t>(bucket * HALF + (value >> bucket));
}

/** Appends the bytes of a number, the highest first. */
void append(std::string& bytes, std::uint64_t number, int size) {
  for (int i = size - 1; i >= 0; i--) bytes += static_cast<char>(number >> (8 * i) & 0xff);
}

/** Appends a signed number, ZigZag and LEB128, nine bytes at most. */
void append_zigzag(std::string& bytes, std::int64_t number) {
  std::uint64_t rest =
      (static_cast<std::uint64_t>(number) << 1) ^ static_cast<std::uint64_t>(number >> 63);
  for (int i = 0; i < 8 && rest >= 0x80; i++, rest >>= 7) {
    bytes += static_cast<char>((rest & 0x7f) | 0x80);
  }
  bytes += static_cast<char>(rest);
}

std::string base64(const std::string& bytes) {
  constexpr const char* DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string found;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t three = 0;
    for (std::size_t j = 0; j < 3; j++) {
      three = three << 8 | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0u);
    }
    for (std::size_t j = 0; j < 4; j++) {
      found += i + j <= bytes.size() ? DIGITS[three >> (18 - 6 * j) & 63] : '=';
    }
  }
  return found;
}
}  // namespace

void Histogram::add(std::int64_t value) {
  const std::size_t place = place_of(std::clamp<std::int64_t>(value, 0, LONGEST_NS));
  if (place >= counts_.size()) counts_.resize(place + 1);
  counts_[place]++;
  total_++;
}

std::string Histogram::encoded() const {
  std::string payload;
  for (std::size_t i = 0; i < counts_.size();) {
    std::size_t zeros = i;
    while (zeros < counts_.size() && counts_[zeros] == 0) zeros++;
    if (zeros > i) {
      append_zigzag(payload, -static_cast<std::int64_t>(zeros - i));
      i = zeros;
    } else {
      append_zigzag(payload, counts_[i++]);
    }
  }
  std::string bytes;
  append(bytes, V2, 4);
  append(bytes, payload.size(), 4);
  append(bytes, 0, 4);                    // no shift of the counts
  append(bytes, 3, 4);                    // digits
  append(bytes, 1, 8);                    // lowest value that is told apart
  append(bytes, LONGEST_NS, 8);           // highest
  append(bytes, 0x3ff0000000000000u, 8);  // 1.0: values are as they are
  bytes += payload;
  uLongf size = compressBound(bytes.size());
  std::string compressed(size, '\0');
  compress(reinterpret_cast<Bytef*>(compressed.data()), &size,
           reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
  compressed.resize(size);
  std::string found;
  append(found, COMPRESSED_V2, 4);
  append(found, size, 4);
  return base64(found + compressed);
}

HistogramRecorder::HistogramRecorder(const std::string& path, std::unique_ptr<Recorder> rows,
                                     const Workload& workload, int threads)
    : path_(path + SUFFIX), rows_(std::move(rows)), workload_(workload) {
  file_ = std::fopen(path_.c_str(), "wxe");
  if (!file_) throw ConfigError("--out: " + path_ + " cannot be created: " + std::strerror(errno));
  for (int i = 0; i < threads; i++) threads_.push_back(std::make_unique<Thread>());
}

/** Records an execution in the second in which it ended. */
void HistogramRecorder::record(std::int64_t, const Sample& sample) {
  const std::int64_t end = sample.intended_start_ns + sample.duration_ns + sample.think_ns;
  const Result result{sample.phase, sample.operation, sample.outcome, sample.items};
  Thread& thread = *threads_[static_cast<std::size_t>(sample.thread)];
  const std::lock_guard guard(thread.lock);
  auto& bucket = thread.buckets[result];
  if (!bucket || bucket->second != end / SECOND) {
    if (bucket) write(sample.thread, result, *bucket);
    bucket = std::make_unique<Bucket>();
    bucket->second = end / SECOND;
  }
  bucket->durations.add(sample.duration_ns);
  bucket->lateness.add(sample.start_ns - sample.intended_start_ns);
  bucket->items += sample.items;
  bucket->attempts += sample.attempts;
  bucket->think_ns += sample.think_ns;
}

/** Writes what belongs to seconds in which nobody can still be recording. */
void HistogramRecorder::tick() { flush(now_ns() / SECOND - 1); }

void HistogramRecorder::flush(std::int64_t before) {
  for (std::size_t number = 0; number < threads_.size(); number++) {
    Thread& thread = *threads_[number];
    const std::lock_guard guard(thread.lock);
    for (auto at = thread.buckets.begin(); at != thread.buckets.end();) {
      if (at->second->second < before) {
        write(static_cast<int>(number), at->first, *at->second);
        at = thread.buckets.erase(at);
      } else {
        ++at;
      }
    }
  }
  const std::lock_guard guard(writing_);
  std::fflush(file_);
}

void HistogramRecorder::write(int thread, const Result& result, const Bucket& bucket) {
  const auto& [phase, operation, outcome, items] = result;
  const nlohmann::json line = {
      {"invocation", workload_.invocation},
      {"client", workload_.client},
      {"thread", thread},
      {"second_ns", bucket.second * SECOND},
      {"phase", word(phase)},
      {"operation", workload_.operations[static_cast<std::size_t>(operation)].name},
      {"outcome", word(outcome)},
      {"result_count", outcome == Kind::OK ? items : 0},
      {"result_digest", "0"},
      {"executions", bucket.durations.total()},
      {"items", bucket.items},
      {"attempts", bucket.attempts},
      {"think_ns", bucket.think_ns},
      {"verify_ns", 0},
      {"bytes_sent", -1},
      {"bytes_received", -1},
      {"duration_ns", bucket.durations.encoded()},
      {"lateness_ns", bucket.lateness.encoded()},
  };
  const std::string text = line.dump() + "\n";
  const std::lock_guard guard(writing_);
  if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) {
    throw FileFullError(path_ + ": no room: " + std::strerror(errno));
  }
}

void HistogramRecorder::close(std::optional<std::int64_t>) {
  flush(LONGEST_NS);
  const bool written = std::fclose(file_) == 0;
  rows_->close(0);
  if (!written) throw FileFullError(path_ + ": no room: " + std::strerror(errno));
}

}  // namespace modelstress
