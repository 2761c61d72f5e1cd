"""The papers' entries are well-formed, and what they name exists."""

from pathlib import Path

import pytest
import yaml

from modelstress.config.base import parse
from modelstress.config.errors import ConfigError
from modelstress.config.papers import Paper, read_papers
from modelstress.config.project import Project

PROJECT = Project.find(Path(__file__))
FOLDER = PROJECT.root / "config" / "papers"
STUDY = PROJECT.study("model-queries")
PAPERS = read_papers(FOLDER, "model-queries")
ENTRIES = [entry for paper in PAPERS.papers for entry in paper.entries]


def selectors(entry):
    return [
        getattr(entry.ours, name)
        for name in ("cells", "beside", "group")
        if getattr(entry.ours, name, None)
    ]


def levels(selector):
    return [
        (factor, level)
        for factor, wanted in selector.items()
        for level in (wanted if isinstance(wanted, list) else [wanted])
    ]


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.id)
def test_every_level_of_an_entry_is_one_of_the_study(entry):
    for selector in selectors(entry):
        for factor, level in levels(selector):
            assert level in STUDY.factors[factor], f"{factor}: {level}"


def test_the_choices_are_levels_of_the_study():
    for paper in PAPERS.papers:
        for choice in paper.choices:
            for factor, level in (*levels(choice.when), *levels(choice.only)):
                assert level in STUDY.factors[factor]


def test_comparisons_and_models_are_those_of_the_study():
    asked = {getattr(entry.ours, "comparison", None) for entry in ENTRIES} - {None}
    assert asked <= set(STUDY.comparisons)
    for paper in PAPERS.papers:
        for case in paper.cases.values():
            assert set(case.models) <= set(STUDY.models)
            assert set(case.queries) <= set(STUDY.factors["query"])


def test_sizes_of_the_ladder_are_those_that_extraction_checks():
    text = (PROJECT.root / "config" / "jdt-ladder.yaml").read_text(encoding="utf-8")
    for number, step in enumerate(yaml.safe_load(text)["steps"]):
        ours = PAPERS.setting.models[f"jdt{number}"]
        assert (ours["elements"], ours["singletons"]) == (step["nodes"], step["singletons"])


def test_the_latest_paper_comes_first():
    assert [paper.year for paper in PAPERS.papers] == [2017, 2016]


def minimal(**entry):
    about = {"id": "x", "topic": "protocol", "title": "t", "says": "s", "where": "1"}
    ours = {"kind": "median", "cells": {"tool": "cdo"}}
    one = about | {"theirs": {"printed": "1"}, "ours": ours} | entry
    return {
        "paper": "p", "title": "P", "year": 2020, "study": "model-queries", "executions": 10,
        "cases": {}, "choices": [], "entries": [one],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        (
            {"theirs": {"printed": "1", "direction": "faster"}},
            "which the kind 'median' cannot find",
        ),
        (
            {
                "theirs": {"printed": "1", "direction": "within"},
                "ours": {"kind": "largest delta", "cells": {}},
            },
            "give theirs.high",
        ),
        ({"ours": {"kind": "meidan", "cells": {}}}, "entries.0.ours"),
        (
            {"ours": {"kind": "constant of the model", "case": "trian", "constant": "elements"}},
            "ours.case is 'trian'",
        ),
    ],
)
def test_mistakes_are_named(entry, said):
    with pytest.raises(ConfigError, match=said.replace("(", r"\(")) as error:
        parse(Paper, minimal(**entry), "p.yaml")
    assert str(error.value).startswith("p.yaml: ")


def test_an_id_belongs_to_one_entry(tmp_path):
    setting = (FOLDER / "setting.yaml").read_text(encoding="utf-8")
    (tmp_path / "setting.yaml").write_text(setting, encoding="utf-8")
    for name in ("p", "q"):
        text = yaml.safe_dump(minimal() | {"paper": name})
        (tmp_path / f"{name}.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=r"q\.yaml: entry 'x' stands in p\.yaml too"):
        read_papers(tmp_path, "model-queries")
    (tmp_path / "q.yaml").unlink()
    assert read_papers(tmp_path, "other").papers == ()
    (tmp_path / "p.yaml").write_text(yaml.safe_dump(minimal() | {"paper": "r"}), encoding="utf-8")
    with pytest.raises(ConfigError, match="must be the file's name, 'p'"):
        read_papers(tmp_path, "model-queries")


@pytest.mark.parametrize("study", ["configuration-space", "process-topologies"])
def test_what_entries_of_other_studies_name_is_there(study):
    asked = PROJECT.study(study)
    operations = asked.factors[asked.projected.operation]
    for paper in read_papers(FOLDER, study).papers:
        for case in paper.cases.values():
            assert set(case.queries) <= set(operations)
        for entry in paper.entries:
            assert set(getattr(entry.ours, "options", ())) <= set(asked.factors)
            for selector in selectors(entry):
                for factor, level in levels(selector):
                    assert level in asked.factors[factor], f"{entry.id}: {factor} {level}"
