"""The judgement of the warm-up, on series whose truth is known."""

import numpy as np
import pytest

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


def test_constant_short_and_empty_series():
    assert stats.steadiness(np.full(50, 3.0)).steady is True
    for n in (0, 1, 19):
        verdict = stats.steadiness(np.ones(n))
        assert verdict.steady is None
        assert verdict.caveats[0].code == "too-few"
