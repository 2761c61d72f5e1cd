"""Histograms beside rows of the same executions: the same counts, and latencies of 3 digits."""

from __future__ import annotations

import json

import histogram_samples
import numpy as np
import pytest
import synthetic
from histogram_samples import executions
from small_studies import PROJECT, study

from modelstress.analysis import raw
from modelstress.analysis.derive import derive
from modelstress.analysis.timeline import timeline
from modelstress.config.project import Project
from modelstress.config.study import Comparison
from modelstress.measure.verify_dataset import recheck
from modelstress.samples.bins import MOST_VALUES, Bins, decoded, merged
from modelstress.samples.files import write_json
from modelstress.samples.seals import sealed

PLACE = (synthetic.STUDY, synthetic.PROFILE)
LEVELS = synthetic.LEVELS | {"threads": 4}


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    """Derived tables of three starts, from rows and from histograms."""
    rows, binned = (tmp_path_factory.mktemp(name) for name in ("rows", "binned"))
    for number in range(3):
        synthetic.write(rows, LEVELS, number, executions(number))
        histogram_samples.write(binned, LEVELS, number, executions(number))
    return derive(rows, *PLACE), derive(binned, *PLACE)


def test_counts_are_exact(both):
    rows, binned = both
    names = ["executions", "ok", "incorrect", "error", "aborted", "least_per_thread",
             "incorrect_any", "checked_any", "failed_warmup", "failed_cooldown"]  # fmt: skip
    for frame in ("cells", "invocations"):
        one, other = getattr(rows, frame), getattr(binned, frame)
        assert other["state"].tolist() == ["complete"] * len(one)
        assert one[names].equals(other[names])
    assert binned.invocations["attempts"].tolist() == rows.invocations["attempts"].tolist()
    assert rows.operations[["operation", "ok"]].equals(binned.operations[["operation", "ok"]])


def test_latencies_differ_by_less_than_their_digits(both):
    rows, binned = both
    names = ["median_ms", "median_low_ms", "median_high_ms", "q1_ms", "q3_ms", "whisker_low_ms"]
    for name in names:
        assert binned.cells[name].to_numpy() == pytest.approx(rows.cells[name].to_numpy(), rel=1e-3)
    medians = rows.operations["median_ms"].to_numpy()
    assert binned.operations["median_ms"].to_numpy() == pytest.approx(medians, rel=1e-3)


def test_throughput_is_that_of_whole_seconds(both):
    rows, binned = both
    one, other = (derived.invocations["throughput_per_s"].to_numpy() for derived in both)
    assert other == pytest.approx(one, rel=0.02)
    window = (binned.invocations["window_s"] - rows.invocations["window_s"]).to_numpy()
    assert ((window >= 0) & (window < 2)).all()


def test_what_histograms_cannot_tell_is_said(both):
    rows, binned = both
    assert "histograms" not in rows.cells["flags"].iloc[0].split(";")
    assert "histograms" in binned.cells["flags"].iloc[0].split(";")
    assert "steadiness is judged by medians of seconds" in binned.cells["remarks"].iloc[0]
    assert binned.invocations["steady"].tolist() == [True] * 3


def test_a_change_of_level_is_seen_in_seconds(tmp_path):
    slow, quick = executions(1, level=40), executions(2, n=3000)
    durations = np.concatenate([slow["duration_ns"].to_numpy(), quick["duration_ns"].to_numpy()])
    histogram_samples.write(tmp_path, LEVELS, 0, synthetic.samples(durations / 1e6, threads=4))
    derived = derive(tmp_path, *PLACE)
    assert "settled at second" in derived.cells["remarks"].iloc[0]


def test_a_window_without_a_whole_second_is_flagged(tmp_path):
    histogram_samples.write(tmp_path, LEVELS, 0, synthetic.samples([5.0] * 40, threads=4))
    derived = derive(tmp_path, *PLACE)
    assert {"histograms", "coarse-window"} <= set(derived.cells["flags"].iloc[0].split(";"))
    assert derived.cells["ok"].iloc[0] == 40


def test_comparisons_of_histograms(tmp_path, both):
    for protocol, factor in (("tcp", 1.0), ("http", 2.0)):
        levels = LEVELS | {"protocol": protocol}
        for number in range(2):
            table = executions(number, level=10 * factor)
            histogram_samples.write(tmp_path, levels, number, table)
    one = Comparison(title="t", level={"protocol": "http"}, baseline={"protocol": "tcp"})
    asked = study(factors={"protocol": ["tcp", "http"]}).model_copy(
        update={"comparisons": {"protocol": one}}
    )
    row = derive(tmp_path, *PLACE, asked=asked).comparisons.iloc[0]
    assert row["over_ratio"] == pytest.approx(2.0, rel=0.05)
    assert row["delta"] > 0.8 and row["n"] > 9000


