"""A study that has the tool, and what the tool is asked of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from modelstress.config.base import Level
from modelstress.config.errors import ConfigError
from modelstress.config.programs import Dataset, WorkloadOperation
from modelstress.config.project import Project
from modelstress.measure.conformance.bench import Bench, Load, expect
from modelstress.measure.oracle_check import outcome_counts
from modelstress.workloads.operations.study import Digest, OperationsStudy

ANSWERS = {"ok", "rejected", "aborted"}
"""Outcomes of an operation that a server which is well may end with."""


def study_with(project: Project, tool: str) -> OperationsStudy:
    """The first study of the kind that has the tool: its operations are what is asked.

    Studies of other kinds are not read: their kind may not be there.

    Raises:
        ConfigError: there is none, or one of this kind is wrong.
    """
    for name in project.studies:
        if project.workload(name) != project.tool(tool).workload:
            continue
        study = project.study(name)
        if isinstance(study, OperationsStudy) and tool in study.factors["tool"]:
            return study
    raise ConfigError(
        f"no study in {project.root / 'config' / 'studies'} of the workload kind 'operations' has "
        f"tool {tool!r}; write one: its operations are what the suite asks of the tool"
    )


@dataclass
class OperationsBench(Bench):
    """Everything of one tool: its servers on the first dataset of a study that has it."""

    study: OperationsStudy

    @cached_property
    def levels(self) -> dict[str, Level]:
        """The first level of each factor that the tool supports, as its programs get them."""
        named = {**self.study.factors, **self.tool.supports}
        return {
            name: next(level for level in named[name] if level in levels)
            for name, levels in self.tool.supports.items()
            if name in self.study.factors
        }

    @property
    def dataset(self) -> Dataset | None:
        """The study's first dataset."""
        factor = self.study.projected.dataset
        if not factor:
            return None
        name = str(self.study.factors[factor][0])
        return Dataset(name=name, parameters=self.study.datasets[name])

    @property
    def loaded(self) -> bool:
        """Whether the tool serves a store that was loaded before."""
        return self.tool.store == "loaded" and self.dataset is not None

    @property
    def ids(self) -> Path | None:
        """The map of the store's identifiers, where ``load`` writes one."""
        file = self.store / "ids.mssf"
        return file if file.is_file() else None

    def described(self) -> dict[str, Any]:
        """Dataset and the levels that the tool supports."""
        return {"dataset": self.dataset, "backend": str(self.levels.get("backend", ""))}

    def config(self, store: Path, **changes: Any) -> dict[str, Any]:
        """A configuration of the server program; one that starts empty gets no store."""
        server_config = super().config(store, **changes)
        server_config["options"] = {**server_config["options"], **self.levels}
        return server_config if self.loaded else {**server_config, "store": None}

    def driver_options(self) -> dict[str, Any]:
        """The levels that the tool supports."""
        return dict(self.levels)

    def probe(self, think_ms: float = 0) -> list[WorkloadOperation]:
        """The operations of the study, with another think time."""
        return [
            WorkloadOperation(
                name=name,
                text=operation.text,
                arity=operation.arity,
                parameters=operation.parameters,
                think_ms=think_ms,
                objects=operation.objects,
            )
            for name, operation in self.study.operations.items()
        ]

    def judge(self, run: Load, operations: Sequence[WorkloadOperation], where: str) -> None:
        """Every execution must be answered; a refusal and a conflict are answers too.

        Of each operation some executions must succeed, with the digest that the study gives.
        """
        for operation in operations:
            names = run.samples["operation"].cast(pa.string())
            rows = run.samples.filter(pc.equal(names, operation.name))
            expect(rows.num_rows > 0, f"{where}: {operation.name} was never executed")
            outcomes = {outcome: n for outcome, n in outcome_counts(rows).items() if n}
            messages = [d["message"] for d in run.details if d["operation"] == operation.name]
            why = f" ({messages[0]})" if messages else ""
            right = set(outcomes) <= ANSWERS and outcomes.get("ok", 0) > 0
            expect(
                right, f"{where}: {operation.name}: {outcomes}{why}; some must be ok, all answered"
            )
            self._compare(operation.name, rows, where)

    def _compare(self, name: str, rows: pa.Table, where: str) -> None:
        """Fail the check where a result is not the one that the study gives."""
        check = self.study.operations[name].check
        if not isinstance(check, Digest):
            return
        ok = rows.filter(pc.equal(rows["outcome"].cast(pa.string()), "ok"))
        results = {
            *zip(ok["result_count"].to_pylist(), ok["result_digest"].to_pylist(), strict=True)
        }
        wanted = (check.count, check.digest)
        expect(
            results == {wanted},
            f"{where}: {name}: results (count, digest) are {sorted(results)[:3]}, the study's file "
            f"says {wanted}",
        )
