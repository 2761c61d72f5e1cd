"""Combinations of levels: all that are allowed, each once, in the order of nested loops."""

import itertools
from functools import partial

from hypothesis import given
from hypothesis import strategies as st

from modelstress.design.combinations import Rule, combinations

NAMES = ("a", "b", "c", "d")
LEVELS = st.lists(st.sampled_from([1, 2, 3]), min_size=0, max_size=3, unique=True)
FACTORS = st.tuples(*[LEVELS] * len(NAMES)).map(
    lambda levels: dict(zip(NAMES, levels, strict=True))
)
# A factor may depend on those before it: then its place among the loops is that in the study.
CONDITIONS = st.fixed_dictionaries(
    {
        later: st.dictionaries(st.sampled_from(NAMES[:place]), LEVELS, max_size=2)
        for place, later in enumerate(NAMES)
        if place
    }
)


def forbids(pairs, levels):
    """Whether the levels are kept: one of the pairs at least is not among them."""
    return any(levels.get(name) != level for name, level in pairs)


FORBIDDEN = st.lists(
    st.dictionaries(st.sampled_from([*NAMES, "unknown"]), st.sampled_from([1, 2, 3]), min_size=1),
    max_size=3,
)


def product_of(factors, conditions, rules):
    """The same by making every combination first."""
    known = []
    for values in itertools.product(*factors.values()):
        levels = {}
        for name, level in zip(factors, values, strict=True):
            asked = conditions.get(name, {}).items()
            if all(other in levels and levels[other] in wanted for other, wanted in asked):
                levels[name] = level
        if levels not in known and all(rule.keeps(levels) for rule in rules):
            known.append(levels)
    return known


@given(FACTORS, CONDITIONS, FORBIDDEN)
def test_they_are_those_of_the_full_product_that_the_rules_keep(factors, conditions, forbidden):
    # where a factor has no level at all, nested loops make nothing, if its loop is reached
    factors = {name: levels or [1] for name, levels in factors.items()}
    rules = [Rule(frozenset(f), partial(forbids, list(f.items()))) for f in forbidden]
    assert list(combinations(factors, conditions, rules)) == product_of(factors, conditions, rules)


def test_a_factor_stands_outside_of_those_that_depend_on_it():
    factors = {"option": ["x", "y"], "protocol": ["tcp", "http"]}
    made = list(combinations(factors, {"option": {"protocol": ["http"]}}, []))
    assert made == [
        {"protocol": "tcp"},
        {"option": "x", "protocol": "http"},
        {"option": "y", "protocol": "http"},
    ]
    assert list(made[1]) == ["option", "protocol"]


def test_outermost_loops_can_be_chosen():
    factors = {"a": [1, 2], "b": [3, 4]}
    made = [tuple(each.values()) for each in combinations(factors, {}, [], slowest=["b"])]
    assert made == [(1, 3), (2, 3), (1, 4), (2, 4)]


def test_a_level_that_is_given_twice_makes_one_combination():
    assert list(combinations({"a": [1, 1]}, {}, [])) == [{"a": 1}]


def test_what_is_forbidden_early_never_multiplies():
    """Forty factors of two levels each have 10^12 combinations; one chain of them is allowed."""
    factors = {f"f{place}": [False, True] for place in range(40)}
    rules = [
        Rule(
            frozenset({f"f{place}", f"f{place + 1}"}),
            lambda levels, place=place: levels[f"f{place}"] != levels[f"f{place + 1}"],
        )
        for place in range(39)
    ]
    made = list(combinations(factors, {}, rules))
    assert [each["f0"] for each in made] == [False, True]
