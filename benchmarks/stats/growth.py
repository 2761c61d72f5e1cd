#!/usr/bin/env python3
"""Coverage of the intervals of exponents, and how often laws and periods are named rightly.

    .venv/bin/python benchmarks/stats/growth.py [--trials 1000]

Costs that are constant, grow by the logarithm, by n^0.1, n^0.5 or linearly, in 100 stretches up to
10^7, with noise of which neighbours are alike and a sawtooth as the report on the metadata service
has one; half of the trials without one.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter

import numpy as np

from modelstress.stats.growth import growth
from modelstress.stats.results import Values

SIZE, STRETCHES, PERIOD = 1e7, 100, 7.5e5
LAWS = {
    "constant": lambda n: np.ones_like(n), "log n": np.log, "n^0.1": lambda n: n**0.1,
    "n^0.5": np.sqrt, "n": lambda n: n,
}  # fmt: skip
ALIKE = (0.0, 0.6, 0.8)


def trial(rng: np.random.Generator, law: str, alike: float, saw: float) -> tuple[Values, Values]:
    """Sizes and costs."""
    step = SIZE / STRETCHES
    sizes = np.arange(STRETCHES) * step + step / 2
    noise = rng.normal(size=STRETCHES) * 0.05
    for i in range(1, STRETCHES):
        noise[i] = alike * noise[i - 1] + np.sqrt(1 - alike**2) * noise[i]
    tooth = saw * ((sizes / PERIOD + rng.uniform()) % 1 - 0.5)
    return sizes, LAWS[law](sizes) * np.exp(noise + tooth)


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--trials", type=int, default=1000)
    trials = parser.parse_args().trials
    rng = np.random.default_rng(2003)
    print(f"{'law':9} alike  tooth  covered  width  period  plausible laws (share of trials)")
    for law in LAWS:
        for alike in ALIKE:
            for saw in (0.0, 0.2):
                _print(rng, law, alike, saw, trials)
    return 0


def _print(rng: np.random.Generator, law: str, alike: float, saw: float, trials: int) -> None:
    sizes, _ = trial(rng, law, 0, 0)
    true = float(np.polyfit(np.log(sizes), np.log(LAWS[law](sizes)), 1)[0])
    covered, width, periods, named = 0, 0.0, 0, Counter[str]()
    for _ in range(trials):
        found = growth(*trial(rng, law, alike, saw))
        if found.interval is None:
            raise SystemExit("there are too few stretches")
        covered += found.interval.low <= true <= found.interval.high
        width += found.interval.high - found.interval.low
        periods += found.period is not None and (saw == 0 or abs(found.period / PERIOD - 1) < 0.1)
        named.update(found.plausible)
    shares = ", ".join(f"{name} {count / trials:.2f}" for name, count in named.most_common())
    print(
        f"{law:9} {alike:5.1f} {saw:6.1f} {100 * covered / trials:7.1f} % {width / trials:6.3f} "
        f"{periods / trials:6.2f}   {shares}"
    )


if __name__ == "__main__":
    sys.exit(main())
