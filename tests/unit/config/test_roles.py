"""Roles of factors, nouns, and the layout of printed tables."""

import pytest
from pydantic import ValidationError

from modelstress.config.roles import Noun, Roles, TableLayout, noun_of

FACTORS = ("tool", "operation", "sessions", "ledger")


def roles(**given) -> Roles:
    return Roles(**{"operation": "operation", "load": "sessions", "dataset": "ledger", **given})


def test_roles_of_factors_that_the_study_has():
    roles().check(FACTORS)
    Roles().check(["tool"])
    roles(series=["tool", "ledger"], dataset="", panel="ledger").check(FACTORS)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"operation": "operatoin"}, r"roles\.operation names unknown factor 'operatoin' \(did"),
        ({"series": ["tool", "tol"]}, r"roles\.series\.1 names unknown factor 'tol'"),
        ({"load": "operation"}, r"roles\.load is 'operation', which is roles\.operation already"),
        ({"panel": "sessions"}, r"roles\.panel is 'sessions'; name one of roles\.series \(tool\)"),
    ],
)
def test_wrong_roles_are_one_sentence(given, said):
    with pytest.raises(ValueError, match=said):
        roles(**given).check(FACTORS)


def test_a_factor_without_a_noun_is_called_by_its_name():
    assert noun_of("cache_mb", {}) == Noun(one="cache mb", many="cache mbs")
    assert noun_of("query", {"query": Noun(one="query", many="queries")}).many == "queries"


def test_numbers_after_those_of_a_paper():
    layout = TableLayout(
        medians={1: ["a"], 2: ["b"]}, cases=[[1], [2]], failures=5, comparisons={"x": [7, 8]}
    )
    assert layout.first_free == 9 and TableLayout().first_free == 1


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"medians": {1: ["a"]}, "cases": [[2]]}, "tables.cases.0 names table 2"),
        ({"medians": {1: ["a"]}, "cases": [[1]], "comparisons": {"x": [7, 8]}}, "has 2 tables"),
        ({"medians": {1: []}}, "at least 1"),
    ],
)
def test_wrong_layouts_are_refused(given, said):
    with pytest.raises(ValidationError, match=said):
        TableLayout(**given)
