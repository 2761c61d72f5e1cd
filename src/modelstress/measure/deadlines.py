"""How long the steps of a cell may take, from its workload."""

from __future__ import annotations

from modelstress.config.programs import OpenLoop, Workload

GRACE_S = 2.0
"""The harness's watchdog acts one second after an execution's deadline and waits one more."""
SLACK_S = 30.0
"""For what lies between executions: opening sessions, verification, a loaded machine."""
CLIENT_STOP_S = 8.0
"""For a client to write its end after SIGTERM; the watchdog's graces included."""

HELD_S = 10.0
"""For a client to end what is under way after WEDGED."""

MOST_S = 86_400.0
"""For so many objects: nothing is known of how long they take; the cell has a deadline."""


def warmup_s(workload: Workload, threads: int) -> float:
    """Longest time of the warm-up: every execution of it may time out."""
    few = max(1, min(threads, workload.warmup.threads))
    rounds = -(-workload.warmup.executions // few) + 1
    steady_s = workload.warmup.steady.most_s if workload.warmup.steady else 0.0
    return workload.warmup.seconds + steady_s + rounds * _execution_s(workload) + SLACK_S


def measure_s(workload: Workload, threads: int) -> float:
    """Longest time from GO to DONE: every execution may time out, the cooldown's too."""
    if workload.window is not None and workload.window.longest_s is not None:
        return workload.window.longest_s + _execution_s(workload) + SLACK_S
    if workload.executions is None:
        return MOST_S
    rounds = -(-workload.executions // threads) + 1
    seconds = rounds * _execution_s(workload)
    if isinstance(workload.mode, OpenLoop):
        # Poisson arrivals take longer than their mean; three times is beyond any real draw.
        seconds += 3 * workload.executions / workload.mode.rate_per_s
    return seconds + SLACK_S


def pause_s(workload: Workload) -> float:
    """Longest time from PAUSE to PAUSED: what is under way may time out."""
    return _execution_s(workload) + SLACK_S


def _execution_s(workload: Workload) -> float:
    think_ms = max(operation.think_ms for operation in workload.operations)
    return (workload.timeout_ms + think_ms) / 1000 + GRACE_S
