"""Division of CPUs between server and clients."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from modelstress.config.errors import MissingError
from modelstress.hosts import available_cpus, cpus, plan_cpus


def topology(folder: Path, cores: dict[int, tuple[int, int]]) -> None:
    for cpu, (package, core) in cores.items():
        place = folder / f"cpu{cpu}" / "topology"
        place.mkdir(parents=True)
        (place / "physical_package_id").write_text(str(package))
        (place / "core_id").write_text(str(core))


@pytest.fixture
def flat(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine that tells no topology."""
    monkeypatch.setattr(cpus, "CPU_FOLDER", tmp_path)
    return tmp_path


@pytest.mark.parametrize("count", [2, 3, 4, 7, 16])
def test_disjoint_complete_and_the_server_never_has_less(flat: Path, count: int) -> None:
    plan = plan_cpus(range(count))
    assert plan.server | plan.client == set(range(count))
    assert not plan.server & plan.client
    assert len(plan.server) - len(plan.client) in (0, 1)
    assert not plan.shared


def test_hyper_threads_of_a_core_stay_together(flat: Path) -> None:
    topology(flat, {0: (0, 0), 2: (0, 0), 1: (0, 1), 3: (0, 1)})
    plan = plan_cpus(range(4))
    assert (plan.server, plan.client) == ({0, 2}, {1, 3})


def test_an_odd_border_moves_off_the_middle_of_a_core(flat: Path) -> None:
    topology(flat, {0: (0, 0), 1: (0, 1), 2: (0, 1), 3: (0, 2)})
    plan = plan_cpus(range(4))
    assert (plan.server, plan.client) == ({0, 1, 2}, {3})


def test_two_threads_of_one_core_are_divided_for_want_of_more(flat: Path) -> None:
    topology(flat, {0: (0, 0), 1: (0, 0)})
    plan = plan_cpus(range(2))
    assert (plan.server, plan.client) == ({0}, {1})


def test_one_cpu_is_refused_or_marked(flat: Path) -> None:
    with pytest.raises(MissingError, match="two CPUs"):
        plan_cpus([3])
    plan = plan_cpus([3], allow_shared=True)
    assert plan.shared and plan.server == plan.client == {3}


def test_the_affinity_mask_counts() -> None:
    before = os.sched_getaffinity(0)
    one = {min(before)}
    try:
        os.sched_setaffinity(0, one)
        assert available_cpus() == one
    finally:
        os.sched_setaffinity(0, before)


def test_another_machines_cores_count_there(flat: Path) -> None:
    topology(flat, {0: (0, 0), 1: (0, 0), 2: (0, 1), 3: (0, 1)})
    cores = {0: (0, 0), 2: (0, 0), 1: (0, 1), 3: (0, 1)}
    plan = plan_cpus(range(4), cores=cores)
    assert (plan.server, plan.client) == ({0, 2}, {1, 3})


@pytest.mark.parametrize(
    ("count", "sizes"), [(2, [1]), (4, [1, 1]), (6, [2, 1]), (8, [2, 1, 1]), (16, [3, 3, 2])]
)
def test_nodes_divide_their_half_the_first_get_more(
    flat: Path, count: int, sizes: list[int]
) -> None:
    names = ["main", "reader", "store"][: len(sizes)]
    plan, alone = plan_cpus(range(count), nodes=names), plan_cpus(range(count))
    assert [len(plan.nodes[name]) for name in names] == sizes and plan.divided
    assert plan.server == alone.server and plan.client == alone.client
    assert sum(map(len, plan.nodes.values())) == len(plan.server), "disjoint"


def test_nodes_get_whole_cores(flat: Path) -> None:
    topology(flat, {cpu: (0, cpu % 4) for cpu in range(8)})
    plan = plan_cpus(range(8), nodes=("a", "b"))
    assert plan.nodes == {"a": {0, 4}, "b": {1, 5}} and plan.client == {2, 6, 3, 7}


def test_more_nodes_than_cores_share_the_half(flat: Path) -> None:
    topology(flat, {cpu: (0, cpu % 2) for cpu in range(4)})
    plan = plan_cpus(range(4), nodes=("a", "b"))
    assert plan.nodes == {"a": {0, 2}, "b": {0, 2}} and not plan.divided and not plan.shared
    plan = plan_cpus([3], allow_shared=True, nodes=("a", "b"))
    assert plan.nodes == {"a": {3}, "b": {3}} and plan.shared and not plan.divided
    assert plan_cpus([3], allow_shared=True).divided
