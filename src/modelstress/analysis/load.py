"""Derived tables read back, so that a notebook does not begin with every sample."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from modelstress.analysis import columns
from modelstress.analysis.asked_columns import ASKED
from modelstress.analysis.contrasted import asks
from modelstress.analysis.derive import derive
from modelstress.analysis.derived import Derived
from modelstress.analysis.planned import digest, papers_found, planned_beside, study_beside
from modelstress.analysis.projection import projection_of
from modelstress.analysis.raw import profile_folder
from modelstress.analysis.to_frame import DTYPES
from modelstress.analysis.write import ABOUT, LATENCIES, derived_folder
from modelstress.config.outcomes import OUTCOMES
from modelstress.config.study import Study
from modelstress.samples.tables import read_table
from modelstress.stats.results import Values

OPTIONAL = {"invocations": columns.ONLY_ASKED, "windows": OUTCOMES}
"""Table to the columns that it need not have."""


def load(data_dir: Path, study: str, profile: str) -> Derived:
    """The derived tables of a study's profile, as `derive` made and `write` wrote them.

    Derived anew, without writing, where they or the latencies are not there (an archive has no
    latencies), were written by another version of this program, are older than a sample, were made
    for another plan or other comparisons, or use an invocation that is gone from the samples.

    Raises:
        ConfigError: there are neither derived tables nor samples, or the study's file is wrong.
    """
    derived = _loaded(data_dir, study, profile)
    papers = papers_found(data_dir, study)
    projection = projection_of(study_beside(data_dir, study), derived.factors, papers)
    return replace(derived, note=papers.setting.note if papers else "", projection=projection)


def _loaded(data_dir: Path, study: str, profile: str) -> Derived:
    planned, asked = planned_beside(data_dir, study, profile), study_beside(data_dir, study)
    folder = derived_folder(data_dir, study, profile)
    raw = profile_folder(data_dir, study, profile)
    samples = [*raw.glob("*/*/i*/samples.parquet"), *raw.glob("*/*/i*/cell.json")]
    if not _older(folder / "datapackage.json", samples):
        stored = _read(folder, study, profile, asked)
        alone = planned is None and asked is None  # nothing to hold the tables against
        same_plan = stored is not None and (alone or stored.source == digest(planned, asked))
        complete = stored is not None and (alone or _has_asked(stored, asked))
        if stored is not None and same_plan and complete and not _gone(stored, raw, samples):
            return stored
    return derive(data_dir, study, profile, planned, asked=asked)


def _has_asked(derived: Derived, asked: Study | None) -> bool:
    """Whether the tables that only some studies have are those that this one asks for."""
    effects = asked.effects if asked else None
    wanted = {
        "contrasts": asks(asked) if asked else False,
        "windows": bool(asked and asked.windows),
        "growth": bool(asked and asked.growth),
        **dict.fromkeys(("effects", "trees", "machines"), effects is not None),
        "weighted": bool(effects and effects.weights),
    }
    return all((getattr(derived, name) is not None) == asks_it for name, asks_it in wanted.items())


def behind(data_dir: Path, study: str, profile: str) -> bool:
    """Whether there are derived tables on the disk that are older than a sample.

    `load` derives anew then without writing: what is made of it and those tables differ.
    """
    package = derived_folder(data_dir, study, profile) / "datapackage.json"
    raw = profile_folder(data_dir, study, profile)
    return package.is_file() and _older(package, [*raw.glob("*/*/i*/cell.json")])


def _older(path: Path, sources: list[Path]) -> bool:
    if not path.is_file():
        return True
    written = path.stat().st_mtime_ns
    return any(source.stat().st_mtime_ns > written for source in sources)


def _gone(derived: Derived, raw: Path, samples: list[Path]) -> bool:
    """Whether there is a folder of samples, but not with every invocation that the tables use."""
    if not raw.is_dir():
        return False
    there = {path.parent for path in samples if path.name == "samples.parquet"}
    used = derived.invocations[derived.invocations["used"].fillna(False).astype(bool)]
    return any(
        raw / tool / cell / f"i{int(number):02d}" not in there
        for tool, cell, number in zip(used["tool"], used["cell"], used["invocation"], strict=True)
    )


def _read(folder: Path, study: str, profile: str, asked: Study | None) -> Derived | None:
    """The tables in a folder; None where one is missing, damaged or has other columns."""
    try:
        stored = read_table(folder / LATENCIES)
        tables = {name: read_table(folder / f"{name}.parquet") for name in columns.TABLES}
        more = [name for name in ASKED if (folder / f"{name}.parquet").is_file()]
        tables |= {name: read_table(folder / f"{name}.parquet") for name in more}
        about = json.loads((tables["cells"].schema.metadata or {})[ABOUT])
        frames = {name: _frame(name, table, about["levels"]) for name, table in tables.items()}
        factors, confidence, source = tuple(about["factors"]), about["confidence"], about["source"]
        latencies = _latencies(stored, frames["invocations"])
    except (OSError, ValueError, LookupError, pa.ArrowException):
        return None
    return Derived(
        study, profile, factors, confidence, **frames, latencies=latencies, source=source, note="",
        projection=projection_of(asked, factors), copies=None,
    )  # fmt: skip


def _frame(name: str, table: pa.Table, levels: dict[str, list[Any]]) -> pd.DataFrame:
    """A table with the types that it was written with.

    Raises:
        LookupError: a described column is missing.
    """
    frame: pd.DataFrame = table.to_pandas(integer_object_nulls=True)
    for column, about in {**columns.TABLES, **ASKED}[name][1].items():
        if column not in frame and column in OPTIONAL.get(name, ()):
            continue
        typed = frame[column].astype(DTYPES[about.type])
        frame[column] = typed.where(typed.notna(), np.nan) if about.type == "string" else typed
    for factor, factor_levels in levels.items():
        if factor in frame:  # levels of several types, which Parquet has as text
            back = {str(level): level for level in factor_levels}
            frame[factor] = pd.Series([back.get(text) for text in frame[factor]], dtype="object")
    return frame


def _latencies(table: pa.Table, invocations: pd.DataFrame) -> dict[tuple[str, str], list[Values]]:
    """Latencies by cell and used invocation; a cell of which none were written has none."""
    latencies: dict[tuple[str, str], list[Values]] = {}
    if not table.num_rows:
        return latencies
    tools, cells = (table[name].unify_dictionaries().combine_chunks() for name in ("tool", "cell"))
    number = table["invocation"].to_numpy()
    place = [words.indices.to_numpy(zero_copy_only=False) for words in (tools, cells)]
    changed = np.any([np.diff(column) != 0 for column in (*place, number)], axis=0)
    ends = np.flatnonzero(changed) + 1
    begins = [0, *ends.tolist()]
    parts = {
        (tools[at].as_py(), cells[at].as_py(), int(number[at])): values
        for at, values in zip(begins, np.split(table["latency_ms"].to_numpy(), ends), strict=True)
    }
    used = invocations[invocations["used"].fillna(False).astype(bool)]
    wanted = {(tool, cell) for tool, cell, _ in parts}
    for tool, cell, number in zip(used["tool"], used["cell"], used["invocation"], strict=True):
        if (tool, cell) in wanted:
            empty = np.empty(0)
            latencies.setdefault((tool, cell), []).append(parts.get((tool, cell, number), empty))
    return latencies
