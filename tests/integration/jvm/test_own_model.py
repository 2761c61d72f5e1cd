"""Somebody's own model: checked, copied, made again when its files change, and queried."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from modelstress.cli import main
from modelstress.config.errors import ConfigError
from modelstress.config.project import Project
from modelstress.jvm import write_oracle
from modelstress.measure.models import store_model

ROOT = Project.find(Path(__file__)).root
NAME = "bicycles"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A project with nothing but the example of docs/own-model.md."""
    shutil.copytree(ROOT / "examples" / "own-model", tmp_path, dirs_exist_ok=True)
    (tmp_path / "config" / "config.yaml").write_text("studies: [parts]\n", encoding="utf-8")
    (tmp_path / "java-shims").symlink_to(ROOT / "java-shims")
    return Project(tmp_path)


def build(project: Project) -> tuple[Path, bool]:
    return store_model(project, NAME, project.study("parts").models[NAME])


def change(project: Project, name: str, old: str, new: str) -> None:
    file = project.root / "models" / "parts" / name
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new, 1), encoding="utf-8")


def test_the_oracle_finds_what_a_reader_of_the_files_finds(project):
    # Snakemake makes the folder beforehand
    (project.stores / "models" / NAME).mkdir(parents=True)
    model, fresh = build(project)
    assert fresh and model == project.model_file(NAME)
    described = json.loads(model.read_text(encoding="utf-8"))
    assert [each["path"] for each in described["files"]] == [
        "catalogue.xmi", "frames.xmi", "wheels.xmi",
    ]  # fmt: skip
    queries = json.loads(write_oracle(project, NAME, "parts").read_text(encoding="utf-8"))[
        "queries"
    ]
    assert {name: found["count"] for name, found in queries.items()} == {
        "WithObsolete": 1, "SameSupplier": 3,
    }  # fmt: skip
    assert queries["WithObsolete"]["texts"] == ["eol/WithObsolete.eol", "ocl/WithObsolete.ocl"]

    assert build(project) == (model, False)
    change(project, "wheels.xmi", 'obsolete="true"', 'obsolete="false"')
    assert build(project) == (model, True)
    again = json.loads(write_oracle(project, NAME, "parts").read_text(encoding="utf-8"))["queries"]
    assert again["WithObsolete"]["count"] == 0


def test_an_equal_query_has_the_others_result_and_is_not_evaluated(project):
    build(project)
    case = project.root / "queries" / "parts" / "case.yaml"
    with case.open("a", encoding="utf-8") as stream:
        stream.write("  Derived: {tuple: [p], languages: [eol], equals: WithObsolete}\n")
    text = project.root / "queries" / "parts" / "eol" / "Derived.eol"
    text.write_text("return Part.all.select(p | p.thereIsNoSuchThing);", encoding="utf-8")
    queries = json.loads(write_oracle(project, NAME, "parts").read_text(encoding="utf-8"))[
        "queries"
    ]
    assert queries["Derived"] == queries["WithObsolete"]


def test_languages_that_are_not_asked_need_no_text(project):
    build(project)
    folder = project.root / "queries" / "parts"
    (folder / "ocl" / "WithObsolete.ocl").unlink()
    with pytest.raises(ConfigError, match=r"ocl/WithObsolete\.ocl: no such query"):
        write_oracle(project, NAME, "parts")
    case = folder / "case.yaml"
    text = case.read_text(encoding="utf-8")
    case.write_text(
        text.replace("WithObsolete: {", "WithObsolete: {languages: [eol], "), encoding="utf-8"
    )
    queries = json.loads(write_oracle(project, NAME, "parts").read_text(encoding="utf-8"))[
        "queries"
    ]
    assert queries["WithObsolete"]["texts"] == ["eol/WithObsolete.eol"]


def test_what_does_not_fit_together_is_one_sentence_and_leaves_nothing(project):
    change(project, "frames.xmi", "wheels.xmi#//@parts.1", "wheels.xmi#//@parts.9")
    done = CliRunner().invoke(main, ["--project", str(project.root), "model", "build", NAME])
    assert done.exit_code == 2
    assert done.stderr.startswith("error: ") and done.stderr.count("\n") == 1
    assert "frames.xmi" in done.stderr and "@parts.9" in done.stderr
    assert list((project.stores / "models").iterdir()) == []
