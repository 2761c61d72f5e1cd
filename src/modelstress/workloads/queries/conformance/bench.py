"""A small model of the Train Benchmark, its oracle, and what a tool is asked of it."""

from __future__ import annotations

import json
import subprocess
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import pyarrow as pa
import pyarrow.compute as pc

from modelstress.config.errors import ConfigError, MeasureError
from modelstress.config.packages import how_to_get
from modelstress.config.programs import WorkloadOperation
from modelstress.design.kinds import Expected
from modelstress.measure.conformance.bench import QUICK_JVM, Bench, Load, expect
from modelstress.measure.invocation import require
from modelstress.measure.oracle_check import outcome_counts, verify
from modelstress.workloads.queries import files
from modelstress.workloads.queries.models import models_argv

CASE = "train"
MODEL_ARGUMENTS = ("--line", "2016", "--scenario", "repair")
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


@dataclass
class QueriesBench(Bench):
    """Everything of one tool and backend.

    ``size`` is that of the model; the smallest one will do for most checks. ``oracle_language`` is
    that of the texts whose results are right, ``models_timeout_s`` a deadline of each program that
    makes the model and evaluates them, seconds.
    """

    oracle_language: ClassVar[str] = "ocl"
    models_timeout_s: ClassVar[float] = 120

    backend: str
    size: int = 1
    model: Path = field(init=False)
    elements: int = field(init=False)
    oracle: dict[str, Expected] = field(init=False)

    def __post_init__(self) -> None:
        """Make the model and its oracle.

        Raises:
            MissingError: a program is not there.
            MeasureError: the model cannot be made.
        """
        super().__post_init__()
        require(files.models_jar(self.project), how_to_get())
        self.model = self.folder / ("model.xmi" if self.tool.models == "xmi" else "model.bin")
        size = ("--size", str(self.size))
        self._models(CASE, *MODEL_ARGUMENTS, *size, "--output", str(self.model))
        self.elements = int(self._models("count", str(self.model), "--json")[0]["elements"])
        self.oracle = self._oracle()

    @property
    def ids(self) -> Path:
        """The map of the store's identifiers."""
        return self.store / "ids.mssf"

    def described(self) -> dict[str, Any]:
        """Backend and model."""
        return {"backend": self.backend, "model": str(self.model)}

    def probe(self, think_ms: float = 0) -> list[WorkloadOperation]:
        """The queries of the case in the tool's first language."""
        return self.operations(self.tool.languages[0], think_ms)

    def judge(self, run: Load, operations: Sequence[WorkloadOperation], where: str) -> None:
        """Every execution must have the oracle's digest."""
        verified, unverified = verify(run.samples, self.oracle)
        expect(not unverified, f"{where}: the oracle does not know {unverified}")
        for operation in operations:
            rows = verified.filter(
                pc.equal(verified["operation"].cast(pa.string()), operation.name)
            )
            expect(rows.num_rows > 0, f"{where}: {operation.name} was never executed")
            outcomes = outcome_counts(rows)
            messages = [d["message"] for d in run.details if d["operation"] == operation.name]
            why = f" ({messages[0]})" if messages else ""
            expected = self.oracle[operation.name]
            if "incorrect" in outcomes and not why:
                counts = sorted(set(rows["result_count"].to_pylist()))
                why = f" ({counts} matches, the oracle has {expected.count}"
                others = counts == [expected.count]
                wrong = ", but others: is ids.mssf right and in containment order?)"
                why += wrong if others else ")"
            expect(
                set(outcomes) == {"ok"},
                f"{where}: {operation.name} of case {CASE}: {outcomes}{why}",
            )

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
        [summary] = self._models("jdt", "--jar", str(jar), *options)
        return target / "model.json", int(summary["elements"])

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
            for name, query in files.case(self.project, CASE).queries.items()
            if (language, name) not in self.without_text
        ]

    @cached_property
    def without_text(self) -> dict[tuple[str, str], Path]:
        """Language and query to the file that is not there: a tool need not be asked everything."""
        missing_texts = {}
        for language in self.tool.languages:
            for name in files.case(self.project, CASE).queries:
                try:
                    self._query(language, name, False)
                except ConfigError:
                    file = self.project.root / "queries" / CASE / language / f"{name}.{language}"
                    missing_texts[language, name] = file
        return missing_texts

    def _query(self, language: str, name: str, declared: bool) -> Path:
        tool = self.tool.queries or self.tool.tool
        return files.query_file(self.project, CASE, language, name, tool, declared=declared)

    # -- oracle ---------------------------------------------------------------------------------

    def _oracle(self) -> dict[str, Expected]:
        queries = files.case(self.project, CASE).queries
        arguments = []
        for name, query in queries.items():
            file = files.query_file(self.project, CASE, self.oracle_language, name)
            arguments += ["--query", str(file), "--tuple", ",".join(query.tuple)]
        answers = self._models(
            "evaluate", str(self.model), "--language", self.oracle_language, *arguments, "--json"
        )
        results = [Expected(int(answer["count"]), int(answer["digest"])) for answer in answers]
        return dict(zip(queries, results, strict=True))

    def _models(self, *arguments: str) -> list[dict[str, Any]]:
        """Run the ``models`` program; the JSON of each line that it says."""
        argv = models_argv(self.project, QUICK_JVM, arguments)
        done = subprocess.run(
            argv, capture_output=True, text=True, timeout=self.models_timeout_s, check=False
        )
        if done.returncode != 0:
            errors = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
            raise MeasureError(f"models {arguments[0]}: {errors[-1].removeprefix('error: ')}")
        return [json.loads(line) for line in done.stdout.splitlines()]
