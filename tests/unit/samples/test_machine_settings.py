"""Settings of a machine, read of trees of `/sys` and `/proc`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from machine_trees import CPUS, TUNED, WORKSTATION, tree

from modelstress.samples.machine_settings import UNKNOWN, settings
from modelstress.samples.provenance import machine
from modelstress.samples.record import Machine


def test_a_workstation_tells_everything(tmp_path: Path) -> None:
    assert settings(tree(tmp_path, WORKSTATION)) == {
        "governor": "powersave",
        "frequency_driver": "intel_pstate",
        "boost": "on",
        "smt": "on",
        "huge_pages": "always",
        "microcode": "0x5003604",
        "clock_source": "hpet",
        "mitigations": "for itlb_multihit, spectre_v2; none for mds",
        "numa_nodes": 2,
        "swap": "2097148 kB",
        "swappiness": 60,
        "virtualised": "no",
        "address_randomisation": "off",
        "energy": "package-0",
    }


def test_a_tuned_one_is_told_apart(tmp_path: Path) -> None:
    found = settings(tree(tmp_path, TUNED))
    assert (found["governor"], found["boost"], found["smt"]) == ("performance", "off", "off")
    assert (found["swap"], found["address_randomisation"]) == ("none", "full")


@pytest.mark.parametrize(
    ("file", "content", "name", "value"),
    [
        (f"{CPUS}/cpufreq/policy1/scaling_governor", "ondemand", "governor", "ondemand, powersave"),
        (f"{CPUS}/smt/control", "forceoff", "smt", "off"),
        (f"{CPUS}/smt/control", "notimplemented", "smt", "not supported"),
        ("sys/hypervisor/type", "xen\n", "virtualised", "yes (xen)"),
        ("proc/cpuinfo", "flags : fpu hypervisor\n", "virtualised", "yes (ACME)"),
        ("proc/cpuinfo", "Features : fp asimd\n", "virtualised", UNKNOWN),
    ],
)
def test_other_machines(tmp_path: Path, file: str, content: str, name: str, value: str) -> None:
    assert settings(tree(tmp_path, {**WORKSTATION, file: content}))[name] == value


def test_without_microcode_in_sys_that_of_proc_is_taken(tmp_path: Path) -> None:
    files = {name: text for name, text in WORKSTATION.items() if "microcode" not in name}
    assert settings(tree(tmp_path, files))["microcode"] == "0x1"


def test_boost_by_the_general_name(tmp_path: Path) -> None:
    files = {name: text for name, text in WORKSTATION.items() if "no_turbo" not in name}
    for number, (content, boost) in enumerate((("1\n", "on"), ("0\n", "off"), ("2", UNKNOWN))):
        root = tree(tmp_path / str(number), {**files, f"{CPUS}/cpufreq/boost": content})
        assert settings(root)["boost"] == boost


def test_what_cannot_be_read_is_unknown_and_not_left_out(tmp_path: Path) -> None:
    found = settings(tmp_path)
    assert list(found) == list(settings(tree(tmp_path / "full", WORKSTATION)))
    assert set(found.values()) == {UNKNOWN}


def test_a_folder_in_place_of_a_file_is_unreadable(tmp_path: Path) -> None:
    for name in WORKSTATION:
        (tmp_path / name).mkdir(parents=True)
    found = settings(tmp_path)
    # folders of this name are what a memory node is
    assert {name for name, value in found.items() if value != UNKNOWN} == {"numa_nodes"}


@pytest.mark.parametrize(
    "hostile",
    [
        b"", b"\n", b"\x00\xff\xfe" * 9, b"x" * 300_000, b"9" * 5000, b"-1", b"1e999",
        "٣\u202e\x1b[31m".encode(), b"[unclosed", b"a: b\nSwapTotal: \xff kB",
    ],
)  # fmt: skip
def test_hostile_contents_are_bounded_printable_and_of_their_type(
    tmp_path: Path, hostile: bytes
) -> None:
    found = settings(tree(tmp_path, dict.fromkeys(WORKSTATION, hostile)))
    Machine.model_validate({"settings": found})
    for name, value in found.items():
        if isinstance(value, int):
            assert name in ("numa_nodes", "swappiness") and 0 <= value < 10**9
        else:
            assert value and value.isprintable() and len(value) <= 800
    # words that programs compare are words of the kernel
    assert found["boost"] == found["smt"] == found["address_randomisation"] == UNKNOWN


def test_the_real_machine_is_in_provenance_and_can_be_written() -> None:
    found = machine()["settings"]
    assert found == settings() and UNKNOWN not in (found["clock_source"], found["swappiness"])
    assert json.loads(json.dumps(found)) == found
