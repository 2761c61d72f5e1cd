"""Windows over time: rates, tails and objects of the stretches of an invocation's window."""

from __future__ import annotations

import histogram_samples
import numpy as np
import pyarrow as pa
import pytest
import synthetic
from histogram_samples import executions
from small_studies import study

from modelstress.analysis.derive import derive
from modelstress.analysis.load import load
from modelstress.analysis.write import write
from modelstress.config.measures import MEASURES
from modelstress.config.windows import Windows
from modelstress.samples.schema import SCHEMA

PLACE = (synthetic.STUDY, synthetic.PROFILE)
LEVELS = synthetic.LEVELS | {"threads": 1}
FOUR = synthetic.LEVELS | {"threads": 4}


def asked(**windows):
    return study().model_copy(update={"windows": Windows(**windows)})


def column(table, name, values):
    at = SCHEMA.get_field_index(name)
    return table.set_column(at, SCHEMA.field(at), pa.array(values, SCHEMA.field(at).type))


def windows(folder, **wanted):
    found = derive(folder, *PLACE, asked=asked(**wanted)).windows
    assert found is not None
    return found


def test_stretches_of_seconds(tmp_path):
    table = synthetic.samples([400.0, 400, 400, 400, 900], ["ok", "ok", "error", "ok", "ok"])
    synthetic.write(tmp_path, LEVELS, 0, column(table, "items", [1, 2, 4, 8, 16]))
    found = windows(tmp_path, seconds=1)
    assert found["begin_s"].tolist() == [0, 1, 2]
    assert found["seconds"].tolist() == [1, 1, 0.5]
    assert found["executions"].tolist() == [2, 2, 1]
    assert (found["ok"].tolist(), found["error"].tolist()) == ([2, 1, 1], [0, 1, 0])
    assert found["rate_per_s"].tolist() == [2, 1, 2]
    assert found["median_ms"].tolist() == [400, 400, 900]
    assert found["objects"].tolist() == [3, 11, 27]
    assert not {"timeout", "aborted", "incorrect"} & set(found.columns)


def test_stretches_of_executions_and_an_empty_one_of_seconds(tmp_path):
    table = synthetic.samples([100.0] * 7 + [2500.0])
    synthetic.write(tmp_path, LEVELS, 0, table)
    found = windows(tmp_path, executions=3)
    assert found["executions"].tolist() == [3, 3, 2]
    assert found["seconds"].tolist() == pytest.approx([0.3, 0.3, 2.6])
    assert found["begin_s"].tolist() == pytest.approx([0, 0.3, 0.6])
    found = windows(tmp_path, seconds=1)
    assert found["executions"].tolist() == [7, 0, 0, 1]
    assert found["median_ms"].isna().tolist() == [False, True, True, False]
    assert found["objects"].tolist() == [7, 7, 7, 8]


def test_an_execution_ends_after_its_pauses(tmp_path):
    table = column(synthetic.samples([100.0, 100.0]), "think_ns", [0, 5 * 10**9])
    synthetic.write(tmp_path, LEVELS, 0, table)
    derived = derive(tmp_path, *PLACE, asked=asked(seconds=1))
    assert derived.windows["executions"].tolist() == [1, 0, 0, 0, 0, 1]
    assert derived.invocations["window_s"].tolist() == pytest.approx([5.2])
    assert derived.cells["median_ms"].tolist() == [100]


def test_only_operations_that_are_marked_have_objects(tmp_path):
    from modelstress.samples.files import read_json, write_json

    table = synthetic.samples([500.0] * 4, operations=["get", "count", "get", "count"])
    folder = synthetic.write(tmp_path, LEVELS, 0, column(table, "items", [1, 10, 1, 10]))
    everything = windows(tmp_path, seconds=1)["objects"].tolist()
    marked = [{"name": "get", "objects": True}, {"name": "count", "objects": False}]
    record = read_json(folder / "cell.json") | {"operations": marked}
    write_json(folder / "cell.json", record)
    assert everything[-1] == 22 and windows(tmp_path, seconds=1)["objects"].tolist()[-1] == 2
    rates = derive(tmp_path, *PLACE, asked=asked(seconds=1)).invocations["objects_per_s"]
    assert rates.tolist() == pytest.approx([1.0])


