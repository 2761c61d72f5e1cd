"""What a machine must be before it measures: the same plan and programs, conformant, quiet."""

from __future__ import annotations

import statistics
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from modelstress.config.errors import ConfigError, MissingError
from modelstress.config.project import Project
from modelstress.design.cell import Cell
from modelstress.design.contents import hash_json
from modelstress.design.kinds import kind_named
from modelstress.design.plan_file import Plan
from modelstress.hosts import plan_cpus
from modelstress.hosts.process import ProcessHost
from modelstress.measure.calibration import Calibration
from modelstress.measure.interrupt import Interrupt
from modelstress.measure.lock import HostLock
from modelstress.samples.files import read_json, write_json
from modelstress.samples.provenance import machine
from modelstress.steering import programs
from modelstress.steering.about import About
from modelstress.steering.keys import plan_digest

ROUNDS = 5
BUILD_S = 3600
Ship = Callable[[str], bytes | None]
Tell = Callable[[str], None]


def check_plan(about: About, project: Project, plan: Plan) -> None:
    """Refuse a machine whose files make another plan.

    Raises:
        ConfigError: says what to do.
    """
    if project.executor != about.executor:
        raise ConfigError(
            f"the study is measured with executor {about.executor!r}, here it is "
            f"{project.executor!r}; give --executor {about.executor}"
        )
    if plan_digest(plan) != about.plan:
        where = "; the coordinator's project is at commit"
        commit = f"{where} {about.commit[:12]}" if about.commit else ""
        raise ConfigError(
            f"the files of study {about.study!r}, profile {about.profile!r} make another plan here "
            f"than the coordinator's; use the same config/ and queries/{commit}"
        )


def check_programs(
    about: About,
    root: Path,
    into: Path,
    cells: Sequence[Cell],
    *,
    ship: Ship | None,
    build: bool,
    tell: Tell,
) -> Project:
    """An overlay of the project with the programs that the coordinator has: own, built or shipped.

    Args:
        about: of the study.
        root: of this machine's project.
        into: folder of the overlay.
        cells: that this worker may measure.
        ship: fetches shipped programs by their digest; None: programs of others are not run here.
        build: whether programs that differ are built first.
        tell: called before something that lasts.

    Raises:
        ConfigError: programs are others, and may not be shipped or are not.
        MissingError: they cannot be built.
    """
    own = Project(root)
    wanted = programs.builds(own, cells)
    if build and any(
        programs.differing(own, cell, about.builds.get(name, {})) for name, cell in wanted.items()
    ):
        _build(root, tell)
    foreign: dict[str, Cell] = {}
    for name, cell in wanted.items():
        if cell.tool.endpoint is None and (
            why := programs.differing(own, cell, about.builds.get(name, {}))
        ):
            if ship is None:
                raise ConfigError(
                    f"{cell.tool.tool}: {why}, and the coordinator's are not run here; build the "
                    "same ones ('make build', or --build), or take the coordinator's with --shipped"
                )
            foreign[name] = cell
    real = [program for name in foreign for program in about.builds.get(name, {})]
    overlay = programs.overlay(root, into, real)
    for name, cell in foreign.items():
        digests = about.builds.get(name, {})
        archive = ship(programs.shipping_key(digests)) if ship is not None and digests else None
        if archive is None:
            raise ConfigError(
                f"{cell.tool.tool}: the coordinator ships no such programs (not built there, or "
                f"larger than {programs.MOST_SHIPPED >> 20} MiB); build the same ones here"
            )
        programs.install(archive, overlay, digests)
        if why := programs.differing(overlay, cell, digests):
            raise ConfigError(
                f"{cell.tool.tool}: shipped programs are not what was announced: {why}"
            )
        tell(f"{cell.tool.tool}: runs the coordinator's programs")
    return overlay


def _build(root: Path, tell: Tell) -> None:
    tell("programs differ from the coordinator's; building them ('make build orb')")
    try:
        done = subprocess.run(
            ["make", "-C", str(root), "build", "orb"], stdin=subprocess.DEVNULL,
            capture_output=True, timeout=BUILD_S, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        raise MissingError(f"programs cannot be built: {error}") from error
    if done.returncode:
        last = done.stderr.decode("utf-8", "replace").strip().splitlines()[-1:]
        raise MissingError(f"programs cannot be built: {' '.join(last) or 'make failed'}")


def check_conformance(project: Project, cells: Sequence[Cell], notes: Path, tell: Tell) -> None:
    """Let each tool pass its conformance suite, unless these programs have passed it here before.

    Args:
        project: the worker's.
        cells: that it may measure.
        notes: file of what has passed.
        tell: called before a suite.

    Raises:
        ConfigError: a check of a tool fails; names the first.
        MissingError: it cannot be checked.
    """
    passed = read_json(notes)
    by_tool: dict[str, list[Cell]] = {}
    for cell in programs.builds(project, cells).values():
        by_tool.setdefault(cell.tool.tool, []).append(cell)
    for name, own in by_tool.items():
        digests = [programs.digests_of(project, cell) for cell in own]
        key = hash_json([machine()["name"], digests])
        if passed.get(name) == key:
            continue
        tell(f"{name}: checking whether its programs keep the contracts")
        tool = project.tool(name)
        for result in kind_named(tool.workload).conformance(project, tool):
            if not result.passed:
                raise ConfigError(
                    f"{name}: does not pass '{result.name}' here: {result.detail}; see "
                    f"'modelstress conformance {name}'"
                )
        write_json(notes, {**read_json(notes), name: key})


def noise(project: Project, interrupt: Interrupt, tell: Tell) -> float:
    """How much the speed of the clients' CPUs varies by itself: its coefficient of variation.

    Spins for a second, five times, with the host lock held.

    Raises:
        BusyError: the lock was not free in time.
        MissingError: nothing can be run.
    """
    rates = []
    with (
        HostLock("noise", project.main.lock_wait_s, interrupt, told=tell),
        tempfile.TemporaryDirectory(prefix="modelstress-") as work,
    ):
        host = ProcessHost("noise")
        cpus = plan_cpus(allow_shared=True, nodes=["server"]).client
        for _ in range(ROUNDS):
            interrupt.check()
            found = Calibration(host, Path(work), cpus).begin().result(interrupt)
            if found is None:
                raise MissingError("the noise check gave no result within ten seconds; try again")
            rates.append(found["rounds_per_s"])
    return statistics.stdev(rates) / statistics.mean(rates)


def check_noise(about: About, found: float) -> None:
    """Refuse a machine that is not quiet.

    Raises:
        ConfigError: its speed varies too much.
    """
    if found > about.noise:
        raise ConfigError(
            f"this machine's speed varies by {found:.1%} by itself, more than {about.noise:.1%} "
            "('steering.noise' of the profile); end what else runs here, or join with --noisy"
        )
