"""Settings and neighbours of a machine that change numbers, and what to do about each."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import psutil

from modelstress.hosts import available_cpus
from modelstress.measure import procfs
from modelstress.samples.machine_settings import OFF, ON, UNKNOWN, Settings

FAST_CLOCKS = ("tsc", "kvm-clock", "arch_sys_counter", "hyperv_clocksource_tsc_page")
"""Clock sources that are read without a system call."""
LOOK_S = 1.0
BUSY, STOLEN = 0.10, 0.01
"""Of one CPU, and of all: from which on somebody else's work changes numbers."""
MOST_NAMED = 3


@dataclass(frozen=True)
class Remedy:
    """What a setting does to numbers, and a command that ends it (as root)."""

    effect: str
    command: str


REMEDIES: Mapping[str, Remedy] = {
    "governor": Remedy(
        "frequencies follow the load, and the first executions after a pause are slower",
        "cpupower frequency-set -g performance",
    ),
    "boost": Remedy(
        "frequencies depend on heat and on what other cores do",
        "echo 0 > /sys/devices/system/cpu/cpufreq/boost (or 1 > …/intel_pstate/no_turbo)",
    ),
    "smt": Remedy(
        "two threads share a core, and each slows the other",
        "echo off > /sys/devices/system/cpu/smt/control",
    ),
    "huge_pages": Remedy(
        "the kernel joins pages in the background, which takes memory and pauses programs",
        "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled",
    ),
    "clock_source": Remedy(
        "every look at the clock is a system call, about a microsecond of each execution",
        "boot with clocksource=tsc",
    ),
    "numa_nodes": Remedy(
        "memory of another node is slower, and starts get theirs where there is room",
        "run under numactl --cpunodebind=0 --membind=0",
    ),
    "swap": Remedy(
        "memory that is idle may be written out, and its next use waits for the disk",
        "swapoff -a, or sysctl vm.swappiness=0",
    ),
    "virtualised": Remedy(
        "the host gives and takes processor time, and its other guests share caches",
        "no command: measure more starts, compare within one start, or take a machine of its own",
    ),
    "address_randomisation": Remedy(
        "all starts have the same layout of memory, and share its luck",
        "sysctl kernel.randomize_va_space=2",
    ),
}
"""Setting to what it does where it hurts."""
TITLES = {"governor": "CPU governor", "smt": "SMT", "numa_nodes": "NUMA nodes",
          "energy": "Energy counters"}  # fmt: skip


@dataclass(frozen=True)
class Check:
    """One setting, judged.

    Attributes:
        name: of it, for people.
        value: of it.
        hurts: whether it makes numbers worse; None: it cannot be read, or is no matter of better
            and worse.
        remedy: what it does and how to end it, where it hurts.
    """

    name: str
    value: str
    hurts: bool | None
    remedy: Remedy | None = None


def judged(settings: Settings) -> list[Check]:
    """Each setting with its remedy where it hurts; swappiness belongs to swap.

    Args:
        settings: of ``machine_settings.settings``.
    """
    hurting = {
        "governor": settings["governor"] != "performance",
        "boost": settings["boost"] == ON,
        "smt": settings["smt"] == ON,
        "huge_pages": settings["huge_pages"] == "always",
        "clock_source": settings["clock_source"] not in FAST_CLOCKS,
        "numa_nodes": settings["numa_nodes"] != 1,
        "swap": settings["swap"] != "none" and settings["swappiness"] != 0,
        "virtualised": settings["virtualised"] != "no",
        "address_randomisation": settings["address_randomisation"] == OFF,
    }
    checks = []
    for name, value in settings.items():
        if name == "swappiness":
            continue
        told = f"{value}, swappiness {settings['swappiness']}" if name == "swap" else str(value)
        hurts = None if value == UNKNOWN or name not in hurting else hurting[name]
        title = TITLES.get(name, name.replace("_", " ").capitalize())
        checks.append(Check(title, told, hurts, REMEDIES[name] if hurts else None))
    return checks


def neighbours(seconds: float = LOOK_S) -> Check:
    """What else runs on this machine now, looked at for a moment in which nothing is done here."""
    cpus = available_cpus()
    before, begun, first = procfs.cpu_times(cpus), time.monotonic(), _spent()
    time.sleep(seconds)
    after, last = procfs.cpu_times(cpus), _spent()
    took = time.monotonic() - begun
    busy = (after.busy_s - before.busy_s) / took
    stolen = (after.steal_s - before.steal_s) / took / len(cpus)
    value = f"{busy:.2f} of {len(cpus)} CPUs busy, {stolen:.1%} stolen"
    shares = {
        pid: (spent_s - first[pid][1]) / took for pid, (_, spent_s) in last.items() if pid in first
    }
    named = [f"{last[pid][0]} (process {pid}, {share:.0%})" for pid, share in _largest(shares)]
    if named:
        value += f": {', '.join(named)}"
    if busy < BUSY and stolen < STOLEN:
        return Check("Neighbours", value, hurts=False)
    end = "stop or wait for them" if busy >= BUSY else "ask whom the host belongs to"
    effect = "they take processor time, caches and memory from what is measured"
    return Check("Neighbours", value, hurts=True, remedy=Remedy(effect, end))


def _largest(shares: Mapping[int, float]) -> Iterator[tuple[int, float]]:
    """The few processes that use most of a CPU."""
    ordered = sorted(shares.items(), key=lambda pair: -pair[1])
    return ((pid, share) for pid, share in ordered[:MOST_NAMED] if share >= BUSY / 2)


def _spent() -> dict[int, tuple[str, float]]:
    """Process to its name, printable, and its CPU seconds."""
    found = {}
    for process in psutil.process_iter(["name", "cpu_times"]):
        about = process.info
        if times := about["cpu_times"]:
            name = "".join(c for c in str(about["name"]) if c.isprintable())[:40]
            found[process.pid] = (name, times.user + times.system)
    return found
