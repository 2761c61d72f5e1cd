"""What this machine has, and what each missing thing or unfit setting costs."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from modelstress.config.errors import ModelstressError
from modelstress.config.hosts import HERE
from modelstress.config.packages import WORKSPACE, how_to_get
from modelstress.config.project import Project
from modelstress.hosts import available_cpus, cgroup, namespace, private
from modelstress.measure.java import find_java
from modelstress.measure.machine_checks import Check, judged, neighbours
from modelstress.measure.traffic.proxy import cost_us
from modelstress.samples.machine_settings import UNKNOWN, settings


@dataclass(frozen=True)
class Finding:
    """One thing that was looked for.

    Attributes:
        name: of the thing.
        present: whether it is there and works.
        needed: whether nothing can be measured without it.
        detail: what was found.
        cost: what its absence costs, or a setting does and how to end it; empty where it is fine.
        mark: ``ok``, ``MISSING`` (needed), ``without``, or of settings ``hurts`` or ``unknown``.
    """

    name: str
    present: bool
    needed: bool
    detail: str
    cost: str = ""
    mark: str = ""

    def __post_init__(self) -> None:
        if not self.mark:
            mark = "ok" if self.present else "MISSING" if self.needed else "without"
            object.__setattr__(self, "mark", mark)


def examine(project: Project | None) -> list[Finding]:
    """Look for everything that a run can make use of; starts nothing that lasts."""
    return [
        _java(),
        _maven(),
        _jars(project),
        _cpus(),
        _memory(),
        _capture(),
        *_executors(project),
        _pressure(),
        _disk(project),
        *of_machine(),
    ]


def of_machine() -> list[Finding]:
    """Look at the machine's settings, and for a second at what else runs on it."""
    return [_setting(check) for check in (*judged(settings()), neighbours())]


def _setting(check: Check) -> Finding:
    """A setting of the machine; what cannot be read is no fault of it."""
    if check.remedy is not None:
        cost = f"{check.remedy.effect}; {check.remedy.command}"
        return Finding(check.name, False, False, check.value, cost, "hurts")
    mark = "unknown" if check.value == UNKNOWN else ""
    return Finding(check.name, True, False, check.value, mark=mark)


def _java() -> Finding:
    cost = "nothing can be built or measured"
    try:
        java = find_java()
    except ModelstressError as error:
        return Finding("JDK", False, True, str(error), cost)
    if shutil.which("javac") is None and not WORKSPACE.is_dir():
        return Finding("JDK", False, True, f"{java.program} has no javac (a JRE only)", cost)
    return Finding("JDK", True, True, f"{java.version} ({java.program})")


def _maven() -> Finding:
    """Maven; packages bring programs that are built already."""
    path, built = shutil.which("mvn"), WORKSPACE.is_dir()
    cost = "the sources of GraBaTs models cannot be fetched (apt-get install maven)"
    if not built:
        cost = f"the Java programs cannot be built, {cost}"
    found = path or "no mvn on PATH"
    return Finding("Maven", path is not None, not built, found, "" if path else cost)


def _jars(project: Project | None) -> Finding:
    if project is None:
        return Finding("Java programs", False, True, "no project here", "go to a project's folder")
    missing = [
        jar
        for tool in project.tools.values()
        if not tool.has_builds  # which are made when they are measured
        for jar in sorted({project.jar(tool), project.client(tool)})
        if not jar.is_file()
    ]
    if missing:
        names = ", ".join(map(project.place, missing))
        return Finding("Java programs", False, True, f"not there: {names}", how_to_get())
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


def _capture() -> Finding:
    """How captured cells would be captured here; the proxy's cost is measured now."""
    way, why_not = private.available()
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


def _executors(project: Project | None) -> list[Finding]:
    """What can be had of each executor here; tried, not guessed."""
    memory = cgroup.why_not()
    return [
        Finding(
            "Executor process", True, False, *_abilities("loopback", {"memory limits": memory})
        ),
        _namespace(memory),
        *_docker(project),
    ]


def _abilities(first: str, why_not: Mapping[str, str | None]) -> tuple[str, str]:
    """What is there, and what is not with the reasons."""
    there = [first, *(name for name, why in why_not.items() if why is None)]
    return ", ".join(there), "; ".join(f"no {n}: {why}" for n, why in why_not.items() if why)


def _namespace(memory: str | None) -> Finding:
    name = "Executor namespace"
    if why := namespace.why_not():
        return Finding(name, False, False, why, "this executor cannot be used")
    able = {
        "rates (tbf)": namespace.rates(),
        "delay and loss (netem)": namespace.delays(),
        "packets dropped (iptables)": namespace.drops(),
        "full disks": None,
        "memory limits": memory,
    }
    return Finding(name, True, False, *_abilities("switch and cables, rootless", able))


def _docker(project: Project | None) -> Iterator[Finding]:
    """Every daemon that the project uses; this machine's without a project."""
    name, cost = "Executor docker", "this executor cannot be used"
    try:
        from modelstress.hosts.containers import daemon
    except ImportError as error:
        yield Finding(name, False, False, str(error), cost)
        return
    for context in [HERE] if project is None else project.main.contexts:
        title = name if context == HERE else f"{name}, context {context}"
        try:
            version = daemon.info(context).get("ServerVersion", "?")
            yield Finding(title, True, False, *_daemon(project, context, f"daemon {version}"))
        except ModelstressError as error:
            yield Finding(title, False, False, str(error), cost)


def _daemon(project: Project | None, context: str, first: str) -> tuple[str, str]:
    """What a daemon can do, tried with one of the tools' images, and which of them it lacks."""
    from modelstress.hosts.containers import connect, images, sandbox

    if project is None:
        return first, ""
    client, folder, base = connect(context), project.root / "docker", project.main.base_on(context)
    tags = {
        name: images.tool_tag(name, jar, folder, base)
        for name in project.tool_names
        if (jar := project.jar(project.tool(name))).is_file()
    }
    there = [name for name, tag in tags.items() if images.has(client, tag)]
    missing = [name for name in tags if name not in there]
    detail, cost = f"{first}, images of {', '.join(there) or 'no tool'}", ""
    if there:
        detail, cost = _abilities(detail, sandbox.abilities(client, tags[there[0]]))
    if missing:
        cost = "; ".join(
            filter(None, [cost, f"no images of {', '.join(missing)}: 'modelstress images'"])
        )
    return detail, cost


def _pressure() -> Finding:
    works = Path("/proc/pressure/cpu").is_file()
    cost = "" if works else "telemetry has no pressure stalls"
    return Finding("Pressure stall information", works, False, "/proc/pressure", cost)


def _disk(project: Project | None) -> Finding:
    free = shutil.disk_usage(project.root if project else Path.cwd()).free / 1e9
    cost = "" if free > 5 else "stores and samples of the larger profiles may not fit"
    return Finding("Disk", free > 5, False, f"{free:.0f} GB free", cost)
