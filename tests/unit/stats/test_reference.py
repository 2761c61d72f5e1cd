"""Our statistics against R's, on samples of our own making (tests/reference/make.R)."""

import csv
import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import norm

from modelstress import stats

FOLDER = Path(__file__).parents[2] / "reference"
REFERENCE = json.loads((FOLDER / "values.json").read_text())
CONFIDENCE = REFERENCE["confidence"]
EXACT, CLOSE, END = 1e-12, 1e-7, 1e-6
"""Relative differences: twelve digits, seven digits, ends of intervals."""


def read_samples():
    found: dict[str, list[float]] = {}
    with (FOLDER / "samples.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            found.setdefault(row["sample"], []).append(float(row["value"]))
    return {name: np.array(values) for name, values in found.items()}


SAMPLES = read_samples()


def named(entries, *keys):
    return [pytest.param(entry, id="-".join(str(entry[key]) for key in keys)) for entry in entries]


each_sample = pytest.mark.parametrize("expected", named(REFERENCE["samples"], "sample"))
each_pair = pytest.mark.parametrize("expected", named(REFERENCE["pairs"], "first", "second"))
each_group = pytest.mark.parametrize("expected", REFERENCE["groups"], ids=lambda e: e["groups"][0])
each_starts = pytest.mark.parametrize("expected", REFERENCE["starts"], ids=lambda e: e["mine"][0])


def relative(value, tolerance):
    """Digits only: nothing is near enough to 0 but 0."""
    return pytest.approx(value, rel=tolerance, abs=0)


def ends(interval):
    return [interval.low, interval.high]


def of_pair(expected):
    return SAMPLES[expected["first"]], SAMPLES[expected["second"]]


@each_sample
def test_centre_and_spread(expected):
    values = SAMPLES[expected["sample"]]
    found = stats.median(values, CONFIDENCE)
    assert found.value == relative(expected["median"], EXACT)
    assert stats.coefficient_of_dispersion(values) == relative(expected["cod"], EXACT)
    if expected["median_interval"] is None:
        assert found.interval is None
    else:
        assert ends(found.interval) == relative(expected["median_interval"], EXACT)


@each_sample
def test_shape(expected):
    found = stats.shapiro_wilk(SAMPLES[expected["sample"]])
    assert found.w == relative(expected["shapiro_w"], CLOSE)
    # scipy's normal scores have nine digits, R's all of them; far out p magnifies that
    if expected["shapiro_p"] > 1e-20:
        assert found.p == relative(expected["shapiro_p"], CLOSE)
    else:
        assert np.log(found.p) == relative(np.log(expected["shapiro_p"]), CLOSE)


@each_sample
def test_percentiles(expected):
    names = ("shares", "percentiles", "percentile_lows", "percentile_highs")
    for share, value, low, high in zip(*(expected[name] for name in names), strict=True):
        found = stats.percentile(SAMPLES[expected["sample"]], share, CONFIDENCE)
        assert found.value == relative(value, EXACT)
        if low is None:
            assert found.interval is None
        else:
            assert ends(found.interval) == relative([low, high], EXACT)


@each_sample
def test_correlation(expected):
    found = stats.steadiness(SAMPLES[expected["sample"]]).correlation_p
    if expected["ljung_box_p"] is None:
        assert np.isnan(found)
    else:
        assert found == relative(expected["ljung_box_p"], CLOSE)


@each_pair
def test_mann_whitney(expected):
    found = stats.mann_whitney(*of_pair(expected))
    assert (found.method == "exact") == expected["exact"]
    assert found.statistic == relative(expected["u"], EXACT)
    assert found.p == relative(expected["p"], CLOSE)


@each_pair
def test_shift(expected):
    found = stats.hodges_lehmann(*of_pair(expected), CONFIDENCE)
    assert (found.method == "exact") == expected["exact"]
    # of values near 10, the difference 0 is one of 1e-15
    assert found.value == pytest.approx(expected["shift"], rel=EXACT, abs=1e-14)
    low, high = expected["shift_interval"]
    if found.caveats:  # a clock so coarse that most values are tied: wider than R's by a tick
        assert found.caveats[0].code == "coarse-clock"
        tick = np.diff(np.unique(np.concatenate(of_pair(expected)))).min()
        low, high = low - tick, high + tick
    # R's root of an end at 0 is one of 1e-13
    assert ends(found.interval) == pytest.approx([low, high], rel=END, abs=1e-12)


@each_pair
def test_delta(expected):
    found = stats.cliffs_delta(*of_pair(expected), CONFIDENCE)
    assert found.value == relative(expected["delta"], EXACT)
    assert ends(found.interval) == relative(expected["delta_interval"], END)


@each_pair
def test_ratio(expected):
    found = stats.median_ratio(*of_pair(expected), CONFIDENCE)
    assert found.value == relative(expected["ratio"], EXACT)
    if found.interval is None:  # R's bootstrap has one of samples that are too small for it
        assert min(map(len, of_pair(expected))) < 6 and found.caveats[0].code == "too-few"
        return
    assert ends(found.interval) == relative(expected["ratio_interval"], END)


@each_group
def test_groups(expected):
    groups = [SAMPLES[name] for name in expected["groups"]]
    found = stats.kruskal_wallis(groups)
    assert found.statistic == relative(expected["h"], EXACT)
    assert found.p == relative(expected["p"], CLOSE)
    pairs = list(combinations(range(len(groups)), 2))
    assert pairs == list(zip(expected["first"], expected["second"], strict=True))
    for adjustment in ("bonferroni", "holm"):
        compared = stats.dunn(groups, adjustment)
        assert [(c.first, c.second) for c in compared] == pairs
        assert [c.p for c in compared] == relative(expected[adjustment], EXACT)
    # Bonferroni's p, where it is not cut off at 1, gives Dunn's z back; z itself is always there
    for c, z in zip(stats.dunn(groups, "bonferroni"), expected["z"], strict=True):
        assert abs(c.z) == relative(abs(z), EXACT)
        if c.p < 1:
            assert norm.isf(c.p / len(pairs) / 2) == relative(abs(z), EXACT)


@each_starts
def test_few_starts(expected):
    mine, other = ([SAMPLES[name] for name in expected[side]] for side in ("mine", "other"))
    median = stats.median_over_invocations(mine, CONFIDENCE)
    ratio = stats.ratio_over_invocations(mine, other, CONFIDENCE)
    difference = stats.difference_over_invocations(mine, other, CONFIDENCE)
    for name, found in (("median", median), ("ratio", ratio), ("difference", difference)):
        assert found.value == relative(expected[name], EXACT)
        assert ends(found.interval) == relative(expected[f"{name}_interval"], END)


def test_the_references_reach_everything():
    pairs = REFERENCE["pairs"]
    assert {pair["exact"] for pair in pairs} == {True, False}
    assert any(abs(pair["delta"]) == 1 for pair in pairs) and any(p["shift"] == 0 for p in pairs)
    sizes = {SAMPLES[pair[side]].size for pair in pairs for side in ("first", "second")}
    assert min(sizes) < 10 and max(sizes) >= 400
