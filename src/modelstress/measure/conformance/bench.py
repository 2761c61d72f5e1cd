"""What the checks work with: the tool's programs."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import pyarrow as pa

from modelstress.config.errors import MeasureError
from modelstress.config.packages import how_to_get
from modelstress.config.programs import ServerConfig, Workload, WorkloadOperation
from modelstress.config.project import Project
from modelstress.config.tool import SERVER, Tool
from modelstress.hosts import ProcessHost, ProcessProgram, ProgramSpec
from modelstress.measure import deadlines
from modelstress.measure.collect import read_samples
from modelstress.measure.conversation import Client, Conversation
from modelstress.measure.interrupt import Interrupt
from modelstress.measure.invocation import require
from modelstress.measure.programs import client_argv, server_argv
from modelstress.measure.server import Ready, await_ready

QUICK_JVM = ("-XX:TieredStopAtLevel=1",)
"""After the tool's own flags: programs that live for seconds are not worth optimising."""
TIMEOUT_MS = 20_000
"""Of one execution; generous, because correctness is checked here and not speed."""

NO_REASON = "(the driver gave no reason)"
"""What client programs say where a driver fails without a message."""
MOST_REASON = 120


class BrokenError(Exception):
    """A check did not pass; the message says what is wrong, in one sentence."""


def expect(condition: bool, otherwise: str) -> None:
    """Fail the check unless the condition holds.

    Raises:
        BrokenError: it does not.
    """
    if not condition:
        raise BrokenError(otherwise)


def ask(client: Client, word: str, answer: str, seconds: float) -> None:
    """Send a word to a client and wait, so long at most, until it has answered.

    Raises:
        MeasureError: it has not.
    """
    conversation = Conversation([client], (), Interrupt())
    conversation.tell(word, answer)
    conversation.until(answer, seconds)


def reason_of(details: Sequence[Mapping[str, Any]], operation: str, where: str) -> str:
    """The reason that the driver gives for failures of an operation.

    Args:
        details: of a run.
        operation: its name.
        where: what the check calls the run in its messages.

    Raises:
        BrokenError: it gives none.
    """
    messages = [str(d["message"]).strip() for d in details if d["operation"] == operation]
    reasons = [message for message in messages if message not in ("", NO_REASON)]
    expect(bool(reasons), f"{where}: no message")
    return reasons[0][:MOST_REASON]


@dataclass(frozen=True)
class Ended:
    """A program that has ended: exit code, lines of standard output, last ``error:`` sentence."""

    code: int
    lines: list[str]
    error: str | None

    def expect_code(self, code: int, when: str) -> None:
        """Fail the check unless this is the exit code, with a sentence for people."""
        expect(self.code == code, f"{when}: exit code {self.code} instead of {code} ({self.error})")
        expect(code == 0 or bool(self.error), f"{when}: no 'error: …' line on stderr")


@dataclass
class Serving:
    """A tool's servers, which answer, and the folders that the main one was given.

    Attributes:
        program, ready: of the main node.
        work, folder, log: likewise.
        others: further nodes to what they said when they were ready.
    """

    program: ProcessProgram
    ready: Ready
    work: Path
    folder: Path
    log: Path
    node: str = SERVER
    others: Mapping[str, Ready] = field(default_factory=dict)

    @property
    def endpoint(self) -> str:
        """Address of the main node's first protocol."""
        return next(iter(self.ready.endpoints.values()))

    def addresses(self, protocol: str = "", main: str = "") -> dict[str, str]:
        """Node to address, as a client gets them.

        Args:
            protocol: by default the main node's first.
            main: another address of the main node.
        """
        wanted = protocol or next(iter(self.ready.endpoints))
        node_addresses = {self.node: main or self.ready.endpoints[wanted]}
        others = ((name, ready.endpoints) for name, ready in self.others.items())
        return {**node_addresses, **{name: urls[wanted] for name, urls in others if wanted in urls}}

    def resume(self) -> str:
        """What tells a client to go on with these servers."""
        nodes = self.addresses()
        single = list(nodes) == [SERVER]
        message = {"endpoint": nodes[SERVER]} if single else {"endpoints": nodes}
        return f"RESUME {json.dumps(message)}"


@dataclass(frozen=True)
class Load:
    """What a run of the client program left: exit code, samples, failure messages."""

    code: int
    samples: pa.Table
    details: list[dict[str, Any]]


