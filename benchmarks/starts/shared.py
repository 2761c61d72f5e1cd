#!/usr/bin/env python3
"""Compares ratios measured in turns in one start with those of separate starts, in one run.

    .venv/bin/python benchmarks/starts/shared.py [--budget 100min] [--blocks N] [--only]

For 24 pairs of cells (HTTP against TCP) of profile `claims`, over all tools: a block has one start
that both share and one start of each alone, in random order, one after the other; a tool's blocks
come one after the other. Printed are, for each pair, the ratio in turns, the ratio of separate
starts and their quotient, each with its interval over blocks (variances borrowed over all pairs),
which quotients leave ±10 %, what a tool's quotients are together, and how wide both designs'
intervals are at equal time, starts included. The table beside this program keeps what was measured,
on any machine, and the same command goes on. Run by hand, with nothing else to do.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from kept import Kept, Row

from modelstress.analysis.estimates import OWN_CONFIDENCE
from modelstress.cli.progress import PlanProgress
from modelstress.cli.provide import Needs
from modelstress.cli.until import Duration
from modelstress.config.factors import PLACEBO
from modelstress.config.project import Project
from modelstress.design.cell import Cell
from modelstress.design.plan import Run
from modelstress.design.plan_file import make_plan
from modelstress.design.sharing import sharing
from modelstress.measure import folders
from modelstress.measure.again import run_until_valid
from modelstress.measure.interrupt import Interrupt
from modelstress.measure.invocation import prepare
from modelstress.stats.borrowing import prior_of
from modelstress.stats.estimates import Estimate, estimates, spreads
from modelstress.stats.results import Values

STUDY, PROFILE = "model-queries", "claims"
SHARED, ALONE = "shared-starts", "separate-starts"
"""Names in `data/raw` of what is measured; they have no profiles."""
PAIRS = {"hawk": 10, "mogwai": 8, "cdo": 6}
"""How many pairs of each tool; a start of CDO takes a minute, over HTTP its client polls."""
FIRST = 20
"""Number of the first block.

In those with smaller numbers, cells that share a start were warmed up one after the other, HTTP
always first.
"""
MARGIN = 0.10
TABLE = Path(__file__).with_name("shared.csv")


def main() -> int:
    """Measure what is missing and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--budget", default="100min")
    parser.add_argument("--blocks", type=int, default=3)
    parser.add_argument("--only", action="store_true", help="print what is there")
    arguments = parser.parse_args()
    project = Project.find(Path(__file__))
    pairs = chosen(project)
    kept = Kept(project, TABLE)
    if not arguments.only:
        budget_s = float(Duration().convert(arguments.budget, None, None))
        measure(project, kept, pairs, arguments.blocks, time.monotonic() + budget_s)
    code = report(kept, pairs, arguments.blocks)
    kept.write()
    return code


def chosen(project: Project) -> list[list[Cell]]:
    """Pairs of cells that differ in their protocol only, drawn at random, tool after tool."""
    study = project.study(STUDY)
    key = sharing(study)
    if key is None:
        raise SystemExit(f"study {STUDY} interleaves nothing")
    groups: dict[object, list[Cell]] = defaultdict(list)
    for cell in make_plan(project, STUDY, PROFILE).cells:
        others = tuple(cell.levels.get(n) for n in study.interleave if n != "protocol")
        if PLACEBO not in cell.levels:
            groups[key(cell), others].append(cell)
    pairs = [sorted(g, key=lambda c: str(c.levels["protocol"])) for g in groups.values()]
    by_tool: dict[str, list[list[Cell]]] = defaultdict(list)
    for pair in pairs:
        if len(pair) == 2 and pair[0].threads < 64:
            by_tool[pair[0].tool.tool].append(pair)
    chance = random.Random(7)
    for members in by_tool.values():
        chance.shuffle(members)
    return [pair for tool, count in PAIRS.items() for pair in by_tool[tool][:count]]


def starts(pair: Sequence[Cell], block: int) -> list[list[Run]]:
    """The three starts of a pair in a block, in random order."""
    seed = random.Random(f"{pair[0].id}/{block}").getrandbits(31)
    chance = random.Random(seed)
    shared = [Run(replace(cell, profile=SHARED), block, 0, seed + n) for n, cell in enumerate(pair)]
    chance.shuffle(shared)
    alone = [[Run(replace(cell, profile=ALONE), block, 0, seed)] for cell in pair]
    made = [shared, *alone]
    chance.shuffle(made)
    return made


