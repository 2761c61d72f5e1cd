"""What lies in `data/raw`: invocations in whatever state they are."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from modelstress.config.errors import ConfigError, MeasureError
from modelstress.samples.mssf import read_mssf, samples_table
from modelstress.samples.schema import SCHEMA
from modelstress.stats import Caveat

FOLDER = re.compile(r"i(?P<number>\d+)(?P<rest>.*)")
STATES = ("complete", "partial", "aborted", "damaged")

NEEDED = (
    "client", "thread", "sequence", "operation", "intended_start_ns", "start_ns",
    "duration_ns", "verify_ns", "outcome", "phase",
)  # fmt: skip


@dataclass(frozen=True)
class Invocation:
    """One folder below a cell: one fresh start, finished or not.

    `state` is one of STATES; `record` is the content of `cell.json`, empty where there is none;
    `samples` has the columns NEEDED, no rows where nothing can be read.
    """

    folder: Path
    tool: str
    cell: str
    number: int
    state: str
    record: Mapping[str, Any]
    samples: pd.DataFrame
    problems: tuple[Caveat, ...]

    @property
    def levels(self) -> dict[str, Any]:
        """Factor to level, as recorded."""
        return dict(self.record.get("levels", {}))


def profile_folder(data_dir: Path, study: str, profile: str) -> Path:
    """Folder of the raw samples of a study's profile."""
    return data_dir / "raw" / study / profile


def invocations(data_dir: Path, study: str, profile: str) -> Iterator[Invocation]:
    """All invocations found, in the order of tool, cell and number.

    Raises:
        ConfigError: there is no folder of raw samples for this study and profile.
    """
    root = profile_folder(data_dir, study, profile)
    if not root.is_dir():
        raise ConfigError(
            f"{root}: no samples of study {study!r}, profile {profile!r}; measure some cells first"
        )
    for cell in sorted(path for path in root.glob("*/*") if path.is_dir()):
        if cell.name.startswith("."):
            continue
        for folder in sorted(path for path in cell.iterdir() if path.is_dir()):
            match = FOLDER.fullmatch(folder.name)
            if match:
                yield read(folder, int(match["number"]), finished=not match["rest"])


def read(folder: Path, number: int, finished: bool = True) -> Invocation:
    """Read one invocation; what is wrong with it becomes its state and problems."""
    problems: list[Caveat] = []
    record = _record(folder / "cell.json", problems)
    samples = _samples(folder, problems)
    codes = {problem.code for problem in problems}
    if "damaged" in codes:
        state = "damaged"
    elif record.get("state") == "aborted" or ".aborted-" in folder.name:
        state = "aborted"
        why = record.get("reason") or "stopped before its end"
        problems.append(Caveat("aborted", f"{folder.name}: {why}"))
    elif not finished or codes or record.get("state", "complete") != "complete":
        state = "partial"
        problems.append(Caveat("partial", f"{folder.name}: not everything was written"))
    else:
        state = "complete"
    tool, cell = folder.parent.parent.name, folder.parent.name
    return Invocation(folder, tool, cell, number, state, record, samples, tuple(problems))


def _record(path: Path, problems: list[Caveat]) -> dict[str, Any]:
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        problems.append(Caveat("no-record", f"{path.parent.name}: cell.json is missing"))
        return {}
    except (OSError, ValueError) as error:
        problems.append(Caveat("damaged", f"{path.parent.name}: cell.json is damaged ({error})"))
        return {}
    if not isinstance(record, dict):
        problems.append(Caveat("damaged", f"{path.parent.name}: cell.json is not an object"))
        return {}
    return record


def _samples(folder: Path, problems: list[Caveat]) -> pd.DataFrame:
    """The samples, or what the clients of an unfinished invocation had recorded."""
    path = folder / "samples.parquet"
    try:
        if path.is_file():
            return _frame(pq.read_table(path, columns=list(NEEDED)))
        problems.append(Caveat("no-samples", f"{folder.name}: samples.parquet is missing"))
        parts = [samples_table(read_mssf(file)) for file in sorted(folder.glob("client-*.mssf"))]
        if parts:
            return _frame(pa.concat_tables(parts, promote_options="none").select(list(NEEDED)))
    except (OSError, pa.ArrowException, MeasureError) as error:
        sentence = str(error).splitlines()[0] if str(error) else type(error).__name__
        message = f"{folder.name}: its samples are damaged ({sentence})"
        problems.append(Caveat("damaged", message))
    return _frame(SCHEMA.empty_table().select(list(NEEDED)))


def _frame(table: pa.Table) -> pd.DataFrame:
    """Samples as plain columns, in the order of their starts."""
    frame: pd.DataFrame = table.to_pandas()
    for name in ("operation", "outcome", "phase"):
        frame[name] = frame[name].astype(str)
    order = np.lexsort((frame["sequence"], frame["start_ns"]))
    return frame.iloc[order].reset_index(drop=True)
