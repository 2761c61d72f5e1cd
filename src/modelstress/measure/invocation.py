"""What one invocation of a cell needs, put together from the project's files."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from modelstress.config.base import Level
from modelstress.config.errors import ConfigError, MissingError
from modelstress.config.factors import WAITED
from modelstress.config.packages import how_to_get
from modelstress.config.profile import Settings, Warmup
from modelstress.config.programs import ClosedLoop, OpenLoop, Workload, WorkloadOperation
from modelstress.config.project import Project
from modelstress.config.tool import SERVER, ToolNode
from modelstress.config.window import Window
from modelstress.design.cell import Cell
from modelstress.design.kinds import Expected, Prepared, kind_named
from modelstress.design.plan import Run
from modelstress.measure.java import flags_of

SLICES = 4
"""Parts of a window in a shared start, where a profile does not say how many: ABBA, twice."""


@dataclass(frozen=True)
class Node:
    """One server process of an invocation.

    Attributes:
        name: ``server`` in a tool that names none.
        role: what it is among them; None in a tool that names none.
        needs: nodes that are ready before it starts.
        program: jar or program.
        jvm: flags of its JVM.
        options: it gets.
        cpu_limited: whether its CPU time may be limited.
    """

    name: str
    role: str | None
    needs: tuple[str, ...]
    program: Path
    jvm: tuple[str, ...]
    options: Mapping[str, Level]
    cpu_limited: bool


@dataclass(frozen=True)
class Invocation:
    """One fresh start of server and clients for a cell.

    Attributes:
        cell: levels, settings and tool.
        number: of the invocation, from 0.
        seed: of the clients' random choices.
        folder: ``…/i<NN>``, where the samples go.
        jar: of the tool; a file that does not end in ``.jar`` is a program itself.
        needs: what the kind of workload gives it.
        project: whose contents and git state are recorded; None outside a project.
        client: the client program, where that is another one.
        programs: likewise of nodes, by their names.
    """

    cell: Cell
    number: int
    seed: int
    folder: Path
    jar: Path
    needs: Prepared
    project: Project | None = None
    client: Path | None = None
    programs: Mapping[str, Path] = field(default_factory=dict)

    @property
    def external(self) -> bool:
        """Whether somebody else runs the server."""
        return self.cell.tool.endpoint is not None

    @property
    def client_program(self) -> Path:
        """Jar or program of the clients."""
        return self.client or self.jar

    @property
    def store(self) -> Path | None:
        """Folder of the loaded store; None where it starts empty or is somebody else's."""
        return self.needs.store

    @property
    def ids(self) -> Path | None:
        """Map of the store's identifiers, where there is one."""
        return self.needs.ids

    @property
    def operations(self) -> tuple[WorkloadOperation, ...]:
        """Of the workload."""
        return self.needs.operations

    @property
    def oracle(self) -> Mapping[str, Expected]:
        """Operation to expected result; operations without one are not compared with any."""
        return self.needs.checks.expected

    @property
    def nodes(self) -> tuple[Node, ...]:
        """Server processes of the tool; the first one is the main one."""
        tool = self.cell.tool
        return tuple(
            Node(
                name=name,
                role=(tool_node.role or name) if name in tool.nodes else None,
                needs=tuple(tool_node.needs),
                program=self.programs.get(name, self.jar),
                jvm=tuple(
                    flags_of(tool.jvm.server, self.cell.levels)
                    if tool_node.jvm is None
                    else tool_node.jvm
                ),
                options={**self.server_options, **tool_node.options},
                cpu_limited=tool_node.cpu_limited,
            )
            for name, tool_node in (tool.nodes or {SERVER: ToolNode()}).items()
        )

    @property
    def single(self) -> bool:
        """Whether the tool has one node, called as always."""
        return self.cell.tool.node_names == [SERVER]

    @property
    def start_order(self) -> tuple[Node, ...]:
        """Nodes that are started, in this order; none where the server is somebody else's."""
        if self.external:
            return ()
        nodes = {node.name: node for node in self.nodes}
        return tuple(nodes[name] for name in self.cell.tool.start_order)

    @property
    def protocol(self) -> str:
        """Which of the server's endpoints clients use."""
        return self.needs.protocol

    @property
    def server_options(self) -> dict[str, Level]:
        """Defaults of the tool, overridden by the cell's levels."""
        options = _overridden(self.cell.tool.options, self.cell.levels)
        return {**options, **self.needs.server_options}

    @property
    def driver_options(self) -> dict[str, Level]:
        """Defaults of the tool, overridden by the cell's levels."""
        options = _overridden(self.cell.tool.driver_options, self.cell.levels)
        if self.cell.levels.get(WAITED):
            options[WAITED] = self.cell.levels[WAITED]
        return {**options, **self.needs.driver_options}

    @property
    def threads(self) -> list[int]:
        """Threads of each client process; their sum is the factor ``threads``."""
        return shares(self.cell.threads, [1] * self.cell.settings.clients)

    @property
    def executions(self) -> list[int] | None:
        """Measured executions of each client process, in proportion to its threads.

        None where the window ends otherwise.
        """
        settings = self.cell.settings
        return None if settings.window else shares(settings.executions, self.threads)

    @property
    def slices(self) -> int:
        """Parts of its window in a shared start, each with something for every thread."""
        settings = self.cell.settings
        most = settings.slices or SLICES
        if settings.window is not None and settings.window.seconds is not None:
            return most
        shares = self.executions or [window.objects or 1 for window in self.windows or ()]
        fewest = min(share // threads for share, threads in zip(shares, self.threads, strict=True))
        return max(1, min(most, fewest))

    @property
    def windows(self) -> list[Window] | None:
        """The window of each client process, where it does not end after executions."""
        window = self.cell.settings.window
        if window is None:
            return None
        if window.objects is None:
            return [window] * len(self.threads)
        return [Window(objects=part) for part in shares(window.objects, self.threads)]


def prepare(project: Project, run: Run) -> Invocation:
    """Put together what an invocation needs.

    Raises:
        MissingError: a program, or something that the kind of workload needs, is not there; says
            which command makes it.
        ConfigError: something that it needs cannot be read.
    """
    cell = run.cell
    jar = project.jar(cell.tool)
    require(jar, how_to_get(cell.tool.tool))
    client = None if cell.tool.client is None else project.client(cell.tool)
    programs = project.node_programs(cell.tool)
    for program in (client or jar, *programs.values()):
        require(program, how_to_get(cell.tool.tool))
    return Invocation(
        cell=cell,
        number=run.invocation,
        seed=run.seed,
        folder=cell.folder(project.raw, run.invocation),
        jar=jar,
        needs=kind_named(cell.workload).prepare(project, cell),
        project=project,
        client=client,
        programs=programs,
    )


def workload_of(invocation: Invocation, client: int, slices: int = 1) -> Workload:
    """The workload of one client process: its share of everything.

    Args:
        invocation: whose workload it is.
        client: number of the process.
        slices: parts of its window.

    Raises:
        ConfigError: a level of the cell that the client program does not know.
    """
    levels, settings = invocation.cell.levels, invocation.cell.settings
    threads, total_threads = invocation.threads[client], sum(invocation.threads)
    share = threads / total_threads
    needs = invocation.needs
    return Workload.model_validate(
        {
            "invocation": invocation.number,
            "client": client,
            "seed": _client_seed(invocation.seed, client),
            "operations": [_paced(o, settings).model_dump() for o in needs.operations],
            "mode": _mode(levels, share).model_dump(),
            "warmup": Warmup(
                executions=-(-settings.warmup.executions * threads // total_threads),
                seconds=settings.warmup.seconds,
                threads=max(1, settings.warmup.threads * threads // total_threads),
                steady=settings.warmup.steady,
            ).model_dump(),
            "order": list(needs.order) or None,
            "executions": invocation.executions and invocation.executions[client],
            "window": invocation.windows and invocation.windows[client].model_dump(),
            "slices": slices if slices > 1 else None,
            "timeout_ms": settings.timeout_ms,
            "connection": levels.get("connection", "per-execution"),
            "unique_condition": needs.unique_condition,
            "ids": None if needs.ids is None else str(needs.ids),
            "samples": invocation.cell.samples,
            "options": invocation.driver_options,
        }
    )


def _paced(operation: WorkloadOperation, settings: Settings) -> WorkloadOperation:
    """With the pause between executions that are captured."""
    if settings.capture is None:
        return operation
    pause = max(operation.think_ms, float(settings.capture.pause_ms))
    return operation.model_copy(update={"think_ms": pause})


def shares(total: int, weights: list[int]) -> list[int]:
    """Divide a whole number in proportion to weights; the parts add up to it, none is below one.

    Raises:
        ConfigError: there is less than one for each.
    """
    if total < len(weights):
        raise ConfigError(
            f"{total} cannot be divided among {len(weights)} clients; use fewer clients"
        )
    spare, total_weight = total - len(weights), sum(weights)
    parts = [1 + spare * weight // total_weight for weight in weights]
    for index in range(total - sum(parts)):
        parts[index] += 1
    return parts


def require(file: Path, remedy: str) -> None:
    """Refuse to go on without a file.

    Raises:
        MissingError: it is not there.
    """
    if not file.is_file():
        raise MissingError(f"{file} is not there; {remedy}")


def _mode(levels: Mapping[str, Level], share: float) -> ClosedLoop | OpenLoop:
    mode = str(levels.get("mode", "closed"))
    if mode == "closed":
        return ClosedLoop()
    if mode != "open":
        raise ConfigError(f"factor 'mode' has level {mode!r} (valid: closed, open)")
    if "rate_per_s" not in levels:
        raise ConfigError("an open loop needs the factor 'rate_per_s'; add it to the study")
    arrivals = str(levels.get("arrivals", "constant"))
    if arrivals not in ("constant", "poisson"):
        raise ConfigError(f"factor 'arrivals' has level {arrivals!r} (valid: constant, poisson)")
    rate = float(levels["rate_per_s"]) * share
    return OpenLoop.model_validate({"rate_per_s": rate, "arrivals": arrivals})


def _client_seed(seed: int, client: int) -> int:
    """A seed of its own for every client: equal ones would draw the same arrivals."""
    return int.from_bytes(hashlib.sha256(f"{seed}/{client}".encode()).digest()[:4]) >> 1


def _overridden(defaults: Mapping[str, Level], levels: Mapping[str, Level]) -> dict[str, Level]:
    return {name: levels.get(name, default) for name, default in defaults.items()}
