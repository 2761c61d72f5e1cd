"""What the kind ``operations`` answers: its cells' operations, datasets and checks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from modelstress.config.base import Level
from modelstress.config.errors import ConfigError
from modelstress.config.programs import Dataset, WorkloadOperation
from modelstress.config.project import Project
from modelstress.config.study import Study
from modelstress.config.tool import Tool
from modelstress.design.cell import Cell
from modelstress.design.contents import hash_file, hash_json
from modelstress.design.kinds import (
    Checks,
    Conformant,
    Expected,
    Invariant,
    Prepared,
    WorkloadKind,
)
from modelstress.workloads.operations.study import Digest, OperationsStudy, Unchecked
from modelstress.workloads.operations.study import Invariant as StudyInvariant
from modelstress.workloads.operations.work import Operations, options_of, work_of

THINK = "think_ms"
"""Factor of the harness that goes before the pauses of the study's operations."""


class OperationsKind(WorkloadKind):
    """Named operations of a driver, given in the study's file."""

    def check(self, project: Project, study: Study) -> None:
        """Refuse programs of invariants that are not there."""
        for name, invariant in _study(study).invariants.items():
            program = project.file(invariant.program)
            if not program.is_file():
                raise ConfigError(
                    f"config/studies/{study.study}.yaml: field 'invariants.{name}.program': "
                    f"{program} is not there; write it, or correct the path"
                )

    def known(self, project: Project, study: Study) -> Mapping[str, Sequence[Level]]:
        """Operations, mixes and datasets that a study defines."""
        operations_study, roles = _study(study), study.projected
        levels = {
            roles.operation: [*operations_study.operations, *operations_study.mixes],
            roles.dataset: [*operations_study.datasets],
        }
        return {factor: names for factor, names in levels.items() if factor}

    def work(self, study: Study, levels: Mapping[str, Level]) -> Operations:
        """The operations of a cell, with its own think time, and its dataset."""
        operations_study, roles = _study(study), study.projected
        weights = operations_study.chosen(levels.get(roles.operation) if roles.operation else None)
        described = {name: operations_study.operations[name] for name in weights}
        if THINK in levels:
            think = {THINK: float(levels[THINK])}
            described = {
                n: operation.model_copy(update=think) for n, operation in described.items()
            }
        name = levels.get(roles.dataset) if roles.dataset else None
        dataset = None
        if name is not None:
            dataset = Dataset(name=str(name), parameters=operations_study.datasets[str(name)])
        return Operations(
            described,
            weights,
            operations_study.ordered(levels.get(roles.operation)),
            dataset,
            dict(operations_study.invariants),
        )

    def contents(self, project: Project, cell: Cell) -> dict[str, str]:
        """``checks``: how answers are judged. ``invariants``: programs. ``texts``: files."""
        work = work_of(cell)
        judged = {name: _plain(operation.check) for name, operation in work.described.items()}
        hashes = {"checks": hash_json(judged)}
        programs = [file for file in _programs(project, work.invariants) if file.is_file()]
        if programs:
            hashes["invariants"] = hash_json([hash_file(file) for file in programs])
        texts = [file for file in _texts(project, cell) if file.is_file()]
        if texts:
            hashes["texts"] = hash_json([hash_file(file) for file in texts])
        return hashes

    def files(self, project: Project, cell: Cell) -> Sequence[Path]:
        """The programs of invariants, and files whose texts are options."""
        return [*_programs(project, work_of(cell).invariants), *_texts(project, cell)]

    def configuration(self, project: Project, study: Study) -> Sequence[Path]:
        """The programs of invariants."""
        return _programs(project, _study(study).invariants)

    def store(self, project: Project, cell: Cell) -> Path | None:
        """The store that cells of a tool with the same dataset and options of servers share."""
        from modelstress.workloads.operations.stores import store_of

        return store_of(project, cell)

    def load(self, project: Project, cell: Cell, progress: Callable[[int, int], None]) -> bool:
        """Have the tool populate its store from the dataset's parameters."""
        from modelstress.workloads.operations.stores import load

        return load(project, cell, progress)

    def prepare(self, project: Project, cell: Cell) -> Prepared:
        """The cell's operations, and its loaded store if the tool does not start empty."""
        from modelstress.workloads.operations.stores import loaded

        work = work_of(cell)
        store = loaded(project, cell)
        ids = None if store is None else store / "ids.mssf"
        supported = options_of(project, cell)
        dataset = {} if work.dataset is None else {"dataset": work.dataset}
        return Prepared(
            operations=tuple(
                WorkloadOperation(
                    name=name,
                    text=operation.text,
                    weight=work.weights[name],
                    arity=operation.arity,
                    parameters=operation.parameters,
                    think_ms=operation.think_ms,
                    objects=operation.objects,
                )
                for name, operation in work.described.items()
            ),
            checks=_checks(work, project),
            order=work.order,
            protocol=str(cell.levels.get("protocol", (cell.tool.protocols or ["main"])[0])),
            store=store,
            ids=ids if ids is not None and ids.is_file() else None,
            server={**dataset, "backend": str(cell.levels.get("backend", ""))},
            server_options=supported,
            driver_options=supported,
            source=project.root / "config" / "studies" / f"{cell.study}.yaml",
        )

    def provide(self, project: Project, cell: Cell, tell: Callable[[str], None]) -> None:
        """Load the cell's store, if it has one."""
        from modelstress.cli.progress import Counter

        store = self.store(project, cell)
        if store is None:
            return
        if not store.is_dir():
            tell(f"loading {store.name} into {cell.tool.tool}")
        with Counter(f"load {store.name} into {cell.tool.tool}", "objects") as counter:
            self.load(project, cell, counter.at)

    def expected(
        self, project: Project, record: Mapping[str, Any], operations: Sequence[str]
    ) -> Checks:
        """What the study says of the recorded operations."""
        study = _study(project.study(str(record.get("study"))))
        definitions = {
            name: operation for name, operation in study.operations.items() if name in operations
        }
        return _checks(Operations(definitions, {}), project)

    def conformance(self, project: Project, tool: Tool) -> Iterator[Conformant]:
        """Execute the operations of a study that has the tool, and treat it badly."""
        from modelstress.workloads.operations.conformance import check_tool

        return check_tool(project, tool)


KIND = OperationsKind()


def _programs(project: Project, invariants: Mapping[str, StudyInvariant]) -> list[Path]:
    return [project.file(invariant.program) for invariant in invariants.values()]


def _texts(project: Project, cell: Cell) -> list[Path]:
    """Files whose texts are options, each once."""
    files = cell.tool.text_files(cell.levels).values()
    return [
        project.root / name for name in dict.fromkeys(name for names in files for name in names)
    ]


def _study(study: Study) -> OperationsStudy:
    assert isinstance(study, OperationsStudy)  # noqa: S101 - the kind is found by the study's word
    return study


def _checks(work: Operations, project: Project) -> Checks:
    judged = {name: operation.check for name, operation in work.described.items()}
    return Checks(
        expected={
            n: Expected(c.count, c.digest) for n, c in judged.items() if isinstance(c, Digest)
        },
        verdicts=frozenset(name for name, check in judged.items() if check == "verdict"),
        unchecked={n: c.unchecked for n, c in judged.items() if isinstance(c, Unchecked)},
        invariants=tuple(
            Invariant(name, invariant.title, project.file(invariant.program), invariant.timeout_s)
            for name, invariant in work.invariants.items()
        ),
    )


def _plain(check: object) -> object:
    return check.model_dump() if isinstance(check, Digest | Unchecked) else check
