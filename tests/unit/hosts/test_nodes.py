"""Nodes of a tool, and what executor ``process`` makes of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from modelstress.config.errors import ConfigError, MeasureError, MissingError
from modelstress.hosts import CpuPlan, Disturbance, Link, Node, ProcessHosts, Setup

ONE, TWO, THREE = frozenset({1}), frozenset({2}), frozenset({3})


def setup(folder: Path, *names: str) -> Setup:
    plan = CpuPlan(dict(zip(names, (ONE, TWO), strict=False)), THREE)
    return Setup("mark", plan, folder, tuple(Node(name, folder / name) for name in names))


@pytest.mark.parametrize("name", ["", "Store", "1st", "a_b", "a b", "client", "client7"])
def test_a_name_that_cannot_be_a_nodes_is_told(name: str) -> None:
    with pytest.raises(ConfigError, match=f"node {name!r}: .*use"):
        Node(name, Path())


def test_nodes_have_names_of_their_own(tmp_path: Path) -> None:
    assert Node("clients", tmp_path).memory_mib == 0
    for names in ((), ("a", "a")):
        with pytest.raises(ConfigError, match="one at least, and no two of the same name"):
            setup(tmp_path, *names)


def test_every_node_is_a_side_of_its_own(tmp_path: Path) -> None:
    hosts = ProcessHosts(setup(tmp_path, "writer", "store"))
    assert list(hosts.nodes) == ["writer", "store"] and len(hosts.clients) == 1
    assert hosts.here == {"writer": ONE, "store": TWO, "client": THREE}
    assert hosts.plan.server == ONE | TWO
    endpoint = "http://127.0.0.1:1"
    assert hosts.seen("store", "writer", endpoint) == hosts.reached("store", endpoint) == endpoint
    assert hosts.record() == {} and hosts.counters() == {}
    hosts.close()


def test_a_server_of_somebody_else_has_no_cpus_here(tmp_path: Path) -> None:
    plan = CpuPlan({"server": frozenset()}, THREE)
    hosts = ProcessHosts(replace(setup(tmp_path, "server"), plan=plan))
    assert hosts.here == {"client": THREE} and hosts.plan.server == frozenset()


def test_a_node_that_is_not_there_is_told(tmp_path: Path) -> None:
    hosts = ProcessHosts(setup(tmp_path, "writer", "store"))
    for asked in (
        lambda: hosts.reached("server", "http://a:1"),
        lambda: hosts.seen("store", "reader", "http://a:1"),
        lambda: hosts.can("server", Disturbance("cut")),
        lambda: hosts.empty_folder("server"),
    ):
        with pytest.raises(MeasureError, match="no node '.*'; there are: writer, store"):
            asked()


def test_only_one_nodes_folder_is_emptied(tmp_path: Path) -> None:
    hosts = ProcessHosts(setup(tmp_path, "writer", "store"))
    for name in hosts.nodes:
        (tmp_path / name / "deep").mkdir(parents=True)
    hosts.empty_folder("store")
    assert (tmp_path / "writer" / "deep").is_dir() and not list((tmp_path / "store").iterdir())


def test_links_are_none_of_this_executors(tmp_path: Path) -> None:
    with pytest.raises(MissingError, match="use 'namespace' or 'docker'"):
        ProcessHosts(replace(setup(tmp_path, "a"), link=Link(mbit_s=100)))
    hosts = ProcessHosts(setup(tmp_path, "a"))
    assert "needs the executor" in str(hosts.can("a", Disturbance("cut")))


def test_what_a_nodes_folder_takes_of_the_disk_is_blocks_not_lengths(tmp_path: Path) -> None:
    hosts = ProcessHosts(setup(tmp_path, "store", "other"))
    assert hosts.disk_bytes("store") is None, "it is not there"
    deep = tmp_path / "store" / "deep"
    deep.mkdir(parents=True)
    assert hosts.disk_bytes("store") == 0
    (deep / "written").write_bytes(b"x" * (1 << 20))
    with (deep / "sparse").open("wb") as stream:
        stream.truncate(1 << 30)
    (deep / "link").symlink_to("/usr")
    found = hosts.disk_bytes("store")
    assert found is not None and 1 << 20 <= found < 2 << 20
