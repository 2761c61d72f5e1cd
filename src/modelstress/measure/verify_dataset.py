"""Samples on disk, checked again: complete, readable and right."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from modelstress.config.errors import MeasureError, ModelstressError
from modelstress.config.project import Project
from modelstress.config.study import DEFAULT_KIND
from modelstress.design.kinds import Checks, kind_named
from modelstress.measure.folders import is_attempt, work_folder
from modelstress.measure.oracle_check import outcome_counts
from modelstress.samples import seals
from modelstress.samples.formats import format_of, record_today
from modelstress.samples.record import read_record
from modelstress.samples.tables import impossible, read_samples

SAMPLES = "samples.parquet"
INVOCATION = re.compile(r"i\d+(\.invalid-\d+)?")


@dataclass(frozen=True)
class Check:
    """What was found in one invocation.

    Attributes:
        folder: of the invocation.
        outcomes: of the measured executions.
        problems: sentences; empty when all is well.
        sealed: its files have hashes (``samples/seals``); older ones have none.
        invalid: codes of the reasons that make it invalid.
        attempt: it was invalid, set aside and measured again.
    """

    folder: str
    outcomes: dict[str, int]
    problems: list[str]
    sealed: bool = False
    invalid: list[str] = field(default_factory=list)
    attempt: bool = False

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


def recheck(project: Project, folder: Path) -> list[Check]:
    """Check every invocation below a folder, in order of their paths."""
    return [_check(project, invocation_folder) for invocation_folder in _invocations(folder)]


def _invocations(folder: Path) -> Iterator[Path]:
    """Folders of invocations: with a record, or with samples whose record is gone."""
    files = (*folder.rglob(seals.RECORD), *folder.rglob(SAMPLES))
    for invocation_folder in sorted({file.parent for file in files}):
        # Hidden folders were replaced; ``i00.aborted-0`` is what an interrupted run left.
        parts = invocation_folder.relative_to(folder).parts
        if any(part.startswith(".") or ".aborted-" in part for part in parts):
            continue
        has_record = (invocation_folder / seals.RECORD).is_file()
        # while it is written, and after a kill, its work folder is there
        if has_record or (
            INVOCATION.fullmatch(invocation_folder.name)
            and not work_folder(invocation_folder).exists()
        ):
            yield invocation_folder


def _check(project: Project, folder: Path) -> Check:
    try:
        record = read_record(folder / seals.RECORD)
    except FileNotFoundError:
        lost = f"{seals.RECORD} is missing: nothing says what was measured; measure it again"
        return Check(str(folder), {}, [lost])
    except (OSError, MeasureError) as error:
        return Check(str(folder), {}, [str(error)])
    reasons = record.get("validity", {}).get("reasons", [])
    check = Check(
        str(folder),
        {},
        seals.broken(record, folder),
        seals.is_sealed(record),
        [reason["code"] for reason in reasons if reason.get("kind") == "invalid"],
        is_attempt(folder),
    )
    if check.problems:  # what is in a damaged file says nothing
        return check
    record = record_today(record)
    try:
        table = read_samples(folder / SAMPLES, format_of(record))
        histogram = record.get("samples") == "histogram"
        checked = _check_histograms if histogram else _check_rows
        counts, problems = checked(project, folder, record, table)
    except MeasureError as error:
        counts, problems = {}, [str(error)]
    return replace(check, outcomes=counts, problems=problems)


def _check_rows(
    project: Project, folder: Path, record: dict[str, Any], table: pa.Table
) -> tuple[dict[str, int], list[str]]:
    """Outcomes of the measured executions, and what is wrong with the samples."""
    if problems := impossible(table, record):
        return {}, problems
    counts = {k: v for k, v in outcome_counts(table).items() if v}
    recorded = record.get("outcomes", {}).get("measure", {})
    if {k: v for k, v in recorded.items() if v} != counts:
        problems.append(f"outcomes are {counts}, cell.json says {recorded}")
    problems += _against_oracle(project, record, table)
    return counts, problems


def _check_histograms(
    project: Project, folder: Path, record: dict[str, Any], _rows: pa.Table
) -> tuple[dict[str, int], list[str]]:
    """The same for samples that are histograms: counts, and every line against the oracle."""
    from modelstress.measure.histograms import Histograms, verified
    from modelstress.samples.histograms import durations, impossible, read_parquet

    lines = [
        {**line, "duration_ns": durations(line).total}
        for line in read_parquet(folder, format_of(record))
    ]
    if problems := impossible(lines, record):
        return {}, problems
    counts = Histograms(lines, [], 0).outcomes("measure")
    if record.get("outcomes", {}).get("measure", {}) != counts:
        problems.append(f"outcomes are {counts}, cell.json says {record.get('outcomes')}")
    names = sorted({str(line["operation"]) for line in lines if line["operation"]})
    try:
        checks = _checks(project, record, names)
    except ModelstressError as error:
        return counts, [*problems, f"not verified: {error}"]
    exemptions = {name for name in names if name in checks.verdicts or name in checks.unchecked}
    again, unverified = verified(lines, checks.expected)
    unverified = [name for name in unverified if name not in exemptions]
    problems += [f"{name}: the oracle has no result to compare with" for name in unverified]
    wrong = sum(a["executions"] for a, b in zip(again, lines, strict=True) if a != b)
    if wrong:
        problems.append(f"{wrong} executions called ok differ from the oracle")
    return counts, problems


def _checks(project: Project, record: Mapping[str, Any], operations: Sequence[str]) -> Checks:
    """How the executions of a recorded invocation are judged.

    Raises:
        ModelstressError: what they are compared with is not there.
    """
    kind = str(record.get("workload", DEFAULT_KIND))
    return kind_named(kind).expected(project, record, operations)


def _against_oracle(project: Project, record: dict[str, Any], table: pa.Table) -> list[str]:
    """Executions called ``ok`` or ``incorrect`` that the oracle sees otherwise."""
    names = table["operation"].cast(pa.string()).to_numpy(zero_copy_only=False)
    outcomes = table["outcome"].cast(pa.string()).to_numpy(zero_copy_only=False)
    try:
        checks = _checks(project, record, sorted(set(names)))
    except ModelstressError as error:
        return [f"not verified: {error}"]
    problems = []
    for name in sorted(set(names)):
        rows, oracle = names == name, checks.expected
        if name in checks.verdicts or name in checks.unchecked:
            continue
        if name not in oracle:
            problems.append(f"{name}: the oracle has no result to compare with")
            continue
        same = (table["result_count"].to_numpy() == oracle[name].count) & (
            table["result_digest"].to_numpy() == np.uint64(oracle[name].digest)
        )
        wrong = int((rows & (outcomes == "ok") & ~same).sum())
        right = int((rows & (outcomes == "incorrect") & same).sum())
        if wrong:
            problems.append(f"{name}: {wrong} executions called ok differ from the oracle")
        if right:
            problems.append(f"{name}: {right} executions called incorrect agree with the oracle")
    return problems
