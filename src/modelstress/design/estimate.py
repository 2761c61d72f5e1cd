"""An honest guess, before anything runs, of hours and gigabytes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from modelstress.config.factors import THREADS
from modelstress.config.window import Window
from modelstress.design.cell import Cell
from modelstress.design.plan import Run

BYTES_PER_SAMPLE = 45
"""Parquet with zstd; measured on CDO samples, digests and times hardly compress."""

OVERHEAD_S = 8.0
"""Start and stop of servers and clients, and what lies between; of a shared start once."""


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


class Medians:
    """Seconds per execution with one thread, of cells that were measured."""

    def __init__(self) -> None:
        self._found: dict[tuple[object, ...], list[float]] = {}

    def add(self, cell: Cell, seconds: float) -> None:
        """Note the median of one invocation."""
        for key in _keys(cell):
            self._found.setdefault(key, []).append(seconds)

    def of(self, cell: Cell) -> float | None:
        """What is known of the cell with any threads, else of tool, operation and dataset."""
        for key in _keys(cell):
            if key in self._found:
                return median(self._found[key])
        return None


def _keys(cell: Cell) -> Iterator[tuple[object, ...]]:
    """From the nearest to the farthest."""
    yield tuple((name, level) for name, level in cell.levels.items() if name != THREADS)
    yield tuple(cell.levels.get(n) for n in ("tool", cell.roles.operation, cell.roles.dataset))


def _window_s(window: Window, threads: int, execution_s: float) -> float | None:
    """Seconds of a window that ends by the clock; None where it does not."""
    if window.seconds is None:
        return None
    least_s = (window.per_thread or 0) * threads * execution_s
    return min(max(window.seconds, least_s), window.longest_s or window.seconds)


def _guess_s(window: Window | None, threads: int) -> float:
    """Seconds of an execution that nobody knows; a window by the clock has just enough of them."""
    if window is None or window.seconds is None:
        return 1.0
    return window.seconds / ((window.per_thread or 10) * threads)


def estimate(runs: Sequence[Run], medians: Medians) -> Estimate:
    """Estimate a plan from medians that were measured before.

    Args:
        runs: the plan.
        medians: an operation that a tool never executed is counted in ``guessed``. It counts as one
            second; where warm-up and window end by the clock, these last the least that they may.
            None lasts longer than its deadline, ``cell_timeout_s``.
            Executions of t threads on the server's CPUs are taken to share them, so they take as
            long as one after another.
    """
    seconds = OVERHEAD_S * len({run.start for run in runs})
    samples = guessed = 0
    for run in runs:
        median_s = medians.of(run.cell)
        guessed += median_s is None
        settings = run.cell.settings
        execution_s = _guess_s(settings.window, run.cell.threads) if median_s is None else median_s
        if settings.capture is not None:
            execution_s += settings.capture.pause_ms / 1000
        warmup = settings.warmup.seconds
        if median_s is not None or settings.window is None or settings.window.seconds is None:
            warmup = max(warmup, settings.warmup.executions * execution_s)
        if settings.warmup.steady is not None:  # between what it takes at least and at most
            warmup = (warmup + max(warmup, settings.warmup.steady.most_s)) / 2
        window, threads = settings.window, run.cell.threads
        window_s = None if window is None else _window_s(window, threads, execution_s)
        if window_s is not None:
            executions = int(window_s * threads / execution_s)
        else:  # of a window of objects, one for each object
            executions = settings.executions if window is None else int(window.objects or 0)
            window_s = executions * execution_s
        seconds += min(warmup + window_s, settings.cell_timeout_s)
        samples += executions + settings.warmup.executions
    return Estimate(len(runs), guessed, seconds / 3600, samples * BYTES_PER_SAMPLE / 1e9)
