"""How often estimates over starts cover the truth, and what they decide, simulated to the end.

A family has comparisons whose blocks differ by a factor: log-normal with spreads that differ
between comparisons, starts of two kinds, executions that resemble their neighbours, machines that
change between blocks. It is looked at after fixed numbers of blocks; what is decided stops. The
common variance is fitted at the first look and kept. An interval is the one a comparison stopped
with, at the confidence of a look, and is held against the true logarithm of its ratio.

    python benchmarks/stats/decisions.py [--families N] [--cases WORD …]
"""

import argparse
import os
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from modelstress.stats.borrowing import prior_of
from modelstress.stats.deciding import confidence_at_looks, status_of_ratio
from modelstress.stats.estimates import estimates, spreads
from modelstress.stats.results import Values

CONFIDENCE, MARGIN = 0.99, 0.10
OWN_CONFIDENCE = 0.97
"""Of the interval by a comparison's own variance, which lies inside."""
LOOKS = (3, 5, 8, 12, 18)
COMPARISONS = 40
EXECUTIONS = 60
TRUTHS = np.log([1.0, 1.0, 1.05, 1.10, 1.25, 2.0])
Draw = Callable[[np.random.Generator, int], Values]
"""Differences of logs, comparisons × blocks, around 0."""


def spread_of(rng: np.random.Generator) -> Values:
    """Spreads of the comparisons, which differ by a factor of about two either way."""
    return 0.12 * np.exp(rng.normal(0, 0.35, COMPARISONS))


def log_normal(rng: np.random.Generator, blocks: int) -> Values:
    return rng.normal(0, spread_of(rng)[:, None], (COMPARISONS, blocks))


def two_kinds(rng: np.random.Generator, blocks: int) -> Values:
    """Three starts of ten are 1.3 times as slow, on either side; the mean of logs stays 0."""
    kinds = [rng.random((COMPARISONS, blocks)) < 0.3 for _ in range(2)]
    apart = np.log(1.3) * (kinds[0].astype(float) - kinds[1])
    return apart + rng.normal(0, spread_of(rng)[:, None] / 2, (COMPARISONS, blocks))


def correlated(rng: np.random.Generator, blocks: int) -> Values:
    """Medians of 60 executions with AR(1) of 0.7 on either side, on top of the starts' spread."""
    noise = rng.normal(0, 0.3, (2, COMPARISONS, blocks, EXECUTIONS))
    for k in range(1, EXECUTIONS):
        noise[..., k] = 0.7 * noise[..., k - 1] + np.sqrt(1 - 0.49) * noise[..., k]
    medians = np.median(noise, axis=-1)
    return medians[0] - medians[1] + log_normal(rng, blocks)


def machines(rng: np.random.Generator, blocks: int) -> Values:
    """Each block is of one machine, which shifts all comparisons of the block alike, a little."""
    return log_normal(rng, blocks) + rng.normal(0, 0.02, blocks)


def deviating(rng: np.random.Generator, blocks: int) -> Values:
    """The first comparison scatters five times as much as the others."""
    differences = log_normal(rng, blocks)
    differences[0] = rng.normal(0, 0.6, blocks)
    return differences


CASES: dict[str, Draw] = {
    "log-normal starts": log_normal,
    "starts of two kinds": two_kinds,
    "correlated executions": correlated,
    "machines that change": machines,
    "one deviating comparison": deviating,
}


@dataclass
class Ended:
    """How a comparison ended: its place and truth, whether covered, its status and blocks."""

    place: int
    truth: float
    covered: bool
    status: str
    blocks: int


def family(
    draw: Draw, rng: np.random.Generator, level: float, own_level: float, sequential: bool
) -> list[Ended]:
    truths = TRUTHS[np.arange(COMPARISONS) % TRUTHS.size]
    differences = draw(rng, LOOKS[-1]) + truths[:, None]
    looks = LOOKS if sequential else LOOKS[:1]
    prior = prior_of(*spreads(list(differences[:, : LOOKS[0]])))
    open_, ended = list(range(COMPARISONS)), []
    for blocks in looks:
        samples = [differences[place, :blocks] for place in range(COMPARISONS)]
        found = estimates(samples, level, prior, own_confidence=own_level)
        for place in list(open_):
            if (interval := found[place].interval) is None:
                continue
            status = status_of_ratio(interval, MARGIN)
            if status != "undecided" or blocks == looks[-1]:
                covered = interval.low <= truths[place] <= interval.high
                ended.append(Ended(place, float(truths[place]), covered, status, blocks))
                open_.remove(place)
    return ended


def show(name: str, ended: list[Ended]) -> None:
    covered = np.mean([one.covered for one in ended])
    error = np.sqrt(covered * (1 - covered) / len(ended))
    print(
        f"\n{name}: {len(ended):,} intervals, coverage {covered:.2%} (standard error {error:.2%})"
    )
    first = [one.covered for one in ended if one.place == 0]
    print(f"  the first comparison alone: {np.mean(first):.2%} of {len(first):,}")
    print("  | true ratio | more | less | same | undecided | median blocks |")
    print("  |---|---|---|---|---|---|")
    for truth in np.unique(TRUTHS):
        at = [one for one in ended if one.truth == truth]
        shares = [np.mean([one.status == s for one in at]) for s in ("more", "less", "same")]
        rest = 1 - sum(shares)
        row = " | ".join(f"{share:.1%}" for share in (*shares, rest))
        blocks = np.median([one.blocks for one in at])
        print(f"  | {np.exp(truth):.2f} | {row} | {blocks:.0f} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--families", type=int, default=150, help="of 40 comparisons each")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases", nargs="*", default=[], help="words that a case has to have")
    options = parser.parse_args()
    level, own_level = (confidence_at_looks(LOOKS, c) for c in (CONFIDENCE, OWN_CONFIDENCE))
    print(f"load average {os.getloadavg()[0]:.1f}; looks after {LOOKS} blocks")
    print(f"confidence of each look {level:.3%}, by a comparison's own variance {own_level:.3%}")
    for index, (name, draw) in enumerate(CASES.items()):
        if not all(word in name for word in options.cases):
            continue
        for sequential in (False, True):
            rng = np.random.default_rng([options.seed, index, sequential])
            at, own = (level, own_level) if sequential else (CONFIDENCE, OWN_CONFIDENCE)
            ended: list[Ended] = []
            for _ in range(options.families):
                ended += family(draw, rng, at, own, sequential)
            show(f"{name}, {'until decided' if sequential else '3 blocks, one look'}", ended)


if __name__ == "__main__":
    main()
