"""What operations cost while a store grows, and how these costs grow with it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np

from modelstress.analysis import cell_record, raw
from modelstress.analysis.executions import NS_PER_MS, OK, Executions, shifts
from modelstress.analysis.resources import disk_mib
from modelstress.config.windows import GrowthStretches
from modelstress.stats.growth import Growth, growth

LEAST_WHOLE = 0.5
"""Executions of the last stretch, as a share of the others', below which fits leave it out."""
_KEYS = ("tool", "cell", "invocation", "operation")


def stretched(start: raw.Invocation, asked: GrowthStretches) -> Iterator[dict[str, Any]]:
    """Rows of the table `growth`: an operation in a stretch, by the objects there were then.

    An execution is in the stretch in which it began. Objects of the warm-up are counted, too. Of
    histograms, which have no order of executions, there are none.
    """
    executions = start.executions
    if not isinstance(executions, Executions) or not executions.measured.any():
        return
    offsets, counted = cell_record.clock_offsets(start.record), cell_record.objects(start.record)
    shift = shifts(offsets, executions.client)
    begins, ends = executions.intended_start_ns - shift, executions.ends_ns - shift
    right = executions.outcome == OK
    names = executions.names
    creating = [place for place, name in enumerate(names) if counted is None or name in counted]
    created = np.where(right & np.isin(executions.operation, creating), executions.items, 0)
    order = np.argsort(ends, kind="stable")
    there = np.concatenate(([0], np.cumsum(created[order])))
    before = there[np.searchsorted(ends[order], begins, side="right")]
    first = int(before[executions.measured].min())
    number = (before - first) // asked.objects
    for place in np.unique(executions.operation[executions.measured & right]):
        of_operation = executions.measured & right & (executions.operation == place)
        for stretch in np.unique(number[of_operation]):
            at = of_operation & (number == stretch)
            lasted = executions.duration_ns[at] / NS_PER_MS
            about = int(executions.items[at].sum())
            yield {
                "tool": start.tool, "cell": start.cell, "invocation": start.number,
                "operation": names[place], "number": int(stretch),
                "objects": float(before[at].mean()),
                "executions": int(at.sum()),
                "cost_ms": float(lasted.sum()) / about if about else np.nan,
                "median_ms": float(np.median(lasted)), "p99_ms": float(np.quantile(lasted, 0.99)),
            }  # fmt: skip


def room(start: raw.Invocation) -> dict[str, float]:
    """What the servers' files took at the end of an invocation, and the memory they had (MiB)."""
    return {
        "store_mib": disk_mib(start.record),
        "memory_mib": cell_record.memory_mib(start.record),
    }


def fitted(
    rows: Sequence[Mapping[str, Any]],
    factors: Sequence[str],
    rooms: Mapping[tuple[str, int], Mapping[str, float]],
) -> list[dict[str, Any]]:
    """Rows of the table `growth_fits`.

    Args:
        rows: of `growth`.
        factors: of the study.
        rooms: cell and invocation to `room`.
    """
    keys = itemgetter(*_KEYS)
    return [
        _fit(list(of_one), factors) | dict(rooms[cell, invocation])
        for (_, cell, invocation, _), of_one in groupby(sorted(rows, key=keys), key=keys)
    ]


def _fit(rows: Sequence[Mapping[str, Any]], factors: Sequence[str]) -> dict[str, Any]:
    whole = list(_whole(rows))
    sizes = np.array([row["objects"] for row in whole], dtype=np.float64)
    costs = np.array([row["cost_ms"] for row in whole], dtype=np.float64)
    found = growth(sizes, costs)
    return {
        **{name: rows[0].get(name) for name in (*factors, *_KEYS)},
        "stretches": found.n,
        "from_objects": sizes[0] if sizes.size else np.nan,
        "to_objects": sizes[-1] if sizes.size else np.nan,
        **_numbers(found),
        "laws": ";".join(found.plausible),
        "flags": ";".join(caveat.code for caveat in found.caveats),
    }


def _whole(rows: Sequence[Mapping[str, Any]]) -> Iterable[Mapping[str, Any]]:
    """Stretches with a cost and a size that has a logarithm's logarithm.

    The last one only if it has about as many executions as others.
    """
    usual = float(np.median([row["executions"] for row in rows]))
    last = max(row["number"] for row in rows)
    for row in rows:
        cut = row["number"] == last and row["executions"] < LEAST_WHOLE * usual
        if row["cost_ms"] > 0 and row["objects"] > 1 and not cut:
            yield row


def _numbers(found: Growth) -> dict[str, float]:
    nan = float("nan")
    exponent, over = found.interval, found.over_logarithm_interval
    return {
        "exponent": found.exponent,
        "exponent_low": exponent.low if exponent else nan,
        "exponent_high": exponent.high if exponent else nan,
        "over_log": found.over_logarithm,
        "over_log_low": over.low if over else nan,
        "over_log_high": over.high if over else nan,
        "error": found.laws[0].error if found.laws else nan,
        "period_objects": nan if found.period is None else found.period,
        "period_p": found.period_p,
    }
