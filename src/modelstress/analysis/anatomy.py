"""What single executions exchanged with the server, from the captures of a profile's cells."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from modelstress.analysis import columns
from modelstress.analysis.derived import Derived
from modelstress.analysis.projection import Projection
from modelstress.analysis.raw import profile_folder
from modelstress.config.errors import ConfigError, MeasureError, first_line
from modelstress.config.project import Project
from modelstress.measure.traffic.tables import ANATOMY
from modelstress.measure.traffic.tables import MESSAGES as SCHEMA_OF_MESSAGES
from modelstress.samples.tables import read_parquet, read_table

NS_PER_MS = 1e6
SUMMARY, MESSAGES = "anatomy.parquet", "messages.parquet"
CAPTURE = "capture.pcap"
TIMES = ("start_ns", "begin_ns", "end_ns")
"""Columns of a capture that may be below zero, by whatever their clocks begin with."""


@dataclass(frozen=True)
class Anatomy:
    """Captured executions of a study's profile; columns as in `columns.CAPTURED`.

    `cells` has a row per cell: medians and ranges over its measured executions with outcome `ok`;
    `captured` is their number. `messages` are those of one execution of each cell, the one that
    took the median time. `captures` maps (tool, cell) to the file with the packets of its first
    invocation, where packets were counted. `projection` is that of the derived tables.
    """

    study: str
    profile: str
    factors: tuple[str, ...]
    cells: pd.DataFrame
    messages: pd.DataFrame
    captures: Mapping[tuple[str, str], Path]
    projection: Projection


def anatomy(data_dir: Path, derived: Derived) -> Anatomy:
    """Read what was captured of the cells of `derived`; other cells have blanks.

    Raises:
        ConfigError: no cell was captured, or a file of a capture cannot be read.
    """
    root = profile_folder(data_dir, derived.study, derived.profile)
    if not captured(data_dir, derived.study, derived.profile):
        raise ConfigError(
            f"{root}: no execution was captured; measure the cells of a profile whose settings "
            "have 'capture', such as 'anatomy'"
        )
    summaries: list[dict[str, Any]] = []
    messages: list[pd.DataFrame] = []
    captures: dict[tuple[str, str], Path] = {}
    for cell in derived.cells.to_dict("records"):
        key = {"tool": str(cell["tool"]), "cell": str(cell["cell"])}
        folders = list(_folders(root, derived.invocations, cell))
        executions = _executions(folders)
        summaries.append(_summary(executions))
        if executions.empty:
            continue
        messages.append(_messages(_typical(executions)).assign(**key))
        capture_files = [folder / CAPTURE for folder in folders if (folder / CAPTURE).is_file()]
        if capture_files:
            captures[key["tool"], key["cell"]] = capture_files[0]
    described = list(columns.ANATOMY_MESSAGES)
    names = list(columns.ANATOMY)
    at = names.index("cell") + 1
    names[at:at] = derived.factors
    cells = pd.concat([derived.cells.reset_index(drop=True), pd.DataFrame(summaries)], axis=1)
    message_rows = (
        pd.concat(messages, ignore_index=True) if messages else pd.DataFrame(columns=described)
    )
    message_rows["study"], message_rows["profile"] = derived.study, derived.profile
    return Anatomy(
        derived.study, derived.profile, derived.factors, cells[names],
        message_rows[described], captures, derived.projection,
    )  # fmt: skip


def captured(data_dir: Path, study: str, profile: str) -> bool:
    """Whether any execution of a study's profile was captured."""
    return any(profile_folder(data_dir, study, profile).glob(f"*/*/i*/{SUMMARY}"))


def captured_beside(data_dir: Path, study: str, profile: str) -> pd.DataFrame | None:
    """The table `anatomy` of the profile that is captured beside another one.

    None where no profile is named, outside a project, and where nothing was derived yet.
    """
    try:
        beside = Project.find(data_dir).anatomy_of(profile, study)
    except ConfigError:
        return None
    if beside is None:
        return None
    path = data_dir / "derived" / study / beside.profile / "anatomy.parquet"
    return _read(path) if path.is_file() else None


def counted(
    data_dir: Path, derived: Derived, cell: Mapping[str, Any], name: str
) -> list[NDArray[np.float64]]:
    """A count of every captured execution of a cell (`columns.MEASURES`), by invocation.

    Invocations in which it is not known, as bytes on the wire with a proxy, are left out.

    Raises:
        ConfigError: a file of a capture cannot be read.
    """
    root = profile_folder(data_dir, derived.study, derived.profile)
    executions = _executions(list(_folders(root, derived.invocations, cell)))
    if executions.empty:
        return []
    starts = (
        rows[name].to_numpy(np.float64, na_value=np.nan)
        for _, rows in executions.groupby("invocation")
    )
    finite_values = (values[np.isfinite(values)] for values in starts)
    return [values for values in finite_values if values.size]


