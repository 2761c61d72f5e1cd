"""Mixes, faults, executors: factors of the extended study."""

import pytest
from small_studies import PROJECT, cells, profile, study

from modelstress.config.environment import EXECUTOR
from modelstress.config.errors import ConfigError
from modelstress.config.tool import Tool
from modelstress.design.cells import cells_of
from modelstress.design.checks import check_captured
from modelstress.design.contents import contents_of
from modelstress.workloads.queries.prepare import operation_of
from modelstress.workloads.queries.work import query_file

PAUSE = {"pause": {"kind": "server-paused", "at_s": 1, "seconds": 1}}
OPEN = {"mode": ["open"], "rate_per_s": [20], "threads": [2]}


def test_a_mix_is_one_cell_with_several_queries():
    mixed = study(
        factors={"query": ["both", "PosLength"], "threads": [1]},
        mixes={"both": {"PosLength": 1, "SwitchSet": 3}},
    )
    both, alone = cells(mixed)
    assert dict(both.work.queries) == {"PosLength": 1, "SwitchSet": 3} and "_both_" in both.id
    assert dict(alone.work.queries) == {"PosLength": 1}
    weights = {q: operation_of(PROJECT, both, q).weight for q in both.work.queries}
    assert weights == {"PosLength": 1, "SwitchSet": 3}
    other = study(
        factors={"query": ["both"], "threads": [1]},
        mixes={"both": {"PosLength": 1, "SwitchSet": 4}},
    )
    assert cells(other)[0].id != both.id, "another mix is another cell"
    assert contents_of(PROJECT, both)["query"] != contents_of(PROJECT, alone)["query"]


def test_a_mix_of_unknown_queries_is_refused():
    with pytest.raises(ConfigError, match=r"mixes.both.*'PosLengt'.*PosLength"):
        cells(study(factors={"query": ["both"]}, mixes={"both": {"PosLengt": 1, "SwitchSet": 1}}))
    with pytest.raises(ConfigError, match="a query has that name"):
        cells(study(mixes={"PosLength": {"PosLength": 1, "SwitchSet": 1}}))


def test_a_mix_does_not_change_the_ids_of_other_cells():
    before = {cell.id for cell in cells()}
    mixed = study(
        factors={"query": ["PosLength", "SwitchSet", "both"]},
        mixes={"both": {"PosLength": 1, "SwitchSet": 1}},
    )
    assert before < {cell.id for cell in cells(mixed)}


def test_faults_need_a_load_that_does_not_wait():
    broken = study(factors={"fault": ["none", "pause"], "threads": [2]}, faults=PAUSE)
    with pytest.raises(ConfigError, match="mode: open"):
        cells(broken)


def test_faults_end_before_the_window_does():
    broken = study(factors={**OPEN, "fault": ["pause"]}, faults=PAUSE)
    with pytest.raises(ConfigError, match="make it earlier or the window longer"):
        cells(broken, profile(settings={"executions": 20}))
    [cell, _] = cells(broken, profile(settings={"executions": 60}))
    assert cell.fault is not None and cell.fault.kind == "server-paused"
    assert "fault=pause" in cell.id


def test_faults_are_counted_in_single_executions():
    broken = study(factors={**OPEN, "fault": ["pause"]}, faults=PAUSE)
    broken = broken.model_copy(update={"samples": "histogram"})
    with pytest.raises(ConfigError, match="samples: rows"):
        cells(broken, profile(settings={"executions": 60}))


def test_unknown_faults_are_refused():
    with pytest.raises(ValueError, match="'paus'"):
        study(factors={"fault": ["paus"]}, faults=PAUSE)
    with pytest.raises(ValueError, match="means no fault"):
        study(faults={"none": PAUSE["pause"]})


