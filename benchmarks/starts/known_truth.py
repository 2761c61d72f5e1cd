#!/usr/bin/env python3
"""Holds the rule over starts, looks included, against real cells of which the truth is known.

    .venv/bin/python benchmarks/starts/known_truth.py [--budget 100min] [--kind K] [--only]

Per tool, cells on small models, 1, 8 and 64 clients, each beside itself (A/A) in two starts and, in
other ones, in turns in one start. Fifteen of each tool are also measured 5, 10 and 25 % slower:
with one client the driver waits that share of an execution (`waited_percent`), with more the server
burns that much more CPU (`burned_percent`). Blocks of all cells come first, tool after tool, then
more of what is undecided at a look. The true ratios of slower cells are those of one start of each
with a window ten times as long. The table beside this program keeps what was measured, on any
machine, and the same command goes on. Run by hand, with nothing else to do.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from kept import Kept, Row
from scipy import stats

from modelstress.analysis.estimates import MARGIN, WORDS, Pair, judged, looked, pair_of
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

STUDY, PROFILE = "model-queries", "known-truth"
LOOKS = (3, 6, 9)
SLOWER = (5, 10, 25)
LONG = 90
"""Number of the start with a window ten times as long."""
TURNS = 60
"""Number of the first start that a cell and its copy share: no start is in two pairs of equals.

In those with smaller numbers they were warmed up one after the other, the copy always second."""
WAITING = 20
"""Number of the first start of cells whose driver waits, and of those beside them.

In those with smaller numbers it waited a share of what lies between opening and closing a session.
"""
EQUALS = {"cdo": 116, "hawk": 48, "mogwai": 48}
"""Pairs of equals that are wanted of each tool, half of them in one start."""
DRAWN = 19
"""Cells of each tool and number of clients that come first; others take the place of invalid ones.
"""
SLOWED = 5
"""Cells of each tool and number of clients that are also measured slower."""
TABLE = Path(__file__).with_name("known-truth.csv")
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

    @property
    def begin(self) -> int:
        """The number of its first block."""
        return WAITING if self.waits else TURNS if self.kind == ONE_START else 0

    @property
    def long(self) -> int:
        """The number of its long start."""
        return LONG + self.waits

    @property
    def waits(self) -> bool:
        """Whether the driver of the other cell waits."""
        return self.percent > 0 and self.cell.threads == 1


def main() -> int:
    """Measure what is missing and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--budget", default="100min")
    parser.add_argument("--kind", choices=(TWO_STARTS, ONE_START), help="measure these only")
    parser.add_argument("--only", action="store_true", help="print what is there")
    arguments = parser.parse_args()
    project = Project.find(Path(__file__))
    kept = Kept(project, TABLE)
    pairs = known(kept, chosen(project))
    if not arguments.only:
        budget_s = float(Duration().convert(arguments.budget, None, None))
        asked = [pair for pair in pairs if arguments.kind in (None, pair.kind)]
        measure(project, kept, asked, time.monotonic() + budget_s)
    valid = [pair for pair in pairs if not out(kept, pair)]
    code = report(kept, valid)
    invalid = Counter((row.tool, row.threads, row.invalid) for row in kept.rows.values()
                      if row.invalid)  # fmt: skip
    for (tool, threads, why), count in sorted(invalid.items()):
        print(f"  {tool}, {threads} clients: {count} pairs of starts invalid ({why}), in nothing")
    kept.write()
    return code


