#include "steady.hpp"

#include <algorithm>
#include <map>

namespace modelstress {

namespace {
constexpr std::size_t LEAST_OF_OPERATION = 3, MOST_REMEMBERED = 1 << 16;
constexpr int AGREEING = 2;
constexpr double GROWTH = 1.1;

double median(std::vector<std::int64_t>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  const auto upper = static_cast<double>(*middle);
  if (values.size() % 2) return std::max(1.0, upper);
  return std::max(1.0,
                  (upper + static_cast<double>(*std::max_element(values.begin(), middle))) / 2);
}
}  // namespace

void SteadyRule::add(int operation, std::int64_t duration_ns) {
  const std::lock_guard guard(lock_);
  if (kept_.size() == MOST_REMEMBERED) {  // only the last half is looked at
    kept_.erase(kept_.begin(), kept_.begin() + MOST_REMEMBERED / 2);
  }
  kept_.emplace_back(operation, duration_ns);
  total_++;
}

bool SteadyRule::steady() {
  std::vector<Execution> half;
  {
    const std::lock_guard guard(lock_);
    if (static_cast<double>(total_) < next_look_) return agreeing_ >= AGREEING;
    next_look_ = static_cast<double>(total_) * GROWTH;
    half.assign(kept_.end() - static_cast<std::ptrdiff_t>(std::min(kept_.size(), total_ / 2)),
                kept_.end());
  }
  change_ = change_of(half);
  agreeing_ = std::abs(change_) <= within_ ? agreeing_ + 1 : 0;
  return agreeing_ >= AGREEING;
}

/** Weighted mean of the logarithms of the operations' ratios; NaN when none can be told. */
double SteadyRule::change_of(const std::vector<Execution>& executions) {
  std::map<int, std::vector<std::int64_t>> quarters[2];
  for (std::size_t place = 0; place < executions.size(); place++) {
    const auto& [operation, duration_ns] = executions[place];
    quarters[place >= executions.size() / 2][operation].push_back(duration_ns);
  }
  double changes = 0, weight = 0;
  for (auto& [operation, before] : quarters[0]) {
    auto& after = quarters[1][operation];
    if (std::min(before.size(), after.size()) < LEAST_OF_OPERATION) continue;
    const auto both = static_cast<double>(before.size() + after.size());
    changes += both * std::log(median(after) / median(before));
    weight += both;
  }
  return weight > 0 ? changes / weight : NAN;
}

}  // namespace modelstress
