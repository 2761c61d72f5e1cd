"""Settings of a machine that change numbers: frequency, memory, clock, neighbours of a core.

Read of ``/sys`` and ``/proc`` without rights of root. What cannot be read, or has a value that the
kernel does not document, is ``unknown``: a virtual machine often tells little of its host.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from modelstress.samples import energy

UNKNOWN = "unknown"
ON, OFF = "on", "off"
MOST_BYTES = 1 << 16
"""Of a file; the first CPU of ``/proc/cpuinfo`` is in them."""
MOST_WORDS = 200
"""Characters of a value."""
CPUS = "sys/devices/system/cpu"
ADDRESSES = {"0": OFF, "1": "stack and libraries", "2": "full"}
"""``randomize_va_space`` (proc_sys_kernel(5)) in words."""
SMT = {"on": ON, "off": OFF, "forceoff": OFF, "notsupported": "not supported",
       "notimplemented": "not supported"}  # fmt: skip

Settings = Mapping[str, str | int]


def settings(root: Path = Path("/")) -> dict[str, str | int]:
    """Settings of the machine by name; words of the kernel, bounded.

    Args:
        root: folder with ``sys`` and ``proc``.

    Returns:
        Always the same names. ``swap`` is ``none`` or its size in kB, ``energy`` the packages whose
        energy can be read.
    """
    processor = _first_cpu(root)
    return {
        "governor": _of_cpus(root, "scaling_governor"),
        "frequency_driver": _of_cpus(root, "scaling_driver"),
        "boost": _boost(root),
        "smt": SMT.get(_text(root, f"{CPUS}/smt/control"), UNKNOWN),
        "huge_pages": _chosen(_text(root, "sys/kernel/mm/transparent_hugepage/enabled")),
        "microcode": _text(root, f"{CPUS}/cpu0/microcode/version")
        or _bounded(processor.get("microcode", ""))
        or UNKNOWN,
        "clock_source": _text(
            root, "sys/devices/system/clocksource/clocksource0/current_clocksource"
        )
        or UNKNOWN,
        "mitigations": _mitigations(root),
        "numa_nodes": _numa_nodes(root),
        "swap": _swap(root),
        "swappiness": _number(_text(root, "proc/sys/vm/swappiness")),
        "virtualised": _virtualised(root, processor),
        "address_randomisation": ADDRESSES.get(
            _text(root, "proc/sys/kernel/randomize_va_space"), UNKNOWN
        ),
        "energy": _listed(energy.counters(root)) or UNKNOWN,
    }


def _raw(root: Path, name: str) -> str:
    """The beginning of a file; empty where it cannot be read."""
    try:
        with (root / name).open("rb") as file:
            return file.read(MOST_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""


def _bounded(text: str) -> str:
    """Printable characters on one line."""
    return "".join(c for c in " ".join(text.split()) if c.isprintable())[:MOST_WORDS]


def _text(root: Path, name: str) -> str:
    return _bounded(_raw(root, name))


def _number(text: str) -> str | int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else UNKNOWN


def _listed(words: Iterable[str]) -> str:
    return _bounded(", ".join(sorted(set(words))))


def _of_cpus(root: Path, name: str) -> str:
    """Distinct values of all frequency policies; CPUs may differ."""
    policies = (root / CPUS / "cpufreq").glob("policy*")
    return _listed(filter(None, (_text(policy, name) for policy in policies))) or UNKNOWN


def _boost(root: Path) -> str:
    """Whether CPUs may run above their base frequency, by either name that kernels have for it."""
    by_driver = {"0": ON, "1": OFF}.get(_text(root, f"{CPUS}/intel_pstate/no_turbo"))
    general = {"1": ON, "0": OFF}.get(_text(root, f"{CPUS}/cpufreq/boost"))
    return by_driver or general or UNKNOWN


def _chosen(text: str) -> str:
    """The word in brackets of a list of choices."""
    inside = text.partition("[")[2].partition("]")
    return inside[0] if inside[0] and inside[1] else UNKNOWN


def _first_cpu(root: Path) -> dict[str, str]:
    """Fields of the first processor."""
    block = _raw(root, "proc/cpuinfo").partition("\n\n")[0]
    fields = (line.partition(":") for line in block.splitlines())
    return {name.strip(): value.strip() for name, _, value in fields}


def _mitigations(root: Path) -> str:
    """Names of the weaknesses that the kernel works around, and of those that it leaves open."""
    folder = root / CPUS / "vulnerabilities"
    try:
        names = sorted(file.name for file in folder.iterdir())
    except OSError:
        return UNKNOWN
    states = {name: _text(folder, name) for name in names}
    active = [name for name, state in states.items() if "Mitigation:" in state]
    missing = [name for name, state in states.items() if state.startswith("Vulnerable")]
    if not any(states.values()):
        return UNKNOWN
    parts = [f"{word} {', '.join(some)}" for word, some in
             (("for", active), ("none for", missing)) if some]  # fmt: skip
    return "; ".join(parts)[: 4 * MOST_WORDS] or "none needed"


def _numa_nodes(root: Path) -> str | int:
    try:
        names = [file.name for file in (root / "sys/devices/system/node").iterdir()]
    except OSError:
        return UNKNOWN
    return sum(name.startswith("node") and name[4:].isdecimal() for name in names) or UNKNOWN


def _swap(root: Path) -> str:
    """Size of all swap, as ``/proc/meminfo`` counts it."""
    for line in _raw(root, "proc/meminfo").splitlines():
        name, _, amount = line.partition(":")
        size, _, unit = amount.strip().partition(" ")
        if name == "SwapTotal" and unit == "kB" and isinstance(_number(size), int):
            return f"{size} kB" if int(size) else "none"
    return UNKNOWN


def _virtualised(root: Path, processor: Mapping[str, str]) -> str:
    """Whether a hypervisor is below, and whose as far as it says so."""
    kind = _text(root, "sys/hypervisor/type") or _text(
        root, "proc/device-tree/hypervisor/compatible"
    )
    maker = _text(root, "sys/class/dmi/id/sys_vendor")
    if kind:
        return f"yes ({kind})"
    if "flags" not in processor:
        return UNKNOWN
    if "hypervisor" in processor["flags"].split():
        return f"yes ({maker})" if maker else "yes"
    return "no"
