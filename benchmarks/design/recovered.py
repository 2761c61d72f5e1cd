#!/usr/bin/env python3
"""Whether screenings find the options that a large part of all combinations shows to matter.

    .venv/bin/python benchmarks/design/recovered.py SCREENING ... [--reference reference]

Profiles of one study, measured and derived: the strong effects of each screening beside those of
the reference. An effect counts where the table of effects says that it is strong (noise hardly has
it, ranks confirm it) and its ratio is at least the least one (10 %, the margin of all claims):
with thousands of starts an effect of 1 % is strong, too. For each such effect of the reference:
found alone, found as one of several terms that the design does not tell apart (and whether the
table takes it for the likely one, since its options are strong by themselves: heredity, an
assumption), or not found. Then those of the screening that the reference does not have.
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from modelstress.config.project import Project
from modelstress.stats.effects import Term, named, terms_named


class Found(NamedTuple):
    """An effect that counts."""

    ratio: float
    likely: frozenset[Term]


Effects = dict[tuple[Term, ...], Found]


def effects(path: Path, least: float) -> Effects:
    """Those that count, by their terms; the largest first."""
    rows = pd.read_parquet(path).dropna(subset=["terms"])
    counts = rows["strong"].astype(bool) & (rows["ratio"].map(math.log).abs() >= math.log(least))
    kept = rows[counts]
    order = kept["ratio"].map(math.log).abs().sort_values(ascending=False).index
    return {
        tuple(terms_named(kept["terms"][row])): Found(
            float(kept["ratio"][row]), frozenset(terms_named(kept["likely"][row]))
        )
        for row in order
    }


def beside(reference: Effects, screening: Effects) -> tuple[int, int, int]:
    """Print what became of each effect; how many are alone, likely by heredity, and too many."""
    alone = likely = 0
    for terms, effect in reference.items():
        found = next((of for of in screening if set(of) & set(terms)), ())  # the largest
        alone += len(found) == 1
        guessed = len(found) > 1 and screening[found].likely == set(terms)
        likely += guessed
        said = "not found" if not found else f"{screening[found].ratio:.3f}"
        rightly = ", the likely one" if guessed else ", not the likely one"
        told = "" if len(found) < 2 else f" as one of {len(found)}{rightly}: {named(found)}"
        print(f"  {named(terms)}: {effect.ratio:.3f}, {said}{told}")
    more = [of for of in screening if not any(set(of) & set(terms) for terms in reference)]
    for of in more:
        print(f"  not of the reference: {named(of)}: {screening[of].ratio:.3f}")
    return alone, likely, len(more)


def main() -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("screening", nargs="+")
    parser.add_argument("--reference", default="reference")
    parser.add_argument("--study", default="configuration-space")
    parser.add_argument("--least", type=float, default=1.1)
    arguments = parser.parse_args()
    derived = Project.find(Path.cwd()).root / "data" / "derived" / arguments.study
    reference = effects(derived / arguments.reference / "effects.parquet", arguments.least)
    for name in arguments.screening:
        print(f"{name} beside {arguments.reference}, ratios of {arguments.least:g} and more:")
        found = effects(derived / name / "effects.parquet", arguments.least)
        alone, likely, more = beside(reference, found)
        print(
            f"{name}: of {len(reference)}, {alone} found alone, {likely} as the likely one of "
            f"several, {more} too many"
        )


if __name__ == "__main__":
    main()
