"""The order of invocations, their seeds, and what they will take."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_studies import HAWK, captured, cells, profile, study

from modelstress.design.estimate import OVERHEAD_S, Medians, estimate
from modelstress.design.plan import plan_of


@given(st.integers())
def test_plan_is_in_blocks_and_repeatable(seed):
    known = cells()
    plan = plan_of(known, seed)
    assert plan == plan_of(list(reversed(known)), seed)
    assert [run.invocation for run in plan] == sorted(run.invocation for run in plan)
    assert [run.position for run in plan] == list(range(12))
    assert set(Counter((run.cell.id, run.invocation) for run in plan).values()) == {1}


def test_blocks_have_orders_of_their_own():
    plan = plan_of(cells(study(factors={"threads": list(range(1, 30))})), 1)
    half = len(plan) // 2
    first, second = ([run.cell.id for run in part] for part in (plan[:half], plan[half:]))
    assert sorted(first) == sorted(second) and first != second != sorted(first) != first


def test_a_cell_more_changes_no_other_seed():
    few = {(r.cell.id, r.invocation): r.seed for r in plan_of(cells(), 1)}
    many = plan_of(cells(study(factors={"threads": [1, 2, 64, 65]})), 1)
    more = {(r.cell.id, r.invocation): r.seed for r in many}
    assert few.items() <= more.items()
    assert len(set(more.values())) == len(more)


def test_estimates_prefer_the_same_cell_and_keep_tools_apart():
    of_cdo = cells(study(factors={"protocol": ["tcp", "http"], "query": ["SwitchSet"]}))
    medians = Medians()
    medians.add(next(c for c in of_cdo if c.levels["threads"] == 1), 3.0)
    assert {medians.of(c) for c in of_cdo} == {3.0}
    of_hawk = cells(study(factors={**HAWK, "tool": ["hawk"], "query": ["SwitchSet"]}))
    assert {medians.of(c) for c in of_hawk} == {None}
    for cell, seconds in zip(of_hawk, range(1, 9), strict=True):
        medians.add(cell, float(seconds))
    assert [medians.of(c) for c in of_hawk] == [float(n) for n in range(1, 9)]


def test_estimate_counts_what_it_guesses():
    plan = plan_of(cells(profile_=profile(settings={"executions": 100})), 1)
    medians = Medians()
    medians.add(next(c for c in cells() if c.levels["query"] == "PosLength"), 0.5)
    cost = estimate(plan, medians)
    assert (cost.runs, cost.guessed) == (12, 6)
    known, guessed = (OVERHEAD_S + 10 * each + 100 * each for each in (0.5, 1.0))
    assert cost.hours == pytest.approx((6 * known + 6 * guessed) / 3600)


def test_pauses_between_captured_executions_are_estimated():
    one = {"threads": [1]}
    [few, more] = (
        estimate(plan_of(cells(profile_=made), 1), Medians()).hours
        for made in (profile(levels=one), captured(levels=one))
    )
    runs, executions = 4, 200 + 10
    assert (more - few) * 3600 == pytest.approx(runs * executions * 0.3)
