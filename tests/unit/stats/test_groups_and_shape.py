"""Several samples, the shape of one, and how much to measure."""

import math

import numpy as np
import pytest
from scipy.stats import norm

from modelstress import stats
from modelstress.stats import budget, groups, shape

RNG = np.random.default_rng(7)


def test_kruskal_wallis_by_hand():
    # ranks 1 2 | 3 4 | 5 6 with n = 6: 12 / (6 * 7) * (9 + 49 + 121) / 2 - 3 * 7 = 32 / 7
    found = groups.kruskal_wallis([np.array(v, float) for v in ((1, 2), (3, 4), (5, 6))])
    assert found.statistic == pytest.approx(32 / 7, rel=1e-14)
    assert found.p == pytest.approx(math.exp(-32 / 14), rel=1e-12)  # chi-squared, 2 degrees


def test_dunn_by_hand():
    # mean ranks 1.5, 3.5, 5.5; variance 6 * 7 / 12 * (1/2 + 1/2) = 3.5
    samples = [np.array(v, float) for v in ((1, 2), (3, 4), (5, 6))]
    plain = [2 * norm.sf(2 / math.sqrt(3.5)), 2 * norm.sf(4 / math.sqrt(3.5))]
    by_pair = {(c.first, c.second): c.p for c in groups.dunn(samples, "bonferroni")}
    assert by_pair == {
        (0, 1): pytest.approx(min(1, 3 * plain[0])),
        (1, 2): pytest.approx(min(1, 3 * plain[0])),
        (0, 2): pytest.approx(3 * plain[1]),
    }
    holm = {(c.first, c.second): c.p for c in groups.dunn(samples)}
    assert holm[0, 2] == pytest.approx(3 * plain[1])
    assert holm[0, 1] == pytest.approx(min(1, 2 * plain[0]))


def test_very_small_p_is_not_one_minus_one():
    far = [RNG.normal(0, 1, 400), RNG.normal(100, 1, 400)]
    [comparison] = groups.dunn(far)
    assert 0 < comparison.p < 1e-100


def test_groups_without_values():
    full = RNG.random(20)
    found = groups.dunn([full, np.array([]), full + 1])
    assert [math.isnan(c.p) for c in found] == [True, False, True]
    said = groups.kruskal_wallis([full, np.array([])])
    assert math.isnan(said.p) and said.caveats[0].code == "empty"
    same = [np.full(5, 2.0)] * 3
    assert groups.kruskal_wallis(same).p == 1
    assert {c.p for c in groups.dunn(same)} == {1.0}
    with pytest.raises(ValueError, match="none of"):
        groups.dunn([full, full], "none at all")


def test_shapiro_wilk_tells_normal_from_skewed():
    assert shape.shapiro_wilk(norm.ppf((np.arange(200) + 0.5) / 200)).p > 0.99
    assert shape.shapiro_wilk(RNG.lognormal(0, 1, 200)).p < 1e-6
    assert shape.shapiro_wilk(np.array([1.0, 2.0])).caveats[0].code == "too-few"
    assert shape.shapiro_wilk(np.full(9, 1.0)).caveats[0].code == "constant"


@pytest.mark.parametrize(("n", "share", "known"), [(1000, 0.9, True), (1000, 0.999, False)])
def test_percentiles(n, share, known):
    values = np.arange(1.0, n + 1)
    found = shape.percentile(values, share)
    assert found.value == pytest.approx(np.quantile(values, share))
    assert (found.interval is not None) == known
    if known:
        assert found.interval.low < found.value < found.interval.high
        assert found.interval.coverage >= 0.99
    else:
        assert found.caveats[0].code == "too-few"


@pytest.mark.parametrize("share", [0.9, 0.99])
def test_the_interval_of_a_percentile_covers_it(share):
    covered = 0
    for _ in range(2000):
        found = shape.percentile(RNG.exponential(1, 1200), share).interval
        covered += found.low <= -math.log(1 - share) <= found.high
    assert covered / 2000 > 0.98


def test_advice_asks_for_starts_when_starts_differ():
    noisy = [RNG.lognormal(0, 0.3, 200) * factor for factor in (1.0, 1.1, 0.9)]
    found = budget.advice(noisy, start_cost=5000)
    assert found.invocations > 10
    quiet = [RNG.lognormal(0, 0.3, 200) for _ in range(3)]
    assert budget.advice(quiet, start_cost=5000).invocations < found.invocations
    assert budget.advice(noisy[:1], 1).executions is None


def test_following_the_advice_reaches_the_precision():
    def start(n):
        return RNG.lognormal(0, 0.5, n) * RNG.lognormal(0, 0.02)

    found = budget.advice([start(300) for _ in range(5)], start_cost=1000)
    medians = [np.median(start(found.executions)) for _ in range(found.invocations)]
    assert abs(np.mean(medians) - 1) < 0.05


def test_everything_public_is_there():
    for name in stats.__all__:
        assert getattr(stats, name) is not None


def test_ties_of_millions_of_values_do_not_overflow():
    """The library cubes the number of equal values in 64 bits, and would say 0.47 here."""
    first, second, none = np.ones(1_600_000), np.ones(1_200_000), np.empty(0)
    first[:146_500] = second[:110_500] = 2
    [pair, *others] = stats.dunn([first, second, none], "bonferroni")
    n, twos, m, others_twos = first.size, 146_500, second.size, 110_500
    pooled = (twos + others_twos) / (n + m)  # of two levels, the test is that of two shares
    z = (twos / n - others_twos / m) / np.sqrt(pooled * (1 - pooled) * (1 / n + 1 / m))
    assert pair.z == pytest.approx(z, rel=1e-5)
    assert pair.p == pair.raw_p == pytest.approx(0.13523, rel=1e-4)
    assert all(np.isnan(other.p) for other in others)
    assert np.isnan(stats.dunn([np.ones(3_000_000), none])[0].p)
