#!/usr/bin/env python3
"""How often screening finds two strong options of fourteen, their interaction, and nothing else.

    .venv/bin/python benchmarks/stats/effects.py [--trials 200]

Responses are logarithms of latencies in 64 of 2^14 configurations, a fraction of resolution IV:
noise of 5 % with a normal or a heavy tail, and one corner of two options that costs more (the
shape of the paper's finding), an interaction alone, or nothing. Which two options is drawn anew
each time.
"""

from __future__ import annotations

import argparse
import itertools
import sys

import numpy as np

from modelstress.stats import effects as module
from modelstress.stats.effects import Effects
from modelstress.stats.results import Values

FACTORS, BASIC, CHANCE, NOISE = 14, 6, 0.01, 0.05
TAILS = {"normal": None, "t with 4 degrees": 4, "t with 2 degrees": 2}


def fraction() -> dict[str, np.ndarray]:
    """Second levels of the factors in each run."""
    runs = np.array(list(itertools.product([False, True], repeat=BASIC)))
    columns = {f"f{i}": runs[:, i] for i in range(BASIC)}
    threes = itertools.combinations(range(BASIC), 3)
    for number, chosen in zip(range(BASIC, FACTORS), threes, strict=False):
        columns[f"f{number}"] = np.logical_xor.reduce([columns[f"f{i}"] for i in chosen])
    return columns


def effects(columns: dict[str, np.ndarray], responses: Values) -> Effects:
    """Of a single start of each configuration."""
    return module.effects(columns, [np.array([run]) for run in responses], CHANCE)


def noise(rng: np.random.Generator, degrees: int | None, size: int) -> Values:
    """Noise of the same size in the middle, whatever its tail."""
    drawn = rng.normal(size=size) if degrees is None else rng.standard_t(degrees, size)
    return NOISE * drawn


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--trials", type=int, default=200)
    trials = parser.parse_args().trials
    columns, rng = fraction(), np.random.default_rng(2004)
    names = list(columns)
    print("response                        tail              as it is (share of trials)")
    for label, degrees in TAILS.items():
        for ratio in (1.25, 1.5, 2.08):
            right = 0
            for _ in range(trials):
                a, b = (names[i] for i in np.sort(rng.choice(FACTORS, 2, replace=False)))
                corner = np.log(ratio) * (columns[a] & columns[b])
                found = effects(columns, corner + noise(rng, degrees, 64))
                likely = {found.likely(effect) for effect in found.strong}
                right += likely == {((a,),), ((b,),), ((a, b),)}
            print(f"a corner costs {ratio:4.2f} times as much {label:18} {right / trials:.3f}")
        right = 0
        for _ in range(trials):
            a, b = (names[i] for i in np.sort(rng.choice(FACTORS, 2, replace=False)))
            apart = np.log(1.5) * (columns[a] ^ columns[b])
            found = effects(columns, apart + noise(rng, degrees, 64))
            right += len(found.strong) == 1 and (a, b) in found.strong[0].terms
        print(f"an interaction alone, 1.5       {label:18} {right / trials:.3f}")
        none = sum(not effects(columns, noise(rng, degrees, 64)).strong for _ in range(trials))
        print(f"noise alone                     {label:18} {none / trials:.3f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