@dataclass
class Bench:
    """The programs of one tool, started and driven; all files lie below ``folder``.

    Kinds of workload say what is asked of it: they extend this class. ``answers`` are the outcomes
    with which an operation may end on a server that is well.
    """

    project: Project
    tool: Tool
    folder: Path
    host: ProcessHost

    answers: ClassVar[frozenset[str]] = frozenset({"ok"})

    def __post_init__(self) -> None:
        """Refuse a tool whose programs are not there.

        Raises:
            MissingError: says how to build them.
        """
        self._number = 0
        self.jar = self.project.jar(self.tool)
        self.client_program = self.project.client(self.tool)
        require(self.jar, how_to_get(self.tool.tool))
        require(self.client_program, how_to_get(self.tool.tool))

    @property
    def store(self) -> Path:
        """The store that the first check loads and the others use."""
        return self.folder / "store"

    @property
    def ids(self) -> Path | None:
        """The map of the store's identifiers; None where there is none."""
        return None

    def described(self) -> dict[str, Any]:
        """Fields of the server program's configuration that the kind of workload knows."""
        return {}

    def driver_options(self) -> dict[str, Any]:
        """Options of the driver that the kind of workload knows."""
        return {}

    def probe(self, think_ms: float = 0) -> list[WorkloadOperation]:
        """A few operations that a server which is well answers rightly."""
        raise NotImplementedError

    def judge(self, run: Load, operations: Sequence[WorkloadOperation], where: str) -> None:
        """Fail the check unless all operations were executed and answered rightly.

        Raises:
            BrokenError: says which was not.
        """
        raise NotImplementedError

    def place(self, name: str) -> Path:
        """A new folder with that name."""
        self._number += 1
        folder = self.folder / f"{self._number:02d}-{name}"
        folder.mkdir()
        return folder

    # -- programs -------------------------------------------------------------------------------

    def config(self, store: Path, **changes: Any) -> dict[str, Any]:
        """A configuration of the server program; ``changes`` replace fields."""
        usual = ServerConfig(
            tool=self.tool.tool, store=str(store), options=self.tool.options, **self.described()
        )
        plain: dict[str, Any] = json.loads(usual.text())
        return plain | changes

    def start(
        self, verb: str, config: dict[str, Any], folder: Path, program: Path | None = None
    ) -> tuple[ProcessProgram, Path]:
        """Start ``load`` or ``serve`` in an empty folder of its own; the program and its log.

        By default the tool's own program, or another one.
        """
        file, log = folder / "config.json", folder / "log"
        cwd, tmp = folder / "cwd", folder / "tmp"
        cwd.mkdir()
        tmp.mkdir()
        file.write_text(json.dumps(config), encoding="utf-8")
        flags = self.tool.jvm.load if verb == "load" else self.tool.jvm.server
        argv = server_argv(program or self.jar, verb, file, (*flags, *QUICK_JVM), tmp=tmp)
        spec = ProgramSpec(verb, argv, cwd, log, env={"TMPDIR": str(tmp)})
        return self.host.start(spec), log

    def run(self, verb: str, config: dict[str, Any]) -> Ended:
        """Run ``load`` or ``serve`` to its own end.

        Raises:
            BrokenError: it did not end in time.
        """
        program, _ = self.start(verb, config, self.place(verb))
        seconds = self.tool.load_timeout_s if verb == "load" else self.tool.ready_timeout_s
        code = program.wait(seconds)
        program.stop(0)
        expect(code is not None, f"{verb} did not end within {seconds} s")
        lines = []
        while (line := program.lines.next()) is not None:
            lines.append(line)
        return Ended(code or 0, lines, program.last_error())

    def load(self, store: Path, **changes: Any) -> Ended:
        """Run ``load`` into a folder."""
        return self.run("load", self.config(store, **changes))

    def serve_config(
        self, folder: Path, store: Path | None = None, **changes: Any
    ) -> dict[str, Any]:
        """A configuration of ``serve`` on any free ports, with an empty work folder."""
        work = folder / "work"
        work.mkdir()
        ports = dict.fromkeys(self.tool.protocols, 0)
        fields: dict[str, Any] = {"model": None, "work": str(work), "ports": ports}
        main = self._of_node(self.tool.node_names[0], {})
        return self.config(store or self.store, **fields, **main) | changes

    @contextmanager
    def serving(self, store: Path | None = None, **changes: Any) -> Iterator[Serving]:
        """The tool's servers, which answer; they are stopped at the end.

        Args:
            store: by default the bench's.
            changes: fields of the main node's configuration.
        """
        main, programs = self.tool.node_names[0], []
        ready: dict[str, Ready] = {}
        nodes: dict[str, tuple[ProcessProgram, Path, Path]] = {}
        try:
            for name in self.tool.start_order:
                folder = self.place("serve" if name == main else f"serve-{name}")
                config = self.serve_config(folder, store, **(changes if name == main else {}))
                config |= self._of_node(name, ready)
                program, log = self.start("serve", config, folder, self._program(name))
                programs.append(program)
                ready[name] = await_ready(program, self.tool.ready_timeout_s, Interrupt())
                nodes[name] = (program, folder, log)
            program, folder, log = nodes[main]
            others = {name: ready[name] for name in self.tool.node_names[1:]}
            work = Path(changes.get("work", folder / "work"))
            yield Serving(program, ready[main], work, folder, log, main, others)
        finally:
            for program in reversed(programs):
                program.stop(self.tool.stop_timeout_s)

    def _program(self, node: str) -> Path | None:
        return self.project.node_programs(self.tool).get(node)

    def _of_node(self, name: str, ready: Mapping[str, Ready]) -> dict[str, Any]:
        """What the configuration of one of several nodes has besides."""
        if name not in self.tool.nodes:
            return {}
        node = self.tool.nodes[name]
        return {
            "node": name,
            "role": node.role or name,
            "peers": {n: dict(ready[n].endpoints) for n in node.needs if n in ready},
            "options": {**self.config(self.store)["options"], **node.options},
        }

    def start_client(
        self,
        nodes: Mapping[str, str],
        operations: Sequence[WorkloadOperation],
        *,
        executions: int,
        connection: str = "per-execution",
        timeout_ms: int = TIMEOUT_MS,
        warmup: int = 0,
        threads: int = 1,
        ids: Path | None = None,
        more: Mapping[str, Any] | None = None,
    ) -> tuple[Client, Workload, Path]:
        """Start the client program and wait until it is READY.

        ``nodes`` have their addresses; ``ids`` are by default the bench's; ``more`` are further
        keys of the workload, instead of these.
        """
        folder = self.place("client")
        workload = Workload.model_validate(
            {
                "operations": [o.model_dump() for o in operations],
                "warmup": {"executions": warmup, "seconds": 0, "threads": 1},
                "executions": executions,
                "timeout_ms": timeout_ms,
                "connection": connection,
                "ids": None if (map_ := ids or self.ids) is None else str(map_),
                "options": {**self.tool.driver_options, **self.driver_options()},
                **(more or {}),
            }
        )
        file, out = folder / "workload.json", folder / "samples.mssf"
        file.write_text(workload.model_dump_json(exclude_none=True), encoding="utf-8")
        flags = (*self.tool.jvm.client, *QUICK_JVM)
        single = list(nodes) == [SERVER]
        endpoints = [url if single else f"{node}={url}" for node, url in nodes.items()]
        argv = client_argv(
            self.client_program, self.tool.driver, endpoints, file, threads, out, flags
        )
        program = self.host.start(ProgramSpec("client", argv, folder, folder / "log"))
        client = Client(0, program)
        Conversation([client], (), Interrupt()).until("READY", self.tool.ready_timeout_s)
        return client, workload, out

    def finish_client(self, client: Client, workload: Workload, out: Path, threads: int) -> Load:
        """Follow a client that was told GO to its end.

        Raises:
            MeasureError: it did not end in time, or not by itself.
        """
        try:
            talk = Conversation([client], (), Interrupt())
            talk.until("DONE", deadlines.measure_s(workload, threads))
            code = client.program.wait(deadlines.CLIENT_STOP_S)
            if code is None:
                raise MeasureError("the client did not end after DONE")
        finally:
            client.program.stop(1)
        while client.hear():
            pass
        return Load(code, read_samples(out), client.details)

    def drive(
        self,
        nodes: Mapping[str, str],
        operations: Sequence[WorkloadOperation],
        *,
        threads: int = 1,
        executions: int,
        connection: str = "per-execution",
        timeout_ms: int = TIMEOUT_MS,
        ids: Path | None = None,
        more: Mapping[str, Any] | None = None,
    ) -> Load:
        """Run the client program from start to end."""
        client, workload, out = self.start_client(
            nodes,
            operations,
            threads=threads,
            executions=executions,
            connection=connection,
            timeout_ms=timeout_ms,
            ids=ids,
            more=more,
        )
        client.program.send("GO")
        return self.finish_client(client, workload, out, threads)

    def samples(self, file: Path) -> pa.Table:
        """What a client program has recorded."""
        return read_samples(file)

    def copy_of_store(self, name: str) -> Path:
        """A copy of the loaded store, to be damaged."""
        expect(self.store.is_dir(), "not checked: the store was not loaded")
        return Path(shutil.copytree(self.store, self.place(name) / "store"))
