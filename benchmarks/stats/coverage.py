"""How often the 99 % intervals of modelstress.stats cover the truth, on simulated latencies.

Latencies are log-normal, and six times as long in one of twenty executions; their median is 1.
Starts of a cell differ by a factor: log-normal, or skewed (exponential on the log scale). The truth
of every case follows from these distributions, never from a sample.

    python benchmarks/stats/coverage.py run --into FOLDER [--part I/N] [--cases WORD …]
    python benchmarks/stats/coverage.py show FOLDER

Sample number i is the same in every part, so parts can be run apart, on any machine, and again.
"""

import argparse
import csv
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.optimize import brentq
from scipy.stats import norm

from modelstress import stats
from modelstress.stats import Interval, Values

CONFIDENCE = 0.99
SIGMA, SLOW, FACTOR = 0.5, 0.05, 6.0
"""Spread of the logs; share of slow executions; how many times as long they take."""
SHIFT, RATIO = 0.3, 1.4
"""What the first of two cells has more, in medians, and how many times as long it takes."""
ROUNDS = 1000
"""Of the bootstrap (ten starts): a tenth of what the tables have, or it would take two hours."""
TESTED, LEAST, MOST = 4000, 98.0, 99.9
"""Wanted: so many samples, and a coverage between these percentages."""


def parts(sigma: float) -> list[tuple[float, float, float]]:
    """Share, mean and spread of the logs of ordinary and slow executions."""
    return [(1 - SLOW, 0.0, sigma), (SLOW, np.log(FACTOR), sigma)]


def quantile(share: float, between: float = 0.0, sigma: float = SIGMA) -> float:
    """A quantile of latencies before they are scaled, of starts that differ by `between`."""

    def chance(log: float) -> float:
        found = (w * norm.cdf(log, mean, np.hypot(s, between)) for w, mean, s in parts(sigma))
        return float(sum(found)) - share

    return float(np.exp(brentq(chance, -20, 20, xtol=1e-14)))


CENTRE = quantile(0.5)


def latencies(rng: np.random.Generator, n: int, sigma: float = SIGMA) -> Values:
    slow = np.where(rng.random(n) < SLOW, FACTOR, 1.0)
    return rng.lognormal(0, sigma, n) * slow / CENTRE


def larger(ratio: float, sigma: float, other: float) -> float:
    """Chance that ratio times a latency of spread `sigma` is longer than one of spread `other`."""
    return float(
        sum(
            w * v * norm.cdf((np.log(ratio) + a - b) / np.hypot(s, t))
            for w, a, s in parts(sigma)
            for v, b, t in parts(other)
        )
    )


def starts(rng: np.random.Generator, k: int, n: int, between: float, skewed: bool) -> list[Values]:
    logs = rng.exponential(1, k) - np.log(2) if skewed else rng.normal(0, 1, k)
    return [latencies(rng, n) * np.exp(between * log) for log in logs]


@dataclass(frozen=True)
class Case:
    """An interval, what it is of, its truth, and how one is found in a new sample."""

    interval: str
    of: str
    truth: float
    found: Callable[[np.random.Generator], Interval | None]


def cases() -> Iterator[Case]:
    for n in (30, 100, 300):
        yield Case(
            "median, order statistics", f"{n} executions", 1.0,
            lambda rng, n=n: stats.median(latencies(rng, n), CONFIDENCE).interval,
        )  # fmt: skip
    for n, share in ((100, 0.9), (300, 0.95)):
        yield Case(
            f"p{100 * share:g}, order statistics", f"{n} executions", quantile(share) / CENTRE,
            lambda rng, n=n, p=share: stats.percentile(latencies(rng, n), p, CONFIDENCE).interval,
        )  # fmt: skip
    for sizes in ((30, 30), (30, 300), (300, 30), (100, 100), (300, 300)):
        yield from pairs(*sizes)
    for k in (3, 5, 10):
        for between, skewed in ((0.02, False), (0.1, False), (0.1, True)):
            yield from over_invocations(k, 30, between, skewed)


def pairs(n: int, m: int) -> Iterator[Case]:
    of = f"{n} and {m} executions"

    def drawn(rng: np.random.Generator, sigma: float = SIGMA) -> tuple[Values, Values]:
        return latencies(rng, n, sigma), latencies(rng, m)

    def shift(rng: np.random.Generator) -> Interval | None:
        first, second = drawn(rng)
        return stats.hodges_lehmann(first + SHIFT, second, CONFIDENCE).interval

    yield Case("Hodges–Lehmann shift", of, SHIFT, shift)

    def ratio(rng: np.random.Generator) -> Interval | None:
        first, second = drawn(rng)
        return stats.median_ratio(RATIO * first, second, CONFIDENCE).interval

    yield Case("median ratio of pairs", of, RATIO, ratio)
    for times, sigma in ((1.0, SIGMA), (RATIO, 0.3), (2.5, SIGMA), (9.0, 0.3)):

        def delta(
            rng: np.random.Generator, times: float = times, s: float = sigma
        ) -> Interval | None:
            first, second = drawn(rng, s)
            return stats.cliffs_delta(times * first, second, CONFIDENCE).interval

        truth = 2 * larger(times, sigma, SIGMA) - 1
        yield Case("Cliff's delta", f"{of}, delta {abs(truth):.2f}", truth, delta)


