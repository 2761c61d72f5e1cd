"""What this machine has, and what each missing thing costs."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from modelstress.config.errors import ModelstressError
from modelstress.config.project import Project
from modelstress.hosts import available_cpus
from modelstress.measure.java import find_java
from modelstress.measure.traffic import namespace
from modelstress.measure.traffic.proxy import cost_us

PROBE_S = 20
"""Deadline of one probe, seconds."""


@dataclass(frozen=True)
class Finding:
    """One thing that was looked for.

    Attributes:
        name: of the thing.
        present: whether it is there and works.
        needed: whether nothing can be measured without it.
        detail: what was found.
        cost: what its absence costs; empty when it is present.
    """

    name: str
    present: bool
    needed: bool
    detail: str
    cost: str = ""


def examine(project: Project | None) -> list[Finding]:
    """Look for everything that a run can make use of; starts nothing that lasts."""
    return [
        _java(),
        _program(
            "mvn",
            "Maven",
            "neither can the Java programs be built nor the sources of GraBaTs models be fetched "
            "(apt-get install maven)",
        ),
        _jars(project),
        _cpus(),
        _memory(),
        _namespaces(),
        _capture(),
        _shaping(),
        _docker(),
        _pressure(),
        _disk(project),
    ]


def _java() -> Finding:
    cost = "nothing can be built or measured"
    try:
        java = find_java()
    except ModelstressError as error:
        return Finding("JDK", False, True, str(error), cost)
    if shutil.which("javac") is None:
        return Finding("JDK", False, True, f"{java.program} has no javac (a JRE only)", cost)
    return Finding("JDK", True, True, f"{java.version} ({java.program})")


def _program(name: str, title: str, cost: str) -> Finding:
    path = shutil.which(name)
    return Finding(
        title, path is not None, True, path or f"no {name} on PATH", "" if path else cost
    )


def _jars(project: Project | None) -> Finding:
    if project is None:
        return Finding("Java programs", False, True, "no project here", "go to a project's folder")
    missing = [
        jar
        for tool in sorted((project.root / "config" / "tools").glob("*.yaml"))
        if not (jar := project.jar(project.tool(tool.stem))).is_file()
    ]
    if missing:
        names = ", ".join(str(jar.relative_to(project.root)) for jar in missing)
        return Finding("Java programs", False, True, f"not built: {names}", "run 'make build'")
    return Finding("Java programs", True, True, "built")


def _cpus() -> Finding:
    cpus = sorted(available_cpus())
    listed = ", ".join(map(str, cpus))
    if len(cpus) < 2:
        cost = "server and clients would share one CPU; cells would be invalid"
        return Finding("CPUs", False, True, listed, cost)
    return Finding(
        "CPUs", True, True, f"{len(cpus)} ({listed}); server and clients get disjoint sets"
    )


def _memory() -> Finding:
    gib = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    enough = gib >= 6
    cost = "" if enough else "the papers' server heap (4 GiB) does not fit; lower jvm.server"
    return Finding("Memory", enough, False, f"{gib:.1f} GiB", cost)


def _namespaces() -> Finding:
    works = _runs("unshare", "-Urnm", "true")
    cost = "" if works else "the executor 'namespace' (own network, packet counts) cannot be used"
    return Finding("Rootless namespaces", works, False, "unshare -Urnm", cost)


def _capture() -> Finding:
    """How captured cells would be captured here; the proxy's cost is measured now."""
    way, why_not = namespace.available()
    try:
        cost = f"{cost_us():.0f} µs to a round trip"
    except (ModelstressError, OSError) as error:
        cost = f"an unknown time to a round trip ({error})"
    if way is None:
        return Finding(
            "Packet capture", False, False, why_not,
            f"captured cells go through a proxy: it sees messages, no packets, and adds {cost}",
        )  # fmt: skip
    detail = f"unshare {' '.join(way)}, AF_PACKET on lo (a proxy, not needed, would add {cost})"
    return Finding("Packet capture", True, False, detail)


def _shaping() -> Finding:
    """TBF on a loopback interface inside a namespace that ends with the probe."""
    if shutil.which("tc") is None:
        detail, works = "no tc on PATH (apt-get install iproute2)", False
    else:
        rule = ("qdisc", "add", "dev", "lo", "root", "tbf")
        limits = ("rate", "100mbit", "burst", "32kbit", "latency", "50ms")
        works = _runs("unshare", "-Urn", "tc", *rule, *limits)
        detail = "tc tbf"
    cost = "" if works else "links cannot be limited to 100 Mbit/s as in the papers"
    return Finding("Network shaping", works, False, detail, cost)


def _docker() -> Finding:
    works = shutil.which("docker") is not None and _runs("docker", "info")
    detail = "a daemon answers" if works else "no daemon answers"
    cost = "" if works else "the executor 'docker' cannot be used"
    return Finding("Docker", works, False, detail, cost)


def _pressure() -> Finding:
    works = Path("/proc/pressure/cpu").is_file()
    cost = "" if works else "telemetry has no pressure stalls"
    return Finding("Pressure stall information", works, False, "/proc/pressure", cost)


def _disk(project: Project | None) -> Finding:
    free = shutil.disk_usage(project.root if project else Path.cwd()).free / 1e9
    cost = "" if free > 5 else "stores and samples of the larger profiles may not fit"
    return Finding("Disk", free > 5, False, f"{free:.0f} GB free", cost)


def _runs(*argv: str) -> bool:
    if shutil.which(argv[0]) is None:
        return False
    try:
        done = subprocess.run(argv, capture_output=True, timeout=PROBE_S, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0
