"""A cell that a study has of the tool, and what the tool is asked as this one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from modelstress.config.base import Level
from modelstress.config.errors import ConfigError
from modelstress.config.profile import Profile
from modelstress.config.programs import Dataset, WorkloadOperation
from modelstress.config.project import Project
from modelstress.design.candidates import TOOL
from modelstress.design.cell import Cell
from modelstress.design.cells import candidates_of, cells_of, maker
from modelstress.measure.conformance.bench import Bench, Ended, Load, expect
from modelstress.measure.oracle_check import outcome_counts
from modelstress.workloads.operations.study import Digest, OperationsStudy
from modelstress.workloads.operations.work import Operations, options_of, work_of

MOST_LOOKED_AT = 1000
"""Cells among which one without an order is looked for."""


def cell_with(project: Project, tool: str) -> Cell:
    """The first cell that a study of the kind has of the tool: it is checked as this one has it.

    Where the study has a default profile of its own, that one chooses among its cells. Cells whose
    sessions execute operations in an order come last, for the suite has orders of its own.
    Studies of other kinds are not read: their kind may not be there.

    Raises:
        ConfigError: there is none, or a study or profile is wrong.
    """
    for name in project.studies:
        if project.workload(name) != project.tool(tool).workload:
            continue
        study = project.study(name)
        if not isinstance(study, OperationsStudy) or tool not in study.factors["tool"]:
            continue
        cells = list(islice(_cells(project, study, tool), MOST_LOOKED_AT))
        if cells:
            return min(cells, key=lambda cell: bool(work_of(cell).order))
    raise ConfigError(
        f"no study in {project.root / 'config' / 'studies'} of the workload kind 'operations' has "
        f"cells of tool {tool!r}; write one: its operations are what the suite asks of the tool"
    )


def _cells(project: Project, study: OperationsStudy, tool: str) -> Iterator[Cell]:
    """Cells of a tool in the study's own profile of the default's name, or else in any profile.

    Those are made one by one: a space of options may have millions.
    """
    name = project.main.profile
    if project.profile_file(name, study.study).parent.name == study.study:
        profile = project.profile(name, study.study)
        yield from (c for c in cells_of(project, study, profile) if c.tool.tool == tool)
        return
    profile = Profile(profile="conformance", title="every cell", invocations=1)
    candidates, make = candidates_of(project, study, profile), maker(study, profile)
    for space in candidates.spaces:
        for levels in candidates.within(space):
            if levels[TOOL] == tool:
                yield make(project.tool(tool), levels)


@dataclass
class OperationsBench(Bench):
    """Everything of one tool: its servers as a cell has them, on the cell's dataset."""

    cell: Cell

    answers = frozenset({"ok", "rejected", "aborted"})

    @property
    def work(self) -> Operations:
        """What the cell's clients do."""
        return work_of(self.cell)

    @cached_property
    def levels(self) -> dict[str, Level]:
        """The cell's levels of the factors that the tool supports, and texts, for its programs."""
        return options_of(self.project, self.cell)

    @property
    def dataset(self) -> Dataset | None:
        """The cell's dataset."""
        return self.work.dataset

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

    def load(self, store: Path, **changes: Any) -> Ended:
        """Run ``load`` with the options that stores depend on."""
        options = options_of(self.project, self.cell, loading=True)
        return super().load(store, **{"options": {**self.tool.options, **options}, **changes})

    def driver_options(self) -> dict[str, Any]:
        """The levels that the tool supports."""
        return dict(self.levels)

    def probe(self, think_ms: float = 0) -> list[WorkloadOperation]:
        """The operations of the cell, with another think time."""
        return [
            WorkloadOperation(
                name=name,
                text=operation.text,
                arity=operation.arity,
                parameters=operation.parameters,
                think_ms=think_ms,
                objects=operation.objects,
            )
            for name, operation in self.work.described.items()
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
            right = set(outcomes) <= self.answers and outcomes.get("ok", 0) > 0
            expect(
                right, f"{where}: {operation.name}: {outcomes}{why}; some must be ok, all answered"
            )
            self._compare(operation.name, rows, where)

    def _compare(self, name: str, rows: pa.Table, where: str) -> None:
        """Fail the check where a result is not the one that the study gives."""
        check = self.work.described[name].check
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