def over_invocations(k: int, n: int, between: float, skewed: bool) -> Iterator[Case]:
    how = "exponential" if skewed else "log-normal"
    of = f"{k} starts of {n} executions, {how} {between:.0%} apart"
    # the median of all executions that other starts would have
    truth = 1.0 if skewed else quantile(0.5, between) / CENTRE

    def median(rng: np.random.Generator) -> Interval | None:
        mine = starts(rng, k, n, between, skewed)
        return stats.median_over_invocations(mine, CONFIDENCE, ROUNDS).interval

    yield Case("median over invocations", of, truth, median)

    def ratio(rng: np.random.Generator) -> Interval | None:
        mine, other = (starts(rng, k, n, between, skewed) for _ in range(2))
        mine = [RATIO * values for values in mine]
        return stats.ratio_over_invocations(mine, other, CONFIDENCE, ROUNDS).interval

    yield Case("ratio over invocations", of, RATIO, ratio)


def run(options: argparse.Namespace) -> None:
    part, of = (int(number) for number in options.part.split("/"))
    options.into.mkdir(parents=True, exist_ok=True)
    for index, case in enumerate(cases()):
        title = f"{case.interval}, {case.of}"
        if not all(word in title for word in options.cases):
            continue
        begin = time.perf_counter()
        rows = []
        for i in range(part - 1, options.samples, of):
            found = case.found(np.random.default_rng([options.seed, index, i]))
            rows.append((i, *((found.low, found.high) if found else ("", ""))))
        file = options.into / f"{index:02}-{options.seed}-{part}-of-{of}.csv"
        with file.open("w", newline="") as out:
            csv.writer(out).writerows(rows)
        print(f"{title}: {len(rows)} samples in {time.perf_counter() - begin:.1f} s", flush=True)


def show(options: argparse.Namespace) -> None:
    """One line for each case: coverage with its standard error, and the median width."""
    print(f"load average {os.getloadavg()[0]:.1f}\n")
    print("| interval | of | samples | coverage | standard error | median width | |")
    print("|---|---|---|---|---|---|---|")
    for index, case in enumerate(cases()):
        found: dict[tuple[str, int], tuple[float, float] | None] = {}
        for file in sorted(options.folder.glob(f"{index:02}-*.csv")):
            seed = file.name.split("-")[1]
            with file.open(newline="") as rows:
                for i, low, high in csv.reader(rows):
                    found[seed, int(i)] = (float(low), float(high)) if low else None
        if found:
            print(line(case, list(found.values())))


def line(case: Case, found: list[tuple[float, float] | None]) -> str:
    ends = np.array([interval for interval in found if interval], dtype=float).reshape(-1, 2)
    n, low, high = len(ends), ends[:, 0], ends[:, 1]
    share = float(np.mean((low <= case.truth) & (case.truth <= high))) if n else np.nan
    error = np.sqrt(share * (1 - share) / n) if n else np.nan
    notes = [] if LEAST <= 100 * share <= MOST else ["outside"]
    if n < TESTED:
        notes.append("too few samples")
    if n < len(found):
        notes.append(f"{len(found) - n} without an interval")
    width = np.median(high - low) if n else np.nan
    return (
        f"| {case.interval} | {case.of} | {n:,} | {share:.2%} | {error:.2%} | {width:.3g} "
        f"| {', '.join(notes)} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(required=True)
    runs = commands.add_parser("run", help="simulate, and write the intervals into a folder")
    runs.add_argument("--into", type=Path, required=True, metavar="FOLDER")
    runs.add_argument(
        "--part", default="1/1", metavar="I/N", help="every N-th sample from the I-th"
    )
    runs.add_argument("--samples", type=int, default=TESTED, help="of all parts together")
    runs.add_argument("--seed", type=int, default=1)
    runs.add_argument("--cases", nargs="*", default=[], help="words that a case has to have")
    runs.set_defaults(do=run)
    shows = commands.add_parser("show", help="print what all parts in a folder found")
    shows.add_argument("folder", type=Path)
    shows.set_defaults(do=show)
    options = parser.parse_args()
    options.do(options)


if __name__ == "__main__":
    main()