def test_histograms_have_the_same_windows_but_for_their_begin(tmp_path):
    table = executions(n=4000)
    rows, binned = tmp_path / "rows", tmp_path / "binned"
    synthetic.write(rows, FOUR, 0, table)
    histogram_samples.write(binned, FOUR, 0, table)
    one, other = (windows(folder, seconds=2) for folder in (rows, binned))
    names = ["executions", "ok", "incorrect", "error", "aborted"]
    assert one[names].sum().tolist() == other[names].sum().tolist()
    assert one["objects"].iloc[-1] == other["objects"].iloc[-1]
    inner = slice(1, -2)
    for name in ("rate_per_s", "median_ms"):
        assert other[name][inner].to_numpy() == pytest.approx(one[name][inner].to_numpy(), rel=0.2)
    many = windows(binned, executions=700)
    assert (many["executions"][:-1] >= 700).all() and (many["seconds"] % 1 == 0).all()
    assert many["executions"].sum() == one["executions"].sum()


def test_they_are_written_and_read_back_where_a_study_asks(tmp_path):
    synthetic.write(tmp_path, FOUR, 0, executions(n=2000))
    derived = derive(tmp_path, *PLACE, asked=asked(seconds=1))
    folder = write(derived, tmp_path)
    header = (folder / "windows.csv").read_text(encoding="utf-8").splitlines()[0]
    assert header.startswith("study,profile,tool,cell,backend") and header.endswith(",objects")
    assert "windows.csv" in (folder / "datapackage.json").read_text(encoding="utf-8")
    assert "`p99_ms` | ms |" in (folder / "README.md").read_text(encoding="utf-8")
    back = load(tmp_path, *PLACE)
    assert back.windows is not None and back.windows.equals(derived.windows)
    assert back.invocations.equals(derived.invocations)
    write(derive(tmp_path, *PLACE), tmp_path)
    assert not (folder / "windows.csv").exists()


def test_columns_that_nobody_asks_for_are_not_there(tmp_path):
    synthetic.write(tmp_path, LEVELS, 0, synthetic.samples([5.0] * 30))
    plain = derive(tmp_path, *PLACE).invocations
    assert not {"attempts", "objects_per_s"} & set(plain.columns)
    tried = column(synthetic.samples([5.0] * 30, number=1), "attempts", [1, 2] * 15)
    synthetic.write(tmp_path, LEVELS, 1, tried)
    assert derive(tmp_path, *PLACE).invocations["attempts"].tolist() == [1.0, 1.5]


@pytest.mark.parametrize(
    ("measure", "values", "ratio", "better"),
    [("attempts", [1.5, 3.0], 2.0, "worse"), ("objects per second", [400, 800], 2.0, "better")],
)
def test_measures_of_attempts_and_objects(tmp_path, measure, values, ratio, better):
    for place, protocol in enumerate(("tcp", "http")):
        for number in range(6):
            levels = LEVELS | {"protocol": protocol}
            table = synthetic.samples(5 + 0.01 * np.arange(40) + 0.01 * number, number=number)
            tries = [1, 2] * 20 if place == 0 else [2, 4] * 20
            table = column(table, "attempts", tries)
            table = column(table, "items", [2 * (place + 1)] * 40)
            synthetic.write(tmp_path, levels, number, table)
    one = {"title": "t", "level": {"protocol": "http"}, "baseline": {"protocol": "tcp"},
           "measure": measure}  # fmt: skip
    whole = study(factors={"protocol": ["tcp", "http"]}, comparisons={"c": one})
    row = derive(tmp_path, *PLACE, asked=whole).contrasts.iloc[0]
    assert [row["baseline_value"], row["value"]] == pytest.approx(values, rel=0.1)
    assert row["ratio"] == pytest.approx(ratio, rel=0.02)
    assert row["unit"] == MEASURES[measure].unit
    assert measure != "objects per second" or row["better"] == better
