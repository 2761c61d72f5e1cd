"""Samples on disk, checked again: complete, readable and right."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from modelstress.config.errors import ModelstressError
from modelstress.config.project import Project
from modelstress.measure.invocation import read_oracle
from modelstress.measure.state import read_record
from modelstress.measure.verify import outcome_counts
from modelstress.samples.schema import SCHEMA


@dataclass(frozen=True)
class Check:
    """What was found in one invocation.

    Attributes:
        folder: of the invocation.
        outcomes: of the measured executions.
        problems: sentences; empty when all is well.
    """

    folder: str
    outcomes: dict[str, int]
    problems: list[str]

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


def recheck(project: Project, folder: Path) -> list[Check]:
    """Check every invocation below a folder, in order of their paths."""
    return [_check(project, found) for found in _invocations(folder)]


def _invocations(folder: Path) -> Iterator[Path]:
    for file in sorted(folder.rglob("cell.json")):
        # Hidden folders were replaced; ``i00.aborted-0`` is what an interrupted run left.
        parts = file.relative_to(folder).parts
        if not any(part.startswith(".") or ".aborted-" in part for part in parts):
            yield file.parent


def _check(project: Project, folder: Path) -> Check:
    record = read_record(folder)
    if not record:
        return Check(str(folder), {}, ["cell.json is damaged"])
    try:
        table = pq.read_table(folder / "samples.parquet")
    except (OSError, pa.ArrowInvalid) as error:
        return Check(str(folder), {}, [f"samples.parquet cannot be read: {error}"])
    if table.schema.remove_metadata().names != SCHEMA.names:
        return Check(str(folder), {}, ["samples.parquet has other columns than SCHEMA"])
    if record.get("samples") == "histogram":
        return _check_histograms(project, folder, record)
    counts = outcome_counts(table)
    problems = []
    recorded = record.get("outcomes", {}).get("measure", {})
    if {k: v for k, v in recorded.items() if v} != {k: v for k, v in counts.items() if v}:
        problems.append(f"outcomes are {counts}, cell.json says {recorded}")
    problems += _against_oracle(project, record, table)
    return Check(str(folder), {k: v for k, v in counts.items() if v}, problems)


def _check_histograms(project: Project, folder: Path, record: dict[str, Any]) -> Check:
    """The same for samples that are histograms: counts, and every line against the oracle."""
    from modelstress.measure.histograms import Histograms, read_parquet, verified

    try:
        lines = read_parquet(folder)
    except (OSError, pa.ArrowInvalid, KeyError) as error:
        return Check(str(folder), {}, [f"histograms.parquet cannot be read: {error}"])
    counts = Histograms(lines, [], 0).outcomes("measure")
    problems = []
    if record.get("outcomes", {}).get("measure", {}) != counts:
        problems.append(f"outcomes are {counts}, cell.json says {record.get('outcomes')}")
    names = sorted({str(line["operation"]) for line in lines if line["operation"]})
    try:
        oracle = read_oracle(project.oracle_file(str(record["levels"]["model"])), names)
    except (ModelstressError, KeyError) as error:
        return Check(str(folder), counts, [*problems, f"not verified: {error}"])
    again, unverified = verified(lines, oracle)
    problems += [f"{name}: the oracle has no result to compare with" for name in unverified]
    wrong = sum(a["executions"] for a, b in zip(again, lines, strict=True) if a != b)
    if wrong:
        problems.append(f"{wrong} executions called ok differ from the oracle")
    return Check(str(folder), counts, problems)


def _against_oracle(project: Project, record: dict[str, Any], table: pa.Table) -> list[str]:
    """Executions called ``ok`` or ``incorrect`` that the oracle sees otherwise."""
    model = str(record.get("levels", {}).get("model"))
    names = table["operation"].cast(pa.string()).to_numpy(zero_copy_only=False)
    outcomes = table["outcome"].cast(pa.string()).to_numpy(zero_copy_only=False)
    try:
        oracle = read_oracle(project.oracle_file(model), sorted(set(names)))
    except ModelstressError as error:
        return [f"not verified: {error}"]
    problems = []
    for name in sorted(set(names)):
        mine = names == name
        if name not in oracle:
            problems.append(f"{name}: the oracle has no result to compare with")
            continue
        same = (table["result_count"].to_numpy() == oracle[name].count) & (
            table["result_digest"].to_numpy() == np.uint64(oracle[name].digest)
        )
        wrong = int((mine & (outcomes == "ok") & ~same).sum())
        right = int((mine & (outcomes == "incorrect") & same).sum())
        if wrong:
            problems.append(f"{name}: {wrong} executions called ok differ from the oracle")
        if right:
            problems.append(f"{name}: {right} executions called incorrect agree with the oracle")
    return problems
