"""Measures: every one has a unit and a direction, and a comparison names one that there is."""

import pytest
from small_studies import study

from modelstress.config.base import parse
from modelstress.config.errors import ConfigError
from modelstress.config.measures import LATENCY, MEASURES, THROUGHPUT
from modelstress.config.outcomes import OUTCOMES
from modelstress.config.study import Comparison
from modelstress.workloads.queries.study import QueriesStudy

SIDES = {"title": "t", "level": {"query": "SwitchSet"}, "baseline": {"query": "PosLength"}}


def test_every_outcome_has_a_share():
    shares = {measure.outcome: measure for measure in MEASURES.values() if measure.share}
    assert tuple(shares) == OUTCOMES
    assert {name for name, one in shares.items() if one.better == "higher"} == {"ok"}
    assert {(one.unit, one.per) for one in shares.values()} == {("", "invocation")}


def test_names_are_those_of_the_registry():
    assert [name for name, one in MEASURES.items() if name != one.name] == []
    assert [one.name for one in MEASURES.values() if one.captured] == [
        "bytes", "packets", "round_trips",
    ]  # fmt: skip
    assert {one.per for one in MEASURES.values() if one.captured} == {"execution"}


def test_axes_have_units():
    assert LATENCY.axis == "latency (ms)"
    assert (THROUGHPUT.axis, THROUGHPUT.better) == ("ok executions per second", "higher")
    assert MEASURES["share of timeout"].axis == "share of timeout"
    assert MEASURES["round_trips"].axis == "round trips of an execution"


def test_a_comparison_is_of_latencies_unless_it_says_otherwise():
    assert Comparison(**SIDES).of == LATENCY
    assert Comparison(**SIDES, measure="throughput").of == THROUGHPUT


@pytest.mark.parametrize(
    ("measure", "near"),
    [("throughputs", "throughput"), ("share of incorect", "share of incorrect")],
)
def test_an_unknown_measure_is_refused_with_the_nearest_word(measure, near):
    told = study().model_dump() | {"comparisons": {"one": {**SIDES, "measure": measure}}}
    with pytest.raises(ConfigError, match=f"comparisons.*{measure}.*did you mean '{near}'"):
        parse(QueriesStudy, told, "s.yaml")


def test_groups_are_tested_by_latencies_only():
    with pytest.raises(ValueError, match="leave 'groups' or 'measure' out"):
        Comparison(**SIDES, groups=True, measure="throughput")
