"""Kinds of workload: what they answer to the rooms that know none."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar, Protocol

from modelstress.config.base import Level
from modelstress.config.errors import ConfigError
from modelstress.config.programs import WorkloadOperation
from modelstress.config.project import Project
from modelstress.config.study import ROOM, Study, kinds, study_class
from modelstress.config.tool import Tool
from modelstress.design.cell import Cell, Work
from modelstress.design.combinations import Rule


@dataclass(frozen=True)
class Expected:
    """What a result must be: matches (or items) and the digest of them all."""

    count: int
    digest: int


@dataclass(frozen=True)
class Invariant:
    """What must hold after the window, whatever the clients did.

    Attributes:
        name: in records and tables.
        title: for people.
        program: absolute path of the program that checks it (docs/contracts.md).
        timeout_s: its deadline.
    """

    name: str
    title: str
    program: Path
    timeout_s: float = 60.0


@dataclass(frozen=True)
class Checks:
    """How the executions of a cell are judged; an operation that is nowhere is not checked.

    Attributes:
        expected: operation to the result that an oracle found.
        verdicts: operations whose driver judges its answers itself.
        unchecked: operation to the reason why nothing checks it.
        invariants: looked at after the window, while all nodes run.
    """

    expected: Mapping[str, Expected] = field(default_factory=dict)
    verdicts: frozenset[str] = frozenset()
    unchecked: Mapping[str, str] = field(default_factory=dict)
    invariants: tuple[Invariant, ...] = ()


@dataclass(frozen=True)
class Prepared:
    """What the kind of workload gives one invocation.

    Attributes:
        operations: that clients execute, drawn by weight.
        order: names of operations; each session executes them in this order, if there is one.
        checks: how executions are judged.
        protocol: which of the endpoints clients use.
        store: folder of the loaded store; None where it starts empty or is somebody else's.
        ids: map of the store's identifiers; None: whole numbers are their own index.
        server: more fields of the configuration of server programs.
        declared: what is declared to the store, for provenance.
        server_options, driver_options: more options of servers and drivers.
        unique_condition: what makes the text of every execution another one; None: it stays.
        source: the file that says what clients do, for messages.
    """

    operations: tuple[WorkloadOperation, ...]
    checks: Checks = field(default_factory=Checks)
    order: tuple[str, ...] = ()
    protocol: str = ""
    store: Path | None = None
    ids: Path | None = None
    server: Mapping[str, Any] = field(default_factory=dict)
    declared: tuple[str, ...] = ()
    server_options: Mapping[str, Level] = field(default_factory=dict)
    driver_options: Mapping[str, Level] = field(default_factory=dict)
    unique_condition: str | None = None
    source: Path | None = None


class Conformant(Protocol):
    """What one check of a conformance suite found: passed, and one sentence of detail."""

    @property
    def name(self) -> str:
        """What was checked."""

    @property
    def passed(self) -> bool:
        """Whether the tool keeps the contract."""

    @property
    def detail(self) -> str:
        """What was seen, or what is wrong."""


class WorkloadKind:
    """A kind of workload, as ``KIND`` of ``modelstress.workloads.<name>.kind``.

    Attributes:
        slowest: factors that vary slowest in a plan.
    """

    slowest: ClassVar[tuple[str, ...]] = ()

    def check(self, project: Project, study: Study) -> None:
        """Refuse words of a study that nothing knows.

        Raises:
            ConfigError: names file, field and the nearest known word.
        """

    def rules(self, project: Project, study: Study) -> Sequence[Rule]:
        """What combinations of levels must keep, beside the study's constraints."""
        return ()

    def known(self, project: Project, study: Study) -> Mapping[str, Sequence[Level]]:
        """Factor to the levels that a study may name although it does not measure them."""
        return {}

    def work(self, study: Study, levels: Mapping[str, Level]) -> Work:
        """What the clients of a cell with these levels do."""
        raise NotImplementedError

    def contents(self, project: Project, cell: Cell) -> dict[str, str]:
        """Digests of what a cell's numbers depend on, beside its programs and settings."""
        return {}

    def files(self, project: Project, cell: Cell) -> Sequence[Path]:
        """The files that ``contents`` are of."""
        return ()

    def configuration(self, project: Project, study: Study) -> Sequence[Path]:
        """Files and folders that an archive of the study has, beside its own configuration."""
        return ()

    def store(self, project: Project, cell: Cell) -> Path | None:
        """The store that a cell needs; None where it starts empty or is somebody else's."""
        return None

    def alone(self, cell: Cell) -> bool:
        """Whether a cell has a start of the servers to itself: what it does changes them."""
        return False

    def load(self, project: Project, cell: Cell, progress: Callable[[int, int], None]) -> bool:
        """Populate the store of a cell that has one; whether it had to be.

        Raises:
            ModelstressError: it cannot be loaded.
        """
        raise NotImplementedError

    def prepare(self, project: Project, cell: Cell) -> Prepared:
        """What measuring a cell needs.

        Raises:
            MissingError: something has to be made first; says by which command.
            ConfigError: something cannot be read.
        """
        raise NotImplementedError

    def provide(self, project: Project, cell: Cell, tell: Callable[[str], None]) -> None:
        """Make what a cell needs, unless it is there with the same contents.

        Raises:
            ModelstressError: it cannot be made.
        """

    def expected(
        self, project: Project, record: Mapping[str, Any], operations: Sequence[str]
    ) -> Checks:
        """How the executions of a recorded invocation are judged, for ``modelstress verify``.

        Raises:
            ModelstressError: what they are compared with is not there.
        """
        raise NotImplementedError

    def conformance(self, project: Project, tool: Tool) -> Iterator[Conformant]:
        """Check whether a tool's programs keep the contract; yields as it goes.

        Raises:
            ConfigError, MissingError: it cannot be checked.
        """
        raise NotImplementedError


def kind_of(study: Study) -> WorkloadKind:
    """The kind of a study's workload.

    Raises:
        ConfigError: there is no such kind.
    """
    return kind_named(study.workload)


def kind_named(name: str) -> WorkloadKind:
    """The workload kind of a name.

    Raises:
        ConfigError: there is no such kind.
    """
    study_class(name)  # says what is wrong with a name
    try:
        kind: WorkloadKind = import_module(f"{ROOM}.{name}.kind").KIND
    except AttributeError as error:
        raise ConfigError(
            f"src/modelstress/workloads/{name}/kind.py: has no KIND; name the kind so"
        ) from error
    return kind


def commands() -> list[ModuleType]:
    """The modules with the commands of all kinds that have some."""
    names = [f"{ROOM}.{kind}.commands" for kind in kinds()]
    return [import_module(name) for name in names if find_spec(name) is not None]
