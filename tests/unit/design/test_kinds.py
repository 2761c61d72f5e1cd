"""Kinds of workload: found by name, each with its commands, and one can be deleted."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import modelstress
import modelstress.cli  # before the commands of kinds, which extend it
from modelstress.config.errors import ConfigError
from modelstress.config.project import Project
from modelstress.config.study import kinds, study_class
from modelstress.design import kinds as kinds_module
from modelstress.design.kinds import commands, kind_named, kind_of

ROOT = Project.find(Path(__file__)).root
PACKAGE = Path(modelstress.__file__).parent


def test_both_kinds_are_found() -> None:
    assert kinds() == ["operations", "queries"]
    for name in kinds():
        assert kind_named(name) is sys.modules[f"modelstress.workloads.{name}.kind"].KIND
        assert study_class(name).__module__ == f"modelstress.workloads.{name}.study"


def test_a_study_is_of_the_kind_that_it_names_or_of_queries() -> None:
    study = Project(ROOT).study("model-queries")
    assert kind_of(study) is kind_named("queries")
    own = Project(ROOT / "examples" / "own-study").study("own-study")
    assert kind_of(own) is kind_named("operations")


def test_an_unknown_kind_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        kind_named("operation")
    message = str(caught.value)
    assert "'operation'" in message and "did you mean 'operations'" in message
    assert "src/modelstress/workloads/operation/" in message and "\n" not in message
    file = tmp_path / "config" / "studies" / "s.yaml"
    file.parent.mkdir(parents=True)
    file.write_text("study: s\nworkload: metadat\n")
    with pytest.raises(ConfigError, match=r"s\.yaml: field 'workload': .*'metadat'"):
        Project(tmp_path).study("s")


def test_a_package_without_a_kind_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    empty = ModuleType("modelstress.workloads.operations.kind")
    monkeypatch.setattr(kinds_module, "import_module", lambda name: empty)
    with pytest.raises(ConfigError, match=r"workloads/operations/kind\.py: has no KIND"):
        kind_named("operations")


def test_commands_are_those_of_kinds_that_have_some() -> None:
    assert [module.__name__ for module in commands()] == ["modelstress.workloads.queries.commands"]


@pytest.fixture(scope="module")
def one_kind(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with the study of operations and one of queries, and the package without those."""
    folder = tmp_path_factory.mktemp("one-kind")
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(PACKAGE, folder / "src" / "modelstress", ignore=ignored)
    shutil.rmtree(folder / "src" / "modelstress" / "workloads" / "queries")
    shutil.copytree(ROOT / "config", folder / "config")
    shutil.copytree(ROOT / "examples" / "own-study", folder, dirs_exist_ok=True)
    return folder


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    code = "from modelstress.start import main; main()"
    return subprocess.run(
        [sys.executable, "-c", code, *words],
        cwd=folder, env={**os.environ, "PYTHONPATH": str(folder / "src")},
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip


def test_without_the_kind_queries_a_study_of_operations_is_planned(one_kind: Path) -> None:
    done = run(one_kind, "cells", "--study", "own-study", "--profile", "own-study")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("bank-20_t1") == 2 and done.stdout.count("bank-2000_t8") == 2


def test_without_the_kind_queries_its_studies_are_refused(one_kind: Path) -> None:
    done = run(one_kind, "cells", "--study", "model-queries", "--profile", "smoke")
    assert done.returncode == ConfigError.exit_code and done.stdout == ""
    [sentence] = done.stderr.splitlines()
    assert sentence.startswith("error: ") and "model-queries.yaml: field 'workload'" in sentence
    assert "there is no workload kind 'queries'" in sentence


def test_without_the_kind_queries_its_tools_are_refused(one_kind: Path) -> None:
    done = run(one_kind, "conformance", "cdo")
    assert done.returncode == ConfigError.exit_code
    assert "there is no workload kind 'queries'" in done.stderr and "Traceback" not in done.stderr


def test_without_the_kind_queries_its_commands_are_not_there(one_kind: Path) -> None:
    said = run(one_kind, "--help").stdout
    assert "conformance" in said and "oracle" not in said
    assert "oracle" in run(ROOT, "--help").stdout
