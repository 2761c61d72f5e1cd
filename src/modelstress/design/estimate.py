"""An honest guess, before anything runs, of hours and gigabytes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from modelstress.design.plan import Run

BYTES_PER_SAMPLE = 45
"""Parquet with zstd; measured on CDO samples, digests and times hardly compress."""

OVERHEAD_S = 8.0
"""Start and stop of server and clients, and what lies between."""


@dataclass(frozen=True)
class Estimate:
    """What a plan will cost.

    Attributes:
        runs: invocations of cells.
        guessed: how many of them have no measured execution to go by.
        hours: of measuring.
        gigabytes: of samples.
    """

    runs: int
    guessed: int
    hours: float
    gigabytes: float


def estimate(runs: Sequence[Run], medians_s: dict[tuple[str, str], float]) -> Estimate:
    """Estimate a plan from medians that were measured before.

    Args:
        runs: the plan.
        medians_s: (query, model) to seconds per execution with one client; a query that was never
            measured counts as one second, and is counted in ``guessed``. Executions of t threads on
            the server's CPUs are taken to share them, so they take as long as one after another.
    """
    seconds = 0.0
    samples = guessed = 0
    for run in runs:
        known = medians_s.get((str(run.cell.levels["query"]), str(run.cell.levels["model"])))
        guessed += known is None
        each = 1.0 if known is None else known
        settings = run.cell.settings
        warmup = max(settings.warmup.seconds, settings.warmup.executions * each)
        seconds += OVERHEAD_S + warmup + settings.executions * each
        samples += settings.executions + settings.warmup.executions
    return Estimate(len(runs), guessed, seconds / 3600, samples * BYTES_PER_SAMPLE / 1e9)
