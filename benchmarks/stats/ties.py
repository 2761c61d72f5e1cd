"""Statistics of tied values beside the same of distinct ones, in turns in one process.

    python benchmarks/stats/ties.py [--values 1000000] [--levels 4 1000 10000] [--rounds 3]

Ties come of coarse clocks, of imported milliseconds, and of timeouts, which all rank alike. They
must not cost more than distinct values do. What is printed are medians of the rounds, and the
median of the ratios within a round.
"""

import argparse
import os
import time
from collections.abc import Callable
from statistics import median

import numpy as np

from modelstress import stats
from modelstress.stats import Values

Statistic = Callable[[Values, Values], object]
STATISTICS: dict[str, Statistic] = {
    "Hodges–Lehmann": stats.hodges_lehmann,
    "median ratio": stats.median_ratio,
    "Mann–Whitney": stats.mann_whitney,
    "Cliff's delta": stats.cliffs_delta,
    "Dunn": lambda first, second: stats.dunn([first, second, first + 1]),
}
WANTED = 2.5
"""Times as long as distinct values, at most: Cliff's delta looks each value up twice."""


def sample(rng: np.random.Generator, size: int, levels: int) -> Values:
    """Skewed values of so many levels."""
    values: Values = np.floor(rng.beta(2, 5, size) * levels) + 1
    return values


def timed(do: Callable[[], object]) -> float:
    begin = time.perf_counter()
    do()
    return time.perf_counter() - begin


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--values", type=int, default=1_000_000, help="size of each sample")
    parser.add_argument("--levels", type=int, nargs="+", default=[4, 1000, 10_000])
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    rng, size = np.random.default_rng(1), options.values
    apart = rng.lognormal(0.1, 0.5, size), rng.lognormal(0, 0.5, size)
    print(f"load average {os.getloadavg()[0]:.1f}; {size:,} and {size:,} values\n")
    print("| statistic | levels | distinct s | tied s | tied / distinct | wanted |")
    print("|---|---|---|---|---|---|")
    for levels in options.levels:
        tied = sample(rng, size, levels), sample(rng, size, levels)
        for name, statistic in STATISTICS.items():
            rounds = [
                (timed(lambda s=statistic: s(*apart)), timed(lambda s=statistic, t=tied: s(*t)))
                for _ in range(options.rounds)
            ]
            ratio = median(slow / quick for quick, slow in rounds)
            quick, slow = (median(column) for column in zip(*rounds, strict=True))
            print(f"| {name} | {levels:,} | {quick:.2f} | {slow:.2f} | {ratio:.2f} | ≤ {WANTED} |",
                  flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
