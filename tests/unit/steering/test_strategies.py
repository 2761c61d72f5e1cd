"""Strategies: what they leave out and add, and what they leave alone."""

from __future__ import annotations

from pathlib import Path

import pytest
import sleepers

from modelstress.config.errors import ConfigError
from modelstress.config.project import Project
from modelstress.design.cell import Cell
from modelstress.design.plan_file import make_plan
from modelstress.steering.catalogue import Catalogue
from modelstress.steering.keys import Key
from modelstress.steering.strategies import (
    Result,
    Seen,
    refine_slow,
    stop_failing_region,
    stop_when_decided,
    strategies,
)

GOOD, BAD = Result(failed=False, median_ms=1.0), Result(failed=True)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return sleepers.write_project(tmp_path / "project", 6)


@pytest.fixture
def cells(project: Project) -> dict[str, Cell]:
    plan = make_plan(project, sleepers.STUDY, sleepers.PROFILE)
    return {cell.id: cell for cell in plan.cells}


def seen(cells: dict[str, Cell], results: dict[str, Result], **more: object) -> Seen:
    known: dict[str, object] = {
        "cells": cells, "added": frozenset(), "candidates": None, "undecided": lambda: None,
        "results": {name: [result] for name, result in results.items()},
        "queued": frozenset(Key(name, 0) for name in cells if name not in results), "open": True,
    }  # fmt: skip
    return Seen(**{**known, **more})  # type: ignore[arg-type]


def test_a_failing_pair_of_levels_is_explored_no_further(cells: dict[str, Cell]) -> None:
    def fails(cell: Cell) -> bool:
        return bool(cell.levels["fail"] and cell.levels["also"])

    names = sorted(cells, key=lambda name: name[-8:])
    bad = [name for name in names if fails(cells[name])]
    good = [name for name in names if not fails(cells[name])]
    results = dict.fromkeys(bad[:5], BAD) | dict.fromkeys(good[:20], GOOD)
    decisions = stop_failing_region(seen(cells, results))
    out = {key.cell for one in decisions for key in one.leave_out}
    assert out == {*bad[5:]}, "all that share the pair, and nothing else"
    assert "fail=1 and also=1" in decisions[0].why


def test_few_failures_or_nothing_but_failures_stop_nothing(cells: dict[str, Cell]) -> None:
    names = [*cells]
    assert stop_failing_region(seen(cells, dict.fromkeys(names[:30], BAD))) == []
    few = dict.fromkeys(names[:2], BAD) | dict.fromkeys(names[2:30], GOOD)
    assert stop_failing_region(seen(cells, few)) == []


def test_scattered_failures_are_no_region(cells: dict[str, Cell]) -> None:
    """Every eighth cell fails: those with an even number of options on fail as often as others."""
    results = {
        name: BAD if number % 8 == 0 else GOOD
        for number, name in enumerate(sorted(cells, key=lambda name: name[-8:])[:48])
    }
    decisions = stop_failing_region(seen(cells, results))
    assert sum(len(one.leave_out) for one in decisions) == 0


def test_neighbours_of_the_slowest_are_added_when_the_queue_is_empty(
    project: Project, cells: dict[str, Cell]
) -> None:
    plan = make_plan(project, sleepers.STUDY, sleepers.PROFILE)
    candidates = Catalogue(project, plan).candidates
    few = {name: cell for name, cell in cells.items() if name in sorted(cells)[::4]}
    results = {name: Result(False, 1.0 + place) for place, name in enumerate(few)}
    slowest = [*few][-3:]
    assert refine_slow(seen(few, results, candidates=lambda: candidates)) == []
    [decision] = refine_slow(
        seen(few, results, candidates=lambda: candidates, open=False, queued=frozenset())
    )
    ids = {frozenset(levels.items()) for levels in decision.add}
    assert len(ids) == len(decision.add) > 0
    for levels in decision.add:
        assert levels not in [dict(cell.levels) for cell in few.values()]
        near = [
            sum(few[name].levels[factor] != level for factor, level in levels.items())
            for name in slowest
        ]
        assert min(near) == 1


def test_undecided_cells_get_more_starts_and_decided_ones_none(cells: dict[str, Cell]) -> None:
    names = sorted(cells)
    results = dict.fromkeys(names, GOOD)
    done = {"open": False, "queued": frozenset()}
    [decision] = stop_when_decided(
        seen(cells, results, undecided=lambda: (frozenset(names[:2]), 6), **done)
    )
    assert decision.more == {names[0]: 6, names[1]: 6}
    for nothing in (None, (frozenset(), 6)):
        assert stop_when_decided(seen(cells, results, undecided=lambda n=nothing: n, **done)) == []


def test_an_unknown_strategy_is_a_sentence() -> None:
    with pytest.raises(ConfigError, match="did you mean 'refine-slow'"):
        strategies(["refine-slo"], "profile.yaml")
    assert [*strategies(["stop-when-decided"], "p")] == ["stop-when-decided"]
