"""What a machine's settings and neighbours do to numbers, and its energy in the telemetry."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from machine_trees import POWER, TUNED, WORKSTATION, tree

from modelstress.measure.machine_checks import REMEDIES, judged, neighbours
from modelstress.measure.telemetry import Telemetry
from modelstress.samples.energy import Meter
from modelstress.samples.machine_settings import UNKNOWN, settings

ENERGY = f"{POWER}/intel-rapl:0/energy_uj"


def test_every_setting_that_hurts_has_a_remedy(tmp_path: Path) -> None:
    files = {**WORKSTATION, "proc/cpuinfo": "flags : hypervisor"}
    checks = judged(settings(tree(tmp_path, files)))
    assert sum(check.hurts is True for check in checks) == len(REMEDIES)
    assert all((check.remedy is not None) == (check.hurts is True) for check in checks)


def test_a_tuned_machine_has_little_left(tmp_path: Path) -> None:
    checks = judged(settings(tree(tmp_path, TUNED)))
    assert [check.name for check in checks if check.hurts] == ["NUMA nodes"]


def test_what_is_unknown_is_neither_good_nor_bad(tmp_path: Path) -> None:
    checks = judged(settings(tmp_path))
    assert {check.hurts for check in checks} == {None}
    assert all(UNKNOWN in check.value for check in checks)


def test_swap_that_is_never_used_does_no_harm(tmp_path: Path) -> None:
    files = {**WORKSTATION, "proc/sys/vm/swappiness": "0\n"}
    [swap] = [c for c in judged(settings(tree(tmp_path, files))) if c.name == "Swap"]
    assert swap.hurts is False and swap.value == "2097148 kB, swappiness 0"


@pytest.fixture
def busy() -> Iterator[subprocess.Popen[bytes]]:
    program = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    yield program
    program.kill()
    program.wait()


def test_a_busy_neighbour_is_named(busy: subprocess.Popen[bytes]) -> None:
    check = neighbours(0.5)
    assert check.hurts is True and check.remedy is not None
    # on a machine that others load, too, it may be beyond those that are named
    assert f"(process {busy.pid}, " in check.value or check.value.count("(process ") == 3


def test_energy_of_a_window_is_its_own(tmp_path: Path) -> None:
    telemetry = Telemetry({}, meter=Meter(tree(tmp_path, WORKSTATION)))
    for text, mark in (("1500000", telemetry.begin), ("4000000", telemetry.end)):
        (tmp_path / ENERGY).write_text(text)
        mark()
    assert telemetry.window()["energy.package-0_j"] == 2.5
    assert telemetry.record()["columns"]["energy.package-0_j"] == [0.5, 3.0]


@pytest.mark.parametrize("last", ["1500000", "unreadable"])
def test_energy_that_stands_or_is_lost_is_absent(tmp_path: Path, last: str) -> None:
    telemetry = Telemetry({}, meter=Meter(tree(tmp_path, WORKSTATION)))
    telemetry.begin()
    (tmp_path / ENERGY).write_text("1500000")
    telemetry.end()
    telemetry.begin()
    assert "energy.package-0_j" in telemetry.record()["columns"]
    (tmp_path / ENERGY).write_text(last)
    telemetry.end()
    # of the slices one knows it: what is left is no window's energy
    told = telemetry.window()
    assert ("energy.package-0_j" in told) == (last == "1500000") and told["seconds"] > 0
    still = Telemetry({}, meter=Meter(tree(tmp_path / "still", WORKSTATION)))
    still.begin()
    still.end()
    assert "energy.package-0_j" not in still.window()


def test_a_machine_without_counters_has_no_such_column() -> None:
    telemetry = Telemetry({})
    telemetry.begin()
    telemetry.end()
    assert not [name for name in telemetry.window() if name.startswith("energy")]
