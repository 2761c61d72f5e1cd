"""What the clients of a cell of operations do, and on which dataset."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from modelstress.config.base import Level
from modelstress.config.programs import Dataset
from modelstress.config.project import Project
from modelstress.design.cell import Cell
from modelstress.workloads.operations.study import Invariant, Operation


@dataclass(frozen=True)
class Operations:
    """Operations on a dataset.

    Attributes:
        described: name to what the study says of it, of those that the cell executes.
        weights: name to how often it is drawn.
        order: in which a session executes them; empty: as drawn.
        dataset: name and parameters; None: the store starts empty.
        invariants: by name.
    """

    described: Mapping[str, Operation]
    weights: Mapping[str, float]
    order: tuple[str, ...] = ()
    dataset: Dataset | None = None
    invariants: Mapping[str, Invariant] = field(default_factory=dict)

    def identity(self) -> dict[str, object]:
        """Operations with all their parameters, their order, the dataset's parameters."""
        return {
            "operations": {
                name: {
                    **operation.model_dump(exclude={"check", "weight"}),
                    "weight": self.weights[name],
                }
                for name, operation in self.described.items()
            },
            "order": list(self.order),
            "dataset": None if self.dataset is None else self.dataset.model_dump(),
        }


def work_of(cell: Cell) -> Operations:
    """The operations of a cell of this kind.

    Raises:
        TypeError: the cell is of another kind.
    """
    if not isinstance(cell.work, Operations):
        raise TypeError(f"cell {cell.id} is of the workload kind {cell.workload!r}")
    return cell.work


def options_of(project: Project, cell: Cell, *, loading: bool = False) -> dict[str, Level]:
    """Options that the tool's programs get: levels of the factors that it supports, and texts.

    Raises:
        ConfigError: a file of a text cannot be read.
    """
    tool = cell.tool
    names = tool.supports if not loading or tool.loaded_by is None else tool.loaded_by
    texts = project.texts(tool.text_files(cell.levels, loading=loading))
    return {**{name: cell.levels[name] for name in names if name in cell.levels}, **texts}