def _folders(root: Path, starts: pd.DataFrame, cell: Mapping[Any, Any]) -> Iterator[Path]:
    """The invocations of a cell that are in its statistics."""
    wanted = starts["used"].fillna(False).astype(bool)
    for name in ("tool", "cell"):
        wanted &= starts[name] == cell[name]
    for number in starts.loc[wanted, "invocation"]:
        folder = root / str(cell["tool"]) / str(cell["cell"]) / f"i{int(number):02d}"
        if (folder / SUMMARY).is_file():
            yield folder


def _executions(folders: list[Path]) -> pd.DataFrame:
    """Measured executions with outcome `ok`, all counted in the same way."""
    parts = [
        _read(folder / SUMMARY, ANATOMY).assign(
            invocation=int(folder.name.removeprefix("i")), folder=str(folder)
        )
        for folder in folders
    ]
    if not parts:
        return pd.DataFrame()
    rows = pd.concat(parts, ignore_index=True)
    frame: pd.DataFrame = rows.loc[(rows["phase"] == "measure") & (rows["outcome"] == "ok")]
    if frame.empty:
        return pd.DataFrame()
    # packets and a proxy's bytes are never pooled
    frame = frame.loc[frame["method"] == frame["method"].mode()[0]].reset_index(drop=True)
    for name in ("packets", "bytes", "payload"):
        frame[name] = frame[f"{name}_sent"] + frame[f"{name}_received"]
    frame["duration_ms"] = frame["duration_ns"] / NS_PER_MS
    frame["longest_gap_ms"] = frame["longest_gap_ns"] / NS_PER_MS
    return frame


def _summary(executions: pd.DataFrame) -> dict[str, Any]:
    """Median and range of every measure; blank where the method cannot know it."""
    if executions.empty:
        blank = {
            f"{name}{end}": np.nan for name in columns.MEASURES for end in ("", "_low", "_high")
        }
        return {"method": "", "captured": 0, **blank}
    summary = {"method": executions["method"].iloc[0], "captured": len(executions)}
    for name in columns.MEASURES:
        values = executions[name].to_numpy(np.float64, na_value=np.nan)
        finite_values = values[np.isfinite(values)]
        for end, of in (("", np.median), ("_low", np.min), ("_high", np.max)):
            summary[f"{name}{end}"] = float(of(finite_values)) if finite_values.size else np.nan
    return summary


def _typical(executions: pd.DataFrame) -> "pd.Series[Any]":
    """The execution that took the median time (the lower one of an even number)."""
    ordered = executions.sort_values("duration_ns", kind="stable")
    return ordered.iloc[(len(ordered) - 1) // 2]


def _messages(execution: "pd.Series[Any]") -> pd.DataFrame:
    """The messages of one execution, in the order in which they began."""
    rows = _read(Path(execution["folder"]) / MESSAGES, SCHEMA_OF_MESSAGES)
    wanted = rows["sequence"] == execution["sequence"]
    frame: pd.DataFrame = rows.loc[wanted].sort_values(
        ["begin_ns", "connection", "number"], kind="stable"
    )
    for name in ("begin", "end"):
        frame[f"{name}_ms"] = frame[f"{name}_ns"] / NS_PER_MS
    return frame.assign(
        invocation=execution["invocation"],
        method=execution["method"],
        duration_ms=execution["duration_ms"],
    )


def _counts(path: Path, schema: pa.Schema) -> pa.Table:
    """A file of a capture.

    Raises:
        MeasureError: it is damaged, or counts less than nothing.
    """
    table = read_parquet(path, schema)
    for field in schema:
        counts = pa.types.is_integer(field.type) and field.name not in TIMES
        if counts and (pc.min(table[field.name]).as_py() or 0) < 0:
            raise MeasureError(f"{path.name} is damaged: {field.name} below 0")
    return table


def _read(path: Path, schema: pa.Schema | None = None) -> pd.DataFrame:
    """A file of a capture, with whole numbers kept whole where some are missing."""
    try:
        table = read_table(path) if schema is None else _counts(path, schema)
    except (OSError, ValueError, pa.ArrowException, MeasureError) as error:
        sentence = first_line(error)
        raise ConfigError(
            f"{path}: the capture cannot be read ({sentence}); measure the cell again with "
            "'modelstress run CELL --rerun all'"
        ) from error
    integers = {
        pa.int16(): pd.Int16Dtype(),
        pa.int32(): pd.Int32Dtype(),
        pa.int64(): pd.Int64Dtype(),
    }
    frame: pd.DataFrame = table.to_pandas(types_mapper=integers.get)
    for name in frame.select_dtypes("category"):
        frame[name] = frame[name].astype(object)
    return frame
