"""Our statistics beside naive numpy versions of the same definition, in turns in one process.

    python benchmarks/stats/speed.py [--values N …] [--rounds 5]

Both sides get the same samples; each result is compared before anything is timed. What is printed
are medians of the rounds and the median of the ratios within a round.
"""

import argparse
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median

import numpy as np
from scipy.stats import t as student

from modelstress import stats
from modelstress.stats import Values
from modelstress.stats.bootstrap import ROUNDS, resampled_medians
from modelstress.stats.pairs import ADDED

CONFIDENCE = 0.99


def naive_delta(first: Values, second: Values) -> tuple[float, float, float]:
    """Cliff's delta and its interval from the matrix of all pairs."""
    d = np.sign(np.subtract.outer(first, second))
    least, delta = min(d.shape), d.mean()
    found = []
    for axis in (1, 0):
        values = np.append(d.mean(axis=axis), (-1, 1))
        weights = np.append(np.ones(values.size - 2), (ADDED, ADDED))
        n, mean = weights.sum(), np.average(values, weights=weights)
        found.append((np.sum(weights * (values - mean) ** 2) / (n - 1) / n, n - 1))
    (rows, n), (columns, m) = found
    freedom = (rows + columns) ** 2 / (rows**2 / n + columns**2 / m)
    reach = student.ppf((1 + CONFIDENCE) / 2, freedom) ** 2 * (rows + columns)
    near = delta * least / (least + 2 * ADDED)
    low, high = (
        (at - at**3 + sign * np.sqrt(reach * ((1 - at**2) ** 2 + reach))) / (1 - at**2 + reach)
        for at, sign in ((min(delta, near), -1), (max(delta, near), 1))
    )
    return float(delta), float(low), float(high)


def our_delta(first: Values, second: Values) -> tuple[float, ...]:
    found = stats.cliffs_delta(first, second, CONFIDENCE)
    return found.value, *ends(found.interval)


def naive_ratio(first: Values, second: Values, rng: np.random.Generator) -> tuple[float, ...]:
    """Both samples resampled and paired at random, 10,000 times."""
    drawn = min(first.size, second.size)
    medians = np.empty(ROUNDS)
    for i in range(ROUNDS):
        mine = rng.choice(first, first.size)
        other = rng.choice(second, second.size)
        medians[i] = np.median(rng.permutation(mine)[:drawn] / rng.permutation(other)[:drawn])
    tail = (1 - CONFIDENCE) / 2
    value = np.median(np.divide.outer(first, second))
    return float(value), *(float(q) for q in np.quantile(medians, (tail, 1 - tail)))


def our_ratio(first: Values, second: Values) -> tuple[float, ...]:
    found = stats.median_ratio(first, second, CONFIDENCE)
    return found.value, *ends(found.interval)


def naive_starts(starts: list[Values], rng: np.random.Generator) -> Values:
    """Invocations drawn, then executions in each, 10,000 times."""
    medians = np.empty(ROUNDS)
    for i in range(ROUNDS):
        chosen = rng.integers(len(starts), size=len(starts))
        pool = [rng.choice(starts[at], starts[at].size) for at in chosen]
        medians[i] = np.median(np.concatenate(pool))
    return medians


def ends(interval: stats.Interval | None) -> tuple[float, float]:
    return (interval.low, interval.high) if interval else (np.nan, np.nan)


def quartiles(values: Values) -> tuple[float, ...]:
    return tuple(float(q) for q in np.quantile(values, (0.25, 0.5, 0.75)))


@dataclass(frozen=True)
class Race:
    """Two ways to one result; `close` is how far apart they may be, as a share."""

    title: str
    wanted: float | None
    naive: Callable[[], tuple[float, ...]]
    ours: Callable[[], tuple[float, ...]]
    close: float


def races(values: list[int]) -> list[Race]:
    rng = np.random.default_rng(1)
    a, b = rng.lognormal(0.3, 0.5, 1000), rng.lognormal(0, 0.5, 1000)
    starts = [np.sort(rng.lognormal(0, 0.5, 200)) for _ in range(10)]
    return [
        *(of_delta(rng, size) for size in values),
        Race(
            f"median ratio, {ROUNDS:,} rounds, 1,000 and 1,000 values", 2,
            lambda: naive_ratio(a, b, np.random.default_rng(2)), lambda: our_ratio(a, b), 0.02,
        ),
        Race(
            f"hierarchical bootstrap, {ROUNDS:,} rounds, 10 starts of 200 values", None,
            lambda: quartiles(naive_starts(starts, np.random.default_rng(3))),
            lambda: quartiles(resampled_medians(starts, ROUNDS, np.random.default_rng(4))), 0.02,
        ),
    ]  # fmt: skip


def of_delta(rng: np.random.Generator, size: int) -> Race:
    first, second = rng.lognormal(0.3, 0.5, size), rng.lognormal(0, 0.5, size)
    return Race(
        f"Cliff's delta with its interval, {size:,} and {size:,} values", 500,
        lambda: naive_delta(first, second), lambda: our_delta(first, second), 1e-9,
    )  # fmt: skip


def timed(do: Callable[[], object]) -> float:
    """Seconds of one call, of as many as take a tenth of a second."""
    calls, begin = 0, time.perf_counter()
    while True:
        do()
        calls += 1
        passed = time.perf_counter() - begin
        if passed > 0.1:
            return passed / calls


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--values", type=int, nargs="+", default=[1000, 5000, 10_000, 15_000],
        help="sizes of both samples of Cliff's delta; 15,000 need 4 GB",
    )  # fmt: skip
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    print(f"load average {os.getloadavg()[0]:.1f}\n")
    print("| statistic | naive ms | ours ms | ratio | lowest | highest | wanted |")
    print("|---|---|---|---|---|---|---|")
    for race in races(options.values):
        np.testing.assert_allclose(race.ours(), race.naive(), rtol=race.close)
        rounds = [(timed(race.naive), timed(race.ours)) for _ in range(options.rounds)]
        ratios = [naive / ours for naive, ours in rounds]
        slow, fast = (1e3 * median(column) for column in zip(*rounds, strict=True))
        wanted = f"{race.wanted:g}" if race.wanted else "–"
        print(
            f"| {race.title} | {slow:,.1f} | {fast:.3f} | {median(ratios):,.0f} "
            f"| {min(ratios):,.0f} | {max(ratios):,.0f} | {wanted} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
