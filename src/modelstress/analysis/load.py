"""Derived tables read back, so that a notebook does not begin with every sample."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from modelstress.analysis import columns
from modelstress.analysis.derive import derive
from modelstress.analysis.derived import Derived
from modelstress.analysis.framed import DTYPES
from modelstress.analysis.planned import PLANNED, planned_beside
from modelstress.analysis.raw import profile_folder
from modelstress.analysis.write import ABOUT, derived_folder
from modelstress.config.errors import ConfigError
from modelstress.config.project import Project
from modelstress.stats.results import Values


def load(data_dir: Path, study: str, profile: str) -> Derived:
    """The derived tables of a study's profile, as `derive` made and `write` wrote them.

    Derived anew, without writing, where they are not there, were written by another version of
    this program, or are older than a sample, the plan or the study's file.

    Raises:
        ConfigError: there are neither derived tables nor samples, or the study's file is wrong.
    """
    folder = derived_folder(data_dir, study, profile)
    if not _older(folder / "datapackage.json", _sources(data_dir, study, profile)):
        found = _read(folder, study, profile)
        if found is not None:
            return found
    return derive(data_dir, study, profile, planned_beside(data_dir, study, profile))


def _sources(data_dir: Path, study: str, profile: str) -> list[Path]:
    """Files that the tables are made of: an invocation is renamed into its folder when done."""
    raw = profile_folder(data_dir, study, profile)
    sources = [*raw.glob("*/*/i*/samples.parquet"), *raw.glob("*/*/i*/cell.json")]
    try:
        config = Project.find(data_dir).root / "config"
        sources += [config / "studies" / f"{study}.yaml", config / "profiles" / f"{profile}.yaml"]
    except ConfigError:
        pass
    return [path for path in (*sources, data_dir / PLANNED) if path.is_file()]


def _older(path: Path, sources: list[Path]) -> bool:
    if not path.is_file():
        return True
    written = path.stat().st_mtime_ns
    return any(source.stat().st_mtime_ns > written for source in sources)


def _read(folder: Path, study: str, profile: str) -> Derived | None:
    """The tables in a folder; None where one is missing, damaged or has other columns."""
    try:
        tables = {
            name: pq.read_table(folder / f"{name}.parquet")
            for name in (*columns.TABLES, "latencies")
        }
        about = json.loads((tables["cells"].schema.metadata or {})[ABOUT])
        stored = tables.pop("latencies")
        frames = {name: _frame(name, table, about["levels"]) for name, table in tables.items()}
        factors = tuple(about["factors"])
        latencies = _latencies(stored, frames["invocations"])
    except (OSError, ValueError, LookupError, pa.ArrowException):
        return None
    return Derived(study, profile, factors, about["confidence"], **frames, latencies=latencies)


def _frame(name: str, table: pa.Table, levels: dict[str, list[Any]]) -> pd.DataFrame:
    """A table with the types that it was written with.

    Raises:
        LookupError: a described column is missing.
    """
    frame: pd.DataFrame = table.to_pandas(integer_object_nulls=True)
    for column, about in columns.TABLES[name][1].items():
        typed = frame[column].astype(DTYPES[about.type])
        frame[column] = typed.where(typed.notna(), np.nan) if about.type == "string" else typed
    for factor, known in levels.items():
        if factor in frame:  # levels of several types, which Parquet has as text
            back = {str(level): level for level in known}
            frame[factor] = pd.Series([back.get(text) for text in frame[factor]], dtype="object")
    return frame


def _latencies(table: pa.Table, invocations: pd.DataFrame) -> dict[tuple[str, str], list[Values]]:
    """Latencies by cell and used invocation; a cell of which none were written has none."""
    frame = table.to_pandas()
    found: dict[tuple[str, str], list[Values]] = {}
    if frame.empty:
        return found
    keys = pd.MultiIndex.from_frame(
        frame[["tool", "cell", "invocation"]].astype({"tool": str, "cell": str})
    )
    codes, uniques = pd.factorize(keys)
    ends = np.flatnonzero(np.diff(codes)) + 1
    values = frame["latency_ms"].to_numpy(np.float64)
    parts = dict(zip(uniques, np.split(values, ends), strict=True))
    used = invocations[invocations["used"].fillna(False).astype(bool)]
    wanted = {(tool, cell) for tool, cell, _ in parts}
    for tool, cell, number in zip(used["tool"], used["cell"], used["invocation"], strict=True):
        if (tool, cell) in wanted:
            empty = np.empty(0)
            found.setdefault((tool, cell), []).append(parts.get((tool, cell, number), empty))
    return found
