"""Timelines and the record of an invocation."""

import json

import numpy as np
import pytest
import synthetic

from modelstress.analysis import cell_record, derive, notable, timeline, timelines
from modelstress.config.errors import ConfigError

LEVELS = synthetic.LEVELS


def test_busy_shares_from_running_totals():
    # second 1: 0.5 + 0.25 of 1 s busy; second 2: 0.1 of 2 s; the last row repeats the time
    columns = {
        "t_ns": [0, 10**9, 2 * 10**9, 2 * 10**9],
        "cpus.server.user_s": [5.0, 5.5, 5.7, 5.7],
        "cpus.server.system_s": [1.0, 1.25, 1.25, 1.25],
        "cpus.server.idle_s": [9.0, 9.25, 11.05, 11.05],
        "cpus.server.iowait_s": [0, 0, 0, 0],
        "cpus.server.steal_s": [0, 0, 0, 0],
    }
    cpu = cell_record.telemetry({"telemetry": {"columns": columns}})
    assert cpu["server_cpu"].tolist() == pytest.approx([0.75, 0.1])
    assert cpu["client_cpu"].isna().all()
    assert cpu["end_ns"].tolist() == [10**9, 2 * 10**9]


@pytest.mark.parametrize("broken", [{}, {"telemetry": None}, {"telemetry": {"columns": {}}}])
def test_a_record_without_telemetry(broken):
    assert cell_record.telemetry(broken).empty
    assert cell_record.cpu_shares(broken) == {}


@pytest.mark.parametrize(
    ("topology", "text"),
    [
        (None, "unknown"),
        ("one machine", "one machine"),
        ({"server_cpus": [0, 1], "client_cpus": [2], "clients": 2},
         "2 server CPUs, 1 client CPU"),
        ({"server_cpus": [0], "client_cpus": [0], "shared": True},
         "1 server CPU, 1 client CPU, shared CPUs"),
    ],
)  # fmt: skip
def test_topology_in_words(topology, text):
    assert cell_record.topology({"provenance": {"topology": topology}}) == text


def test_commit_with_changes_is_marked():
    git = {"commit": "abc", "dirty": True}
    assert cell_record.commit({"provenance": {"git": git}}) == "abc+"
    assert cell_record.commit({}) == "unknown"


def test_timeline_begins_with_the_first_execution(tmp_path):
    phases = ["warmup", "measure", "measure", "cooldown"]
    outcomes = ["ok", "ok", "timeout", "ok"]
    table = synthetic.samples([100, 200, 3000, 50], outcomes, phases)
    synthetic.write(tmp_path, LEVELS, 0, table)
    cell = synthetic.cell_id(LEVELS)
    line = timeline(tmp_path, synthetic.STUDY, synthetic.PROFILE, "cdo", cell, 0)
    assert line.executions["start_s"].tolist() == pytest.approx([0, 0.1, 0.3, 3.3])
    assert line.executions["latency_ms"].tolist() == pytest.approx([100, 200, 3000, 50])
    assert line.executions["phase"].tolist() == phases
    assert line.executions["outcome"].tolist() == outcomes
    assert line.cpu["begin_s"].iloc[0] <= 0 < line.cpu["end_s"].iloc[0]
    assert line.cpu["begin_s"].iloc[-1] < 3.35
    assert line.cpu["server_cpu"].between(0, 1).all()
    with pytest.raises(ConfigError, match="choose an invocation that was measured"):
        timeline(tmp_path, synthetic.STUDY, synthetic.PROFILE, "cdo", cell, 7)


def test_notable_cells(study_data, study_plan):
    result = derive(study_data, synthetic.STUDY, synthetic.PROFILE, study_plan)
    cells = result.cells.set_index("cell")
    chosen = [cells.loc[cell] for _, cell in notable(result.cells, result.projection)]
    failing, unsteady, crowded = chosen
    assert (failing["query"], failing["protocol"], failing["threads"]) == (
        "RouteSensor",
        "http",
        64,
    )
    assert (unsteady["query"], unsteady["threads"]) == ("PosLength", 1)
    assert crowded["threads"] == 64
    lines = timelines(study_data, result)
    assert [line.cell for line in lines] == [one.name for one in chosen]
    assert len({line.cell for line in lines}) == 3


def test_clients_are_aligned_by_the_offsets_of_their_clocks():
    clients = [{"client": 0, "offset_ns": 0}, {"client": 1, "offset_ns": -5}, {"client": 2}]
    assert cell_record.clock_offsets({"clients": clients}) == {0: 0, 1: -5}
    assert cell_record.clock_offsets({}) == {}


def test_a_shifted_clock_does_not_shift_the_timeline(tmp_path):
    folder = synthetic.write(tmp_path, LEVELS, 0, synthetic.samples([100, 200]))
    content = json.loads((folder / "cell.json").read_text(encoding="utf-8"))
    cell = synthetic.cell_id(LEVELS)
    ask = (tmp_path, synthetic.STUDY, synthetic.PROFILE, "cdo", cell, 0)
    plain = timeline(*ask)
    content["clients"] = [{"client": 0, "offset_ns": 400_000_000}]
    (folder / "cell.json").write_text(json.dumps(content), encoding="utf-8")
    shifted = timeline(*ask)
    assert shifted.executions["start_s"].tolist() == plain.executions["start_s"].tolist()
    # The executions ran 0.4 s earlier on the controller's clock, so its rows come later.
    assert plain.cpu["begin_s"].tolist() == pytest.approx([0.0])
    assert shifted.cpu["begin_s"].tolist() == pytest.approx([-0.6])


def test_messages_come_once():
    said = {"client": 0, "operation": "q", "outcome": "error", "message": "closed"}
    details = [said, said | {"client": 1}, said | {"message": "gone", "operation": None}]
    found = cell_record.messages({"details": details})
    assert [row["message"] for row in found] == ["closed", "gone"]
    assert found[1]["operation"] == ""
    assert cell_record.messages({"details": None}) == []


def test_nothing_measured_has_no_timeline(study_data, study_plan):
    result = derive(study_data, synthetic.STUDY, synthetic.PROFILE, study_plan)
    missing = result.cells[result.cells["state"] == "missing"]
    assert len(missing) == 1
    assert notable(missing, result.projection) == []
    assert np.isnan(missing["median_ms"].iloc[0])
