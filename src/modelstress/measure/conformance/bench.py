"""What the checks work with: a small model, its oracle, and the tool's programs."""

from __future__ import annotations

import json
import shutil
import subprocess
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa

from modelstress.config.errors import ConfigError, MeasureError
from modelstress.config.programs import ServerConfig, Workload, WorkloadOperation
from modelstress.config.project import Project
from modelstress.config.tool import Tool
from modelstress.hosts import ProcessHost, ProcessProgram, ProgramSpec
from modelstress.measure import deadlines
from modelstress.measure.collect import read_samples
from modelstress.measure.conversation import Client, Conversation
from modelstress.measure.interrupt import Interrupt
from modelstress.measure.invocation import Expected, require
from modelstress.measure.models import models_argv
from modelstress.measure.programs import client_argv, server_argv
from modelstress.measure.server import Ready, await_ready

CASE = "train"
MODEL_ARGUMENTS = ("--line", "2016", "--scenario", "repair")
MODELS_TIMEOUT_S = 120
QUICK_JVM = ("-XX:TieredStopAtLevel=1",)
"""After the tool's own flags: programs that live for seconds are not worth optimising."""
SMALL_XMI = {
    "boxes.ecore": """<?xml version="1.0" encoding="UTF-8"?>
<ecore:EPackage xmi:version="2.0" xmlns:xmi="http://www.omg.org/XMI"
    xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
    xmlns:ecore="http://www.eclipse.org/emf/2002/Ecore"
    name="boxes" nsURI="urn:modelstress:boxes" nsPrefix="boxes">
  <eClassifiers xsi:type="ecore:EClass" name="Box">
    <eStructuralFeatures xsi:type="ecore:EReference" name="inside" upperBound="-1"
        eType="#//Box" containment="true"/>
    <eStructuralFeatures xsi:type="ecore:EReference" name="beside" eType="#//Box"/>
  </eClassifiers>
</ecore:EPackage>
""",
    "outer.xmi": """<?xml version="1.0" encoding="UTF-8"?>
<boxes:Box xmi:version="2.0" xmlns:xmi="http://www.omg.org/XMI" xmlns:boxes="urn:modelstress:boxes">
  <inside><beside href="other.xmi#/"/></inside>
</boxes:Box>
""",
    "other.xmi": """<?xml version="1.0" encoding="UTF-8"?>
<boxes:Box xmi:version="2.0" xmlns:xmi="http://www.omg.org/XMI" xmlns:boxes="urn:modelstress:boxes">
  <beside href="outer.xmi#/"/>
</boxes:Box>
""",
}
"""A metamodel and a model of two files and three elements, for tools that read XMI only."""
TIMEOUT_MS = 20_000
"""Of one execution; generous, because correctness is checked here and not speed."""


class BrokenError(Exception):
    """A check did not pass; the message says what is wrong, in one sentence."""


def expect(condition: bool, otherwise: str) -> None:
    """Fail the check unless the condition holds.

    Raises:
        BrokenError: it does not.
    """
    if not condition:
        raise BrokenError(otherwise)


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
    """A server that answers, and the folders that it was given."""

    program: ProcessProgram
    ready: Ready
    work: Path
    folder: Path
    log: Path

    @property
    def endpoint(self) -> str:
        """Address of its first protocol."""
        return next(iter(self.ready.endpoints.values()))


@dataclass(frozen=True)
class Load:
    """What a run of the client program left: exit code, samples, failure messages."""

    code: int
    samples: pa.Table
    details: list[dict[str, Any]]