def test_arrivals_belong_to_open_loops():
    both = study(factors={"mode": ["closed", "open"], "rate_per_s": [5, 10], "threads": [2]})
    found = cells(both)
    closed = [c for c in found if c.levels["mode"] == "closed"]
    assert len(closed) == 2 and all("rate_per_s" not in c.levels for c in closed)
    assert len(found) == 2 + 4


def test_another_executor_makes_other_cells(monkeypatch):
    here = cells()
    monkeypatch.setenv(EXECUTOR, "docker")
    there = cells()
    assert [c.levels["executor"] for c in there] == ["docker"] * len(here)
    assert not {c.id for c in here} & {c.id for c in there}
    monkeypatch.setenv(EXECUTOR, "process")
    assert [c.id for c in cells()] == [c.id for c in here]
    monkeypatch.setenv(EXECUTOR, "dokcer")
    with pytest.raises(ConfigError, match="docker"):
        cells()


@pytest.mark.parametrize("name", ["faults", "faults-demo", "executors", "mixed", "memory", "links"])
def test_the_shipped_study_has_cells_under_its_profiles(name):
    extended = PROJECT.study("model-queries-extended")
    found = cells_of(PROJECT, extended, PROJECT.profile(name))
    assert all(query_file(PROJECT, cell, q).is_file() for cell in found for q in cell.work.queries)
    tools = {cell.tool.tool for cell in found}
    assert tools == ({"hawk"} if name == "faults-demo" else {"cdo", "hawk", "mogwai"})
    if name == "faults":
        kinds = {(c.tool.tool, c.levels["protocol"], c.levels["fault"]) for c in found}
        assert len(kinds) == 3 * 2 * 8


def test_a_chosen_executor_keeps_only_its_cells(monkeypatch):
    several = study(factors={"executor": ["process", "namespace"], "threads": [1]})
    both = {c.id for c in cells(several)}
    monkeypatch.setenv(EXECUTOR, "namespace")
    kept = cells(several)
    assert {c.levels["executor"] for c in kept} == {"namespace"}
    assert {c.id for c in kept} < both
    monkeypatch.setenv(EXECUTOR, "docker")
    with pytest.raises(ConfigError, match=r"no level 'docker' \(process, namespace\)"):
        cells(several)


def test_a_full_disk_is_not_combined_with_limited_memory():
    full = {"full": {"kind": "disk-full", "at_s": 1, "seconds": 1}}
    both = {**OPEN, "fault": ["full"], "server_memory_mib": [768]}
    with pytest.raises(ConfigError, match="server_memory_mib: 0"):
        cells(study(factors=both, faults=full))


@pytest.mark.parametrize(
    ("name", "level"),
    [
        ("link_mbit_s", "fast"), ("server_memory_mib", -1), ("rate_per_s", 0), ("threads", "2"),
        ("link_delay_ms", True),
    ],
)  # fmt: skip
def test_levels_that_are_no_numbers_are_refused(name, level):
    with pytest.raises(ValueError, match=rf"factors.{name} has level .* must be a number"):
        study(factors={name: [level]})


def test_a_fault_of_a_node_that_the_tool_does_not_have_is_refused():
    named = {"pause": {**PAUSE["pause"], "node": "replica"}}
    broken = study(factors={**OPEN, "fault": ["pause"]}, faults=named)
    with pytest.raises(ConfigError, match=r"faults.pause.node': tool '\w+' has no node 'replica'"):
        cells(broken, profile(settings={"executions": 60}))


def test_the_traffic_of_a_node_that_is_not_there_is_not_captured():
    tool = PROJECT.tool("cdo")
    nodes = Tool.model_validate({**tool.model_dump(), "nodes": {"a": {}, "b": {"needs": ["a"]}}})
    levels = {"threads": 1}
    for capture in ({}, {"node": "b"}):
        captured = profile(settings={"executions": 20, "capture": capture})
        check_captured(study(), captured, levels, nodes)
    with pytest.raises(ConfigError, match=r"field 'settings.capture.node': .* have no node 'b'"):
        check_captured(study(), captured, levels, tool)
