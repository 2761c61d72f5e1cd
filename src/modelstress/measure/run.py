"""The run of an invocation: what every step of it needs, and what it has started."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from modelstress.config.tool import SERVER
from modelstress.hosts import Host, Hosts, Program, ProgramSpec
from modelstress.measure import folders
from modelstress.measure.calibration import Calibration, Recent, disk_of
from modelstress.measure.events import Phase, Tell
from modelstress.measure.interrupt import Interrupt
from modelstress.measure.invocation import Invocation
from modelstress.measure.phase_times import PhaseTimes
from modelstress.measure.telemetry import Telemetry
from modelstress.measure.traffic.capture import Capture
from modelstress.samples.energy import Meter


@dataclass(frozen=True)
class Run:
    """One invocation on its hosts, as all its steps know it.

    Attributes:
        invocation: what is measured.
        hosts: where.
        work: the work folder.
        mark: of everything that is started.
        interrupt: looked at by every wait.
        tell: passes steps on to the caller.
        timeline: when each phase began.
        telemetry: counters of programs and machine.
        capture: of the traffic; None without one.
        cell: number of the cell among those that share the start, from 0.
        cells: how many share it.
        slices: parts of their windows.
        recent: the calibration of the start before this one, in a batch.
        started: programs to stop at the end, whatever happens.
        own_cpus: of the controller, before the run.
    """

    invocation: Invocation
    hosts: Hosts
    work: Path
    mark: str
    interrupt: Interrupt
    tell: Tell
    timeline: PhaseTimes
    telemetry: Telemetry
    capture: Capture | None
    cell: int = 0
    cells: int = 1
    slices: int = 1
    recent: Recent = field(default_factory=Recent)
    started: list[Program] = field(default_factory=list)
    own_cpus: frozenset[int] = field(default_factory=lambda: frozenset(os.sched_getaffinity(0)))

    @property
    def tag(self) -> str:
        """What tells the files of this cell's clients from those of others in the work folder."""
        return f".{self.cell}" if self.cell else ""

    @property
    def captured_node(self) -> str:
        """The node whose connections are captured, where there is a capture."""
        cell = self.invocation.cell
        chosen = None if cell.settings.capture is None else cell.settings.capture.node
        return chosen or (SERVER if self.invocation.external else cell.tool.node_names[0])

    @property
    def temporary(self) -> Path:
        """Folder for the programs' temporary files."""
        return self.work / folders.TEMPORARY

    @property
    def server_cpus(self) -> frozenset[int]:
        """CPUs of all nodes that are on this machine."""
        sides = (cpus for side, cpus in self.hosts.here.items() if side != "client")
        return frozenset().union(*sides)

    @property
    def start_id(self) -> str:
        """Of the start, which all its cells record."""
        return self.mark[:16]

    @property
    def calibrated(self) -> Hashable | None:
        """What a calibration is of; None where no other start has the same: containers, links."""
        if self.hosts.executor != "process" or "client" not in self.hosts.here:
            return None
        return (self.hosts.plan.client, disk_of(self.work))

    def begin(self, phase: Phase) -> None:
        """Enter a phase and tell the caller."""
        self.timeline.begin(phase)
        self.tell(phase)

    def left(self, seconds: float) -> float:
        """``seconds``, or what is left of the deadline of all cells of the start."""
        limit_s = self.invocation.cell.settings.cell_timeout_s * self.cells
        return min(seconds, limit_s - self.timeline.elapsed_s)

    def start(
        self,
        host: Host,
        name: str,
        argv: tuple[str, ...],
        cpus: frozenset[int],
        *,
        log: Path,
        role: str,
        reads: Sequence[Path],
        writes: Sequence[str],
        node: str = "",
    ) -> Program:
        """Start a program whose counters are its role's; it is stopped with the run.

        Raises:
            MissingError: see ``Host.start``.
        """
        env = {"TMPDIR": str(self.temporary)}
        spec = ProgramSpec(
            name, argv, self.work, log, cpus, env, reads=tuple(reads), writes=tuple(writes),
            node=node,
        )  # fmt: skip
        program = host.start(spec)
        self.started.append(program)
        if program.pid is not None:
            self.telemetry.watch(role, program.pid)
        return program

    def calibration(self) -> Calibration:
        """Start a spin calibration on the clients' CPUs; it is idle until ``begin``."""
        calibration = Calibration(self.hosts.clients[0], self.work, self.hosts.plan.client)
        self.started.append(calibration.program)
        return calibration


def runs_of(
    start: Sequence[Invocation],
    hosts: Hosts,
    work: Path,
    mark: str,
    interrupt: Interrupt,
    tell: Callable[[Invocation], Tell],
    recent: Recent | None = None,
) -> tuple[Run, ...]:
    """The runs of the invocations that share a start; nothing is started yet.

    Args:
        start: the invocations; the servers are those of the first one.
        hosts: where.
        work: the work folder.
        mark: of everything that is started.
        interrupt: looked at by every wait.
        tell: what passes the steps of an invocation on.
        recent: of the batch that the start belongs to.
    """
    settings = start[0].cell.settings.capture
    all_here = {*hosts.nodes, "client"} <= set(hosts.here)
    first = Run(
        invocation=start[0],
        hosts=hosts,
        work=work,
        mark=mark,
        interrupt=interrupt,
        tell=tell(start[0]),
        timeline=PhaseTimes(),
        telemetry=Telemetry(
            hosts.here, counters=hosts.counters, meter=Meter() if all_here else None
        ),
        capture=None if settings is None else Capture(work, settings.pause_ms),
        cells=len(start),
        slices=min(one.slices for one in start) if len(start) > 1 else 1,
        recent=recent or Recent(),
    )
    others = [
        replace(first, invocation=one, tell=tell(one), cell=number)
        for number, one in enumerate(start[1:], 1)
    ]
    return (first, *others)