def chosen(project: Project) -> list[list[Cell]]:
    """Cells in random order, by tool and number of clients; the last of them wait."""
    claims = project.profile("claims")
    profile = Profile.model_validate({
        **claims.model_dump(), "profile": PROFILE, "settings": SETTINGS, "placebos": 0,
        "looks": list(LOOKS),
        "levels": {
            **claims.levels,
            "model": ["train-2016-repair-1", "train-2016-repair-4", "jdt0", "jdt1"],
            "protocol": ["tcp", "http", "websocket"], "query": [
                "PosLength", "SwitchMonitored", "RouteSensor", "SwitchSet", "ConnectedSegments",
                "OQ", "MQ", "HQ1", "HQ3", "HQ4",
            ],
        },
    })  # fmt: skip
    cells = cells_of(project, project.study(STUDY), profile)
    groups: dict[tuple[str, int], list[Cell]] = defaultdict(list)
    # CDO over HTTP polls, for seconds; 64 of its clients keep their one CPU busy: all were invalid
    for cell in cells:
        if cell.tool.tool != "cdo" or (cell.levels["protocol"] != "http" and cell.threads < 64):
            groups[cell.tool.tool, cell.threads].append(cell)
    chance = random.Random(7)
    drawn = [chance.sample(group, min(len(group), DRAWN)) for group in groups.values()]
    for first, group in zip(drawn, groups.values(), strict=True):
        waiting = [cell for cell in group if cell not in first]
        chance.shuffle(waiting)
        first += waiting
    return drawn


def known(kept: Kept, groups: Sequence[Sequence[Cell]]) -> list[Known]:
    """What stands beside the cells of each tool and number of clients: two pairs of equals each.

    A pair with an invalid start is out, and one of the cells that wait takes its place.
    """
    pairs: list[Known] = []
    sharing = Counter(cells[0].tool.tool for cells in groups)
    for cells in groups:
        tool = cells[0].tool.tool
        found: list[Known] = []
        slowed = 0
        for place, cell in enumerate(cells):
            if sum(not pair.percent for pair in found) < EQUALS[tool] // sharing[tool]:
                found += [pair for pair in equals_of(cell) if not out(kept, pair)]
            if place % 3 == 0 and slowed < SLOWED:
                slower = [pair for pair in slower_of(cell) if not out(kept, pair)]
                slowed += len(slower) == len(SLOWER)
                found += slower
        pairs += found
    return pairs


def equals_of(cell: Cell) -> list[Known]:
    """A cell beside itself, in two starts and in one."""
    copies = {kind: replace(cell, levels={**cell.levels, PLACEBO: kind})
              for kind in (TWO_STARTS, ONE_START)}  # fmt: skip
    return [Known(kind, 0, cell, copy) for kind, copy in copies.items()]


def slower_of(cell: Cell) -> list[Known]:
    """A cell beside slower ones."""
    option = "waited_percent" if cell.threads == 1 else "burned_percent"
    return [
        Known(TWO_STARTS, percent, cell, replace(cell, levels={**cell.levels, option: percent}))
        for percent in SLOWER
    ]


def out(kept: Kept, pair: Known) -> bool:
    """Whether one of a pair's blocks is invalid: it is in nothing, and not measured further."""
    tried = (kept.tried(pair.kind, pair.cell, pair.other, pair.begin + n) for n in range(LOOKS[-1]))
    return any(row is not None and row.invalid for row in tried)


def starts(members: Sequence[Known], block: int) -> list[list[Run]]:
    """The starts of a cell and what is beside it in a block, in random order."""
    cell, number = members[0].cell, members[0].begin + block
    seed = random.Random(f"{cell.id}/{number}").getrandbits(31)
    chance = random.Random(seed)
    if members[0].kind == ONE_START:
        shared = [Run(cell, number, 0, seed), Run(members[0].other, number, 0, seed + 1)]
        chance.shuffle(shared)
        return [shared]
    made = [[Run(each, number, 0, seed)] for each in (cell, *(one.other for one in members))]
    chance.shuffle(made)
    return made


def by_cell(pairs: Sequence[Known]) -> list[list[Known]]:
    """The pairs of each cell that share their starts."""
    groups: dict[tuple[str, str, int], list[Known]] = defaultdict(list)
    for pair in pairs:
        groups[pair.cell.id, pair.kind, pair.begin].append(pair)
    return list(groups.values())


