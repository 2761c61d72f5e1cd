#include "plan.hpp"

#include <algorithm>
#include <cmath>

namespace modelstress {

namespace {
constexpr std::uint64_t GOLDEN = 0x9E3779B97F4A7C15u;
constexpr std::uint64_t WARMUP = 1, WINDOW = 2, PACE = 3, SESSION = 4;  // streams of numbers
constexpr std::int64_t TABLE = 1 << 20;  // a Poisson schedule repeats after so many at most
}  // namespace

std::uint64_t mix(std::uint64_t x) {
  std::uint64_t z = x + GOLDEN;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

OperationPlan::OperationPlan(const Workload& workload)
    : workload_(workload),
      seed_(mix(mix(mix(workload.seed) ^ static_cast<std::uint64_t>(workload.invocation)) ^
                static_cast<std::uint64_t>(workload.client))) {
  double sum = 0;
  for (const auto& operation : workload.operations) sums_.push_back(sum += operation.weight);
}

int OperationPlan::index(bool warmup, std::int64_t sequence, std::int64_t position) const {
  if (!workload_.order.empty()) {
    return workload_.order[static_cast<std::size_t>(position) % workload_.order.size()];
  }
  const std::uint64_t stream = mix(seed_ ^ (warmup ? WARMUP : WINDOW));
  const double draw = unit(mix(stream ^ static_cast<std::uint64_t>(sequence))) * sums_.back();
  const auto found = std::upper_bound(sums_.begin(), sums_.end(), draw);
  return static_cast<int>(std::min<std::ptrdiff_t>(found - sums_.begin(),
                                                   static_cast<std::ptrdiff_t>(sums_.size()) - 1));
}

std::int64_t OperationPlan::think_ns(int index) const {
  return static_cast<std::int64_t>(workload_.operations[static_cast<std::size_t>(index)].think_ms *
                                   1e6);
}

std::int64_t OperationPlan::first_pause_ns(int index, int thread) const {
  const double share = unit(mix(mix(seed_ ^ PACE) ^ static_cast<std::uint64_t>(thread)));
  return static_cast<std::int64_t>(share * static_cast<double>(think_ns(index)));
}

std::uint64_t OperationPlan::session_seed(int thread, std::int64_t session) const {
  return mix(mix(mix(seed_ ^ SESSION) ^ static_cast<std::uint64_t>(thread)) ^
             static_cast<std::uint64_t>(session));
}

Schedule::Schedule(const OpenLoop& loop, std::uint64_t seed, std::int64_t expected)
    : gap_(1e9 / loop.rate_per_s) {
  if (!loop.poisson) return;
  const std::int64_t count = std::min(TABLE, std::max<std::int64_t>(expected, 1024) * 2);
  double at = 0;
  for (std::int64_t number = 0; number < count; number++) {
    const double draw = unit(mix(seed + static_cast<std::uint64_t>(number) * GOLDEN));
    at -= std::log(1 - draw) * gap_;
    arrivals_.push_back(static_cast<std::int64_t>(at));
  }
}

std::int64_t Schedule::offset_ns(std::int64_t ticket) const {
  if (arrivals_.empty()) return static_cast<std::int64_t>(static_cast<double>(ticket) * gap_);
  const auto size = static_cast<std::int64_t>(arrivals_.size());
  return ticket / size * arrivals_.back() + arrivals_[static_cast<std::size_t>(ticket % size)];
}

std::int64_t Schedule::due_before(std::int64_t offset) const {
  if (arrivals_.empty()) {
    const auto count = static_cast<std::int64_t>(static_cast<double>(offset) / gap_);
    return count + (offset_ns(count) < offset ? 1 : 0);
  }
  const std::int64_t rounds = offset / arrivals_.back(), rest = offset % arrivals_.back();
  const auto found = std::lower_bound(arrivals_.begin(), arrivals_.end(), rest);
  return rounds * static_cast<std::int64_t>(arrivals_.size()) + (found - arrivals_.begin());
}

}  // namespace modelstress
