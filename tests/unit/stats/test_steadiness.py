"""The judgement of the warm-up, on series whose truth is known."""

import os
import subprocess
import sys

import numpy as np
import pytest
from scipy.stats import norm

from modelstress import stats


def noise(n: int, seed: int = 1):
    """Latencies around 100 with a heavy tail."""
    rng = np.random.default_rng(seed)
    return 100 * rng.lognormal(0, 0.08, n) * np.where(rng.random(n) < 0.02, 8, 1)


def test_steady_noise_with_outliers_is_steady():
    verdicts = [stats.steadiness(noise(400, seed)) for seed in range(40)]
    assert sum(verdict.steady for verdict in verdicts) >= 39


@pytest.mark.parametrize("n", [60, 200, 1000])
def test_a_late_warm_up_is_found_and_placed(n):
    values = noise(n)
    values[: n // 4] *= 2
    verdict = stats.steadiness(values)
    assert verdict.steady is False
    assert abs(verdict.settled_at - n // 4) <= max(5, n // 20)
    assert verdict.change == pytest.approx(-0.5, abs=0.1)
    assert "change-point" in [caveat.code for caveat in verdict.caveats]


def test_a_slow_drift_is_found():
    verdict = stats.steadiness(noise(300) * np.linspace(1, 1.6, 300))
    assert verdict.steady is False
    assert "trend" in [caveat.code for caveat in verdict.caveats]
    assert verdict.trend_p < 0.01


def test_an_immaterial_step_is_no_cause_for_alarm():
    values = np.concatenate([np.full(100, 100.0), np.full(100, 101.0)])
    verdict = stats.steadiness(values + np.linspace(0, 0.1, 200))
    assert verdict.change_points
    assert verdict.steady is True
    assert verdict.settled_at == 0


def test_neighbours_that_are_alike_are_told_and_may_be_steady():
    rng = np.random.default_rng(3)
    shocks, values = rng.normal(0, 1, 400), np.zeros(400)
    for i in range(1, 400):
        values[i] = 0.5 * values[i - 1] + shocks[i]
    verdict = stats.steadiness(100 * np.exp(0.02 * values))
    assert verdict.correlation_p < 1e-6
    assert [caveat.code for caveat in verdict.caveats] == ["autocorrelation"]
    assert verdict.steady is True


def test_ljung_box_by_hand():
    # scores of 20 values up and down: the ranks 11 1 12 2 13 3 ...
    order = np.ravel(np.column_stack([np.arange(11, 21), np.arange(1, 11)])).astype(float)
    scores = norm.ppf((order - 0.5) / 20)
    squares = (scores**2).sum()
    shares = [(scores[d:] * scores[:-d]).sum() / squares for d in (1, 2, 3, 4)]
    q = 20 * 22 * sum(r**2 / (20 - d) for d, r in enumerate(shares, 1))
    # upper tail of chi-squared with 4 degrees of freedom
    expected = np.exp(-q / 2) * (1 + q / 2)
    assert stats.steadiness(order).correlation_p == pytest.approx(expected, rel=1e-9)


def test_the_last_digit_does_not_depend_on_the_number_of_cpus():
    """Products of long series by BLAS do, from 10,000 on: tables would differ when made again."""
    program = (
        "import numpy as np; from modelstress import stats; "
        "noise = np.random.default_rng(1).normal(size=50_000); noise[1:] += 0.05 * noise[:-1]; "
        "print(stats.steadiness(noise).correlation_p.hex())"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", program], env={**os.environ, "OPENBLAS_NUM_THREADS": threads},
            capture_output=True, text=True, check=True,
        ).stdout
        for threads in ("1", "2")
    }  # fmt: skip
    assert len(said) == 1 and "0x" in said.pop()


@pytest.mark.parametrize("resolution", [0.01, 20.0])
def test_independent_executions_seldom_look_correlated(resolution):
    found = [
        stats.steadiness(np.round(noise(60, seed) / resolution)).correlation_p
        for seed in range(300)
    ]
    assert np.mean(np.array(found) < 0.01) <= 0.03  # 3.5 standard errors above 1 %
    assert np.mean(np.array(found) < 0.5) == pytest.approx(0.5, abs=0.12)


@pytest.mark.filterwarnings("error")
def test_constant_series_are_silent():
    verdict = stats.steadiness(np.full(50, 3.0))
    assert np.isnan(verdict.correlation_p) and verdict.caveats == ()
    assert stats.steadiness(np.array([1.0] * 49 + [2.0])).steady is True


def test_constant_short_and_empty_series():
    assert stats.steadiness(np.full(50, 3.0)).steady is True
    for n in (0, 1, 19):
        verdict = stats.steadiness(np.ones(n))
        assert verdict.steady is None
        assert verdict.caveats[0].code == "too-few"