@dataclass
class Bench:
    """Everything of one tool and backend; all files lie below ``folder``.

    ``size`` is that of the model; the smallest one will do for most checks.
    """

    project: Project
    tool: Tool
    backend: str
    folder: Path
    host: ProcessHost
    size: int = 1
    model: Path = field(init=False)
    elements: int = field(init=False)
    oracle: dict[str, Expected] = field(init=False)
    _number: int = 0

    def __post_init__(self) -> None:
        self.jar = self.project.jar(self.tool)
        self.client_program = self.project.client(self.tool)
        require(self.jar, "build it with 'make build'")
        require(self.client_program, "build it with 'make build'")
        require(self.project.models_jar, "build it with 'make build'")
        self.model = self.folder / ("model.xmi" if self.tool.models == "xmi" else "model.bin")
        size = ("--size", str(self.size))
        self._models(CASE, *MODEL_ARGUMENTS, *size, "--output", str(self.model))
        self.elements = int(self._models("count", str(self.model), "--json")[0]["elements"])
        self.oracle = self._oracle()

    @property
    def store(self) -> Path:
        """The store that the first check loads and the others use."""
        return self.folder / "store"

    def place(self, name: str) -> Path:
        """A new folder with that name."""
        self._number += 1
        folder = self.folder / f"{self._number:02d}-{name}"
        folder.mkdir()
        return folder

    def several_files(self, folder: Path) -> tuple[Path, int]:
        """A model of several files that refer to one another, with its metamodel; its elements."""
        if self.tool.models == "xmi":
            return self._several_xmi_files(folder)
        jar = folder / "sources.jar"
        with zipfile.ZipFile(jar, "w") as sources:
            for name in ("One", "Other"):
                text = (
                    f"package p; class {name} {{ public static {name} get() {{ return null; }} }}"
                )
                sources.writestr(f"p/{name}.java", text)
        target = folder / "model"
        options = ("--split", "unit", "--output", str(target), "--json")
        [said] = self._models("jdt", "--jar", str(jar), *options)
        return target / "model.json", int(said["elements"])

    def _several_xmi_files(self, folder: Path) -> tuple[Path, int]:
        files = [folder / name for name in SMALL_XMI]
        for file in files:
            file.write_text(SMALL_XMI[file.name], encoding="utf-8")
        metamodel, *models = map(str, files)
        options = [word for file in models for word in ("--file", file)]
        target = folder / "model"
        self._models(
            "import", "--metamodel", metamodel, *options, "--output", str(target), "--json"
        )
        return target / "model.json", 3

    # -- programs -------------------------------------------------------------------------------

    def config(self, store: Path, **changes: Any) -> dict[str, Any]:
        """A configuration of the server program; ``changes`` replace fields."""
        usual = ServerConfig(
            tool=self.tool.tool,
            backend=self.backend,
            model=str(self.model),
            store=str(store),
            options=self.tool.options,
        )
        plain: dict[str, Any] = json.loads(usual.text())
        return plain | changes

    def start(self, verb: str, config: dict[str, Any], folder: Path) -> tuple[ProcessProgram, Path]:
        """Start ``load`` or ``serve`` in an empty folder of its own; the program and its log."""
        file, log = folder / "config.json", folder / "log"
        own, tmp = folder / "cwd", folder / "tmp"
        own.mkdir()
        tmp.mkdir()
        file.write_text(json.dumps(config), encoding="utf-8")
        flags = self.tool.jvm.load if verb == "load" else self.tool.jvm.server
        argv = server_argv(self.jar, verb, file, (*flags, *QUICK_JVM), tmp=tmp)
        spec = ProgramSpec(verb, argv, own, log, env={"TMPDIR": str(tmp)})
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
        given: dict[str, Any] = {"model": None, "work": str(work), "ports": ports, **changes}
        return self.config(store or self.store, **given)

    @contextmanager
    def serving(self, store: Path | None = None, **changes: Any) -> Iterator[Serving]:
        """A server that answers; it is stopped at the end."""
        folder = self.place("serve")
        program, log = self.start("serve", self.serve_config(folder, store, **changes), folder)
        try:
            ready = await_ready(program, self.tool.ready_timeout_s, Interrupt())
            yield Serving(program, ready, folder / "work", folder, log)
        finally:
            program.stop(self.tool.stop_timeout_s)

    def start_client(
        self,
        endpoint: str,
        operations: Sequence[WorkloadOperation],
        *,
        executions: int,
        connection: str = "per-execution",
        timeout_ms: int = TIMEOUT_MS,
        warmup: int = 0,
        threads: int = 1,
        store: Path | None = None,
    ) -> tuple[Client, Workload, Path]:
        """Start the client program and wait until it is READY."""
        folder = self.place("client")
        workload = Workload.model_validate(
            {
                "operations": [o.model_dump() for o in operations],
                "warmup": {"executions": warmup, "seconds": 0, "threads": 1},
                "executions": executions,
                "timeout_ms": timeout_ms,
                "connection": connection,
                "ids": str((store or self.store) / "ids.mssf"),
                "options": self.tool.driver_options,
            }
        )
        file, out = folder / "workload.json", folder / "samples.mssf"
        file.write_text(workload.model_dump_json(exclude_none=True), encoding="utf-8")
        flags = (*self.tool.jvm.client, *QUICK_JVM)
        argv = client_argv(
            self.client_program, self.tool.driver, [endpoint], file, threads, out, flags
        )
        program = self.host.start(ProgramSpec("client", argv, folder, folder / "log"))
        client = Client(0, program, executions)
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
        endpoint: str,
        operations: Sequence[WorkloadOperation],
        *,
        threads: int = 1,
        executions: int,
        connection: str = "per-execution",
        timeout_ms: int = TIMEOUT_MS,
        store: Path | None = None,
    ) -> Load:
        """Run the client program from start to end."""
        client, workload, out = self.start_client(
            endpoint,
            operations,
            threads=threads,
            executions=executions,
            connection=connection,
            timeout_ms=timeout_ms,
            store=store,
        )
        client.program.send("GO")
        return self.finish_client(client, workload, out, threads)

    def operations(
        self, language: str, think_ms: float = 0, declared: bool = False
    ) -> list[WorkloadOperation]:
        """The queries of the case that have a text in a language of the tool."""
        return [
            WorkloadOperation(
                name=name,
                text=self._query(language, name, declared).read_text(encoding="utf-8"),
                arity=len(query.tuple),
                parameters={"language": language, "tuple": query.tuple},
                think_ms=think_ms,
            )
            for name, query in self.project.case(CASE).queries.items()
            if (language, name) not in self.without_text
        ]

    @cached_property
    def without_text(self) -> dict[tuple[str, str], Path]:
        """Language and query to the file that is not there: a tool need not be asked everything."""
        found = {}
        for language in self.tool.languages:
            for name in self.project.case(CASE).queries:
                try:
                    self._query(language, name, False)
                except ConfigError:
                    file = self.project.root / "queries" / CASE / language / f"{name}.{language}"
                    found[language, name] = file
        return found

    def _query(self, language: str, name: str, declared: bool) -> Path:
        tool = self.tool.queries or self.tool.tool
        return self.project.query_file(CASE, language, name, tool, declared=declared)

    # -- oracle ---------------------------------------------------------------------------------

    def _oracle(self) -> dict[str, Expected]:
        queries = self.project.case(CASE).queries
        arguments = []
        for name, query in queries.items():
            file = self.project.query_file(CASE, "ocl", name)
            arguments += ["--query", str(file), "--tuple", ",".join(query.tuple)]
        answers = self._models(
            "evaluate", str(self.model), "--language", "ocl", *arguments, "--json"
        )
        found = [Expected(int(answer["count"]), int(answer["digest"])) for answer in answers]
        return dict(zip(queries, found, strict=True))

    def _models(self, *arguments: str) -> list[dict[str, Any]]:
        """Run the ``models`` program; the JSON of each line that it says."""
        argv = models_argv(self.project, QUICK_JVM, arguments)
        done = subprocess.run(
            argv, capture_output=True, text=True, timeout=MODELS_TIMEOUT_S, check=False
        )
        if done.returncode != 0:
            said = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
            raise MeasureError(f"models {arguments[0]}: {said[-1].removeprefix('error: ')}")
        return [json.loads(line) for line in done.stdout.splitlines()]

    def copy_of_store(self, name: str) -> Path:
        """A copy of the loaded store, to be damaged."""
        expect(self.store.is_dir(), "not checked: the store was not loaded")
        return Path(shutil.copytree(self.store, self.place(name) / "store"))
