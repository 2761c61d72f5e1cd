// Whether a warm-up has come to a steady state, from its own executions (docs/measuring.md).
#pragma once

#include <cmath>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

namespace modelstress {

/**
 * Compares the third and the last quarter of a warm-up's executions.
 *
 * They are steady when the medians of the operations differ by no more than a fraction, weighted by
 * executions, at two looks in a row, between which the executions grew by a tenth.
 */
class SteadyRule {
 public:
  /** `within`: change of latency, as a fraction, that is none. */
  explicit SteadyRule(double within) : within_(std::log1p(within)) {}

  /** An execution has ended, in the order of ends. */
  void add(int operation, std::int64_t duration_ns);
  /** Whether it is steady, as far as has been looked; looks where enough is new. */
  bool steady();
  /** By how much the last quarter was slower than the one before; NaN: not known. */
  double change() const { return std::expm1(change_); }

 private:
  using Execution = std::pair<int, std::int64_t>;
  static double change_of(const std::vector<Execution>& executions);

  const double within_;
  std::mutex lock_;
  std::vector<Execution> kept_;
  std::size_t total_ = 0;
  int agreeing_ = 0;
  double next_look_ = 40;  // executions before which nothing is said
  double change_ = NAN;
};

}  // namespace modelstress