def order(kept: Kept, pairs: Sequence[Known]) -> Iterator[list[list[Run]]]:
    """What is measured: look after look, and tool after tool up to each."""
    tools = dict.fromkeys(pair.cell.tool.tool for pair in pairs)
    for begin, look in pairwise((0, *LOOKS)):
        # Statuses of all pairs, so that the prior is not fitted to what stopping left
        statuses = decided(kept, pairs) if begin else ["undecided"] * len(pairs)
        wanted = [pair for pair, status in zip(pairs, statuses, strict=True)
                  if status == "undecided"]  # fmt: skip
        for tool in tools:
            here = [pair for pair in wanted if pair.cell.tool.tool == tool]
            yield from _blocks(kept, here, range(begin, look))
            if not begin:
                yield from _truths(kept, here)


def _blocks(kept: Kept, pairs: Sequence[Known], blocks: range) -> Iterator[list[list[Run]]]:
    """What is missing of these blocks, without pairs that are out."""
    for block in blocks:
        for members in by_cell(pairs):
            here = [one for one in members if not out(kept, one)]
            if not all(row_of(kept, one, block) for one in here):
                yield starts(here, block)


def _truths(kept: Kept, pairs: Sequence[Known]) -> Iterator[list[list[Run]]]:
    """The long starts that are missing: of a cell and all slower ones beside it."""
    for members in by_cell(pairs):
        slower = [one for one in members if one.percent]
        tried = [kept.tried(o.kind, _long(o.cell), _long(o.other), o.long) for o in slower]
        if not all(tried):
            cells, number = [members[0].cell, *(one.other for one in slower)], slower[0].long
            yield [[Run(_long(cell), number, 0, number)] for cell in cells]


def _long(cell: Cell) -> Cell:
    window = Window(seconds=20, per_thread=10, most_s=60)
    return replace(cell, settings=cell.settings.model_copy(update={"window": window}))


def measure(project: Project, kept: Kept, pairs: Sequence[Known], until_s: float) -> None:
    """Start after start, as long as there is time; a block is begun only where it can be ended."""
    needs = Needs(project, lambda message: print(message, flush=True))
    needs.provide((Run(pair.cell, 0, 0, 0) for pair in pairs), anew=True)
    progress = PlanProgress(total=sum(1 for _ in order(kept, pairs)), done=0)
    with Interrupt() as interrupt:
        for made in order(kept, pairs):
            if time.monotonic() > until_s:
                break
            begun = time.monotonic()
            for start in made:
                interrupt.check()
                paths = [run.cell.folder(project.raw, run.invocation) for run in start]
                if not all(map(folders.finished, paths)):
                    run_until_valid([prepare(project, run) for run in start],
                                    listener=progress.event)  # fmt: skip
            progress.finished(time.monotonic() - begun, made[0][0].cell.id)
    progress.end()


def row_of(kept: Kept, pair: Known, block: int) -> Row | None:
    """A pair's row in a block."""
    return kept.row(pair.kind, pair.cell, pair.other, pair.begin + block)


def rows_of(kept: Kept, pair: Known) -> list[Row]:
    """The rows of a pair, block after block."""
    return [row for block in range(LOOKS[-1]) if (row := row_of(kept, pair, block))]


def decided(kept: Kept, pairs: Sequence[Known]) -> list[str]:
    """What the rule over starts says of each at its last complete look; families as in studies."""
    confidence = confidence_at_looks(LOOKS)
    families: dict[tuple[str, str, int], list[tuple[int, Pair]]] = defaultdict(list)
    for place, pair in enumerate(pairs):
        sides = [(row.other, row.start) for row in rows_of(kept, pair)]
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


def report(kept: Kept, pairs: Sequence[Known]) -> int:
    """Print what the rules say of equals and of known differences; 1 where nothing is there."""
    statuses = decided(kept, pairs)
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
        _print_equals(kept, name, members)
    for percent in SLOWER:
        _print_slower(kept, percent, [one for one in told if one[0].percent == percent])
    _print_turns(kept)
    _print_steady(kept, [pair for pair, _ in told])
    return 0