def measure(
    project: Project, kept: Kept, pairs: Sequence[Sequence[Cell]], blocks: int, until_s: float
) -> None:
    """Tool after tool, block after block, pair after pair, as long as there is time."""
    needs = Needs(project, lambda message: print(message, flush=True))
    needs.provide((Run(cell, 0, 0, 0) for pair in pairs for cell in pair), anew=True)
    order = [
        (block, pair)
        for tool in PAIRS
        for block in range(FIRST, FIRST + blocks)
        for pair in pairs
        if pair[0].tool.tool == tool
        and not all(row_of(kept, pair, block, design) for design in (SHARED, ALONE))
    ]
    progress = PlanProgress(total=3 * len(order), done=0)
    with Interrupt() as interrupt:
        for block, pair in order:
            for start in starts(pair, block):
                interrupt.check()
                if time.monotonic() > until_s:
                    return
                paths = [run.cell.folder(project.raw, block) for run in start]
                if not all(map(folders.finished, paths)):
                    begun = time.monotonic()
                    invocations = [prepare(project, run) for run in start]
                    run_until_valid(invocations, listener=progress.event)
                    progress.finished(time.monotonic() - begun, paths[0].parent.name)
    progress.end()


def row_of(kept: Kept, pair: Sequence[Cell], block: int, design: str) -> Row | None:
    """A pair in a block by one design; None where a side is missing or invalid."""
    http, tcp = (replace(cell, profile=design) for cell in pair)
    return kept.row(design, tcp, http, block)


def report(kept: Kept, pairs: Sequence[Sequence[Cell]], blocks: int) -> int:
    """Print every pair with both designs; 1 where there is nothing to print."""
    rows = []
    for pair in pairs:
        both = [
            (one, other)
            for block in range(FIRST, FIRST + blocks)
            if (one := row_of(kept, pair, block, SHARED))
            and (other := row_of(kept, pair, block, ALONE))
        ]
        if both:
            rows.append((pair, both))
    if not rows:
        print("nothing measured yet")
        return 1
    turns = [np.array([log_ratio(row) for row, _ in both]) for _, both in rows]
    alone = [np.array([log_ratio(row) for _, row in both]) for _, both in rows]
    quotients = [one - other for one, other in zip(turns, alone, strict=True)]
    designs = (turns, alone, quotients)
    found = [
        estimates(of, prior=prior_of(*spreads(of)), own_confidence=OWN_CONFIDENCE) for of in designs
    ]
    print("  in turns              separate starts       quotient              blocks, pair")
    apart = 0
    for (pair, both), shared, separate, quotient in zip(rows, *found, strict=True):
        known = quotient.interval
        leaves = known is not None and (
            known.low > math.log1p(MARGIN) or known.high < -math.log1p(MARGIN)
        )
        apart += leaves
        texts = "  ".join(f"{said(one):20}" for one in (shared, separate, quotient))
        print(f"  {texts}  {len(both)} {'OUT ' if leaves else ''}{pair[0].id[:70]}")
    inside = sum(
        q.interval is not None
        and -math.log1p(MARGIN) <= q.interval.low
        and q.interval.high <= math.log1p(MARGIN)
        for q in found[2]
    )
    print(f"{len(rows)} pairs: quotients wholly outside ±10 %: {apart}, wholly inside: {inside}")
    together([pair for pair, _ in rows], quotients)
    widths(rows, found)
    return 0


def together(pairs: Sequence[Sequence[Cell]], quotients: Sequence[Values]) -> None:
    """Print the geometric mean of each tool's quotients: its pairs are the replicates."""
    means: dict[str, list[float]] = defaultdict(list)
    for pair, values in zip(pairs, quotients, strict=True):
        means[pair[0].tool.tool].append(float(np.mean(values)))
    for tool, logs in means.items():
        (mean,) = estimates([np.array(logs)], 0.95)
        print(f"{tool}: quotients of {len(logs)} pairs together {said(mean)}, 95 % interval")


def log_ratio(row: Row) -> float:
    """HTTP over TCP."""
    return row.other_log_median - row.log_median


def said(estimate: Estimate) -> str:
    """A ratio with its interval."""
    value, known = estimate.value, estimate.interval
    if known is None:
        return f"{math.exp(value):.3g}"
    ends = f"{math.exp(known.low):.3g}-{math.exp(known.high):.3g}"
    return f"{math.exp(value):.3g} ({ends})"


def widths(rows: Sequence[tuple[Sequence[Cell], Sequence[tuple[Row, Row]]]],
           found: Sequence[Sequence[Estimate]]) -> None:  # fmt: skip
    """How much narrower intervals in turns are, on the log scale, at equal time, by tool."""
    gains: dict[str, list[float]] = defaultdict(list)
    for (pair, both), turns, alone in zip(rows, found[0], found[1], strict=True):
        one, other = turns.interval, alone.interval
        if one is None or other is None:
            continue
        spent = [
            sum(b[design].seconds + b[design].other_seconds for b in both) for design in (0, 1)
        ]
        ratio = (other.high - other.low) / (one.high - one.low)
        # the shorter design could have had more blocks in the same time
        gains[pair[0].tool.tool].append(ratio * math.sqrt(spent[1] / spent[0]))
    for tool, values in gains.items():
        print(
            f"{tool}: intervals in turns {np.median(values):.2f} times narrower at equal time "
            f"(median of {len(values)} pairs, {min(values):.2f} to {max(values):.2f})"
        )


if __name__ == "__main__":
    sys.exit(main())
