"""Energy counters, read of trees of `/sys`."""

from __future__ import annotations

from pathlib import Path

import pytest
from machine_trees import POWER, WORKSTATION, tree

from modelstress.samples.energy import Meter, counters

ENERGY = f"{POWER}/intel-rapl:0/energy_uj"
HWMON = "sys/class/hwmon/hwmon3"


def test_packages_are_counted_once_and_without_their_parts(tmp_path: Path) -> None:
    found = counters(tree(tmp_path, WORKSTATION))
    assert list(found) == ["package-0"] and found["package-0"].read() == 1_000_000


def test_sockets_of_hwmon_where_there_is_no_rapl(tmp_path: Path) -> None:
    files = {
        f"{HWMON}/energy1_label": "Ecore000\n", f"{HWMON}/energy1_input": "5\n",
        f"{HWMON}/energy17_label": "Esocket0\n", f"{HWMON}/energy17_input": "70\n",
    }  # fmt: skip
    found = counters(tree(tmp_path, files))
    assert {name: counter.read() for name, counter in found.items()} == {"package-0": 70}


def test_joules_are_counted_over_the_end_of_the_range(tmp_path: Path) -> None:
    meter = Meter(tree(tmp_path, WORKSTATION))
    assert meter.read() == {"package-0": 0.0}
    for text, joules in (("3500000", 2.5), ("500000", 4.5), ("500000", 4.5), ("700000", 4.7)):
        (tmp_path / ENERGY).write_text(text)
        assert meter.read()["package-0"] == pytest.approx(joules)


def test_a_counter_that_goes_back_for_no_reason_is_lost(tmp_path: Path) -> None:
    files = {name: text for name, text in WORKSTATION.items() if "max_energy" not in name}
    meter = Meter(tree(tmp_path, files))
    (tmp_path / ENERGY).write_text("999999")
    assert meter.read() == {}
    (tmp_path / ENERGY).write_text("2000000")
    assert meter.read() == {}


@pytest.mark.parametrize("text", ["", "none", "-5", "1e9", "9" * 40, "٣"])
def test_what_is_no_number_is_absent_and_not_zero(tmp_path: Path, text: str) -> None:
    meter = Meter(tree(tmp_path / "good", WORKSTATION))
    (tmp_path / "good" / ENERGY).write_text(text)
    assert meter.read() == {}
    assert counters(tree(tmp_path / "bad", {**WORKSTATION, ENERGY: text})) == {}


def test_one_unreadable_package_leaves_no_sum_that_is_too_small(tmp_path: Path) -> None:
    second = {f"{POWER}/intel-rapl:2/name": "package-1\n"}
    assert counters(tree(tmp_path, {**WORKSTATION, **second})) == {}


def test_a_machine_without_counters_has_none(tmp_path: Path) -> None:
    assert Meter(tmp_path).read() == {}
