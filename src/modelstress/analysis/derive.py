"""From raw samples to one row per cell and per invocation."""

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from modelstress import stats
from modelstress.analysis import columns, raw, record
from modelstress.analysis.comparisons import compare, shapes
from modelstress.analysis.derived import Derived
from modelstress.analysis.framed import framed
from modelstress.analysis.planned import PlannedCell, study_beside
from modelstress.config.errors import ConfigError
from modelstress.config.study import Study
from modelstress.samples.schema import OUTCOMES
from modelstress.stats import Caveat, censoring
from modelstress.stats.results import Values

NS_PER_MS = 1e6
WITH_FACTORS = ("cells", "shapes", "comparisons", "groups")
"""Tables with a column for every factor."""


@dataclass(frozen=True)
class _Cell:
    """What one cell contributes to the tables; `facts` are (field, value) of its provenance."""

    cell: dict[str, Any]
    invocations: list[dict[str, Any]]
    outliers: list[dict[str, Any]]
    messages: list[dict[str, Any]]
    facts: list[tuple[str, str]]
    latencies: list[Values]


def derive(
    data_dir: Path,
    study: str,
    profile: str,
    planned: Sequence[PlannedCell] | None = None,
    confidence: float = 0.99,
    asked: Study | None = None,
) -> Derived:
    """Read all samples of a study's profile, summarise and compare them; writes nothing.

    With `planned`, cells without samples are listed as missing, cells measured with other
    contents are flagged `stale` and cells outside the plan `unplanned`. Nothing found is left
    out: what cannot be used in a statistic has its state and flags. Tasks and comparisons are
    those of the study `asked`, by default of the project or archive that `data_dir` lies in;
    without one, every query is a task of its own and nothing is compared.

    Raises:
        ConfigError: there are no samples, a factor has the name of a derived column, or the
            study's file is wrong.
    """
    asked = asked or study_beside(data_dir, study)
    plan = {(one.tool, one.cell): one for one in planned or ()}
    found: dict[tuple[str, str], _Cell] = {}
    names: dict[str, None] = {}
    for one in planned or ():
        names.update(dict.fromkeys(one.levels))
    everything = raw.invocations(data_dir, study, profile)
    for key, group in groupby(everything, key=lambda i: (i.tool, i.cell)):
        starts = list(group)
        for start in starts:
            names.update(dict.fromkeys(start.levels))
        found[key] = _cell(starts, plan.get(key), planned is not None, confidence)
    for key, one in plan.items():
        if key not in found:
            found[key] = _missing(one)
    ordered = [found[key] for key in (*plan, *sorted(found.keys() - plan.keys()))]
    for one in ordered:
        query = one.cell.get("query")
        one.cell["task"] = "" if query is None else asked.task(query) if asked else str(query)
    factors = tuple(name for name in names if name != "tool")
    _check_names(factors)
    rows = {
        "cells": [one.cell for one in ordered],
        "invocations": [row for one in ordered for row in one.invocations],
        "outliers": [row for one in ordered for row in one.outliers],
        "messages": [row for one in ordered for row in one.messages],
        "provenance": [
            {"key": key, "value": value, "invocations": count}
            for (key, value), count in sorted(Counter(f for o in ordered for f in o.facts).items())
        ],
    }
    summarised = {
        name: _table(name, rows.get(name, []), factors, study, profile) for name in columns.TABLES
    }
    latencies = {key: one.latencies for key, one in found.items() if one.latencies}
    derived = Derived(study, profile, factors, confidence, **summarised, latencies=latencies)
    return _compared(derived, asked)


def _compared(derived: Derived, asked: Study | None) -> Derived:
    """With the tables that are made of all cells together."""
    compared, tested = compare(derived, asked) if asked else ([], [])
    rows = {"shapes": list(shapes(derived)), "comparisons": compared, "groups": tested}
    matched = {
        name
        for one in (asked.comparisons.values() if asked else ())
        if asked and one.groups
        for name in one.matched(asked.factors)
    }
    where = derived.study, derived.profile
    frames = {
        name: _table(name, rows[name], _shown(name, derived.factors, matched), *where)
        for name in rows
    }
    return replace(derived, **frames)


def _shown(name: str, factors: Sequence[str], matched: Container[str]) -> Sequence[str]:
    return [f for f in factors if f in matched] if name == "groups" else factors


def _table(
    name: str, rows: list[dict[str, Any]], factors: Sequence[str], study: str, profile: str
) -> pd.DataFrame:
    """A table of `columns`; factors where its rows are about cells and their levels."""
    shown = factors if name in WITH_FACTORS else ()
    return framed(columns.TABLES[name][1], rows, shown, study, profile)


