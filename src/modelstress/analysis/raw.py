"""What lies in `data/raw`: invocations in whatever state they are."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from modelstress.analysis.binned import Binned, binned
from modelstress.analysis.executions import Executions, Measured
from modelstress.config.errors import ConfigError, MeasureError
from modelstress.config.outcomes import OUTCOMES
from modelstress.samples import histograms as histogram_files
from modelstress.samples import seals
from modelstress.samples.formats import format_of, record_today
from modelstress.samples.mssf import read_mssf, samples_table
from modelstress.samples.record import read_record
from modelstress.samples.schema import PHASES, SCHEMA
from modelstress.samples.tables import impossible, read_samples
from modelstress.stats import Caveat

FOLDER = re.compile(r"i(?P<number>\d+)(?P<rest>.*)")
STATES = ("complete", "invalid", "attempt", "partial", "aborted", "damaged")
LEFT_OUT = ("invalid", "attempt")
"""States of what was measured to its end and is in no number."""
ATTEMPT = re.compile(r"\.invalid-\d+")
"""What the folder of an invalid measurement that was measured again has behind its number."""
LEAST_PER_THREAD = 10
"""Measured executions of a thread below which its window is a burst (docs/measuring.md)."""

NEEDED = (
    "client", "thread", "sequence", "operation", "intended_start_ns", "start_ns",
    "duration_ns", "verify_ns", "outcome", "items", "phase", "attempts", "think_ns",
)  # fmt: skip
_WORDS = {"outcome": OUTCOMES, "phase": PHASES}
_PLAIN = [
    *((name, name) for name in ("client", "thread", "intended_start_ns", "duration_ns", "items")),
    ("tries", "attempts"), ("think_ns", "think_ns"),
]  # fmt: skip
"""Fields of `Executions` that are numbers, with their columns."""


@dataclass(frozen=True)
class Invocation:
    """One folder below a cell: one fresh start, finished or not.

    `state` is one of STATES: only what is complete goes into statistics, and that is decided here
    and nowhere else. An invocation is invalid when everything was written, and the conditions of
    its measurement were not met (`validity` of `cell.json`). `record` is the content of
    `cell.json`, empty where there is none; `table` has the columns NEEDED in the order
    of starts, no rows where nothing can be read or `histograms` were measured.
    """

    folder: Path
    tool: str
    cell: str
    number: int
    state: str
    record: Mapping[str, Any]
    table: pa.Table
    problems: tuple[Caveat, ...]
    histograms: Binned | None = None

    @cached_property
    def samples(self) -> pd.DataFrame:
        """The samples as plain columns."""
        frame: pd.DataFrame = self.table.to_pandas()
        for name in ("operation", "outcome", "phase"):
            frame[name] = frame[name].astype(str)
        return frame

    @property
    def executions(self) -> Measured:
        """What was measured: single executions, or histograms."""
        return self.rows if self.histograms is None else self.histograms

    @cached_property
    def rows(self) -> Executions:
        """The samples as arrays: a small part of the time that a frame takes."""
        words = {name: _places(self.table[name], vocabulary) for name, vocabulary in _WORDS.items()}
        numbers = {name: self.table[column].to_numpy().astype(np.int64) for name, column in _PLAIN}
        coded = _coded(self.table["operation"])
        return Executions(
            **numbers, **words,
            operation=coded.indices.to_numpy(zero_copy_only=False).astype(np.int64),
            names=tuple(map(str, coded.dictionary.to_pylist())),
        )  # fmt: skip

    @property
    def levels(self) -> dict[str, Any]:
        """Factor to level, as recorded."""
        return dict(self.record.get("levels", {}))


def profile_folder(data_dir: Path, study: str, profile: str) -> Path:
    """Folder of the raw samples of a study's profile."""
    return data_dir / "raw" / study / profile


def measured(data_dir: Path, study: str = "", profile: str = "") -> list[tuple[str, str]]:
    """Studies and profiles with samples, those first that were measured last.

    Only those of a study or profile that is given.
    """
    mtimes: dict[tuple[str, str], int] = {}
    for record in data_dir.glob(f"raw/{study or '*'}/{profile or '*'}/*/*/i*/cell.json"):
        folder = record.parents[3]
        key = folder.parent.name, folder.name
        mtimes[key] = max(mtimes.get(key, 0), record.stat().st_mtime_ns)
    return sorted(mtimes, key=lambda key: (-mtimes[key], key))


def _others(data_dir: Path) -> str:
    there = ", ".join("/".join(key) for key in sorted(measured(data_dir))[:6])
    return f" (there are samples of {there})" if there else ""


def cells(data_dir: Path, study: str, profile: str) -> list[Path]:
    """Folders of all cells found, in the order of tool and cell.

    Raises:
        ConfigError: there is no folder of raw samples for this study and profile.
    """
    root = profile_folder(data_dir, study, profile)
    if not root.is_dir():
        raise ConfigError(
            f"{root}: no samples of study {study!r}, profile {profile!r}; measure some cells first "
            f"with 'modelstress run --all --study {study} --profile {profile}'{_others(data_dir)}"
        )
    folders = [path for path in root.glob("*/*") if path.is_dir() and not path.name.startswith(".")]
    return sorted(folders)


def check_ended(root: Path, verb: str) -> None:
    """Refuse a profile's folder in which something is being measured.

    Args:
        root: see ``profile_folder``.
        verb: what is to be done with it, for the sentence.

    Raises:
        ConfigError: an invocation is not over.
    """
    if work := sorted(root.glob("*/*/i*.work")):
        raise ConfigError(
            f"{work[0]}: is being measured, or its run was killed; {verb} when 'modelstress run' "
            "has ended"
        )


