"""Stores with and without attribute declarations stand side by side, each current by itself."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import tool as fake_tool
from fake_cells import FAKE

from modelstress.cli.measuring import measure_all
from modelstress.cli.provide import Needs
from modelstress.config.errors import ConfigError, MissingError
from modelstress.config.profile import Profile
from modelstress.config.project import Project
from modelstress.design.cell import Cell
from modelstress.design.cells import cells_of
from modelstress.design.contents import contents_of
from modelstress.design.plan import plan_of
from modelstress.measure.interrupt import Interrupt
from modelstress.measure.invocation import Invocation, prepare
from modelstress.measure.stores import read_marker
from modelstress.samples.provenance import sha256_file
from modelstress.workloads.queries import files
from modelstress.workloads.queries.stores import load_store
from modelstress.workloads.queries.study import QueriesStudy
from modelstress.workloads.queries.work import store_of

DECLARED = """
case: train
attributes:
  - {kind: derived, metamodel: m, type: T, name: a, value_type: Integer, language: EOL, logic: "1"}
"""


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A project whose only tool is the fake one, knowing declarations."""
    queries = tmp_path / "queries" / "train"
    (queries / "ocl").mkdir(parents=True)
    (queries / "ocl" / "Q.ocl").write_text("plain", encoding="utf-8")
    (queries / "ocl" / "Q.declared.ocl").write_text("declared", encoding="utf-8")
    (queries / "case.yaml").write_text("case: train\nqueries: {Q: {tuple: [a]}}\n")
    (queries / "attributes.yaml").write_text(DECLARED, encoding="utf-8")
    tool = {
        "tool": "fake", "title": "Fake", "jar": str(FAKE), "driver": "fake",
        "supports": {
            "backend": ["none"], "protocol": ["tcp"], "language": ["ocl"],
            "attributes": ["none", "declared"],
        },
        "load_timeout_s": 10,
    }  # fmt: skip
    (tmp_path / "config" / "tools").mkdir(parents=True)
    (tmp_path / "config" / "tools" / "fake.yaml").write_text(json.dumps(tool), encoding="utf-8")
    (tmp_path / "config" / "config.yaml").write_text("lock_wait_s: 200\n", encoding="utf-8")
    project = Project(tmp_path)
    model = files.model_file(project, "m")
    model.parent.mkdir(parents=True)
    model.write_bytes(fake_tool.MODEL)
    oracle = {"content": {"model": sha256_file(model)}, "queries": {"Q": {"count": 0, "digest": 0}}}
    files.oracle_file(project, "m").parent.mkdir(parents=True)
    files.oracle_file(project, "m").write_text(json.dumps(oracle), encoding="utf-8")
    return project


def cells(project: Project) -> list[Cell]:
    factors = {
        "tool": ["fake"], "backend": ["none"], "language": ["ocl"], "protocol": ["tcp"],
        "model": ["m"], "query": ["Q"], "threads": [1], "attributes": ["none", "declared"],
    }  # fmt: skip
    models = {"m": {"case": "train", "line": "2016", "scenario": "repair", "size": 1}}
    study = QueriesStudy.model_validate(
        {"study": "s", "title": "t", "models": models, "factors": factors}
    )
    return cells_of(project, study, Profile(profile="p", title="t", invocations=1))


def prepared(project: Project, cell: Cell) -> Invocation:
    return prepare(project, plan_of([cell], 1)[0])


def test_each_has_a_folder_and_contents_of_its_own(project: Project) -> None:
    tool = project.tool("fake")
    plain, _ = load_store(project, tool, "none", "m")
    declared, fresh = load_store(project, tool, "none", "m", case="train")
    assert fresh and (plain.name, declared.name) == ("m", "m+declared")
    assert load_store(project, tool, "none", "m") == (plain, False)
    assert load_store(project, tool, "none", "m", case="train") == (declared, False)

    file = files.attributes_file(project, "train")
    file.write_text(f"# a comment changes nothing\n{DECLARED}", encoding="utf-8")
    assert load_store(project, tool, "none", "m", case="train") == (declared, False)
    file.write_text(DECLARED.replace('"1"', '"2"'), encoding="utf-8")
    assert load_store(project, tool, "none", "m", case="train") == (declared, True)
    assert load_store(project, tool, "none", "m") == (plain, False)
    assert "attributes" not in read_marker(plain)["content"]


def test_a_cell_gets_its_store_its_text_and_its_declarations(project: Project) -> None:
    tool = project.tool("fake")
    for case in (None, "train"):
        load_store(project, tool, "none", "m", case=case)
    plain, declared = cells(project)
    one, two = prepared(project, plain), prepared(project, declared)
    assert (one.operations[0].text, two.operations[0].text) == ("plain", "declared")
    assert one.store != two.store and two.store == store_of(project, declared)
    assert one.needs.declared == ()
    assert two.needs.declared == ("derived T.a",)


def test_other_declarations_make_a_cell_stale_and_its_store_useless(project: Project) -> None:
    load_store(project, project.tool("fake"), "none", "m", case="train")
    plain, declared = cells(project)
    before = [contents_of(project, cell) for cell in (plain, declared)]
    file = files.attributes_file(project, "train")
    file.write_text(DECLARED.replace('"1"', '"2"'), encoding="utf-8")
    after = [contents_of(project, cell) for cell in (plain, declared)]
    assert after[0] == before[0]
    assert {name for name in after[1] if after[1][name] != before[1][name]} == {"attributes"}
    with pytest.raises(MissingError, match=rf"other attribute declarations.*load {declared.id}"):
        prepared(project, declared)


def test_a_tool_that_knows_none_gets_none(project: Project) -> None:
    fake = project.tool("fake")
    without = {name: levels for name, levels in fake.supports.items() if name != "attributes"}
    tool = fake.model_copy(update={"supports": without})
    with pytest.raises(ConfigError, match=r"fake\.yaml: 'attributes' is false"):
        load_store(project, tool, "none", "m", case="train")


def test_a_missing_store_does_not_keep_the_other_cells_from_their_turn(project: Project) -> None:
    load_store(project, project.tool("fake"), "none", "m", case="train")
    starts = [[run] for run in plan_of(cells(project), 1)]
    with Interrupt() as interrupt:
        results, errors = measure_all(
            project,
            starts,
            {},
            Needs(project, lambda sentence: None),
            None,
            interrupt,
        )
    [failed] = [result for result in results if "error" in result]
    [measured] = [result for result in results if result.get("measured")]
    assert "modelstress load" in str(failed["error"])
    assert "attributes" not in str(failed["cell"]) and "attributes=declared" in str(
        measured["cell"]
    )
    assert [type(error) for error in errors] == [MissingError]
    record = json.loads((Path(str(measured["folder"])) / "cell.json").read_text())
    assert record["provenance"]["attributes"] == ["derived T.a"]
    assert record["levels"]["attributes"] == "declared"
