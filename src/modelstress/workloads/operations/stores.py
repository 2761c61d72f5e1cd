"""Stores of the kind ``operations``: populated by the tool itself, from a dataset's parameters."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from modelstress.config.errors import MissingError
from modelstress.config.packages import how_to_get
from modelstress.config.programs import ServerConfig
from modelstress.config.project import Project
from modelstress.design.cell import Cell
from modelstress.design.contents import hash_json
from modelstress.measure import stores
from modelstress.measure.invocation import require
from modelstress.measure.stores import StoreSpec
from modelstress.samples.provenance import sha256_file, sha256_jar
from modelstress.workloads.operations.work import Operations, options_of


def store_of(project: Project, cell: Cell) -> Path | None:
    """The store of a tool that is loaded; cells with the same dataset and options share it."""
    work = cell.work
    if cell.tool.endpoint is not None or cell.tool.store == "none":
        return None
    if not isinstance(work, Operations) or work.dataset is None:
        return None
    digest = hash_json(_loaded_from(project, cell, work))[:8]
    return project.stores / cell.tool.tool / f"{work.dataset.name}-{digest}"


def load(project: Project, cell: Cell, progress: Callable[[int, int], None]) -> bool:
    """Populate the store of a cell, unless it is there with the same contents.

    Raises:
        MissingError: the tool's program is not there.
        MeasureError: the load failed or did not end in time.
    """
    folder, work = store_of(project, cell), cell.work
    if folder is None or not isinstance(work, Operations):
        return False
    require(project.jar(cell.tool), how_to_get(cell.tool.tool))
    options = {**cell.tool.options, **options_of(project, cell, loading=True)}
    config = ServerConfig(
        tool=cell.tool.tool, backend=str(cell.levels.get("backend", "")), store=str(folder),
        dataset=work.dataset, options=options,
    )  # fmt: skip
    content = {
        **_loaded_from(project, cell, work),
        **_loader(project, cell),
        "flags": cell.tool.jvm.load,
    }
    return stores.load_store(project, cell.tool, StoreSpec(folder, config, content), progress)[1]


def _loader(project: Project, cell: Cell) -> dict[str, object]:
    """What loads the store: the tool's own jar with all libraries, or what its descriptor says."""
    if cell.tool.loader is None:
        return {"jar": sha256_jar(project.jar(cell.tool))}
    files = [project.file(name, cell.tool.tool) for name in cell.tool.loader]
    for file in files:
        require(file, how_to_get(cell.tool.tool))
    return {"loader": {file.name: sha256_file(file) for file in files}}


def loaded(project: Project, cell: Cell) -> Path | None:
    """The store of a cell, which must have been loaded to its end.

    Raises:
        MissingError: it has not; says by which command.
    """
    folder = store_of(project, cell)
    if folder is not None and not stores.read_marker(folder):
        raise MissingError(
            f"{folder}: not loaded to its end; run 'modelstress load {cell.id} --study "
            f"{cell.study} --profile {cell.profile}'"
        )
    return folder


def _loaded_from(project: Project, cell: Cell, work: Operations) -> dict[str, object]:
    """What the content of a store depends on, beside the program."""
    dataset = None if work.dataset is None else work.dataset.model_dump()
    options = {**cell.tool.options, **options_of(project, cell, loading=True)}
    return {"dataset": dataset, "options": options}
