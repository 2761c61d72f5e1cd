#!/usr/bin/env python3
"""Holds the rule over starts, looks included, against real cells of which the truth is known.

    .venv/bin/python benchmarks/starts/known_truth.py [--budget 100min] [--cells N] [--only]

Per tool, N cells on small models, 1, 8 and 64 clients. A third of them is measured beside itself in
turns in one start, the others in two starts (A/A). Half of the latter are also measured 5, 10 and
25 % slower: with one client the driver waits that share of an execution (`waited_percent`), with
more the server burns that much more CPU (`burned_percent`). Blocks of all cells come first, then
more of what is undecided at a look. The true ratios of slower cells are those of one start of each
with a window ten times as long. What was measured stays in `data/raw/`, and the same command goes
on. Run by hand, with nothing else to do.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from modelstress import stats
from modelstress.analysis import cell_record, raw
from modelstress.analysis.estimates import (
    MARGIN,
    WORDS,
    Pair,
    Start,
    judged,
    looked,
    machine_of,
    pair_of,
    start_of,
)
from modelstress.analysis.placebos import limit
from modelstress.cli.progress import PlanProgress
from modelstress.cli.provide import Needs
from modelstress.cli.until import Duration
from modelstress.config.factors import ONE_START, PLACEBO, TWO_STARTS
from modelstress.config.profile import Profile, Settings, Steady, Warmup
from modelstress.config.project import Project
from modelstress.config.window import Window
from modelstress.design.cell import Cell
from modelstress.design.cells import cells_of
from modelstress.design.plan import Run
from modelstress.measure import folders
from modelstress.measure.again import run_until_valid
from modelstress.measure.interrupt import Interrupt
from modelstress.measure.invocation import prepare
from modelstress.stats.borrowing import prior_of
from modelstress.stats.deciding import confidence_at_looks, status_of_ratio
from modelstress.stats.estimates import spreads
from modelstress.stats.results import Values
from modelstress.stats.thresholds import THRESHOLDS

STUDY, PROFILE = "model-queries", "known-truth"
LOOKS = (3, 6, 9)
SLOWER = (5, 10, 25)
LONG = 90
"""Number of the start with a window ten times as long."""
SETTINGS = Settings(
    window=Window(seconds=2, per_thread=10, most_s=30),
    warmup=Warmup(executions=10, seconds=1, threads=2, steady=Steady(most_s=6)),
    timeout_ms=60_000, clients=2, cell_timeout_s=300,
)  # fmt: skip


class Known(NamedTuple):
    """A cell beside an equal or a slower one: kind of pair, percent, the two cells."""

    kind: str
    percent: int
    cell: Cell
    other: Cell


class Side(NamedTuple):
    """A start of a cell, and its latencies (ms)."""

    start: Start
    latencies: Values


def main() -> int:
    """Measure what is missing and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--budget", default="100min")
    parser.add_argument("--cells", type=int, default=48)
    parser.add_argument("--only", action="store_true", help="print what is there")
    arguments = parser.parse_args()
    project = Project.find(Path(__file__))
    pairs = known(chosen(project, arguments.cells))
    if not arguments.only:
        budget_s = float(Duration().convert(arguments.budget, None, None))
        measure(project, pairs, time.monotonic() + budget_s)
    return report(project, pairs)


