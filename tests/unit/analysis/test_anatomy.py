"""Captured executions as derived tables."""

import json

import captures
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import synthetic

from modelstress import analysis
from modelstress.analysis import columns
from modelstress.config.errors import ConfigError

STUDY, PROFILE = synthetic.STUDY, synthetic.PROFILE


def read(data_dir, planned=None):
    derived = analysis.derive(data_dir, STUDY, PROFILE, planned)
    return analysis.anatomy(data_dir, derived)


def one(messages):
    return lambda number: captures.tcp(messages, first_ms=1 + number)


def test_medians_and_ranges_of_measured_executions(tmp_path):
    # the execution of the warm-up has other messages: it must not be in any number
    def make(number):
        exchanges = [(10, 10)] * 50 if number == 0 else [(100, 1000 * number)]
        return captures.tcp(exchanges, first_ms=1, step_ms=5 * number or 1)

    captures.capture(tmp_path, captures.LEVELS, make, outcomes=("ok",) * 3)
    [cell] = read(tmp_path).cells.to_dict("records")
    assert cell["captured"] == 3 and cell["method"] == "packets"
    # handshake 2, close 2, question 1, answers of 1, 2 and 3 packets
    assert (cell["packets"], cell["packets_low"], cell["packets_high"]) == (7, 6, 8)
    assert (cell["payload"], cell["payload_low"], cell["payload_high"]) == (2100, 1100, 3100)
    assert cell["bytes"] == 2100 + 7 * captures.FRAME
    assert (cell["packets_sent"], cell["packets_received"]) == (3, 4)
    assert cell["requests"] == cell["requests_high"] == 0
    assert cell["longest_gap_ms"] == pytest.approx(9.99)
    assert cell["longest_gap_ms_high"] == pytest.approx(14.99)


def test_wrong_answers_are_not_in_the_counts(tmp_path):
    outcomes = ("ok", "error", "incorrect")
    sizes = {0: 1, 1: 100, 2: 777, 3: 888}
    captures.capture(
        tmp_path, captures.LEVELS, lambda n: captures.tcp([(10, sizes[n])]), outcomes=outcomes
    )
    [cell] = read(tmp_path).cells.to_dict("records")
    assert cell["captured"] == 1
    assert cell["payload_received"] == cell["payload_received_high"] == 100


def test_messages_are_those_of_the_median_duration(tmp_path):
    steps = {0: 1, 1: 30, 2: 10, 3: 20}
    captures.capture(
        tmp_path, captures.LEVELS, lambda n: captures.tcp([(10, 1000 + n)], step_ms=steps[n])
    )
    found = read(tmp_path).messages
    # the third of the three measured ones, whose number is 2
    assert set(found["sequence"]) == {2}
    assert list(found.loc[found["kind"] == "data", "payload"]) == [10, 1003]
    assert list(found.columns) == list(columns.ANATOMY_MESSAGES)
    assert found["begin_ms"].is_monotonic_increasing
    assert found["duration_ms"].nunique() == 1


def test_several_invocations_are_pooled(tmp_path):
    for number in range(2):
        make = one([(10, 100 * (number + 1))])
        captures.capture(tmp_path, captures.LEVELS, make, number=number)
    [cell] = read(tmp_path).cells.to_dict("records")
    assert cell["captured"] == 6 and cell["invocations"] == 2
    assert (cell["payload_received_low"], cell["payload_received_high"]) == (100, 200)


def test_a_proxy_knows_no_packets(tmp_path):
    captures.capture(tmp_path, captures.LEVELS, one([(10, 100)]), method="proxy")
    found = read(tmp_path)
    [cell] = found.cells.to_dict("records")
    assert cell["method"] == "proxy" and cell["payload"] == 110
    for name in ("packets", "bytes", "packets_sent", "bytes_high"):
        assert pd.isna(cell[name])
    assert found.messages["packets"].isna().all()
    assert found.captures == {}


def test_methods_are_never_pooled(tmp_path):
    captures.capture(tmp_path, captures.LEVELS, one([(10, 100)]), method="packets")
    captures.capture(
        tmp_path, captures.LEVELS, one([(10, 900)]), method="proxy", number=1, outcomes=("ok",)
    )
    [cell] = read(tmp_path).cells.to_dict("records")
    assert cell["method"] == "packets" and cell["captured"] == 3
    assert cell["payload_high"] == 110


