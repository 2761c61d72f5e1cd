"""One cell summarised from all its invocations."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from modelstress import stats
from modelstress.analysis import cell_record, faults, operations, raw
from modelstress.analysis.executions import OK
from modelstress.analysis.grown import room, stretched
from modelstress.analysis.latency import described, shortest
from modelstress.analysis.parted import parted
from modelstress.analysis.planned import PlannedCell
from modelstress.analysis.resources import resources
from modelstress.analysis.windowed import windowed
from modelstress.config.factors import THREADS
from modelstress.config.outcomes import FAILURES, OUTCOMES
from modelstress.config.windows import GrowthStretches, Windows
from modelstress.samples.schema import PHASES
from modelstress.stats import Caveat, censoring
from modelstress.stats.results import Values

MOST_SURVIVORS = 0.5
"""Share of right answers up to which a cell whose server died has no median."""


@dataclass(frozen=True)
class Summary:
    """What one cell contributes to the tables; `facts` are (field, value) of its provenance.

    `latencies` (ms) are those of each used invocation, none where the server died early.
    """

    cell: dict[str, Any]
    invocations: list[dict[str, Any]]
    outliers: list[dict[str, Any]]
    messages: list[dict[str, Any]]
    faults: list[dict[str, Any]]
    operations: list[dict[str, Any]]
    facts: list[tuple[str, str]]
    latencies: list[Values]
    windows: list[dict[str, Any]] = field(default_factory=list)
    growth: list[dict[str, Any]] = field(default_factory=list)
    parts: list[dict[str, Any]] = field(default_factory=list)
    rooms: dict[tuple[str, int], dict[str, float]] = field(default_factory=dict)


def summarised(
    starts: list[raw.Invocation],
    plan: PlannedCell | None,
    planned: bool,
    confidence: float,
    windows: Windows | None = None,
    growth: GrowthStretches | None = None,
) -> Summary:
    """Summarise one cell from all its invocations, with the stretches that a study asks for."""
    chosen = _used(starts)
    # of an invalid invocation no statistic is made, not even one of its own
    verdicts = [_steadiness(start) for start in starts]
    rows = [
        {**_invocation(start, verdict), "used": use}
        for start, verdict, use in zip(starts, verdicts, chosen, strict=True)
    ]
    used = [start for start, use in zip(starts, chosen, strict=True) if use]
    counts = _counts(used)
    share = stats.timeout_share(counts["ok"], counts["timeout"])
    latencies = [latencies_of(start) for start in used]
    survivors = () if share >= censoring.BLANK_FROM else _survivors(used, counts)
    if survivors:
        latencies = []
    timeout_ms = shortest(start.executions.timeout_ms for start in used)
    ranked = [] if survivors else [_ranked(start) for start in used]
    summary, said_of_interval, outliers = described(ranked, confidence, timeout_ms)
    caveats = [
        *_found_caveats(starts, chosen),
        *_plan_caveats(used or starts, plan, planned, len(used) + len(_invalid(starts))),
        *(c for verdict, use in zip(verdicts, chosen, strict=True) if use for c in verdict.caveats),
        *(caveat for start in used for caveat in start.executions.caveats),
        *_burst(used),
        *survivors,
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
        "tool_title": plan.title if plan else cell_record.title(sample.record) or sample.tool,
        "executor": cell_record.executor(sample.record),
        "topology": cell_record.topology(sample.record),
        "client_processes": cell_record.client_processes(sample.record),
        "state": _cell_state(starts, used, plan),
        **_flags(caveats),
        "invocations": len(used),
        "invocations_found": len(starts),
        "invocations_invalid": len(_invalid(starts)),
        "executions": sum(counts.values()),
        **counts,
        **_around(used),
        "least_per_thread": min(_known(map(_least_of_thread, used)), default=None),
        "timeout_share": share,
        "timeout_ms": timeout_ms,
        **summary,
        "throughput_per_s": float(np.median(rates)) if rates else np.nan,
        "throughput_low_per_s": min(rates, default=np.nan),
        "throughput_high_per_s": max(rates, default=np.nan),
    }
    tails = [{**shared, "latency_ms": value} for value in outliers]
    message_rows = [
        {**shared, "invocation": start.number, **row}
        for start in starts
        for row in cell_record.messages(start.record)
    ]
    facts = [fact for start in starts for fact in cell_record.facts(start.record)]
    disturbed = [
        {"executor": cell["executor"], "topology": cell["topology"], "flags": row["flags"], **lost}
        for start, row in zip(starts, rows, strict=True)
        if row["used"] and (lost := faults.row(start)) is not None
    ]
    place = {name: cell[name] for name in ("executor", "topology", "flags")}
    parts = operations.rows(used, confidence, not survivors)
    mixed = [{**shared, **place, **row} for row in parts]
    kept_latencies = latencies if any(map(len, latencies)) else []
    cut = [row for start in used for row in windowed(start, windows)] if windows else []
    grown = [row for start in used for row in stretched(start, growth)] if growth else []
    return Summary(
        cell, rows, tails, message_rows, disturbed, mixed, facts, kept_latencies, cut, grown,
        [row for start in used for row in parted(start)],
        {(start.cell, start.number): room(start) for start in used} if growth else {},
    )  # fmt: skip


def _setting(start: raw.Invocation) -> tuple[str, str]:
    return cell_record.executor(start.record), cell_record.topology(start.record)


def _used(starts: list[raw.Invocation]) -> list[bool]:
    """Which invocations go into statistics: the complete ones of one setting (see `raw`).

    Executors and topologies are never pooled; the setting of most invocations is taken.
    """
    complete = [start for start in starts if start.state == "complete"]
    if not complete:
        return [False] * len(starts)
    setting = Counter(_setting(start) for start in complete).most_common(1)[0][0]
    return [start.state == "complete" and _setting(start) == setting for start in starts]


def _found_caveats(starts: list[raw.Invocation], chosen: list[bool]) -> Iterator[Caveat]:
    """What was found wrong with the invocations themselves.

    An attempt that was measured again later is listed, but says nothing about the cell. Of an
    invalid one only that it is left out, and why.
    """
    numbers = {start.number for start in starts if start.state in ("complete", "invalid")}
    left_out = _invalid(starts)
    if left_out:
        count = len({start.number for start in starts})
        why = "; ".join(f"{start.folder.name}: {_why_invalid(start)}" for start in left_out)
        text = f"{len(left_out)} of {count} invocations are invalid and left out ({why})"
        yield Caveat("some-invalid" if any(chosen) else "invalid", text)
        if not any(chosen):
            yield from (
                reason for start in left_out for reason in cell_record.invalidity(start.record)
            )
    for start, use in zip(starts, chosen, strict=True):
        if start.state == "invalid" or (start.state != "complete" and start.number in numbers):
            continue
        yield from start.problems
        yield from cell_record.validity(start.record)
        if start.state == "complete" and not use:
            where = "; ".join(_setting(start))
            text = f"{start.folder.name} was measured elsewhere ({where}) and is left out"
            yield Caveat("other-setting", text)
    machines = {cell_record.machine(s.record) for s, use in zip(starts, chosen, strict=True) if use}
    if len(machines) > 1:
        named = "; ".join(sorted(machines))
        yield Caveat("several-hosts", f"measured on {len(machines)} machines ({named})")
    records = [start.record for start, use in zip(starts, chosen, strict=True) if use]
    if differing := cell_record.differing_settings(records):
        yield Caveat("several-settings", f"measured under several settings: {differing}")


def _invalid(starts: list[raw.Invocation]) -> list[raw.Invocation]:
    """The invocations that stayed invalid."""
    return [start for start in starts if start.state == "invalid"]


def _why_invalid(start: raw.Invocation) -> str:
    """The reasons that make an invocation invalid, in sentences."""
    return ", ".join(reason.message for reason in cell_record.invalidity(start.record))


def _least_of_thread(start: raw.Invocation) -> int | None:
    threads = start.levels.get(THREADS)
    return start.executions.least_of_thread(threads if isinstance(threads, int) else 1)


def _known(counts: Iterable[int | None]) -> list[int]:
    return [count for count in counts if count is not None]


def _burst(used: list[raw.Invocation]) -> tuple[Caveat, ...]:
    """Whether a thread had too few executions to be in a steady load.

    In an open loop it is the schedule that makes the load, and threads only wait for their turn.
    """
    least = min(_known(_least_of_thread(s) for s in used if s.levels.get("mode") != "open"),
                default=raw.LEAST_PER_THREAD)  # fmt: skip
    if least >= raw.LEAST_PER_THREAD:
        return ()
    text = (
        f"the least busy thread has {least} measured executions (fewer than "
        f"{raw.LEAST_PER_THREAD}): a burst, no lasting load"
    )
    return (Caveat("burst", text),)


def _around(starts: list[raw.Invocation]) -> dict[str, int]:
    """Answers outside the window, and all that were checked: columns of `columns.CELLS`."""
    by_phase = {phase: _counts(starts, phase) for phase in PHASES}
    row = {}
    for phase in ("warmup", "cooldown"):
        counts = by_phase[phase]
        row[f"incorrect_{phase}"] = counts["incorrect"]
        row[f"failed_{phase}"] = sum(counts[name] for name in FAILURES)
    return row | {
        "incorrect_any": sum(counts["incorrect"] for counts in by_phase.values()),
        "checked_any": sum(counts["ok"] + counts["incorrect"] for counts in by_phase.values()),
    }


def _survivors(used: list[raw.Invocation], counts: dict[str, int]) -> tuple[Caveat, ...]:
    """Whether a server died so early that only what it answered before has a latency."""
    executions = sum(counts.values())
    died = any(
        reason.code == "server-died" for s in used for reason in cell_record.validity(s.record)
    )
    if died and counts["ok"] <= MOST_SURVIVORS * executions:
        text = f"the server died, {counts['ok']} of {executions} executions were answered: "
        return (Caveat("median-of-survivors", text + "the median is not known"),)
    return ()


def _invocation(start: raw.Invocation, verdict: stats.Steadiness) -> dict[str, Any]:
    """The row of one invocation."""
    invalid = start.state in raw.LEFT_OUT
    rate = stats.Throughput(np.nan, np.nan, np.nan) if invalid else throughput_of(start)
    cpu = cell_record.cpu_shares(start.record)
    caveats = [
        *start.problems, *cell_record.validity(start.record), *verdict.caveats,
        *start.executions.caveats,
    ]  # fmt: skip
    counts = _counts([start])
    return {
        "tool": start.tool,
        "cell": start.cell,
        "invocation": start.number,
        "state": start.state,
        **_flags(caveats),
        "executor": cell_record.executor(start.record),
        "topology": cell_record.topology(start.record),
        "machine": cell_record.machine(start.record),
        "boot": cell_record.boot(start.record),
        "start": cell_record.start(start.record),
        "client_processes": cell_record.client_processes(start.record),
        "executions": sum(counts.values()),
        **counts,
        **_around([start]),
        "least_per_thread": _least_of_thread(start),
        "median_ms": median_of(start),
        "timeout_ms": np.nan if invalid else start.executions.timeout_ms,
        "window_s": rate.window_s,
        "throughput_per_s": rate.ok_per_s,
        "all_per_s": rate.all_per_s,
        "objects_per_s": rate.ok_per_s * _objects_each(start),
        "extrapolated_per_s": (
            start.executions.extrapolated_ok / rate.window_s if rate.window_s else np.nan
        ),
        "attempts": np.nan if invalid else start.executions.attempts,
        "jitter_ms2": np.nan if invalid else start.executions.variance_ms2,
        **resources(start.record, sum(counts.values())),
        "steady": verdict.steady,
        "settled_at": verdict.settled_at,
        "change": verdict.change,
        "trend_p": verdict.trend_p,
        "correlation_p": verdict.correlation_p,
        "server_cpu": cpu.get("server", np.nan),
        "client_cpu": cpu.get("client", np.nan),
        "git_commit": cell_record.commit(start.record),
    }


def latencies_of(start: raw.Invocation) -> Values:
    """Latencies (ms) of the measured executions that were answered rightly, in start order."""
    return start.executions.latencies_ms


def _ranked(start: raw.Invocation) -> Values:
    """The same with its timeouts, which rank as longest."""
    counts = _counts([start])
    return censoring.ranked(latencies_of(start), counts["timeout"], counts["ok"])


def median_of(start: raw.Invocation) -> float:
    """Median latency (ms) of an invocation; NaN of an invalid one, and among timeouts."""
    value = stats.median(np.empty(0) if start.state in raw.LEFT_OUT else _ranked(start)).value
    return value if np.isfinite(value) else np.nan


def _steadiness(start: raw.Invocation) -> stats.Steadiness:
    """Whether an invocation was in a steady state; nothing is said of an invalid one."""
    executions = start.executions
    course = np.empty(0) if start.state in raw.LEFT_OUT else executions.course_ms
    return stats.steadiness(course, noun=executions.course_noun)


def _counts(starts: Iterable[raw.Invocation], phase: str = "measure") -> dict[str, int]:
    """Executions by outcome; of a warm-up as ``cell.json`` counted them: most have no row.

    A start without any row, such as one whose samples are damaged, counts for nothing.
    """
    counts = dict.fromkeys(OUTCOMES, 0)
    for start in starts:
        rows = start.executions.counts(phase)
        if phase == "warmup" and any(rows.values()):
            rows = start.record.get("outcomes", {}).get(phase, rows)
        for outcome, count in rows.items():
            counts[outcome] += count
    return counts


def throughput_of(start: raw.Invocation) -> stats.Throughput:
    """Throughput of an invocation; every client has a clock of its own.

    With a fault all clients have one window: that of a client that was killed ended early, and
    its rate until then was not that of the load.
    """
    offsets = cell_record.clock_offsets(start.record)
    slices = cell_record.slices(start.record)
    return start.executions.throughput(offsets, bool(start.record.get("fault")), slices)


def _objects_each(start: raw.Invocation) -> float:
    """Objects of one right answer, in the mean; NaN without any."""
    parts, counted = start.executions.operations(), cell_record.objects(start.record)
    right = sum(int(part.counts[OK]) for part in parts.values())
    objects = sum(part.items for name, part in parts.items() if counted is None or name in counted)
    return objects / right if right else np.nan


def _plan_caveats(
    starts: list[raw.Invocation], plan: PlannedCell | None, planned: bool, there: int
) -> list[Caveat]:
    """What the plan says of a cell.

    Args:
        starts: the invocations in its statistics, or all where none is.
        plan: None for a cell that is not planned.
        planned: whether there is a plan.
        there: invocations that were measured to their end, with those that are invalid.
    """
    if not planned:
        return []
    if plan is None:
        return [Caveat("unplanned", "measured, but the study does not ask for this cell")]
    caveats = []
    for name, now in plan.contents.items():
        recorded = {cell_record.content(start.record, name) for start in starts} - {None}
        if recorded - {now}:
            caveats.append(Caveat("stale", f"measured with another content of the {name}"))
    if there < plan.invocations:
        text = f"{there} of {plan.invocations} invocations were measured to their end"
        caveats.append(Caveat("incomplete", text))
    return caveats


def _cell_state(starts: list[raw.Invocation], used: list[Any], plan: PlannedCell | None) -> str:
    if used:
        return "partial" if plan and len(used) < plan.invocations else "complete"
    states = {start.state for start in starts}
    order = ("invalid", "damaged", "aborted", "partial")
    candidates = (state for state in order if state in states)
    return next(candidates, "partial")  # attempts only: the run that would have gone on was stopped


def missing(plan: PlannedCell) -> Summary:
    """The row of a planned cell of which nothing was found."""
    caveat = Caveat("missing", "planned, not measured")
    names = ("invocations", "invocations_found", "invocations_invalid", "executions", *OUTCOMES)
    counts = dict.fromkeys(names, 0) | _around([])
    row = {
        **plan.levels, "tool": plan.tool, "cell": plan.cell, "tool_title": plan.title,
        "executor": cell_record.BLANK, "topology": cell_record.BLANK, "state": "missing",
        **_flags([caveat]), **counts,
    }  # fmt: skip
    return Summary(row, [], [], [], [], [], [], [])


def _flags(caveats: Iterable[Caveat]) -> dict[str, str]:
    """Codes and sentences, each once, in the order in which they came up."""
    caveats = list(caveats)
    return {
        "flags": ";".join(dict.fromkeys(caveat.code for caveat in caveats)),
        "remarks": " | ".join(dict.fromkeys(caveat.message for caveat in caveats)),
    }
