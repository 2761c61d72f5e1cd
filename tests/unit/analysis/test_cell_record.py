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


def _columns(names, busy, idle):
    parts = {"user": busy, "system": [0] * len(busy), "idle": idle}
    return {
        f"cpus.{name}.{part}_s": parts.get(part, [0] * len(busy))
        for name in names
        for part in cell_record.PARTS
    }


def test_several_nodes_are_one_server_with_the_cpus_of_all():
    busy, idle = _columns(["a"], [0, 4, 8], [0, 0, 0]), _columns(["b"], [0, 0, 4], [0, 4, 4])
    columns = {"t_ns": [0, 10**9, 2 * 10**9], **busy, **idle}
    window = {name: values[-1] - values[0] for name, values in columns.items() if name != "t_ns"}
    shares = {"a": 1.0, "b": 0.5, "client": 0.25}
    record = {
        "nodes": {"a": {"gc_window": {"total_ms": 2.0}}, "b": {"gc_window": {"total_ms": 3.0}}},
        "telemetry": {"cpu_busy": shares, "window": window, "columns": columns},
    }
    assert cell_record.cpu_shares(record) == {"server": 0.75, "client": 0.25}
    assert cell_record.telemetry(record)["server_cpu"].tolist() == [0.5, 1.0]
    assert cell_record.pauses_ms(record) == 5.0


def test_a_record_of_one_server_is_read_as_it_is():
    record = {
        "server": {"gc_window": {"total_ms": 2.0}},
        "telemetry": {"cpu_busy": {"server": 0.5}},
    }
    assert cell_record.cpu_shares(record) == {"server": 0.5}
    assert list(cell_record.nodes(record)) == ["server"] and cell_record.pauses_ms(record) == 2.0
    assert cell_record.pauses_ms({"server": None}) is None