def test_cells_without_a_capture_are_blank(tmp_path):
    captures.capture(tmp_path, captures.LEVELS, one([(10, 100)]))
    plain = captures.LEVELS | {"protocol": "http"}
    synthetic.write(tmp_path, plain, 0, synthetic.samples([5, 6, 7]))
    broken = captures.LEVELS | {"protocol": "websocket"}
    captures.capture(tmp_path, broken, one([(10, 100)]), outcomes=("error", "timeout"))
    cells = read(tmp_path).cells.set_index("protocol")
    assert dict(cells["captured"]) == {"tcp": 3, "http": 0, "websocket": 0}
    assert cells.loc[["http", "websocket"], "payload"].isna().all()


def test_levels_keep_their_types(tmp_path):
    captures.capture(tmp_path, captures.LEVELS | {"pool_size": 10}, one([(10, 100)]))
    captures.capture(tmp_path, captures.LEVELS, one([(10, 100)]))
    assert set(read(tmp_path).cells["pool_size"].map(str)) == {"10", "None"}


def test_missing_cells_of_the_plan_are_there(tmp_path):
    captures.capture(tmp_path, captures.LEVELS, one([(10, 100)]))
    missing = captures.LEVELS | {"protocol": "websocket"}
    planned = [
        analysis.PlannedCell("cdo", synthetic.cell_id(levels), "CDO", levels, 1)
        for levels in (captures.LEVELS, missing)
    ]
    cells = read(tmp_path, planned).cells.set_index("protocol")
    assert cells.loc["websocket", "flags"] == "missing"
    assert list(cells["captured"]) == [3, 0]


def test_a_damaged_capture_is_one_sentence(tmp_path):
    folder = captures.capture(tmp_path, captures.LEVELS, one([(10, 100)]))
    (folder / "messages.parquet").write_bytes(b"PAR1")
    with pytest.raises(ConfigError, match=r"messages\.parquet: the capture cannot be read"):
        read(tmp_path)


@pytest.mark.parametrize("name", ["payload_sent", "round_trips", "longest_gap_ns", "packets_sent"])
def test_less_than_nothing_is_never_a_count_of_an_unsealed_capture(name, tmp_path):
    folder = captures.capture(tmp_path, captures.LEVELS, one([(10, 100)]))
    file = folder / "anatomy.parquet"
    table = pq.read_table(file)
    at = table.column_names.index(name)
    wrong = pa.array([-1] + [5] * (table.num_rows - 1), table.schema.field(name).type)
    pq.write_table(table.set_column(at, table.schema.field(name), wrong), file)
    with pytest.raises(ConfigError, match=rf"anatomy.parquet is damaged: {name} below 0"):
        read(tmp_path)


def test_samples_without_any_capture(tmp_path):
    synthetic.write(tmp_path, captures.LEVELS, 0, synthetic.samples([5, 6, 7]))
    assert not analysis.captured(tmp_path, STUDY, PROFILE)
    with pytest.raises(ConfigError, match="no execution was captured; measure the cells"):
        read(tmp_path)


def test_nothing_answered_rightly(tmp_path):
    captures.capture(tmp_path, captures.LEVELS, one([(10, 100)]), outcomes=("error",) * 2)
    found = read(tmp_path)
    assert list(found.cells["captured"]) == [0]
    assert found.messages.empty


def test_written_with_a_data_package(tmp_path):
    captures.write_captures(tmp_path)
    derived = analysis.derive(tmp_path, STUDY, PROFILE)
    folder = analysis.write(derived, tmp_path, analysis.anatomy(tmp_path, derived))
    package = json.loads((folder / "datapackage.json").read_text(encoding="utf-8"))
    resources = {resource["name"]: resource for resource in package["resources"]}
    for name in columns.CAPTURED:
        table = pd.read_parquet(folder / f"{name}.parquet")
        text = pd.read_csv(folder / f"{name}.csv")
        fields = [field["name"] for field in resources[name]["schema"]["fields"]]
        assert list(table.columns) == list(text.columns) == fields
        assert len(table) == len(text) > 0
        assert f"## {name}" in (folder / "README.md").read_text(encoding="utf-8")
    # what is captured no more is not left beside the other tables
    analysis.write(derived, tmp_path)
    assert not list(folder.glob("anatomy*"))
    assert (folder / "cells.csv").is_file()
