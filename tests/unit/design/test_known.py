"""A typo in a level, wherever one can stand, is a sentence and never takes cells away silently."""

import shutil

import pytest
import yaml
from small_studies import HAWK, PROJECT, cells, profile, study

from modelstress.analysis.replication import papers_beside
from modelstress.config.errors import ConfigError
from modelstress.config.project import Project
from modelstress.design.cells import cells_of

STUDY, PROFILE = "config/studies/s.yaml", "config/profiles/p.yaml"
FIDELITY = {**HAWK, "fidelity": ["improved", "paper"]}


@pytest.mark.parametrize(
    ("factors", "word", "nearest"),
    [
        ({"backend": ["h2", "neo4", "neoemf"]}, "neo4", "neo4j"),
        ({"language": ["ocl", "olc"]}, "olc", "ocl"),
        ({"protocol": ["tcp", "htpp"]}, "htpp", "http"),
        ({"tool": ["cdo", "hawkk"]}, "hawkk", "hawk"),
    ],
)
def test_a_level_that_no_tool_supports_is_named_with_the_nearest(factors, word, nearest):
    with pytest.raises(ConfigError) as caught:
        cells(study(factors=factors))
    said = str(caught.value)
    assert repr(word) in said and f"did you mean {nearest!r}?" in said and "\n" not in said
    if "tool" not in factors:
        assert said.startswith(f"{STUDY}: field 'factors.{next(iter(factors))}'")


@pytest.mark.parametrize(
    ("constraint", "field", "word", "nearest"),
    [
        ({"when": {"tool": "mogway"}}, "0.when.tool", "mogway", "mogwai"),
        ({"when": {"query": ["PosLength", "SwichSet"]}}, "0.when.query", "SwichSet", "SwitchSet"),
        ({"when": {}, "only": {"backend": ["neo4"]}}, "0.only.backend", "neo4", "neo4j"),
        ({"when": {"fidelity": "papr"}}, "0.when.fidelity", "papr", "paper"),
        ({"when": {"threads": "one"}}, "0.when.threads", "one", None),
        ({"when": {"threads": "1"}}, "0.when.threads", "1", None),
    ],
)
def test_levels_of_constraints_of_studies_and_profiles(constraint, field, word, nearest):
    whole = study(factors=FIDELITY)
    wrong = study(factors=FIDELITY, constraints=[constraint])
    for where, given in (
        (STUDY, (wrong, None)),
        (PROFILE, (whole, profile(constraints=[constraint]))),
    ):
        with pytest.raises(ConfigError) as caught:
            cells(*given)
        said = str(caught.value)
        assert said.startswith(f"{where}: field 'constraints.{field}' has level {word!r}")
        assert nearest is None or f"did you mean {nearest!r}?" in said


@pytest.mark.parametrize(
    ("levels", "word"),
    [
        ({"query": ["PosLength", "SwichSet"]}, "SwichSet"),
        ({"backend": ["h2", "neo4"]}, "neo4"),
        ({"connection": ["per-execution", "reuse"], "threads": [1]}, "reuse"),
        ({"fault": ["none", "server-killedd"]}, "server-killedd"),
        ({"thread": [1]}, "thread"),
    ],
)
def test_levels_and_factors_of_a_profile(levels, word):
    with pytest.raises(ConfigError) as caught:
        cells(None, profile(levels=levels))
    assert str(caught.value).startswith(f"{PROFILE}: field 'levels")
    assert repr(word) in str(caught.value) and "did you mean" in str(caught.value)


def test_an_option_has_levels_of_its_defaults_kind():
    with pytest.raises(
        ConfigError, match=r"factors.pool_size' has level 'ten', but the option is 0"
    ):
        cells(study(factors={"pool_size": [0, "ten"]}))


def test_a_profile_and_constraints_for_other_studies_are_passed_over():
    """Tools, models, queries, faults and options that this study does not have, but others do."""
    others = {
        "tool": ["cdo", "mogwai"],
        "backend": ["h2", "neoemf"],
        "fidelity": ["paper"],
        "fault": ["none", "server-paused"],
        "query": ["PosLength", "OQ", "inspection"],
    }
    passed_over = [{"when": {"tool": "hawk", "cached_queries": 0}, "only": {"threads": [32]}}]
    found = cells(study(constraints=[{"when": {"tool": "mogwai"}, "only": {"threads": [5]}}]),
                  profile(levels=others, constraints=passed_over))  # fmt: skip
    assert len(found) == 3


