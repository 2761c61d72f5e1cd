"""What one invocation of a cell needs, put together from the project's files."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, Field

from modelstress.config.attributes import Attribute
from modelstress.config.base import Level
from modelstress.config.errors import ConfigError, MissingError
from modelstress.config.profile import Settings, Warmup
from modelstress.config.programs import ClosedLoop, OpenLoop, Workload, WorkloadOperation
from modelstress.config.project import Project
from modelstress.config.tool import SERVER, ToolNode
from modelstress.design.cells import Cell
from modelstress.design.contents import declared, hash_json
from modelstress.design.plan import Run
from modelstress.samples.files import read_json

MARKER = "loaded.json"
"""Written into a store's folder when it was loaded to its end."""


@dataclass(frozen=True)
class Expected:
    """The oracle's opinion on one operation: matches and digest of the bag of matches."""

    count: int
    digest: int


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
    """

    name: str
    role: str | None
    needs: tuple[str, ...]
    program: Path
    jvm: tuple[str, ...]
    options: Mapping[str, Level]


@dataclass(frozen=True)
class Invocation:
    """One fresh start of server and clients for a cell.

    Attributes:
        cell: levels, settings and tool.
        number: of the invocation, from 0.
        seed: of the clients' random choices.
        folder: ``…/i<NN>``, where the samples go.
        jar: of the tool; a file that does not end in ``.jar`` is a program itself.
        client: the client program, where that is another one.
        programs: likewise of nodes, by their names.
        store: folder of the loaded store; None with an external server, or one that starts empty.
        ids: id map of the store.
        operations: of the workload.
        unique_condition: see ``query_text`` in docs/contracts.md.
        oracle: operation to expected result; operations without one stay unverified.
        source: the query's file, for messages; None where there is none.
        project: whose contents and git state are recorded; None outside a project.
        attributes: declared to the store.
        warmup_factor: 2 when it is repeated because its latencies had not settled.
    """

    cell: Cell
    number: int
    seed: int
    folder: Path
    jar: Path
    store: Path | None
    ids: Path
    operations: tuple[WorkloadOperation, ...]
    unique_condition: str | None
    oracle: Mapping[str, Expected]
    source: Path | None = None
    project: Project | None = None
    attributes: tuple[Attribute, ...] = ()
    warmup_factor: int = 1
    client: Path | None = None
    programs: Mapping[str, Path] = field(default_factory=dict)

    @property
    def client_program(self) -> Path:
        """Jar or program of the clients."""
        return self.client or self.jar

    @property
    def external(self) -> bool:
        """Whether the server is somebody else's."""
        return self.cell.tool.endpoint is not None

    @property
    def nodes(self) -> tuple[Node, ...]:
        """Server processes of the tool; the first one is the main one."""
        tool = self.cell.tool
        return tuple(
            Node(
                name=name,
                role=(one.role or name) if name in tool.nodes else None,
                needs=tuple(one.needs),
                program=self.programs.get(name, self.jar),
                jvm=tuple(tool.jvm.server if one.jvm is None else one.jvm),
                options={**self.server_options, **one.options},
            )
            for name, one in (tool.nodes or {SERVER: ToolNode()}).items()
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
        """Which of the server's endpoints is used."""
        return str(self.cell.levels["protocol"])

    @property
    def server_options(self) -> dict[str, Level]:
        """Defaults of the tool, overridden by the cell's levels."""
        return _overridden(self.cell.tool.options, self.cell.levels)

    @property
    def driver_options(self) -> dict[str, Level]:
        """Defaults of the tool, overridden by the cell's levels."""
        return _overridden(self.cell.tool.driver_options, self.cell.levels)

    @property
    def threads(self) -> list[int]:
        """Threads of each client process; their sum is the factor ``threads``."""
        return shares(int(self.cell.levels["threads"]), [1] * self.cell.settings.clients)

    @property
    def executions(self) -> list[int]:
        """Measured executions of each client process, in proportion to its threads."""
        return shares(self.cell.settings.executions, self.threads)


class _Result(BaseModel):
    """What the oracle found for one query."""

    count: Annotated[int, Field(ge=0, lt=2**31, strict=True)]
    digest: Annotated[int, Field(ge=0, lt=2**64)]
    """Written as text: JSON's numbers are not that long everywhere."""


class _Oracle(BaseModel):
    """An oracle file, as far as executions are compared with it."""

    queries: dict[str, _Result]


def prepare(project: Project, run: Run) -> Invocation:
    """Put together what an invocation needs.

    Raises:
        MissingError: a jar, store or oracle is not there; says which command makes it.
        ConfigError: an unknown query, or a store, jar or oracle file that cannot be read.
    """
    cell = run.cell
    name = str(cell.levels["model"])
    store = cell.store(project)
    ids = project.root / str(cell.tool.ids) if store is None else store / "ids.mssf"
    jar = project.jar(cell.tool)
    require(jar, "build it with 'make build'")
    client = None if cell.tool.client is None else project.client(cell.tool)
    programs = project.node_programs(cell.tool)
    for program in (client or jar, *programs.values()):
        require(program, "build it with 'make build'")
    require(ids, f"load the store with '{_load_command(cell)}'")
    oracle = read_oracle(project.oracle_file(name), list(cell.queries))
    attributes: list[dict[str, Any]] = []
    if store is not None:
        _same_model(project, cell, store)
        if cell.attributes == "declared":
            attributes = declared(project, cell.model.case)
        _same_attributes(cell, store, attributes)
    language = str(cell.levels["language"])
    return Invocation(
        cell=cell,
        number=run.invocation,
        seed=run.seed,
        folder=cell.folder(project.raw, run.invocation),
        jar=jar,
        store=store,
        ids=ids,
        operations=tuple(operation_of(project, cell, query) for query in cell.queries),
        unique_condition=cell.tool.unique_condition.get(language),
        oracle=oracle,
        source=cell.query_file(project),
        project=project,
        client=client,
        programs=programs,
        attributes=tuple(Attribute.model_validate(one) for one in attributes),
    )


def _load_command(cell: Cell) -> str:
    """What to type to load the cell's store, also where another profile is the default."""
    return f"modelstress load {cell.id} --study {cell.study} --profile {cell.profile}"


def _same_model(project: Project, cell: Cell, store: Path) -> None:
    """Refuse a store and an oracle that were made from different contents of a model.

    Raises:
        MissingError: they differ, or the store was not loaded to its end.
    """
    loaded = _model_of(store / MARKER)
    if loaded is None:
        raise MissingError(f"{store}: not loaded to its end; run '{_load_command(cell)}'")
    name = str(cell.levels["model"])
    if loaded != _model_of(project.oracle_file(name)):
        raise MissingError(
            f"{store} was loaded from another content of model {name} than the oracle is of; run "
            f"'modelstress oracle {name}' and '{_load_command(cell)}'"
        )


def _same_attributes(cell: Cell, store: Path, attributes: list[dict[str, Any]]) -> None:
    """Refuse a store that was loaded with other declarations than the case has now.

    Raises:
        MissingError: they differ.
    """
    loaded = read_json(store / MARKER).get("content", {}).get("attributes")
    if loaded != (hash_json(attributes) if attributes else None):
        raise MissingError(
            f"{store} was loaded with other attribute declarations than queries/"
            f"{cell.model.case}/attributes.yaml has now; run '{_load_command(cell)}'"
        )


def _model_of(record: Path) -> str | None:
    """The model hash that a store's or an oracle's record names."""
    content = read_json(record).get("content")
    return str(content["model"]) if isinstance(content, dict) and "model" in content else None


def operation_of(project: Project, cell: Cell, query: str) -> WorkloadOperation:
    """The operation that executes a query of the cell's case in the cell's language."""
    language = str(cell.levels["language"])
    names = project.case(cell.model.case).queries[query].tuple
    return WorkloadOperation(
        name=query,
        text=cell.query_file(project, query).read_text(encoding="utf-8"),
        weight=cell.queries.get(query, 1.0),
        arity=len(names),
        parameters={"language": language, "tuple": names},
        think_ms=float(cell.levels.get("think_ms", 0)),
    )


def read_oracle(file: Path, queries: list[str]) -> dict[str, Expected]:
    """Expected results of those queries that the oracle knows.

    Raises:
        MissingError: there is no such file.
        ConfigError: it is not an oracle file.
    """
    require(file, f"compute it with 'modelstress oracle {file.stem}'")
    try:
        known = _Oracle.model_validate(json.loads(file.read_text(encoding="utf-8"))).queries
        found = {q: known[q] for q in queries if q in known}
        return {q: Expected(one.count, one.digest) for q, one in found.items()}
    except (OSError, ValueError, RecursionError) as error:
        said = " ".join(str(error).split())[:200]
        raise ConfigError(
            f"{file}: not an oracle file ({said}); delete and make it again"
        ) from error


def workload_of(invocation: Invocation, client: int) -> Workload:
    """The workload of one client process: its share of everything.

    Raises:
        ConfigError: a level of the cell that the client program does not know.
    """
    levels, settings = invocation.cell.levels, invocation.cell.settings
    threads, whole = invocation.threads[client], sum(invocation.threads)
    share = threads / whole
    longer = invocation.warmup_factor
    query_text = str(levels.get("query_text", "same"))
    if query_text == "unique" and invocation.unique_condition is None:
        raise ConfigError(
            f"config/tools/{invocation.cell.tool.tool}.yaml: 'unique_condition' has nothing for "
            f"language {levels['language']!r}; query_text: unique needs it"
        )
    return Workload.model_validate(
        {
            "invocation": invocation.number,
            "client": client,
            "seed": _client_seed(invocation.seed, client),
            "operations": [_paced(o, settings).model_dump() for o in invocation.operations],
            "mode": _mode(levels, share).model_dump(),
            "warmup": Warmup(
                executions=-(-longer * settings.warmup.executions * threads // whole),
                seconds=longer * settings.warmup.seconds,
                threads=max(1, settings.warmup.threads * threads // whole),
            ).model_dump(),
            "executions": invocation.executions[client],
            "timeout_ms": settings.timeout_ms,
            "connection": levels.get("connection", "per-execution"),
            "query_text": query_text,
            "unique_condition": invocation.unique_condition,
            "ids": str(invocation.ids),
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
    spare, whole = total - len(weights), sum(weights)
    parts = [1 + spare * weight // whole for weight in weights]
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
