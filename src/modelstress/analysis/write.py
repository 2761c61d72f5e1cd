"""Derived tables on disk: Parquet, CSV, a data package and a README with columns and units."""

from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa

from modelstress.analysis import columns
from modelstress.analysis.anatomy import Anatomy
from modelstress.analysis.derive import Derived
from modelstress.samples.files import write_json, write_once, write_parquet

ALL = {**columns.TABLES, **columns.CAPTURED}


def derived_folder(data_dir: Path, study: str, profile: str) -> Path:
    """Folder of the derived tables of a study's profile."""
    return data_dir / "derived" / study / profile


def write(derived: Derived, data_dir: Path, captured: Anatomy | None = None) -> Path:
    """Write all derived tables, those of the captures too where there are any.

    Returns the folder. Tables of captures that are not there any more are removed.

    Raises:
        MeasureError: the folder cannot be written.
    """
    folder = derived_folder(data_dir, derived.study, derived.profile)
    frames = {name: getattr(derived, name) for name in columns.TABLES}
    if captured is not None:
        frames |= {"anatomy": captured.cells, "anatomy_messages": captured.messages}
    for name in columns.CAPTURED.keys() - frames.keys():
        for suffix in ("csv", "parquet"):
            (folder / f"{name}.{suffix}").unlink(missing_ok=True)
    for name, frame in frames.items():
        table = pa.Table.from_pandas(_uniform(frame, derived.factors), preserve_index=False)
        write_parquet(folder / f"{name}.parquet", table)
        _write_text(folder / f"{name}.csv", frame.to_csv(index=False, lineterminator="\n"))
    described = {name: _described(name, frames[name]) for name in frames}
    write_json(folder / "datapackage.json", _package(derived, described))
    _write_text(folder / "README.md", _readme(derived, described))
    return folder


def _uniform(frame: pd.DataFrame, factors: tuple[str, ...]) -> pd.DataFrame:
    """Parquet columns have one type: levels of a factor that mix types become text."""
    mixed = [
        name
        for name in factors
        if name in frame and len({type(level) for level in frame[name].dropna()}) > 1
    ]
    return frame.astype(dict.fromkeys(mixed, str)) if mixed else frame


def _described(name: str, frame: pd.DataFrame) -> dict[str, columns.Column]:
    """All columns of a table, in order, with their descriptions."""
    known = ALL[name][1]
    return {column: known.get(column) or columns.factor(column) for column in frame.columns}


def _package(derived: Derived, described: dict[str, dict[str, columns.Column]]) -> dict[str, Any]:
    """A Frictionless data package (Data Package v1) of the CSV files."""
    return {
        "profile": "tabular-data-package",
        "name": f"{derived.study}-{derived.profile}-derived".lower(),
        "title": f"Derived tables of {derived.study}, profile {derived.profile}",
        "resources": [
            {
                "profile": "tabular-data-resource",
                "name": name,
                "title": ALL[name][0],
                "path": f"{name}.csv",
                "format": "csv",
                "mediatype": "text/csv",
                "encoding": "utf-8",
                "schema": {
                    "missingValues": [""],
                    "fields": [_field(column, about) for column, about in known.items()],
                    **({"primaryKey": ["tool", "cell"]} if name in ("cells", "anatomy") else {}),
                },
            }
            for name, known in described.items()
        ],
    }


def _field(name: str, about: columns.Column) -> dict[str, Any]:
    field: dict[str, Any] = {"name": name, "type": about.type, "description": about.meaning}
    if about.type == "boolean":
        field |= {"trueValues": ["True"], "falseValues": ["False"]}
    return field | ({"unit": about.unit} if about.unit else {})


def _readme(derived: Derived, described: dict[str, dict[str, columns.Column]]) -> str:
    lines = [
        f"# Derived tables: {derived.study}, profile {derived.profile}",
        "",
        "Computed from `data/raw` by `modelstress.analysis`; they can be deleted and made again.",
        "Every table is there as CSV and as Parquet, described for programs in",
        "`datapackage.json`. Latencies are those of measured executions with outcome `ok`;",
        f"intervals have {derived.confidence:.0%} confidence. An empty field is a blank: nothing",
        "can be stated there, and `flags` and `remarks` say why.",
    ]
    for name, known in described.items():
        lines += ["", f"## {name}", "", f"{ALL[name][0].capitalize()}.", ""]
        lines += ["| column | unit | meaning |", "|---|---|---|"]
        for column, about in known.items():
            meaning = about.meaning.replace("|", "\\|")
            lines.append(f"| `{column}` | {about.unit} | {meaning} |")
    return "\n".join(lines) + "\n"


def _write_text(path: Path, text: str) -> None:
    def fill(temporary: Path) -> None:
        temporary.write_text(text, encoding="utf-8", newline="\n")

    write_once(path, fill)
