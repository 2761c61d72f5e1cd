"""Projection of a study's factors onto rows, series and axes."""

from dataclasses import replace
from pathlib import Path

import pytest

from modelstress.analysis.projection import TASK, projection_of
from modelstress.config.papers import read_papers
from modelstress.config.project import Project
from modelstress.config.roles import Noun, Roles
from modelstress.config.study import study_class
from modelstress.workloads.queries.study import QueriesStudy

PROJECT = Project.find(Path(__file__))
FACTORS = ("backend", "language", "protocol", "model", "query", "threads", "connection")


def study(**changes) -> QueriesStudy:
    return PROJECT.study("model-queries").model_copy(update=changes)


def test_the_shipped_study_says_what_its_kind_says_of_studies_from_before():
    """The archive's study has no roles, its papers no layout: both are those of the kind."""
    papers = read_papers(PROJECT.root / "config/papers", "model-queries")
    told = projection_of(study(), FACTORS, papers)
    assert told == projection_of(study(roles=None), FACTORS)
    assert replace(told, decisions={}) == projection_of(None, FACTORS)
    assert told.decisions["hq3_to_hq4"] == told.decisions["precomputed"] != ""
    assert told.layout.medians[1][0] == "OQ" and told.position == ("query", "threads")
    assert told.factors == ("tool", *FACTORS)


def test_a_study_that_has_no_such_factors():
    bare = projection_of(study(roles=Roles(load="clients", dataset="ledger")), ("clients",))
    assert (bare.operation, bare.load, bare.dataset) == (TASK, "clients", "")
    assert bare.series == ("tool",) and bare.position == (TASK, "clients")
    assert bare.load_title == "client processes"
    none = projection_of(study(roles=Roles()), ())
    assert none.load_title == "" and none.position == (TASK,)


def test_nouns_of_the_study_come_first():
    nouns = {"threads": Noun(one="teller", many="tellers", title="tellers at work")}
    told = projection_of(study(nouns=nouns), FACTORS)
    assert told.load_title == "tellers at work" and told.row_title == "query"


def test_without_some_factors():
    told = projection_of(None, FACTORS).only(["tool", "query", "threads"])
    assert told.factors == ("tool", "query", "threads") and told.operation == "query"


@pytest.mark.parametrize("name", ["no_such_kind", "../queries", "os"])
def test_an_unknown_kind_is_one_sentence(name):
    with pytest.raises(Exception, match=f"no workload kind '{name}'"):
        study_class(name)
