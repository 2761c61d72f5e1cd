"""What lies in `data/raw`: invocations in whatever state they are."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from modelstress.config.errors import ConfigError, MeasureError
from modelstress.config.outcomes import OUTCOMES
from modelstress.samples import seals
from modelstress.samples.formats import format_of, record_today
from modelstress.samples.mssf import read_mssf, samples_table
from modelstress.samples.record import read_record
from modelstress.samples.schema import PHASES, SCHEMA
from modelstress.samples.tables import impossible, read_samples
from modelstress.stats import Caveat

FOLDER = re.compile(r"i(?P<number>\d+)(?P<rest>.*)")
NS_PER_MS = 1e6
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


@dataclass(frozen=True)
class Executions:
    """Executions as arrays of equal length, in the order of their starts.

    `outcome` holds places in `OUTCOMES`, `phase` in `PHASES`; `thread` is the number of a thread
    in its client; times are nanoseconds of the client's own clock. `think_ns` are pauses within
    an execution, which are no part of its duration; `items` are those of its answer.
    """

    client: NDArray[np.int64]
    thread: NDArray[np.int64]
    intended_start_ns: NDArray[np.int64]
    duration_ns: NDArray[np.int64]
    outcome: NDArray[np.int64]
    phase: NDArray[np.int64]
    items: NDArray[np.int64]
    attempts: NDArray[np.int64]
    think_ns: NDArray[np.int64]

    @cached_property
    def ends_ns(self) -> NDArray[np.int64]:
        """When each execution ended."""
        return self.intended_start_ns + self.duration_ns + self.think_ns

    @cached_property
    def measured(self) -> NDArray[np.bool_]:
        """Which executions belong to the window."""
        found: NDArray[np.bool_] = self.phase == PHASES.index("measure")
        return found

    @cached_property
    def latencies_ms(self) -> NDArray[np.float64]:
        """Latencies (ms) of the measured executions that were answered rightly."""
        wanted = self.measured & (self.outcome == OUTCOMES.index("ok"))
        latencies: NDArray[np.float64] = self.duration_ns[wanted] / NS_PER_MS
        return latencies

    def counts(self, phase: str = "measure") -> dict[str, int]:
        """Executions of a phase by outcome."""
        mine = self.outcome[self.phase == PHASES.index(phase)]
        found = np.bincount(mine, minlength=len(OUTCOMES))
        return dict(zip(OUTCOMES, found.tolist(), strict=True))

    def least_of_thread(self, threads: int) -> int | None:
        """Measured executions of the thread that has the fewest; None where nothing was measured.

        Args:
            threads: how many there were; one without any measured execution has none.
        """
        if not self.measured.any():
            return None
        who = self.client[self.measured] * (int(self.thread.max()) + 1)
        counts = np.unique(who + self.thread[self.measured], return_counts=True)[1]
        return 0 if len(counts) < threads else int(counts.min())


@dataclass(frozen=True)
class Invocation:
    """One folder below a cell: one fresh start, finished or not.

    `state` is one of STATES: only what is complete goes into statistics, and that is decided here
    and nowhere else. An invocation is invalid when everything was written, and the conditions of
    its measurement were not met (`validity` of `cell.json`). `record` is the content of
    `cell.json`, empty where there is none; `table` has the columns NEEDED in the order
    of starts, no rows where nothing can be read.
    """

    folder: Path
    tool: str
    cell: str
    number: int
    state: str
    record: Mapping[str, Any]
    table: pa.Table
    problems: tuple[Caveat, ...]

    @cached_property
    def samples(self) -> pd.DataFrame:
        """The samples as plain columns."""
        frame: pd.DataFrame = self.table.to_pandas()
        for name in ("operation", "outcome", "phase"):
            frame[name] = frame[name].astype(str)
        return frame

    @cached_property
    def executions(self) -> Executions:
        """The samples as arrays: a small part of the time that a frame takes."""
        coded = {name: _places(self.table[name], words) for name, words in _WORDS.items()}
        plain = [each.name for each in fields(Executions) if each.name not in coded]
        numbers = {name: self.table[name].to_numpy().astype(np.int64) for name in plain}
        return Executions(**numbers, **coded)

    @cached_property
    def operations(self) -> tuple[str, ...]:
        """Names of the operations that samples can be of."""
        return tuple(str(name) for name in _coded(self.table["operation"]).dictionary.to_pylist())

    @cached_property
    def operation_of(self) -> NDArray[np.int64]:
        """Place in `operations` of each execution, in the order of `executions`."""
        indices = _coded(self.table["operation"]).indices
        found: NDArray[np.int64] = indices.to_numpy(zero_copy_only=False).astype(np.int64)
        return found

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
    found: dict[tuple[str, str], int] = {}
    for record in data_dir.glob(f"raw/{study or '*'}/{profile or '*'}/*/*/i*/cell.json"):
        folder = record.parents[3]
        key = folder.parent.name, folder.name
        found[key] = max(found.get(key, 0), record.stat().st_mtime_ns)
    return sorted(found, key=lambda key: (-found[key], key))


def _others(data_dir: Path) -> str:
    there = ", ".join("/".join(each) for each in sorted(measured(data_dir))[:6])
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
    found = [path for path in root.glob("*/*") if path.is_dir() and not path.name.startswith(".")]
    return sorted(found)


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
            whole = not match["rest"] or ATTEMPT.fullmatch(match["rest"]) is not None
            yield read(folder, int(match["number"]), finished=whole)


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
    if finished and record and not problems:
        wrong = seals.broken(written, folder) or impossible(samples, record)
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
    return Invocation(folder, tool, cell, number, state, record, samples, tuple(problems))


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
        said = str(error) if path.name in str(error) else f"{path.name}: {error}"
        message = f"{folder.name}: its samples are damaged ({said})"
        problems.append(Caveat("damaged", message))
    return SCHEMA.empty_table().select(list(NEEDED))


def _ordered(table: pa.Table) -> pa.Table:
    """Samples in the order of their starts.

    Raises:
        ValueError: an outcome or phase is unknown.
    """
    table = table.unify_dictionaries()
    for name, known in _WORDS.items():
        _places(table[name], known)
    start = table["start_ns"].to_numpy()
    if (np.diff(start) > 0).all():
        return table
    return table.take(np.lexsort((table["sequence"].to_numpy(), start)))


def _coded(column: pa.ChunkedArray) -> pa.DictionaryArray:
    """A column of words as one array with its dictionary."""
    coded = column.combine_chunks()
    return coded if pa.types.is_dictionary(coded.type) else coded.dictionary_encode()


def _places(column: pa.ChunkedArray, known: tuple[str, ...]) -> NDArray[np.int64]:
    """Place of each word of a column in the known ones.

    Raises:
        ValueError: a word is unknown.
    """
    coded = _coded(column)
    words = coded.dictionary.to_pylist()
    places = np.array([known.index(word) if word in known else -1 for word in words], np.int64)
    indices = coded.indices.to_numpy(zero_copy_only=False)
    found: NDArray[np.int64] = places[indices]
    if (found < 0).any():
        word = words[int(indices[np.argmin(found)])]
        raise ValueError(f"{word!r} is none of {', '.join(known)}")
    return found