def chosen(project: Project, each: int) -> list[Cell]:
    """So many cells of each tool, all numbers of clients alike, drawn at random."""
    claims = project.profile("claims")
    profile = Profile.model_validate({
        **claims.model_dump(), "profile": PROFILE, "settings": SETTINGS, "placebos": 0,
        "looks": list(LOOKS),
        "levels": {
            **claims.levels, "model": ["train-2016-repair-1", "train-2016-repair-4", "jdt0"],
            "protocol": ["tcp", "http", "websocket"], "query": [
                "PosLength", "SwitchMonitored", "RouteSensor", "SwitchSet", "ConnectedSegments",
                "OQ", "MQ", "HQ1", "HQ3", "HQ4",
            ],
        },
    })  # fmt: skip
    cells = cells_of(project, project.study(STUDY), profile)
    groups: dict[tuple[str, int], list[Cell]] = defaultdict(list)
    for cell in cells:
        if cell.tool.tool != "cdo" or cell.levels["protocol"] != "http":  # seconds each, polls
            groups[cell.tool.tool, cell.threads].append(cell)
    chance = random.Random(7)
    drawn = [chance.sample(group, min(len(group), each // 3)) for group in groups.values()]
    return [cell for group in drawn for cell in group]


def known(cells: Sequence[Cell]) -> list[Known]:
    """What stands beside each cell."""
    pairs = []
    for place, cell in enumerate(cells):
        kind = ONE_START if place % 3 == 0 else TWO_STARTS
        copy = replace(cell, levels={**cell.levels, PLACEBO: kind})
        pairs.append(Known(kind, 0, cell, copy))
        if place % 3 == 1:
            option = "waited_percent" if cell.threads == 1 else "burned_percent"
            pairs += [
                Known(TWO_STARTS, p, cell, replace(cell, levels={**cell.levels, option: p}))
                for p in SLOWER
            ]
    return pairs


def starts(members: Sequence[Known], block: int) -> list[list[Run]]:
    """The starts of a cell and all beside it in a block, in random order."""
    cell = members[0].cell
    seed = random.Random(f"{cell.id}/{block}").getrandbits(31)
    if members[0].kind == ONE_START:
        return [[Run(cell, block, 0, seed), Run(members[0].other, block, 0, seed + 1)]]
    made = [[Run(each, block, 0, seed)] for each in (cell, *(one.other for one in members))]
    random.Random(seed).shuffle(made)
    return made


def by_cell(pairs: Sequence[Known]) -> list[list[Known]]:
    """The pairs of each cell."""
    groups: dict[str, list[Known]] = defaultdict(list)
    for pair in pairs:
        groups[pair.cell.id].append(pair)
    return list(groups.values())


def order(project: Project, pairs: Sequence[Known]) -> Iterator[tuple[int, list[list[Run]]]]:
    """What is measured: all cells up to the first look, the long starts, then what is undecided."""
    wanted, done = list(pairs), 0
    for look in LOOKS:
        for block in range(done, look):
            for members in by_cell(wanted):
                yield block, starts(members, block)
        if look == LOOKS[0]:
            for members in by_cell(pairs):
                if any(one.percent for one in members):
                    cells = [members[0].cell, *(one.other for one in members if one.percent)]
                    yield LONG, [[Run(_long(cell), LONG, 0, LONG)] for cell in cells]
        done = look
        statuses = decided(project, wanted)
        wanted = [one for one, status in zip(wanted, statuses, strict=True)
                  if status == "undecided"]  # fmt: skip


def _long(cell: Cell) -> Cell:
    window = SETTINGS.window.model_copy(update={"seconds": 20.0, "most_s": 60.0})
    return replace(cell, settings=cell.settings.model_copy(update={"window": window}))


def measure(project: Project, pairs: Sequence[Known], until_s: float) -> None:
    """Start after start, as long as there is time; a block is begun only where it can be ended."""
    needs = Needs(project, lambda message: print(message, flush=True))
    needs.provide((Run(pair.cell, 0, 0, 0) for pair in pairs), anew=True)
    progress = PlanProgress(total=len(LOOKS) * len(pairs), done=0)
    with Interrupt() as interrupt:
        for block, made in order(project, pairs):
            if time.monotonic() > until_s:
                break
            for start in made:
                interrupt.check()
                paths = [run.cell.folder(project.raw, block) for run in start]
                if not all(map(folders.finished, paths)):
                    begun = time.monotonic()
                    run_until_valid([prepare(project, run) for run in start],
                                    listener=progress.event)  # fmt: skip
                    progress.finished(time.monotonic() - begun, paths[0].parent.name)
    progress.end()


def side(project: Project, cell: Cell, block: int) -> Side | None:
    """A valid start of a cell; None where there is none."""
    folder = cell.folder(project.raw, block)
    if not folders.finished(folder):
        return None
    invocation = raw.read(folder, block)
    values = invocation.executions.latencies_ms
    if invocation.state != "complete" or len(values) < 3:
        return None
    record = invocation.record
    where = {"machine": cell_record.machine(record), "boot": cell_record.boot(record)}
    machine = machine_of(where)
    return Side(start_of(machine, values), values)


def blocks(project: Project, pair: Known) -> list[tuple[Side, Side]]:
    """The pairs of starts of one machine, the other cell's first."""
    made = []
    for block in range(LOOKS[-1]):
        first, other = side(project, pair.cell, block), side(project, pair.other, block)
        if first and other and first.start.machine == other.start.machine:
            made.append((other, first))
    return made


def decided(project: Project, pairs: Sequence[Known]) -> list[str]:
    """What the rule over starts says of each at its last complete look; families as in studies."""
    confidence = confidence_at_looks(LOOKS)
    families: dict[tuple[str, str, int], list[tuple[int, Pair]]] = defaultdict(list)
    for place, pair in enumerate(pairs):
        sides = [(other.start, first.start) for other, first in blocks(project, pair)]
        found = pair_of({}, sides[: looked(len(sides), LOOKS)] if len(sides) >= LOOKS[0] else [])
        families[pair.kind, pair.cell.tool.tool, pair.cell.threads].append((place, found))
    statuses = [""] * len(pairs)
    for members in families.values():
        there = [(place, pair) for place, pair in members if len(pair.differences)]
        prior = prior_of(*spreads([pair.differences[: LOOKS[0]] for _, pair in there]))
        estimates = judged([pair for _, pair in there], confidence, prior)
        for (place, _), estimate in zip(there, estimates, strict=True):
            statuses[place] = WORDS[status_of_ratio(estimate.interval, MARGIN)]
    return statuses


def report(project: Project, pairs: Sequence[Known]) -> int:
    """Print what the rules say of equals and of known differences; 1 where nothing is there."""
    statuses = decided(project, pairs)
    told = [(pair, status) for pair, status in zip(pairs, statuses, strict=True) if status]
    if not told:
        print("no pair has as many starts as the first look needs yet")
        return 1
    equals = [(pair, status) for pair, status in told if not pair.percent]
    print("equals: directions of the rule over starts, share of 'same', the papers' rule")
    groups = {"all": equals}
    for pair, status in equals:
        for name in (pair.cell.tool.tool, pair.kind, f"{pair.cell.threads} clients"):
            groups.setdefault(name, []).append((pair, status))
    for name, members in groups.items():
        _print_equals(project, name, members)
    for percent in SLOWER:
        _print_slower(project, percent, [one for one in told if one[0].percent == percent])
    return 0


def _print_equals(project: Project, name: str, members: Sequence[tuple[Known, str]]) -> None:
    counts = Counter(status for _, status in members)
    directions, n = counts["slower"] + counts["faster"], len(members)
    asked = [papers(project, pair) for pair, _ in members]
    wrong = sum(map(sum, asked))
    print(
        f"  {name:12} {directions} of {n} (at most {100 * limit(directions, n):.1f} %), "
        f"same {counts['same']}, undecided {counts['undecided']}; "
        f"papers' rule {wrong} of {sum(map(len, asked))} pairs of starts"
    )


def papers(project: Project, pair: Known) -> list[bool]:
    """Whether the papers' rule finds a direction, in each block."""
    found = []
    for other, first in blocks(project, pair):
        delta = stats.cliffs_delta(other.latencies, first.latencies)
        p = stats.mann_whitney(other.latencies, first.latencies).p
        found.append(p < THRESHOLDS.alpha and delta.magnitude != "negligible")
    return found


def _print_slower(project: Project, percent: int, members: Sequence[tuple[Known, str]]) -> None:
    counts = Counter(status for _, status in members)
    truths = [truth for pair, _ in members if (truth := _truth(project, pair)) is not None]
    spread = ""
    if truths:
        low, middle, high = np.exp(np.quantile(truths, (0.1, 0.5, 0.9)))
        spread = f"; true ratios {low:.3f}, {middle:.3f}, {high:.3f} (tenths 1, 5, 9)"
    print(f"  {percent} % slower, {len(members)} pairs: {dict(counts)}{spread}")


def _truth(project: Project, pair: Known) -> float | None:
    """The log ratio of the long starts."""
    first, other = side(project, _long(pair.cell), LONG), side(project, _long(pair.other), LONG)
    if first is None or other is None or not math.isfinite(other.start.log_median):
        return None
    return other.start.log_median - first.start.log_median


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        print("stopped; what is measured stays, run it again to go on", file=sys.stderr)
        sys.exit(130)
