"""How well effects are told when several machines measured: random intercepts and paired form.

``python benchmarks/stats/machines.py [TRIALS]`` prints a table; nothing is asserted. 32 cells of
five options have three starts each, on machines at random. Machines differ by a standard deviation
of 0.3 in the logarithm, starts by 0.03. Two options and their pair cost 1.22 times as much, or
nothing has an effect.
"""

from __future__ import annotations

import sys
import time
from collections import Counter

import numpy as np

from modelstress.stats.fitted_effects import fitted

SPREAD, NOISE, SLOW = 0.3, 0.03, 0.4
STRONG = {("o1",), ("o3",), ("o1", "o3")}


def trial(rng: np.random.Generator, count: int, slow: float) -> tuple[set[tuple[str, ...]], str]:
    """Return the strong terms of one dataset, and how machines were told."""
    bits = ((np.arange(32)[:, np.newaxis] >> np.arange(5)) & 1).astype(bool)
    seconds = {f"o{i}": bits[:, i] for i in range(5)}
    offsets = rng.normal(0, SPREAD, count)
    starts, machines = [], []
    for level in slow * (seconds["o1"] & seconds["o3"]):
        on = rng.integers(0, count, 3)
        starts.append(level + offsets[on] + rng.normal(0, NOISE, 3))
        machines.append([f"m{one}" for one in on])
    found, fit = fitted(seconds, starts, machines, 0.01)
    return {effect.terms[0] for effect in found.strong}, fit.method if fit else ""


def main() -> None:
    """Print how often the truth is told exactly, and how often noise is told."""
    trials = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    print("machines  exact  noise told  methods  s per fit")
    for count in range(1, 9):
        begun = time.monotonic()
        results = [trial(np.random.default_rng(seed), count, SLOW) for seed in range(trials)]
        noise = [trial(np.random.default_rng(10**6 + seed), count, 0) for seed in range(trials)]
        seconds = (time.monotonic() - begun) / 2 / trials
        exact = sum(strong == STRONG for strong, _ in results) / trials
        told = sum(bool(strong) for strong, _ in noise) / trials
        methods = dict(Counter(method for _, method in (*results, *noise)))
        print(f"{count:8d}  {exact:5.2f}  {told:10.3f}  {methods}  {seconds:.3f}", flush=True)


if __name__ == "__main__":
    main()
