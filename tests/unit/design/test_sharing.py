"""Which cells share a start, and where they stand in a plan."""

from __future__ import annotations

from itertools import groupby

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from small_studies import HAWK, PROJECT, cells, profile, study

from modelstress.config.errors import ConfigError
from modelstress.design.plan import plan_of, start_of
from modelstress.design.sharing import check, sharing

TWO = {"protocol": ["tcp", "http"], "query": ["SwitchSet"]}


def starts(study_, profile_=None, seed: int = 1):
    """The cells of each start of a plan, as their levels."""
    made = cells(study_, profile_)
    runs = plan_of(made, seed, sharing=sharing(study_))
    assert [run.position for run in runs] == list(range(len(runs)))
    groups = [list(group) for _, group in groupby(runs, key=lambda run: run.start)]
    assert [group[0].start for group in groups] == list(range(len(groups)))
    for group in groups:
        assert all(start_of(run, runs) == group for run in group)
        assert len({run.invocation for run in group}) == 1
    return [[run.cell.levels for run in group] for group in groups]


@given(st.integers(0, 1000))
def test_cells_that_differ_in_what_is_interleaved_share_a_start(seed):
    found = starts(study(factors=TWO, interleave=["protocol"]), seed=seed)
    assert len(found) == 6, "three numbers of threads, two invocations"
    for group in found:
        assert sorted(levels["protocol"] for levels in group) == ["http", "tcp"]
        assert len({levels["threads"] for levels in group}) == 1


def test_without_the_word_each_cell_has_its_own():
    assert sharing(study(factors=TWO)) is None
    assert all(len(group) == 1 for group in starts(study(factors=TWO)))


def test_servers_with_other_options_are_other_starts():
    """A cell without the option has its default: the servers are the same then."""
    factors = {**TWO, "threads": [1], "http_transport": ["stock", "long-poll"]}
    found = starts(study(factors=factors, interleave=["protocol"]), profile(invocations=1))
    groups = sorted(
        sorted((levels["protocol"], levels.get("http_transport")) for levels in group)
        for group in found
    )
    assert groups == [[("http", "long-poll")], [("http", "stock"), ("tcp", None)]]


def test_what_fills_caches_is_alone():
    factors = {**TWO, "threads": [1], "query_text": ["same", "unique"]}
    found = starts(study(factors=factors, interleave=["protocol"]), profile(invocations=1))
    alone = [group[0] for group in found if len(group) == 1]
    assert {levels["query_text"] for levels in alone} == {"unique"}
    assert len(found) == 1 + len(alone)


def test_captured_cells_and_histograms_are_alone():
    made = profile(settings={"capture": {"pause_ms": 300}}, levels={"threads": [1]})
    assert all(
        len(group) == 1 for group in starts(study(factors=TWO, interleave=["protocol"]), made)
    )


def test_seeds_are_those_of_the_plan_without_it():
    made = cells(study(factors=TWO))
    alone = {(run.cell.id, run.invocation): run.seed for run in plan_of(made, 5)}
    shared = plan_of(made, 5, sharing=sharing(study(factors=TWO, interleave=["protocol"])))
    assert {(run.cell.id, run.invocation): run.seed for run in shared} == alone


def test_different_stores_are_refused():
    one = study(factors={**HAWK, "tool": ["hawk"], "query": ["SwitchSet"]}, interleave=["backend"])
    with pytest.raises(ConfigError, match="field 'interleave': .* have different stores"):
        check(PROJECT, one, plan_of(cells(one), 1, sharing=sharing(one)))


@pytest.mark.parametrize(
    ("factor", "words"),
    [("protocoll", "unknown factor 'protocoll'.*protocol"), ("threads", "whole starts differ")],
)
def test_factors_that_cannot_be_interleaved_are_refused(factor, words):
    with pytest.raises(ValidationError, match=words):
        study(interleave=[factor])
