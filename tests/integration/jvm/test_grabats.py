"""The smallest step of the ladder, from the sources that Maven fetches to its oracle."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from modelstress.cli import main
from modelstress.config.base import read_model
from modelstress.config.project import Project
from modelstress.workloads.queries import files
from modelstress.workloads.queries.jdt_ladder import Ladder
from modelstress.workloads.queries.jvm import Jvm

ROOT = Project.find(Path(__file__)).root
STEP = read_model(Ladder, ROOT / "config" / "jdt-ladder.yaml").steps[0]


def call(project: Project, *arguments: str) -> Result:
    return CliRunner().invoke(main, ["--project", str(project.root), *arguments])


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project with the model jdt0."""
    root = tmp_path_factory.mktemp("grabats")
    for part in ("config", "queries"):
        shutil.copytree(ROOT / part, root / part)
    (root / "java-shims").symlink_to(ROOT / "java-shims")
    project = Project(root)
    done = call(project, "model", "build", "jdt0")
    assert done.exit_code == 0, done.output
    return project


def test_a_model_is_made_once(project):
    model = files.model_file(project, "jdt0")
    assert model == project.stores / "models" / "jdt0" / "model.json"
    before = model.stat().st_mtime_ns
    assert "is there already" in call(project, "model", "build", "jdt0").stdout
    assert model.stat().st_mtime_ns == before


@pytest.mark.timeout(600)
def test_all_queries_find_the_ladders_singletons(project):
    done = call(project, "oracle", "jdt0")
    assert done.exit_code == 0, done.output
    queries = json.loads(files.oracle_file(project, "jdt0").read_text(encoding="utf-8"))["queries"]
    assert set(queries) == {"OQ", "MQ", "HQ1", "HQ2", "HQ3", "HQ4"}
    assert {found["count"] for found in queries.values()} == {STEP.singletons}
    assert len({found["digest"] for found in queries.values()}) == 1
    assert queries["HQ1"]["texts"] == ["eol/HQ1.eol", "epl/HQ1.epl"]
    assert queries["OQ"]["texts"] == ["ocl/OQ.ocl"]


@pytest.mark.long
def test_a_model_in_many_files_has_the_same_elements(project):
    done = call(project, "model", "build", "jdt0-units")
    assert done.exit_code == 0, done.output
    units = files.model_file(project, "jdt0-units")
    described = json.loads(units.read_text(encoding="utf-8"))
    assert len(described["files"]) == STEP.units + 1
    text = files.query_file(project, "grabats", "eol", "HQ1").read_text(encoding="utf-8")
    with Jvm(files.models_jar(project)) as jvm:
        found = [jvm.evaluate(model, "eol", text, ["td"]) for model in
                 (units, files.model_file(project, "jdt0"))]  # fmt: skip
    assert found[0] == found[1]


def test_other_counts_than_the_ladders_leave_no_model(project, tmp_path):
    other = Project(tmp_path)
    for part in ("config", "queries"):
        shutil.copytree(ROOT / part, tmp_path / part)
    (tmp_path / "java-shims").symlink_to(ROOT / "java-shims")
    ladder = tmp_path / "config" / "jdt-ladder.yaml"
    text = ladder.read_text(encoding="utf-8")
    wrong = text.replace(f"nodes: {STEP.nodes}", f"nodes: {STEP.nodes + 1}")
    ladder.write_text(wrong, encoding="utf-8")
    done = call(other, "model", "jdt", "--step", "0", "--output", str(tmp_path / "out"))
    assert done.exit_code == 2
    [sentence] = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
    assert f"steps.0.nodes is {STEP.nodes + 1}, but {STEP.nodes} were found" in sentence
    assert not (tmp_path / "out").exists()
