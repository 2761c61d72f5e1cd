"""Whatever is wrong with every cell: flags and blanks, no warning, nothing made up."""

import numpy as np
import pytest
import sick
import synthetic

from modelstress.analysis import load, write

pytestmark = pytest.mark.filterwarnings("error")

BLANK = ("failing", "empty", "incorrect", "nothing", "unread")
STATISTICS = (
    "u", "p", "p_adjusted", "dunn_p", "delta", "delta_low", "delta_high", "shift_ms",
    "shift_low_ms", "shift_high_ms", "ratio", "ratio_low", "ratio_high", "over_ratio",
    "over_ratio_low", "over_ratio_high",
)  # fmt: skip


LONG = ("zero", "pair", "incorrect", "nothing", "unread")  # `mixed` has all of them too
PARAMS = [pytest.param(k, marks=pytest.mark.long if k in LONG else ()) for k in sick.KINDS]


@pytest.fixture(scope="module", params=PARAMS)
def kind(request):
    return request.param


@pytest.fixture(scope="module")
def derived(kind, tmp_path_factory):
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        folder = tmp_path_factory.mktemp(kind)
        made = sick.derived(folder, kind)
        write(made, folder)
        back = load(folder, synthetic.STUDY, synthetic.PROFILE)
    assert back.latencies.keys() == made.latencies.keys()
    return made


def test_every_cell_is_there_and_compared(derived):
    expected = len(sick.CONFIGURATIONS) * len(sick.PROTOCOLS) * len(sick.THREADS)
    assert len(derived.cells) == len(derived.shapes) == expected
    known = derived.comparisons
    assert (known["comparison"] == "protocol").sum() == expected / 2 or "unknown" in set(
        derived.cells["executor"]
    )


def test_what_is_blank_says_why(derived):
    cells, known = derived.cells, derived.comparisons
    # what else could be said of a cell that answered nothing is in its outcomes
    failed = cells["executions"] - cells["ok"] - cells["timeout"]
    unsaid = cells["median_ms"].isna() & (cells["flags"] == "")
    assert not (unsaid & (failed < cells["executions"])).any()
    for name in ("p", "delta_low", "ratio_low", "over_ratio_low"):
        assert (known.loc[known[name].isna(), "flags"] != "").all(), name
    for name in ("w", "p"):
        assert (derived.shapes.loc[derived.shapes[name].isna(), "flags"] != "").all()
    assert (derived.groups.loc[derived.groups["p"].isna(), "flags"] != "").all()


def test_numbers_are_of_latencies(derived, kind):
    known = derived.comparisons
    if kind in BLANK:
        assert not derived.latencies or all(
            not len(values) for starts in derived.latencies.values() for values in starts
        )
        assert known[[*STATISTICS]].isna().all(axis=None) and (known["n"] == 0).all()
        assert derived.groups[["h", "p"]].isna().all(axis=None)
        assert derived.shapes[["w", "p", "skewness"]].isna().all(axis=None)
    if kind == "slow":  # ranks are known, and no median
        assert known[["u", "p", "delta"]].notna().all(axis=None) and (known["n"] > 0).all()
        medians = ["shift_ms", "ratio", "over_ratio", "over_ratio_low", "over_ratio_high"]
        assert known[medians].isna().all(axis=None) and derived.cells["median_ms"].isna().all()
        assert derived.shapes[["w", "p", "skewness"]].isna().all(axis=None)
    blank = (known["n"] == 0) | (known["baseline_n"] == 0)
    assert known.loc[blank, [*STATISTICS]].isna().all(axis=None)
    assert known.loc[~blank, "p"].between(0, 1).all()


def test_intervals_hold_their_values(derived):
    known = derived.comparisons
    for name, unit in (("delta", ""), ("shift", "_ms"), ("ratio", ""), ("over_ratio", "")):
        value, low, high = (known[f"{name}{end}{unit}"] for end in ("", "_low", "_high"))
        there = low.notna()
        assert (low[there] <= value[there]).all() and (value[there] <= high[there]).all(), name


def test_equal_latencies_differ_in_nothing(derived, kind):
    known = derived.comparisons
    if kind in ("constant", "zero"):
        assert (known["p"] == 1).all() and (known["delta"] == 0).all()
        assert (known["shift_ms"] == 0).all()
        assert known["ratio"].isna().all() if kind == "zero" else (known["ratio"] == 1).all()
        assert derived.shapes["w"].isna().all()
        tested = derived.groups
        assert (tested["p"] == 1).all() and (tested["h"] == 0).all()


def test_one_execution_has_no_interval(tmp_path):
    found = sick.derived(tmp_path, "single", invocations=1).comparisons
    names = ("delta", "shift", "ratio", "over_ratio")
    ends = [c for c in found if c.startswith(names) and ("_low" in c or "_high" in c)]
    assert len(ends) == 8 and found[ends].isna().all(axis=None)
    assert np.isfinite(found["delta"]).all() and (found["n"] == 1).all()
    assert found["flags"].str.contains("too-few").all()
    assert found["flags"].str.contains("one-invocation").all()