def _cell(
    starts: list[raw.Invocation], plan: PlannedCell | None, planned: bool, confidence: float
) -> _Cell:
    """Summarise one cell from all its invocations."""
    verdicts = [stats.steadiness(latencies_of(start)) for start in starts]
    chosen = _used(starts)
    rows = [
        {**_invocation(start, verdict), "used": use}
        for start, verdict, use in zip(starts, verdicts, chosen, strict=True)
    ]
    used = [start for start, use in zip(starts, chosen, strict=True) if use]
    counts = _counts(used)
    share = stats.timeout_share(counts["ok"], counts["timeout"])
    latencies = [latencies_of(start) for start in used]
    summary, said_of_interval, outliers = _latency_summary(latencies, share, confidence)
    caveats = [
        *_found_caveats(starts, chosen),
        *_plan_caveats(used or starts, plan, planned, len(used)),
        *(c for verdict, use in zip(verdicts, chosen, strict=True) if use for c in verdict.caveats),
        *censoring.caveats(share),
        *said_of_interval,
    ]
    rates = [row["throughput_per_s"] for row, use in zip(rows, chosen, strict=True) if use]
    rates = [rate for rate in rates if np.isfinite(rate)]
    sample = (used or starts)[0]
    shared = {"tool": sample.tool, "cell": sample.cell}
    cell = {
        **(plan.levels if plan else next((s.levels for s in starts if s.levels), {})),
        **shared,
        "tool_title": plan.title if plan else record.title(sample.record) or sample.tool,
        "executor": record.executor(sample.record),
        "topology": record.topology(sample.record),
        "client_processes": record.client_processes(sample.record),
        "state": _cell_state(starts, used, plan),
        **_flags(caveats),
        "invocations": len(used),
        "invocations_found": len(starts),
        "executions": sum(counts.values()),
        **counts,
        "timeout_share": share,
        **summary,
        "throughput_per_s": float(np.median(rates)) if rates else np.nan,
        "throughput_low_per_s": min(rates, default=np.nan),
        "throughput_high_per_s": max(rates, default=np.nan),
    }
    tails = [{**shared, "latency_ms": value} for value in outliers]
    said = [
        {**shared, "invocation": start.number, **row}
        for start in starts
        for row in record.messages(start.record)
    ]
    facts = [fact for start in starts for fact in record.facts(start.record)]
    known = latencies if share <= censoring.BLANK_ABOVE else []
    return _Cell(cell, rows, tails, said, facts, known)


def _setting(start: raw.Invocation) -> tuple[str, str]:
    return record.executor(start.record), record.topology(start.record)


def _used(starts: list[raw.Invocation]) -> list[bool]:
    """Which invocations go into statistics: the complete ones of one setting.

    Executors and topologies are never pooled; the setting of most invocations is taken.
    """
    complete = [start for start in starts if start.state == "complete"]
    if not complete:
        return [False] * len(starts)
    setting = Counter(_setting(start) for start in complete).most_common(1)[0][0]
    return [start.state == "complete" and _setting(start) == setting for start in starts]


def _found_caveats(starts: list[raw.Invocation], chosen: list[bool]) -> Iterator[Caveat]:
    """What was found wrong with the invocations themselves.

    An attempt that was measured again later is listed, but says nothing about the cell.
    """
    numbers = {start.number for start in starts if start.state == "complete"}
    for start, use in zip(starts, chosen, strict=True):
        if start.state != "complete" and start.number in numbers:
            continue
        yield from start.problems
        yield from record.validity(start.record)
        if start.state == "complete" and not use:
            where = "; ".join(_setting(start))
            text = f"{start.folder.name} was measured elsewhere ({where}) and is left out"
            yield Caveat("other-setting", text)


def _latency_summary(
    latencies: list[np.ndarray[Any, np.dtype[np.float64]]], share: float, confidence: float
) -> tuple[dict[str, Any], tuple[Caveat, ...], list[float]]:
    """The latency columns of a cell, what must be said about them, and the outliers."""
    pool = np.concatenate(latencies) if latencies else np.empty(0)
    if not pool.size or share > censoring.BLANK_ABOVE:
        return {}, (), []
    over = stats.median_over_invocations(latencies, confidence)
    within = stats.median(pool, confidence)
    centre = over if over.interval else within
    interval, drawn = centre.interval, stats.box(pool)
    summary: dict[str, Any] = {
        "median_ms": centre.value,
        "cod": stats.coefficient_of_dispersion(pool),
        "q1_ms": drawn.q1,
        "q3_ms": drawn.q3,
        "notch_low_ms": drawn.notch_low,
        "notch_high_ms": drawn.notch_high,
        "whisker_low_ms": drawn.whisker_low,
        "whisker_high_ms": drawn.whisker_high,
    }
    if interval:
        summary |= {
            "median_low_ms": interval.low,
            "median_high_ms": interval.high,
            "median_confidence": interval.confidence,
            "median_coverage": interval.coverage,
            "median_interval": "over invocations" if over.interval else "within one start",
        }
    said = over.caveats if over.interval else (*over.caveats, *within.caveats)
    return summary, said, [float(value) for value in drawn.outliers]


