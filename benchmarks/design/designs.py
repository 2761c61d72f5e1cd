#!/usr/bin/env python3
"""What designs of large spaces cost, and how good they are.

    .venv/bin/python benchmarks/design/designs.py [--rounds 5]

Prints the seconds of process CPU time (the median of the rounds): all combinations of 14 options
with 3 rules, the number of combinations of 40 options, regular fractions of 14 and 16 options with
their resolutions, and D-optimal designs with their D-efficiency where constraints break fractions.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from functools import partial
from statistics import median
from typing import TypeVar

from modelstress.config.designs import FractionDesign, OptimalDesign, SampleDesign
from modelstress.config.study import has_levels
from modelstress.design.candidates import Candidates, Space
from modelstress.design.combinations import Levels, Rule
from modelstress.design.designs import designed
from modelstress.design.fractions import parts, word_lengths
from modelstress.design.generators import columns_of
from modelstress.design.models import quality
from modelstress.design.neighbours import neighbours
from modelstress.design.space_size import size

T = TypeVar("T")
WHERE = "benchmark: field 'design"
WANTED_S = 0.1
"""For all combinations of 14 options with 3 rules."""


def implies(number: int) -> Rule:
    """Option ``number`` on: the next one is off, and the fifth after it on."""
    when, only = {f"f{number}": 1}, {f"f{number + 1}": [0], f"f{number + 5}": [1]}

    def keeps(levels: Levels) -> bool:
        return not has_levels(levels, when) or has_levels(levels, only, missing=True)

    return Rule(frozenset({*when, *only}), keeps, f"rule {number}")  # type: ignore[arg-type]


def options(count: int, rules: int, levels: int = 2) -> Candidates:
    factors = {f"f{number}": list(range(levels)) for number in range(count)}
    return Candidates([Space({"tool": ["x"], **factors})], [implies(n) for n in range(rules)])


def timed(rounds: int, do: Callable[[], T]) -> tuple[float, T]:
    seconds = []
    for _ in range(rounds):
        begin = time.process_time()
        made = do()
        seconds.append(time.process_time() - begin)
    return median(seconds), made


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    print(f"load average {os.getloadavg()[0]:.1f}\n")

    for rules in (3, 0):
        some = options(14, rules)
        seconds, number = timed(rounds, lambda some=some: sum(1 for _ in some.all()))
        print(f"14 options, {rules} rules: {number:,} combinations made in {seconds:.3f} s", end="")
        print(f" (wanted: {WANTED_S})")
        seconds, counted = timed(rounds, partial(size, some))
        print(f"  counted in {seconds:.3f} s: {'the same' if counted == number else counted}")
    many = options(40, 30, levels=3)
    seconds, counted = timed(rounds, partial(size, many))
    print(f"40 options with 3 levels, 30 rules: {counted:,} counted in {seconds:.3f} s")
    sample = SampleDesign(kind="sample", cells=200)
    seconds, _ = timed(rounds, lambda: list(designed(sample, many, 1, WHERE)))
    print(f"  200 of them drawn in {seconds:.3f} s")
    cell = next(iter(options(40, 0, levels=3).all()))
    seconds, near = timed(rounds, lambda: neighbours(many, cell, 2))
    print(f"  {len(near):,} neighbours of one at distance 1 and 2 in {seconds:.3f} s")

    for count in (14, 16):
        for basic in range(5, 11):
            fraction = FractionDesign(kind="fraction", resolution=3, runs=2**basic)
            seconds, _ = timed(rounds, partial(columns_of, count, basic))
            [part] = parts(options(count, 0).spaces[0], fraction, WHERE)
            lengths = word_lengths(part)
            shortest = min(lengths)
            print(
                f"fraction of {count} options in {2**basic:5,} runs: resolution {shortest}, ",
                end="",
            )
            print(f"{lengths[shortest]} words of it, searched for {seconds:.3f} s")

    for runs, model in ((16, "main"), (32, "main"), (128, "main"), (128, "pairs"), (256, "pairs")):
        some = options(14, 3)
        design = OptimalDesign(kind="d-optimal", runs=runs, model=model)
        seconds, cells = timed(1, lambda d=design, s=some: list(designed(d, s, 1, WHERE)))
        found = quality(cells, model == "pairs")
        print(
            f"D-optimal, 14 options with 3 rules, {runs} runs, {model}: {len(found.terms)} terms, ",
            end="",
        )
        print(f"D-efficiency {found.efficiency:.3f}, {seconds:.2f} s")


if __name__ == "__main__":
    main()
