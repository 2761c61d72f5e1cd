"""What an invocation and its programs know of nodes, without starting any."""

from __future__ import annotations

from pathlib import Path

import pytest
from fake_cells import fake_invocation
from fake_nodes import two_nodes

from modelstress.config.faults import DiskFull, MemoryLowered
from modelstress.hosts import CpuPlan
from modelstress.measure import folders, provisioning
from modelstress.measure.programs import client_argv

PLAN = CpuPlan({"replica": frozenset({0}), "writer": frozenset({1})}, frozenset({2}))


def test_a_tool_that_names_no_nodes_has_one_server(tmp_path: Path) -> None:
    invocation = fake_invocation(tmp_path, server={"a": 1})
    [node] = invocation.nodes
    assert invocation.single and not invocation.external
    assert (node.name, node.role, node.program) == ("server", None, invocation.jar)
    assert node.options == {"a": 1}


def test_nodes_have_programs_and_options_of_their_own(tmp_path: Path) -> None:
    invocation = two_nodes(tmp_path, replica={"hang_after": 3})
    replica, writer = invocation.nodes
    assert [node.name for node in invocation.start_order] == ["writer", "replica"]
    assert (replica.role, writer.role) == ("reader", "writer")
    assert replica.program != writer.program
    assert (replica.options["hang_after"], writer.options["hang_after"]) == (3, 0)
    assert not invocation.single


def test_the_level_of_a_cell_gives_way_to_a_nodes_own_option(tmp_path: Path) -> None:
    invocation = two_nodes(tmp_path, replica={"hang_after": 3}, levels={"hang_after": 9})
    assert [node.options["hang_after"] for node in invocation.nodes] == [3, 9]


@pytest.mark.parametrize(("node", "hit"), [(None, "replica"), ("writer", "writer")])
def test_a_fault_hits_the_main_node_or_the_one_that_it_names(
    tmp_path: Path, node: str | None, hit: str
) -> None:
    fault = MemoryLowered(kind="memory-lowered", at_s=1, seconds=1, node=node)
    assert provisioning.target_of(two_nodes(tmp_path, fault=fault)) == hit


def test_each_node_has_a_folder_and_the_fault_a_disk_of_its_node(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    monkeypatch.setattr(provisioning, "ProcessHosts", asked.append)
    fault = DiskFull(kind="disk-full", at_s=1, seconds=1, node="writer")
    invocation = two_nodes(tmp_path, fault=fault, levels={"server_memory_mib": 512})
    provisioning.hosts_of(invocation, tmp_path, "mark", PLAN)
    replica, writer = asked[0].nodes
    assert replica.folder == tmp_path / "node-replica" and writer.folder != replica.folder
    assert replica.disk_mib == 0 and writer.disk_mib == provisioning.DISK_MORE_MIB
    assert replica.memory_mib == writer.memory_mib == 512


def test_clients_are_told_every_node(tmp_path: Path) -> None:
    program = tmp_path / "client"
    argv = client_argv(program, "d", ["a=tcp://h:1", "b=tcp://h:2"], program, 1, program)
    at = [number for number, word in enumerate(argv) if word == "--endpoint"]
    assert [argv[number + 1] for number in at] == ["a=tcp://h:1", "b=tcp://h:2"]


def test_copies_of_all_nodes_are_dropped_from_what_is_kept(tmp_path: Path) -> None:
    names = [folders.node_files(node) for node in ("server", "writer")]
    work = folders.make_work(tmp_path / "i00", folders.Owner("m"), names)
    for name in names:
        (work / name / "data").write_text("x")
        (work / f"{name}.log").write_text("x")
    kept = folders.keep_aborted(tmp_path / "i00")
    assert {file.name for file in kept.iterdir()} == {"server.log", "node-writer.log", "owner.json"}
