"""How models are described: three kinds in a study, the ladder of sources, equal queries."""

from __future__ import annotations

from pathlib import Path

import pytest

from modelstress.config.base import read_model
from modelstress.config.errors import ConfigError
from modelstress.config.project import Project
from modelstress.workloads.queries import files
from modelstress.workloads.queries.case import Case
from modelstress.workloads.queries.jdt_ladder import Ladder
from modelstress.workloads.queries.study import JdtModel, OwnModel, QueriesStudy, TrainModel

ROOT = Project.find(Path(__file__)).root

STUDY = """
study: {name}
title: t
models:
  m: {model}
factors:
  tool: [example]
  backend: [memory]
  language: [eol]
  protocol: [http]
  model: [m]
  query: [Q]
  threads: [1]
"""
TRAIN = '{case: train, line: "2016", scenario: repair, size: 1}'
OWN = "{case: mine, metamodels: [a.ecore], files: [b.xmi, 'c/*.xmi']}"


def written(tmp_path: Path, model: str, name: str = "s") -> Path:
    file = tmp_path / "config" / "studies" / f"{name}.yaml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(STUDY.format(name=name, model=model), encoding="utf-8")
    return file


@pytest.mark.parametrize(
    ("model", "kind", "place"),
    [
        (TRAIN, TrainModel, "m.bin"),
        ("{case: grabats, step: 0}", JdtModel, "m/model.json"),
        (OWN, OwnModel, "m/model.json"),
    ],
)
def test_the_case_tells_the_kind_and_where_the_model_is(model, kind, place, tmp_path):
    study = read_model(QueriesStudy, written(tmp_path, model))
    assert isinstance(study.models["m"], kind)
    project = Project(tmp_path)
    assert files.model_file(project, "m") == tmp_path / "data/stores/models" / place
    assert files.models(project) == study.models


@pytest.mark.parametrize(
    ("model", "parts"),
    [
        ("{case: grabats, step: 5}", ["models.m.step", "5", "less than or equal to 4"]),
        ("{case: grabats, stp: 1}", ["'models.m.stp'", "did you mean 'step'"]),
        ("{case: grabats, step: 1, split: units}", ["models.m.split", "did you mean 'unit'"]),
        ('{case: train, line: "2016", size: 1}', ["'models.m.scenario' is missing"]),
        ("{case: mine, metamodels: [a.ecore]}", ["'models.m.files' is missing; add it"]),
        ("{case: mine, metamodel: [a.ecore], files: [b]}", ["did you mean 'metamodels'"]),
        ("{case: mine, metamodels: [a.ecore], files: []}", ["models.m.files", "at least 1"]),
        ("{case: trian, line: 1}", ["'models.m.line'", "valid: case, files, metamodels"]),
        ("3", ["models.m", "3"]),
    ],
)
def test_a_wrong_model_is_one_sentence_with_its_place(model, parts, tmp_path):
    file = written(tmp_path, model)
    with pytest.raises(ConfigError) as caught:
        read_model(QueriesStudy, file)
    message = str(caught.value)
    assert message.startswith(str(file)) and "\n" not in message
    assert "~" not in message, "a tag of pydantic's"
    for part in parts:
        assert part in message


def test_two_studies_may_share_a_model_but_not_a_name(tmp_path):
    written(tmp_path, TRAIN, "one")
    written(tmp_path, TRAIN, "two")
    assert list(files.models(Project(tmp_path))) == ["m"]
    wrong = written(tmp_path, TRAIN.replace("size: 1", "size: 2"), "two")
    with pytest.raises(ConfigError, match=rf"{wrong}: field 'models\.m': study 'one' makes"):
        files.model_file(Project(tmp_path), "m")


def test_a_study_that_cannot_be_read_is_no_hindrance_to_others(tmp_path):
    written(tmp_path, TRAIN, "one")
    written(tmp_path, "{case: grabats, step: many}", "two")
    assert files.model_file(Project(tmp_path), "m").name == "m.bin"


def test_the_shipped_ladder_is_nested():
    ladder = read_model(Ladder, ROOT / "config" / "jdt-ladder.yaml")
    for name in ("units", "nodes", "singletons"):
        counts = [getattr(step, name) for step in ladder.steps]
        assert counts == sorted(set(counts)), name
    for step in range(1, 5):
        below = ladder.sources(step - 1)
        assert ladder.sources(step)[: len(below)] == below
    everything = ladder.sources(4)
    assert len(everything) == len({jar.artifact for jar in everything}) == 8


def test_the_documented_ladder_is_the_shipped_one():
    page = (ROOT / "docs" / "grabats.md").read_text(encoding="utf-8")
    ladder = read_model(Ladder, ROOT / "config" / "jdt-ladder.yaml")
    for number, step in enumerate(ladder.steps):
        [row] = [line for line in page.splitlines() if line.startswith(f"| `jdt{number}` |")]
        _, _, adds, *counts, _ = (cell.strip() for cell in row.split("|"))
        short = [f"{j.artifact.removeprefix('org.eclipse.jdt.')} {j.version}" for j in step.adds]
        assert adds == ", ".join(short)
        assert counts == [f"{n:,}" for n in (step.nodes, step.units, step.singletons)]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("  - units: 68\n", "  - unit: 68\n", "'steps.0.unit'.*did you mean 'units'"),
        ("sha256: f8e4", "sha256: F8E4", "steps.0.adds.0.sha256"),
        ("nodes: 62695", "nodes: -1", "steps.0.nodes"),
        ("steps:\n", "steps: []\nstep:\n", "'step'"),
    ],
)
def test_a_wrong_ladder_is_one_sentence(old, new, message, tmp_path):
    text = (ROOT / "config" / "jdt-ladder.yaml").read_text(encoding="utf-8")
    assert old in text
    file = tmp_path / "ladder.yaml"
    file.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(ConfigError, match=message):
        read_model(Ladder, file)


def test_a_ladder_has_five_steps(tmp_path):
    text = (ROOT / "config" / "jdt-ladder.yaml").read_text(encoding="utf-8")
    file = tmp_path / "ladder.yaml"
    file.write_text(text[: text.index("  - units: 4292")], encoding="utf-8")
    with pytest.raises(ConfigError, match=r"steps has 4 entries; jdt0 to jdt4 are 5"):
        read_model(Ladder, file)


@pytest.mark.parametrize(
    "queries",
    [
        "{A: {tuple: [x], equals: B}}",
        "{A: {tuple: [x], equals: A}}",
        "{A: {tuple: [x], equals: B}, B: {tuple: [x, y]}}",
        "{A: {tuple: [x], equals: B}, B: {tuple: [x], equals: C}, C: {tuple: [x]}}",
    ],
)
def test_a_query_equals_one_that_can_be_evaluated(queries, tmp_path):
    file = tmp_path / "case.yaml"
    file.write_text(f"case: c\nqueries: {queries}\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"queries\.A\.equals is '[ABC]'; name a query"):
        read_model(Case, file)


def test_right_equals_are_read(tmp_path):
    file = tmp_path / "case.yaml"
    file.write_text(
        "case: c\nqueries: {A: {tuple: [x], equals: B}, B: {tuple: [y], languages: [eol]}}\n",
        encoding="utf-8",
    )
    queries = read_model(Case, file).queries
    assert queries["A"].equals == "B" and queries["B"].languages == ["eol"]
