"""Somebody's own model: checked, copied, made again when its files change, and queried."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from modelstress.cli import main
from modelstress.config.project import Project
from modelstress.workloads.queries import files
from modelstress.workloads.queries.jvm import write_oracle
from modelstress.workloads.queries.models import store_model

ROOT = Project.find(Path(__file__)).root
NAME = "bicycles"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project with nothing but the example of docs/own-model.md, its model made."""
    root = tmp_path_factory.mktemp("own")
    shutil.copytree(ROOT / "examples" / "own-model", root, dirs_exist_ok=True)
    (root / "config" / "config.yaml").write_text("studies: [parts]\n", encoding="utf-8")
    (root / "java-shims").symlink_to(ROOT / "java-shims")
    project = Project(root)
    # Snakemake makes the folder beforehand
    (project.stores / "models" / NAME).mkdir(parents=True)
    assert build(project) == (files.model_file(project, NAME), True)
    return project


@pytest.fixture
def project(built: Project, tmp_path: Path) -> Project:
    """A copy of it, to be changed."""
    return Project(Path(shutil.copytree(built.root, tmp_path / "project", symlinks=True)))


def build(project: Project) -> tuple[Path, bool]:
    return store_model(project, NAME, project.study("parts").models[NAME])


def change(project: Project, name: str, old: str, new: str) -> None:
    file = project.root / "models" / "parts" / name
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new, 1), encoding="utf-8")


def expected(project: Project) -> dict[str, dict[str, Any]]:
    """The oracle's results."""
    file = write_oracle(project, NAME, "parts")
    return dict(json.loads(file.read_text(encoding="utf-8"))["queries"])


def test_the_oracle_finds_what_a_reader_of_the_files_finds(project):
    queries = expected(project)
    assert {name: found["count"] for name, found in queries.items()} == {
        "WithObsolete": 1, "SameSupplier": 3,
    }  # fmt: skip
    assert queries["WithObsolete"]["texts"] == ["eol/WithObsolete.eol", "ocl/WithObsolete.ocl"]


def test_a_model_is_made_again_when_a_file_has_changed(project):
    model = files.model_file(project, NAME)
    before = json.loads(model.read_text(encoding="utf-8"))["files"]
    names = [each["path"] for each in before]
    assert names == ["catalogue.xmi", "frames.xmi", "wheels.xmi"]
    assert build(project) == (model, False)
    change(project, "wheels.xmi", 'obsolete="true"', 'obsolete="false"')
    assert build(project) == (model, True)
    after = json.loads(model.read_text(encoding="utf-8"))["files"]
    assert [old["path"] for old, new in zip(before, after, strict=True) if old != new] == [
        "wheels.xmi",
    ]  # fmt: skip


def test_equal_queries_are_not_evaluated_and_other_languages_need_no_text(project):
    folder = project.root / "queries" / "parts"
    case = (folder / "case.yaml").read_text(encoding="utf-8")
    case = case.replace("WithObsolete: {", "WithObsolete: {languages: [eol], ")
    case += "  Derived: {tuple: [p], languages: [eol], equals: WithObsolete}\n"
    (folder / "case.yaml").write_text(case, encoding="utf-8")
    (folder / "ocl" / "WithObsolete.ocl").unlink()
    text = "return Part.all.select(p | p.thereIsNoSuchThing);"
    (folder / "eol" / "Derived.eol").write_text(text, encoding="utf-8")
    queries = expected(project)
    assert queries["WithObsolete"]["texts"] == ["eol/WithObsolete.eol"]
    assert queries["Derived"] == queries["WithObsolete"]


def test_what_does_not_fit_together_is_one_sentence_and_changes_nothing(project):
    models = project.stores / "models"
    before = {file: file.read_bytes() for file in models.rglob("*") if file.is_file()}
    change(project, "frames.xmi", "wheels.xmi#//@parts.1", "wheels.xmi#//@parts.9")
    done = CliRunner().invoke(main, ["--project", str(project.root), "model", "build", NAME])
    assert done.exit_code == 2
    assert done.stderr.startswith("error: ") and done.stderr.count("\n") == 1
    assert "frames.xmi" in done.stderr and "@parts.9" in done.stderr
    assert {file: file.read_bytes() for file in models.rglob("*") if file.is_file()} == before
    assert [path.name for path in models.iterdir()] == [NAME]
