"""Quantiles for Q–Q plots, beside pingouin's plot of the same sample."""

import numpy as np
import pytest

from modelstress.stats import normal_quantiles

pingouin = pytest.importorskip("pingouin")


@pytest.mark.parametrize("size", [3, 10, 11, 400])
def test_line_and_envelope_are_pingouins(size):
    from matplotlib.figure import Figure

    sample = np.sort(np.random.default_rng(size).lognormal(0, 1, size))
    axes = Figure().subplots()
    pingouin.qqplot(sample, ax=axes, confidence=0.99, square=False)
    found = normal_quantiles(sample, 0.99)
    _, fitted, upper, lower = (line.get_ydata() for line in axes.lines)
    assert found.fitted == pytest.approx(fitted)
    assert found.fitted + found.half_width == pytest.approx(upper)
    assert found.fitted - found.half_width == pytest.approx(lower)
    points = np.asarray(axes.collections[0].get_offsets())
    assert np.column_stack([found.theoretical, found.observed]) == pytest.approx(points)
