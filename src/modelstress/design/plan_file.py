"""A plan as a file: every invocation with its cell, seed and place, written once and then read."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from modelstress.config.errors import ConfigError
from modelstress.config.project import Project
from modelstress.config.tool import Tool
from modelstress.design.cell import Cell
from modelstress.design.cells import cells_of, maker
from modelstress.design.contents import contents_of
from modelstress.design.plan import Run, compared_alike, plan_of
from modelstress.design.sharing import check, sharing
from modelstress.samples.files import write_parquet

if TYPE_CHECKING:
    import pyarrow as pa

FORMAT = 1
ABOUT = b"modelstress"
"""Key of the file's metadata with study, profile and the digest of what the plan was made of."""


@dataclass(frozen=True)
class Plan:
    """The plan of a study under a profile.

    Attributes:
        cells: each once, in the order of the study's factors, which is that of tables.
        runs: all invocations, in the order of measurement.
    """

    study: str
    profile: str
    cells: Sequence[Cell]
    runs: Sequence[Run]


def plan_path(project: Project, study: str, profile: str) -> Path:
    """``data/plan/<study>/<profile>.parquet``."""
    return project.root / "data" / "plan" / study / f"{profile}.parquet"


def current_plan(project: Project, study: str, profile: str) -> Plan:
    """The plan as its file has it, or as it is made where the file is of other configuration.

    Nothing is written.

    Raises:
        ConfigError: the study, the profile or something that they name is wrong.
    """
    return read_plan(project, study, profile) or make_plan(project, study, profile)


def make_plan(project: Project, study: str, profile: str) -> Plan:
    """The plan made anew.

    Raises:
        ConfigError: as ``cells_of``.
    """
    definition = project.study(study)
    cells = cells_of(project, definition, project.profile(profile, study))
    runs = plan_of(cells, project.main.seed, compared_alike(definition, cells), sharing(definition))
    check(project, definition, runs)
    return Plan(study, profile, cells, runs)


def write_plan(project: Project, plan: Plan) -> Path:
    """Write a plan, with the contents that its cells would be measured with now.

    Raises:
        MeasureError: the file cannot be written.
    """
    import pyarrow as pa

    number = {cell.id: place for place, cell in enumerate(plan.cells)}
    levels = [json.dumps(dict(cell.levels)) for cell in plan.cells]
    contents = [json.dumps(contents_of(project, cell)) for cell in plan.cells]
    order = [number[run.cell.id] for run in plan.runs]
    codes = pa.array(order, pa.int32())

    def of_cells(values: Sequence[str]) -> pa.DictionaryArray:
        return pa.DictionaryArray.from_arrays(codes, pa.array(values, pa.string()))

    table = pa.table({
        "position": pa.array([run.position for run in plan.runs], pa.int32()),
        "start": pa.array([run.start for run in plan.runs], pa.int32()),
        "invocation": pa.array([run.invocation for run in plan.runs], pa.int16()),
        "seed": pa.array([run.seed for run in plan.runs], pa.int64()),
        "number": codes,
        "tool": of_cells([cell.tool.tool for cell in plan.cells]),
        "cell": of_cells([cell.id for cell in plan.cells]),
        "levels": of_cells(levels),
        "contents": of_cells(contents),
    })  # fmt: skip
    about = {"format": FORMAT, "inputs": inputs_digest(project, plan.study, plan.profile)}
    table = table.replace_schema_metadata({ABOUT: json.dumps(about).encode()})
    path = plan_path(project, plan.study, plan.profile)
    write_parquet(path, table)
    return path


def read_plan(project: Project, study: str, profile: str) -> Plan | None:
    """The plan in its file; None without one, or where its configuration has changed since.

    A file that is damaged is as good as none: the plan is made anew.

    Raises:
        ConfigError: the study, the profile or something that they name is wrong.
    """
    table = _table(project, study, profile)
    if table is None:
        return None
    try:
        return _plan(project, study, profile, table)
    except (LookupError, ValueError, TypeError):
        return None


def _table(project: Project, study: str, profile: str) -> pa.Table | None:
    """The file's table; None where there is none of this configuration."""
    path = plan_path(project, project.study(study).study, project.profile(profile, study).profile)
    if not path.is_file():
        return None
    import pyarrow as pa

    from modelstress.samples.tables import read_table

    try:
        table = read_table(path)
        about = json.loads((table.schema.metadata or {})[ABOUT])
    except (OSError, ValueError, LookupError, pa.ArrowException):
        return None
    wanted = {"format": FORMAT, "inputs": inputs_digest(project, study, profile)}
    return table if about == wanted else None


def _plan(project: Project, study: str, profile: str, table: pa.Table) -> Plan:
    """The rows of a table as cells and runs.

    Raises:
        LookupError, ValueError, TypeError: the table is none of a plan.
    """
    make = maker(project.study(study), project.profile(profile, study))
    tools: dict[str, Tool] = {}
    cells: dict[int, Cell] = {}
    texts: dict[str, Cell] = {}
    runs = []
    for row in _rows(table):
        text = row["levels"]
        if text not in texts:
            levels = json.loads(text)
            name = str(levels["tool"])
            tools[name] = tools.get(name) or project.tool(name)
            cell = make(tools[name], levels)
            if cell.id != row["cell"]:
                raise ValueError(row["cell"])
            texts[text] = cells[row["number"]] = cell
        runs.append(Run(texts[text], row["invocation"], row["position"], row["seed"], row["start"]))
    return Plan(study, profile, [cells[number] for number in sorted(cells)], runs)


def _rows(table: pa.Table) -> Iterator[dict[str, Any]]:
    names = ("position", "start", "invocation", "seed", "number", "cell", "levels")
    columns = [table[name].to_pylist() for name in names]
    return (dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True))


def inputs_digest(project: Project, study: str, profile: str) -> str:
    """Hex digest (sha256) of the files and choices that a plan is made of.

    Raises:
        ConfigError: a file cannot be read.
    """
    config = project.root / "config"
    files = [
        config / "config.yaml",
        config / "studies" / f"{study}.yaml",
        project.profile_file(profile, study),
        *map(project.descriptor, project.tool_names),
        *sorted((project.root / "queries").glob("*/case.yaml")),
    ]
    digest = hashlib.sha256()
    for file in files:
        try:
            content = file.read_bytes()
        except OSError as error:
            raise ConfigError(f"{file}: cannot be read: {error.strerror or error}") from error
        digest.update(f"{project.place(file)}\0{len(content)}\0".encode())
        digest.update(content)
    digest.update(project.executor.encode())
    return digest.hexdigest()
