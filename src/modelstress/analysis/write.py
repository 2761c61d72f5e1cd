"""Derived tables on disk: Parquet, CSV, a data package and a README with columns and units."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from modelstress.analysis import columns, sheets
from modelstress.analysis.anatomy import Anatomy
from modelstress.analysis.asked_columns import ASKED
from modelstress.analysis.derived import Derived
from modelstress.samples import data_package
from modelstress.samples.files import write_json, write_once, write_parquet
from modelstress.samples.provenance import sha256_file

OPTIONAL = {**columns.CAPTURED, **ASKED}
"""Tables that a profile or a study need not have."""
ALL = {**columns.TABLES, **OPTIONAL}
LATENCIES = "latencies.parquet"
"""What the tables are computed from; an archive has it only as its samples."""
ABOUT = b"modelstress"
"""Key of the metadata of `cells.parquet` with what the tables themselves do not tell."""


def derived_folder(data_dir: Path, study: str, profile: str) -> Path:
    """Folder of the derived tables of a study's profile."""
    return data_dir / "derived" / study / profile


def write(derived: Derived, data_dir: Path, captured: Anatomy | None = None) -> Path:
    """Write all derived tables, those of captures and other measures where there are any.

    Returns the folder. Optional tables that are not there any more are removed.

    Raises:
        MeasureError: the folder cannot be written.
    """
    folder = derived_folder(data_dir, derived.study, derived.profile)
    frames = {name: getattr(derived, name) for name in columns.TABLES}
    if captured is not None:
        frames |= {"anatomy": captured.cells, "anatomy_messages": captured.messages}
    optional_tables = {name: getattr(derived, name) for name in ASKED}
    frames |= {name: frame for name, frame in optional_tables.items() if frame is not None}
    for name in OPTIONAL.keys() - frames.keys():
        for suffix in ("csv", "parquet"):
            old = folder / f"{name}.{suffix}"
            if old.is_file():  # where there is none, a folder that is read-only is written first
                old.unlink()
    about = _about(derived)
    for name, frame in frames.items():
        table = pa.Table.from_pandas(_uniform(frame, about["levels"]), preserve_index=False)
        if name == "cells":
            metadata = {**(table.schema.metadata or {}), ABOUT: json.dumps(about).encode()}
            table = table.replace_schema_metadata(metadata)
        write_parquet(folder / f"{name}.parquet", table)
        _write_text(folder / f"{name}.csv", sheets.csv(frame))
    write_parquet(folder / LATENCIES, _latencies(derived))
    described = {name: _described(name, frames[name]) for name in frames}
    write_json(folder / "datapackage.json", _hashed(folder, _package(derived, described)))
    _write_text(folder / "README.md", _readme(derived, described))
    return folder


def _hashed(folder: Path, package: dict[str, Any]) -> dict[str, Any]:
    """The package with size and hash of every file.

    What is made of the tables is made again when this file changes: Snakemake compares contents.
    """
    for resource in package["resources"]:
        file = folder / resource["path"]
        resource["bytes"] = file.stat().st_size
        resource["hash"] = f"sha256:{sha256_file(file)}"
    return package


def _about(derived: Derived) -> dict[str, Any]:
    """What reading back needs beside the tables: with the levels of factors that mix types."""
    factor_levels = {name: list(derived.cells[name].dropna().unique()) for name in derived.factors}
    mixed = {
        name: values for name, values in factor_levels.items() if len(set(map(type, values))) > 1
    }
    levels = {name: [_plain(level) for level in values] for name, values in mixed.items()}
    return {
        "factors": derived.factors, "confidence": derived.confidence, "levels": levels,
        "source": derived.source,
    }  # fmt: skip


def _plain(level: Any) -> Any:
    return level.item() if hasattr(level, "item") else level


def _uniform(frame: pd.DataFrame, levels: Mapping[str, Any]) -> pd.DataFrame:
    """Parquet columns have one type: levels of a factor that mix types become text."""
    mixed = [name for name in levels if name in frame]
    texts = {name: frame[name].map(str, na_action="ignore") for name in mixed}
    return frame.assign(**texts) if mixed else frame