def _invocation(start: raw.Invocation, verdict: stats.Steadiness) -> dict[str, Any]:
    """The row of one invocation."""
    rate = _throughput(start.samples)
    cpu = record.cpu_shares(start.record)
    caveats = [*start.problems, *record.validity(start.record), *verdict.caveats]
    counts = _counts([start])
    return {
        "tool": start.tool,
        "cell": start.cell,
        "invocation": start.number,
        "state": start.state,
        **_flags(caveats),
        "executor": record.executor(start.record),
        "topology": record.topology(start.record),
        "client_processes": record.client_processes(start.record),
        "executions": sum(counts.values()),
        **counts,
        "median_ms": stats.median(latencies_of(start)).value,
        "window_s": rate.window_s,
        "throughput_per_s": rate.ok_per_s,
        "all_per_s": rate.all_per_s,
        "steady": verdict.steady,
        "settled_at": verdict.settled_at,
        "change": verdict.change,
        "trend_p": verdict.trend_p,
        "server_cpu": cpu.get("server", np.nan),
        "client_cpu": cpu.get("client", np.nan),
        "git_commit": record.commit(start.record),
    }


def latencies_of(start: raw.Invocation) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Latencies (ms) of the measured executions that were answered rightly, in start order."""
    frame = start.samples
    wanted = (frame["outcome"] == "ok") & (frame["phase"] == "measure")
    return frame.loc[wanted, "duration_ns"].to_numpy(np.float64) / NS_PER_MS


def _counts(starts: Iterable[raw.Invocation]) -> dict[str, int]:
    counts = dict.fromkeys(OUTCOMES, 0)
    for start in starts:
        measured = start.samples.loc[start.samples["phase"] == "measure", "outcome"]
        for outcome, count in measured.value_counts().items():
            counts[str(outcome)] += int(count)
    return counts


def _throughput(samples: pd.DataFrame) -> stats.Throughput:
    """Throughput of an invocation; every client has a clock of its own."""
    clients = []
    for _, frame in samples.groupby("client"):
        start = frame["intended_start_ns"].to_numpy(np.int64)
        origin = start.min()
        begin = (start - origin) / 1e9
        end = begin + frame["duration_ns"].to_numpy(np.float64) / 1e9
        ok = (frame["outcome"] == "ok").to_numpy(bool)
        measured = (frame["phase"] == "measure").to_numpy(bool)
        clients.append(stats.throughput(begin, end, ok, measured))
    return stats.total(clients)


def _plan_caveats(
    starts: list[raw.Invocation], plan: PlannedCell | None, planned: bool, used: int
) -> list[Caveat]:
    if not planned:
        return []
    if plan is None:
        return [Caveat("unplanned", "measured, but the study does not ask for this cell")]
    caveats = []
    for name, digest in plan.contents.items():
        recorded = {record.content(start.record, name) for start in starts} - {None}
        if recorded - {digest}:
            caveats.append(Caveat("stale", f"measured with another content of the {name}"))
    if used < plan.invocations:
        text = f"{used} of {plan.invocations} invocations are complete"
        caveats.append(Caveat("incomplete", text))
    return caveats


def _cell_state(starts: list[raw.Invocation], used: list[Any], plan: PlannedCell | None) -> str:
    if used:
        return "partial" if plan and len(used) < plan.invocations else "complete"
    states = {start.state for start in starts}
    return next(state for state in ("damaged", "aborted", "partial") if state in states)


def _missing(plan: PlannedCell) -> _Cell:
    caveat = Caveat("missing", "planned, not measured")
    counts = dict.fromkeys(("invocations", "invocations_found", "executions", *OUTCOMES), 0)
    row = {
        **plan.levels, "tool": plan.tool, "cell": plan.cell, "tool_title": plan.title,
        "executor": record.BLANK, "topology": record.BLANK, "state": "missing",
        **_flags([caveat]), **counts,
    }  # fmt: skip
    return _Cell(row, [], [], [], [], [])


def _flags(caveats: Iterable[Caveat]) -> dict[str, str]:
    """Codes and sentences, each once, in the order in which they came up."""
    caveats = list(caveats)
    return {
        "flags": ";".join(dict.fromkeys(caveat.code for caveat in caveats)),
        "remarks": " | ".join(dict.fromkeys(caveat.message for caveat in caveats)),
    }


def _check_names(factors: Iterable[str]) -> None:
    for name in factors:
        if name in columns.CELLS:
            raise ConfigError(
                f"the factor {name!r} has the name of a derived column; give it another name"
            )
