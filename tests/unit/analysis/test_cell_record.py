"""Provenance for readers."""

import os

import pytest

from modelstress.analysis import cell_record
from modelstress.samples import provenance


@pytest.mark.parametrize(
    ("key", "value", "told"),
    [
        ("topology.server_cpus", "0", "CPU 0"),
        ("topology.client_cpus", "1, 2", "CPUs 1, 2"),
        ("machine.memory", "8388608 kB", "8 GiB"),
        ("machine.cgroup.memory.limit_in_bytes", "9223372036854771712", "none"),
        ("machine.cgroup.memory.limit_in_bytes", "2147483648", "2 GiB"),
        ("machine.cgroup.memory.max", "max", "none"),
        ("machine.cgroup.cpu.cfs_quota_us", "-1", "none"),
        ("machine.cgroup.cpu.cfs_quota_us", "50000", "50000"),
        ("machine.cgroup.cpu.max", "max 100000", "none"),
        ("machine.cgroup.cpu.max", "50000 100000", "50000 100000"),
        ("git.commit", "0123", "0123"),
        ("machine.memory", "unknown", "unknown"),
    ],
)
def test_recorded_values_are_for_people(key, value, told):
    assert cell_record.told(key, value) == told


@pytest.mark.parametrize(("cpus", "key"), [([0], "controller.cpus"), ([0, 1], "machine.cpus")])
def test_cpus_that_were_asked_of_a_pinned_controller_are_not_the_machines(cpus, key):
    topology = {"server_cpus": [0], "client_cpus": [1]}
    found = dict(
        cell_record.facts({"provenance": {"topology": topology, "machine": {"cpus": cpus}}})
    )
    assert found[key] == ", ".join(map(str, cpus))
    assert len([name for name in found if name.endswith(".cpus")]) == 1


def test_the_machines_cpus_do_not_depend_on_the_pin_of_the_controller():
    before, own = provenance.machine()["cpus"], os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {min(own)})
        assert provenance.machine()["cpus"] == before
    finally:
        os.sched_setaffinity(0, own)
    assert set(own) <= set(before)


def test_lists_of_cpus_are_read_as_the_kernel_writes_them(tmp_path):
    listed = tmp_path / "online"
    listed.write_text("0-2,5,7-8\n")
    assert provenance.online_cpus(listed) == [0, 1, 2, 5, 7, 8]
    assert provenance.online_cpus(tmp_path / "none") == list(range(os.cpu_count()))
