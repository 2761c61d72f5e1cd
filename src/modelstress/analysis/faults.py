"""What a fault did to one invocation: what was lost, and when and how the service came back."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from modelstress.analysis import cell_record, raw
from modelstress.config.outcomes import FAILURES, OUTCOMES

BY_ITSELF, WITH_HELP, NOT, UNSEEN = "by itself", "with help", "no", "not seen"
WAYS = (BY_ITSELF, WITH_HELP, NOT, UNSEEN)
"""How the service came back; it was not seen where nothing was asked after the fault's end."""
LAST = 10
"""Executions at the end of the window of which most must be answered rightly: a service that
answers once and then no more has not come back."""
OK, INCORRECT = OUTCOMES.index("ok"), OUTCOMES.index("incorrect")
LOST = [OUTCOMES.index(name) for name in FAILURES]


def row(start: raw.Invocation) -> dict[str, Any] | None:
    """A row of the table `faults`; None for an invocation without a fault, or without samples.

    Times are seconds. An execution counts for recovery when it was *meant* to start after the
    fault was in effect (or had ended): one that was under way before may get an answer that the
    fault had no part in. A fault takes effect some time after its begin, as cutting a container's
    link is a command in it. That of a killed server ends when it is started again.
    """
    fault = start.record.get("fault")
    if not isinstance(fault, Mapping) or fault.get("begun_ns") is None or not start.table.num_rows:
        return None
    executions = start.rows  # of a study with faults samples are rows
    shift = cell_record.clock_shifts(start.record, executions.client)
    intended = (executions.intended_start_ns - shift)[executions.measured]
    ends = (executions.ends_ns - shift)[executions.measured]
    outcome = executions.outcome[executions.measured]
    if not len(intended):
        return None
    window = int(intended.min())
    begun = int(fault["begun_ns"])
    in_effect = int(fault.get("in_effect_ns") or begun)
    ended = begun if fault.get("ended_ns") is None else int(fault["ended_ns"])
    ready = fault.get("ready_ns")
    ok, wrong, since = outcome == OK, outcome == INCORRECT, ends >= begun
    lost = np.isin(outcome, LOST) & since
    later = intended >= ended
    helped = fault.get("helped_ns") is not None or _restarted(start.record, begun)
    notes = [str(note) for note in fault.get("notes") or []]
    if fault.get("server_died"):
        notes.insert(0, str(fault["server_died"]))
    return {
        "tool": start.tool,
        "cell": start.cell,
        "invocation": start.number,
        "kind": str(fault.get("kind", "")),
        "begun_s": (begun - window) / 1e9,
        "lasted_s": (ended - begun) / 1e9,
        "ready_s": np.nan if ready is None else (int(ready) - ended) / 1e9,
        "executions": len(intended),
        "ok": int(ok.sum()),
        "lost": int(lost.sum()),
        "wrong": int((wrong & since).sum()),
        "before": int(((wrong | np.isin(outcome, LOST)) & ~since).sum()),
        "first_correct_s": _first(ends, ok & (intended >= in_effect), begun),
        "after_end_s": _first(ends, ok & later, ended),
        "last_failure_s": float((ends[lost].max() - ended) / 1e9) if lost.any() else np.nan,
        "recovered": _recovered(fault, ok[later][np.argsort(intended[later])], helped),
        "remarks": " | ".join(notes),
    }


def _first(ends: Any, wanted: Any, since: int) -> float:
    """Seconds from `since` to the earliest end of the wanted executions; NaN without any."""
    return float((ends[wanted].min() - since) / 1e9) if wanted.any() else np.nan


def _recovered(fault: Mapping[str, Any], later: Any, helped: bool) -> str:
    """One of WAYS.

    Args:
        fault: as recorded; a server that is never started again has nothing to come back with.
        later: whether each execution meant to start after the fault's end was answered rightly.
        helped: whether the harness had to start the server again.
    """
    if len(later) and later[-LAST:].mean() > 0.5:
        return WITH_HELP if helped else BY_ITSELF
    for_good = "restart_s" in fault and fault["restart_s"] is None
    return NOT if len(later) or for_good else UNSEEN


def _restarted(record: Mapping[str, Any], begun: int) -> bool:
    """Whether a server that hung was started again after the fault had begun."""
    return any(
        restart.get("phase") == "measure"
        and int(restart["at_ns"]) >= begun
        and restart.get("ready_s")
        for node in cell_record.nodes(record).values()
        for restart in node.get("restarts") or []
    )
