"""Making what cells of queries need before they can be measured: models, results and stores."""

from __future__ import annotations

from collections.abc import Callable

from modelstress.cli.progress import Counter
from modelstress.config.packages import how_to_get
from modelstress.config.project import Project
from modelstress.design.cell import Cell
from modelstress.measure.invocation import require
from modelstress.workloads.queries import files
from modelstress.workloads.queries.jvm import write_oracle
from modelstress.workloads.queries.models import store_model
from modelstress.workloads.queries.stores import load_store
from modelstress.workloads.queries.work import attributes_of, store_of, work_of


def provide(project: Project, cell: Cell, tell: Callable[[str], None]) -> None:
    """Make the model, the expected results and the store of a cell, each where it is not there.

    Raises:
        ModelstressError: it cannot be made.
    """
    require(files.models_jar(project), how_to_get())
    name, case = str(cell.levels["model"]), work_of(cell).model.case
    store = store_of(project, cell)
    if not files.model_file(project, name).is_file():
        tell(f"making model {name}")
    store_model(project, name, work_of(cell).model)
    if not files.oracle_file(project, name).is_file():
        tell(f"computing the expected results on {name}")
    write_oracle(project, name, case)
    if store is None:
        return  # its server is somebody else's
    backend, title = str(cell.levels["backend"]), cell.tool.tool
    if not store.is_dir():
        tell(f"loading {name} into {title} on {backend}")
    with Counter(f"load {name} into {title} on {backend}", "elements") as counter:
        declared = attributes_of(cell) == "declared"
        load_store(project, cell.tool, backend, name, counter.at, case=case if declared else None)