def _latencies(derived: Derived) -> pa.Table:
    """One row per latency, cell after cell, in the order of starts."""
    rows = derived.invocations[derived.invocations["used"].fillna(False).astype(bool)]
    numbers = rows.groupby(["tool", "cell"], sort=False)["invocation"].agg(list)
    counts, starts_of = [], []
    parts = []
    for (tool, cell), starts in derived.latencies.items():
        for number, values in zip(numbers[tool, cell], starts, strict=True):
            starts_of.append((tool, cell, int(number)))
            counts.append(values.size)
            parts.append(values)
    names = zip(*starts_of, strict=True) if starts_of else ((), (), ())
    tools, cells, of = (list(column) for column in names)
    return pa.table({
        "tool": _repeated(tools, counts),
        "cell": _repeated(cells, counts),
        "invocation": np.repeat(np.array(of, np.int64), counts),
        "latency_ms": np.concatenate(parts) if parts else np.empty(0),
    })  # fmt: skip


def _repeated(words: list[str], counts: list[int]) -> pa.DictionaryArray:
    """Each word as often as counted, without as many texts."""
    coded = pa.array(words, pa.string()).dictionary_encode()
    codes = np.repeat(coded.indices.to_numpy(zero_copy_only=False), counts)
    return pa.DictionaryArray.from_arrays(pa.array(codes, pa.int32()), coded.dictionary)


def _described(name: str, frame: pd.DataFrame) -> dict[str, columns.Column]:
    """All columns of a table, in order, with their descriptions."""
    descriptions = ALL[name][1]
    return {column: descriptions.get(column) or columns.factor(column) for column in frame.columns}


def _package(derived: Derived, described: dict[str, dict[str, columns.Column]]) -> dict[str, Any]:
    """The data package of the tables."""
    keys = {"cells": ["tool", "cell"], "anatomy": ["tool", "cell"]}
    tables = []
    for name, about in described.items():
        schema: dict[str, Any] = {"fields": _fields(about)}
        if name in keys:
            schema["primaryKey"] = keys[name]
        tables.append(data_package.table(name, ALL[name][0], f"{name}.csv", schema))
    return {
        "$schema": data_package.PACKAGE_SCHEMA,
        "name": f"{derived.study}-{derived.profile}-derived".lower(),
        "title": f"Derived tables of {derived.study}, profile {derived.profile}",
        "resources": tables,
    }


def _fields(described: Mapping[str, columns.Column]) -> list[dict[str, Any]]:
    return [_field(name, about) for name, about in described.items()]


def _field(name: str, about: columns.Column) -> dict[str, Any]:
    field: dict[str, Any] = {
        "name": sheets.shielded(name),
        "type": about.type,
        "description": about.meaning,
    }
    if about.type == "boolean":
        field |= {"trueValues": ["True"], "falseValues": ["False"]}
    return field | ({"unit": about.unit} if about.unit else {})


def _readme(derived: Derived, described: dict[str, dict[str, columns.Column]]) -> str:
    lines = [
        f"# Derived tables: {derived.study}, profile {derived.profile}",
        "",
        "Computed from `data/raw` by `modelstress.analysis`; they can be deleted and made again.",
        "Every table is there as CSV and as Parquet, described for programs in `datapackage.json`;",
        "the latencies are there as Parquet only, and not in an archive, whose samples have them.",
        "Latencies are those of measured executions with outcome `ok`; intervals have",
        f"{derived.confidence:.0%} confidence. An empty field is a blank: nothing can be stated",
        "there, and `flags` and `remarks` say why.",
    ]
    titles = {name: title for name, (title, _) in ALL.items()}
    titles["latencies"] = "one row per latency that the tables are computed from"
    for name, descriptions in {**described, "latencies": columns.LATENCIES}.items():
        lines += ["", f"## {name}", "", f"{titles[name].capitalize()}.", ""]
        lines += ["| column | unit | meaning |", "|---|---|---|"]
        for column, about in descriptions.items():
            meaning = about.meaning.replace("|", "\\|")
            lines.append(f"| `{column}` | {about.unit} | {meaning} |")
    return "\n".join(lines) + "\n"


def _write_text(path: Path, text: str) -> None:
    def fill(temporary: Path) -> None:
        temporary.write_text(text, encoding="utf-8", newline="\n")

    write_once(path, fill)
