"""What the kind ``queries`` answers: its words, its cells' needs and how they are met."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from modelstress.config.base import Level
from modelstress.config.project import Project
from modelstress.config.study import Study
from modelstress.config.tool import Tool
from modelstress.design.cell import Cell
from modelstress.design.combinations import Rule
from modelstress.design.contents import hash_file, hash_json
from modelstress.design.kinds import Checks, Conformant, Prepared, WorkloadKind
from modelstress.workloads.queries import files, words
from modelstress.workloads.queries.study import QueriesStudy
from modelstress.workloads.queries.work import (
    Queries,
    attributes_of,
    query_files,
    store_of,
    work_of,
)


class QueriesKind(WorkloadKind):
    """Queries on models, in several languages, checked by an oracle."""

    slowest: ClassVar[tuple[str, ...]] = ("language",)

    def check(self, project: Project, study: Study) -> None:
        """Refuse queries, cases, mixes and folders that are nowhere."""
        words.check(project, _queries_study(study))

    def rules(self, project: Project, study: Study) -> Sequence[Rule]:
        """A model's case must have all queries, in the language."""
        return [words.written(project, _queries_study(study))]

    def known(self, project: Project, study: Study) -> Mapping[str, Sequence[Level]]:
        """Models and queries that a study names or could name."""
        queries_study = _queries_study(study)
        queries = [*queries_study.mixes, *words.queries_of(project, queries_study)]
        return {"model": [*queries_study.models], "query": queries}

    def work(self, study: Study, levels: Mapping[str, Level]) -> Queries:
        """The model and the queries of a cell."""
        queries_study = _queries_study(study)
        return Queries(
            queries_study.models[str(levels["model"])], queries_study.queries(levels["query"])
        )

    def alone(self, cell: Cell) -> bool:
        """Unique texts fill the caches that others would find."""
        return cell.levels.get("query_text") == "unique"

    def contents(self, project: Project, cell: Cell) -> dict[str, str]:
        """``model``: its file. ``query``: its text, or those of a mix. ``attributes``: declared."""
        texts = [hash_file(file) for file in query_files(project, cell)]
        hashes = {"query": texts[0] if len(texts) == 1 else hash_json(texts)}
        if attributes_of(cell) == "declared":
            case = work_of(cell).model.case
            hashes["attributes"] = hash_json(files.declared(project, case))
        model = files.model_file(project, str(cell.levels["model"]))
        if model.is_file():
            hashes["model"] = hash_file(model)
        return hashes

    def files(self, project: Project, cell: Cell) -> Sequence[Path]:
        """The model, the texts of the queries and the declarations."""
        named = [files.model_file(project, str(cell.levels["model"])), *query_files(project, cell)]
        if attributes_of(cell) == "declared":
            named.append(files.attributes_file(project, work_of(cell).model.case))
        return named

    def configuration(self, project: Project, study: Study) -> Sequence[Path]:
        """The folders of the cases."""
        cases = {model.case for model in _queries_study(study).models.values()}
        return [path for case in sorted(cases) for path in project.glob(f"queries/{case}")]

    def store(self, project: Project, cell: Cell) -> Path | None:
        """The store that cells with this backend, model and attributes share."""
        return store_of(project, cell)

    def load(self, project: Project, cell: Cell, progress: Callable[[int, int], None]) -> bool:
        """Load the cell's model, which is there, into its tool."""
        from modelstress.workloads.queries.stores import load_store

        model, backend = str(cell.levels["model"]), str(cell.levels["backend"])
        case = work_of(cell).model.case if attributes_of(cell) == "declared" else None
        return load_store(project, cell.tool, backend, model, progress, case=case)[1]

    def prepare(self, project: Project, cell: Cell) -> Prepared:
        """The queries' texts, the loaded store and the oracle's results."""
        from modelstress.workloads.queries.prepare import prepare

        return prepare(project, cell)

    def provide(self, project: Project, cell: Cell, tell: Callable[[str], None]) -> None:
        """Make the model, the expected results and the store."""
        from modelstress.workloads.queries.provide import provide

        provide(project, cell, tell)

    def expected(
        self, project: Project, record: Mapping[str, Any], operations: Sequence[str]
    ) -> Checks:
        """What the oracle found on the recorded model."""
        from modelstress.workloads.queries.prepare import read_oracle

        model = str(record.get("levels", {}).get("model"))
        return Checks(read_oracle(files.oracle_file(project, model), list(operations)))

    def conformance(self, project: Project, tool: Tool) -> Iterator[Conformant]:
        """Ask a tool the queries of a small model, and treat it badly."""
        from modelstress.workloads.queries.conformance import check_tool

        return check_tool(project, tool)


KIND = QueriesKind()


def _queries_study(study: Study) -> QueriesStudy:
    assert isinstance(study, QueriesStudy)  # noqa: S101 - the kind is found by the study's word
    return study