@pytest.fixture
def project(tmp_path):
    """A copy of the configuration and the queries, to be spoilt."""
    for name in ("config", "queries"):
        shutil.copytree(PROJECT.root / name, tmp_path / name)
    return Project(tmp_path)


def replace(file, old, new):
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new, 1), encoding="utf-8")


def refused(call):
    with pytest.raises(ConfigError) as caught:
        call()
    said = str(caught.value)
    assert "\n" not in said
    return said


def test_a_language_of_a_case_that_nobody_speaks(project):
    file = project.root / "queries/grabats/case.yaml"
    replace(file, "OQ: {tuple: [td], languages: [ocl]}", "OQ: {tuple: [td], languages: [olc]}")
    grabats = study(models={"m": {"case": "grabats", "step": 0}}, factors={"query": ["OQ", "MQ"]})
    said = refused(lambda: cells_of(project, grabats, profile()))
    assert said.startswith(f"{file}: field 'queries.OQ.languages' has 'olc'")
    assert "did you mean 'ocl'" in said


def test_a_folder_of_queries_that_is_nowhere(project):
    file = project.root / "config/tools/hawk.yaml"
    file.write_text(file.read_text(encoding="utf-8") + "\nqueries: real-hwak\n", encoding="utf-8")
    said = refused(lambda: cells_of(project, study(), profile()))
    assert "config/tools/hawk.yaml: field 'queries' is 'real-hwak'" in said
    assert "did you mean 'real-hawk'" in said


PAPER_TYPOS = [
    ({"cells": {"tool": "mogway"}}, "ours.cells.tool' has 'mogway'", "mogwai"),
    ({"cells": {"tol": "cdo"}}, "ours.cells' has 'tol'", "tool"),
    ({"kind": "largest delta", "comparison": "protocl"}, "comparison' has 'protocl'", "protocol"),
]


@pytest.mark.parametrize(("ours", "said", "nearest"), PAPER_TYPOS)
def test_what_a_paper_names_and_nothing_knows(project, ours, said, nearest):
    file = project.root / "config/papers/sosym2017.yaml"
    paper = yaml.safe_load(file.read_text(encoding="utf-8"))
    entry = {"id": "x", "topic": "protocol", "title": "t", "says": "s", "where": "1"}
    entry |= {"theirs": {"printed": "1"}}
    entry["ours"] = {"kind": "median", "cells": {"tool": "cdo"}, **ours}
    paper["entries"].append(entry)
    file.write_text(yaml.safe_dump(paper), encoding="utf-8")
    message = refused(lambda: papers_beside(project.root, paper["study"]))
    assert message.startswith("config/papers/sosym2017.yaml: field 'entries.x.")
    assert said in message and f"did you mean {nearest!r}?" in message


def test_models_queries_and_choices_of_a_paper(project):
    file = project.root / "config/papers/sosym2017.yaml"
    whole = file.read_text(encoding="utf-8")
    paper = yaml.safe_load(whole)
    case = next(iter(paper["cases"].values()))
    case["queries"][0] = "RuteSensor"
    file.write_text(yaml.safe_dump(paper), encoding="utf-8")
    said = refused(lambda: papers_beside(project.root, paper["study"]))
    assert "cases." in said and "did you mean 'RouteSensor'?" in said
    paper = yaml.safe_load(whole)
    paper["choices"][0]["only"]["protocol"] = "htpp"
    file.write_text(yaml.safe_dump(paper), encoding="utf-8")
    said = refused(lambda: papers_beside(project.root, paper["study"]))
    assert "'choices.0.only.protocol' has 'htpp'" in said


def test_a_notebook_that_is_not_there(project):
    (project.root / "notebooks").mkdir()
    for file in (PROJECT.root / "notebooks").glob("*.ipynb"):
        (project.root / "notebooks" / file.name).touch()
    assert project.notebooks("model-queries") == project.study("model-queries").notebooks
    file = project.root / "config/studies/model-queries.yaml"
    replace(file, "measurements", "measurments")
    said = refused(lambda: project.notebooks("model-queries"))
    assert "field 'notebooks' names unknown notebook 'measurments'" in said
    assert "did you mean 'measurements'?" in said