def of_cell(cell: Path) -> Iterator[Invocation]:
    """All invocations in a cell's folder, in the order of their numbers."""
    for folder in sorted(path for path in cell.iterdir() if path.is_dir()):
        match = FOLDER.fullmatch(folder.name)
        if match:
            finished = not match["rest"] or ATTEMPT.fullmatch(match["rest"]) is not None
            yield read(folder, int(match["number"]), finished=finished)


def invocations(data_dir: Path, study: str, profile: str) -> Iterator[Invocation]:
    """All invocations found, in the order of tool, cell and number.

    Raises:
        ConfigError: there is no folder of raw samples for this study and profile.
    """
    for cell in cells(data_dir, study, profile):
        yield from of_cell(cell)


def read(folder: Path, number: int, finished: bool = True) -> Invocation:
    """Read one invocation; what is wrong with it becomes its state and problems."""
    problems: list[Caveat] = []
    written = _record(folder / "cell.json", problems)
    record = record_today(written)
    samples = _samples(folder, format_of(written), problems)
    histograms = None
    if finished and record and not problems:
        wrong = seals.broken(written, folder) or impossible(samples, record)
        if record.get("samples") == "histogram" and not wrong:
            histograms, wrong = _histograms(folder, record)
        problems += [Caveat("damaged", f"{folder.name}: {sentence}") for sentence in wrong]
        samples = samples if not wrong else SCHEMA.empty_table().select(list(NEEDED))
    codes = {problem.code for problem in problems}
    if "damaged" in codes:
        state = "damaged"
    elif record.get("state") == "aborted" or ".aborted-" in folder.name:
        state = "aborted"
        why = record.get("reason") or "stopped before its end"
        problems.append(Caveat("aborted", f"{folder.name}: {why}"))
    elif ".invalid-" in folder.name:
        state = "attempt"
        problems.append(Caveat("attempt", f"{folder.name}: was invalid, and measured again"))
    elif not finished or codes or record.get("state", "complete") != "complete":
        state = "partial"
        problems.append(Caveat("partial", f"{folder.name}: not everything was written"))
    else:
        state = "invalid" if invalid(record) else "complete"
    tool, cell = folder.parent.parent.name, folder.parent.name
    return Invocation(
        folder, tool, cell, number, state, record, samples, tuple(problems), histograms
    )


def invalid(record: Mapping[str, Any]) -> bool:
    """Whether an invocation was measured under conditions that make it invalid."""
    validity = record.get("validity")
    return isinstance(validity, Mapping) and validity.get("valid") is False


def _record(path: Path, problems: list[Caveat]) -> dict[str, Any]:
    try:
        return read_record(path)
    except FileNotFoundError:
        problems.append(Caveat("no-record", f"{path.parent.name}: cell.json is missing"))
    except MeasureError as error:
        problems.append(Caveat("damaged", f"{path.parent.name}: {error}"))
    return {}


def _samples(folder: Path, written: int, problems: list[Caveat]) -> pa.Table:
    """The samples, or what the clients of an unfinished invocation had recorded.

    Args:
        folder: of the invocation.
        written: format of its record.
        problems: what is wrong is added.
    """
    path = folder / "samples.parquet"
    try:
        if path.is_file():
            return _ordered(read_samples(path, written, NEEDED))
        problems.append(Caveat("no-samples", f"{folder.name}: samples.parquet is missing"))
        parts = [samples_table(read_mssf(file)) for file in sorted(folder.glob("client-*.mssf"))]
        if parts:
            return _ordered(pa.concat_tables(parts, promote_options="none").select(list(NEEDED)))
    except (ValueError, MeasureError) as error:
        cause = str(error) if path.name in str(error) else f"{path.name}: {error}"
        message = f"{folder.name}: its samples are damaged ({cause})"
        problems.append(Caveat("damaged", message))
    return SCHEMA.empty_table().select(list(NEEDED))


def _histograms(folder: Path, record: Mapping[str, Any]) -> tuple[Binned | None, list[str]]:
    """What was measured as histograms, or what is wrong with it."""
    try:
        wrong = histogram_files.impossible(_lines(folder, record), record)
        return (None, wrong) if wrong else (binned(_lines(folder, record)), [])
    except MeasureError as error:
        return None, [str(error)]


def _lines(folder: Path, record: Mapping[str, Any]) -> Iterator[histogram_files.Line]:
    return histogram_files.read_parquet(folder, format_of(record))


def _ordered(table: pa.Table) -> pa.Table:
    """Samples in the order of their starts.

    Raises:
        ValueError: an outcome or phase is unknown.
    """
    table = table.unify_dictionaries()
    for name, vocabulary in _WORDS.items():
        _places(table[name], vocabulary)
    start = table["start_ns"].to_numpy()
    if (np.diff(start) > 0).all():
        return table
    return table.take(np.lexsort((table["sequence"].to_numpy(), start)))


def _coded(column: pa.ChunkedArray) -> pa.DictionaryArray:
    """A column of words as one array with its dictionary."""
    coded = column.combine_chunks()
    return coded if pa.types.is_dictionary(coded.type) else coded.dictionary_encode()


def _places(column: pa.ChunkedArray, vocabulary: tuple[str, ...]) -> NDArray[np.int64]:
    """Place of each word of a column in the known ones.

    Raises:
        ValueError: a word is unknown.
    """
    coded = _coded(column)
    words = coded.dictionary.to_pylist()
    places = np.array(
        [vocabulary.index(word) if word in vocabulary else -1 for word in words], np.int64
    )
    indices = coded.indices.to_numpy(zero_copy_only=False)
    row_places: NDArray[np.int64] = places[indices]
    if (row_places < 0).any():
        word = words[int(indices[np.argmin(row_places)])]
        raise ValueError(f"{word!r} is none of {', '.join(vocabulary)}")
    return row_places