def test_the_timeline_has_medians_of_seconds(tmp_path):
    folder = histogram_samples.write(tmp_path, LEVELS, 0, executions())
    found = timeline(tmp_path, *PLACE, "cdo", folder.parent.name, 0)
    assert found.noun == "second"
    ok = found.executions[found.executions["outcome"] == "ok"]
    assert 18 < ok["latency_ms"].median() < 22
    assert ((ok["end_s"] - ok["start_s"]).round(6) == 1).all()


def change(folder, **changes):
    """Change the first line of a sealed invocation, and seal it again."""
    from modelstress.measure.histograms import Histograms
    from modelstress.samples.histograms import read_parquet

    first, *rest = read_parquet(folder, 2)
    Histograms([{**first, **changes}, *rest], [], 0).write(folder)
    record = json.loads((folder / "cell.json").read_text(encoding="utf-8"))
    write_json(folder / "cell.json", sealed(record, folder))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"executions": 7777}, "durations of 7777"),
        ({"duration_ns": "AAAA"}, "damaged"),
        ({"client": 9}, "a client that the cell did not have"),
        ({"thread": 64}, "a thread beyond the 64 of client 0"),
        ({"second_ns": 5, "phase": "measure"}, "outside the window"),
        ({"attempts": -1}, "'attempts'"),
    ],
)
def test_impossible_histograms_are_damage(tmp_path, changes, said):
    folder = histogram_samples.write(tmp_path, LEVELS, 0, executions(n=500))
    assert raw.read(folder, 0).state == "complete"
    change(folder, **changes)
    start = raw.read(folder, 0)
    assert start.state == "damaged"
    assert said in " ".join(problem.message for problem in start.problems)
    assert start.executions.counts()["ok"] == 0


def without_results(folder):
    """The project as it is before anything is measured: there is no oracle."""
    for name in ("config", "queries"):
        (folder / name).symlink_to(PROJECT.root / name)
    return Project(folder)


def test_verify_covers_histograms(tmp_path, tmp_path_factory):
    project = without_results(tmp_path_factory.mktemp("project"))
    table = synthetic.samples([50.0] * 400, ["ok"] * 300 + ["error"] * 100, threads=4)
    folder = histogram_samples.write(tmp_path, LEVELS, 0, table)
    counts = raw.read(folder, 0).executions.counts()
    [found] = recheck(project, tmp_path)
    assert found.outcomes == {name: n for name, n in counts.items() if n}
    assert all("not verified" in problem for problem in found.problems)
    change(folder, executions=7777)
    [found] = recheck(project, tmp_path)
    assert "durations of 7777" in found.problems[0]
    change(folder, executions=1, duration_ns=histogram_samples.encoded([5]))
    [found] = recheck(project, tmp_path)
    assert any("cell.json says" in problem for problem in found.problems)


def test_bins_of_values_known_exactly():
    values = [1, 2, 2, 1999, 2047, 2048, 1_000_000, 123_456_789, 3_600_000_000_000]
    found = decoded(histogram_samples.encoded(values))
    assert found.total == len(values)
    assert found.by_rank() == pytest.approx(sorted(values), rel=5e-4)
    assert found.values[:4].tolist() == [1, 2, 1999, 2047]
    assert found.median() == pytest.approx(2047, rel=5e-4)
    whole = merged(decoded(histogram_samples.encoded([v])) for v in values * 100)
    assert whole.counts.tolist() == [100 * n for n in found.counts.tolist()]
    assert whole.values.tolist() == found.values.tolist()


def test_many_values_are_evenly_spaced_by_rank():
    rng = np.random.default_rng(0)
    values = np.unique(rng.lognormal(10, 1, 5000))
    bins = Bins(values, rng.integers(1, 5000, values.size))
    some = bins.by_rank()
    assert some.size == MOST_VALUES < bins.total
    every = np.repeat(bins.values, bins.counts)
    for share in (0.01, 0.25, 0.5, 0.99, 0.999):
        assert np.quantile(some, share) == pytest.approx(np.quantile(every, share), rel=5e-3)
        assert bins.quantile(share) == pytest.approx(np.quantile(every, share), rel=5e-3)
    assert merged([]).total == 0 and np.isnan(merged([]).median())