def _print_equals(kept: Kept, name: str, members: Sequence[tuple[Known, str]]) -> None:
    counts = Counter(status for _, status in members)
    directions, n = counts["slower"] + counts["faster"], len(members)
    asked = [[row.papers for row in rows_of(kept, pair)] for pair, _ in members]
    wrong = sum(map(sum, asked))
    print(
        f"  {name:12} {directions} of {n} (at most {100 * limit(directions, n):.1f} %), "
        f"same {counts['same']}, undecided {counts['undecided']}; "
        f"papers' rule {wrong} of {sum(map(len, asked))} pairs of starts"
    )


def _print_slower(kept: Kept, percent: int, members: Sequence[tuple[Known, str]]) -> None:
    counts = Counter(status for _, status in members)
    truths = [truth for pair, _ in members if (truth := _truth(kept, pair)) is not None]
    spread = ""
    if truths:
        low, middle, high = np.exp(np.quantile(truths, (0.1, 0.5, 0.9)))
        spread = f"; true ratios {low:.3f}, {middle:.3f}, {high:.3f} (tenths 1, 5, 9)"
    print(f"  {percent} % slower, {len(members)} pairs: {dict(counts)}{spread}")


def _truth(kept: Kept, pair: Known) -> float | None:
    """The log ratio of the long starts."""
    row = kept.row(pair.kind, _long(pair.cell), _long(pair.other), pair.long)
    return None if row is None else row.other_log_median - row.log_median


def _print_turns(kept: Kept) -> None:
    """What equal cells of one start differ by: the second over the first, by how they warm up."""
    table = pd.DataFrame(row for row in kept.rows.values() if row.kind == ONE_START)
    table = table[(table["invalid"] == "") & (table["first"] >= 0)]
    ratio = table["other_log_median"] - table["log_median"]
    warmed = np.log(table["other_warmed"] / table["warmed"])
    sign = np.where(table["first"] == 1, 1, -1)
    table = table.assign(
        ratio=sign * ratio, warmed=sign * warmed,
        warm_up=np.where(table["block"] < TURNS, "one after the other", "in turns"),
    )  # fmt: skip
    print("equals in one start, the second cell over the first")
    for (tool, threads, how), starts in table.groupby(["tool", "threads", "warm_up"]):
        cells = starts.groupby("cell")["ratio"].mean()
        faster, n = int((cells < 0).sum()), len(cells)
        p = stats.binomtest(faster, n).pvalue
        print(
            f"  {tool}, {threads} clients, warmed up {how}: {len(starts)} starts, sd of the log "
            f"ratio {starts['ratio'].std():.3f}, mean {100 * np.expm1(starts['ratio'].mean()):+.1f}"
            f" %, faster in {faster} of {n} cells (p = {p:.3f}); executions of its warm-up times "
            f"{np.exp(starts['warmed'].median()):.2f}, in either direction "
            f"{np.exp(starts['warmed'].abs().median()):.2f}"
        )


def _print_steady(kept: Kept, pairs: Sequence[Known]) -> None:
    """How often the medians of a window's halves differ by more than 10 %, by tool."""
    halves: dict[str, dict[tuple[str, int], float]] = defaultdict(dict)
    for pair in pairs:
        for row in rows_of(kept, pair):
            halves[row.tool] |= {
                (row.cell, row.block): row.halves, (row.other_cell, row.block): row.other_halves,
            }  # fmt: skip
    for tool, starts_of in halves.items():
        apart = np.abs(np.log(list(starts_of.values()))) > np.log(1.1)
        print(f"  {tool}: halves of windows differ by more than 10 % in {apart.sum()} of "
              f"{len(apart)} starts")  # fmt: skip


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        print("stopped; what is measured stays, run it again to go on", file=sys.stderr)
        sys.exit(130)
