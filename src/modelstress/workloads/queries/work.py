"""What the clients of a cell of queries do: queries on a model, and where their texts are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from modelstress.config.project import Project
from modelstress.design.cell import Cell
from modelstress.workloads.queries import files
from modelstress.workloads.queries.study import Model


@dataclass(frozen=True)
class Queries:
    """Queries on a model.

    Attributes:
        model: how the model is made.
        queries: that are executed, with their weights; more than one for a mix.
    """

    model: Model
    queries: Mapping[str, float]

    def identity(self) -> dict[str, object]:
        """The model, and a mix: the name of a single query is a level already."""
        mix = {"mix": dict(self.queries)} if len(self.queries) > 1 else {}
        return {"model": self.model.model_dump(), **mix}


def work_of(cell: Cell) -> Queries:
    """The model and the queries of a cell of this kind.

    Raises:
        TypeError: the cell is of another kind.
    """
    if not isinstance(cell.work, Queries):
        raise TypeError(f"cell {cell.id} is of the workload kind {cell.workload!r}")
    return cell.work


def attributes_of(cell: Cell) -> str | None:
    """Level of the factor ``attributes``; None where the cell has no such factor."""
    level = cell.levels.get("attributes")
    return None if level is None else str(level)


def query_file(project: Project, cell: Cell, query: str | None = None) -> Path:
    """The file of one of the cell's queries, in the form that its levels ask for.

    Args:
        project: where it lies.
        cell: of this kind.
        query: by default the first, for most cells the only one.

    Raises:
        ConfigError: there is no such file.
    """
    work = work_of(cell)
    name = query or next(iter(work.queries), str(cell.levels["query"]))
    return files.query_file(
        project, work.model.case, str(cell.levels["language"]), name,
        cell.tool.queries or cell.tool.tool, declared=attributes_of(cell) == "declared",
        untyped=cell.levels.get("type_check") is False,
        backward=cell.levels.get("navigation") == "backward",
    )  # fmt: skip


def query_files(project: Project, cell: Cell) -> list[Path]:
    """The files of all the cell's queries."""
    return [query_file(project, cell, name) for name in work_of(cell).queries]


def store_of(project: Project, cell: Cell) -> Path | None:
    """The store that cells with this backend, model and attributes share; None: somebody else's."""
    if cell.tool.endpoint is not None:
        return None
    backend, model = str(cell.levels["backend"]), str(cell.levels["model"])
    return files.store_folder(project, cell.tool.tool, backend, model, attributes_of(cell))
