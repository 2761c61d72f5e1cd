"""Where commands find what they work on: archives as projects, files outside of any project."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import planned_samples
import pytest
import synthetic
from click.testing import CliRunner

from modelstress.cli import main
from modelstress.config.project import Project
from modelstress.samples.archive import KEY, PACKAGE

ROOT = Project.find(Path(__file__)).root


def call(*arguments: object):
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


@pytest.fixture
def unpacked(tmp_path: Path) -> Path:
    """An unpacked archive of another profile than the one that its config.yaml names."""
    for name in ("config", "queries"):
        shutil.copytree(ROOT / name, tmp_path / name)
    text = planned_samples.PROFILE.replace("profile: demo", "profile: mine")
    (tmp_path / "config/profiles/mine.yaml").write_text(text, encoding="utf-8")
    planned_samples.write_planned(Project(tmp_path), profile="mine")
    raw = tmp_path / "data/raw" / synthetic.STUDY
    (raw / synthetic.PROFILE).rename(raw / "mine")
    about = {"format": 1, "study": synthetic.STUDY, "profile": "mine", "captured": None}
    package = {"name": "x", KEY: about, "resources": []}
    (tmp_path / PACKAGE).write_text(json.dumps(package), encoding="utf-8")
    return tmp_path


def test_an_unpacked_archive_is_a_project_of_what_is_in_it(unpacked):
    for command in ("derive", "report", "results"):
        done = call("--project", unpacked, command)
        assert done.exit_code == 0, done.output
    assert (unpacked / "results" / synthetic.STUDY / "report.html").is_file()
    assert "cells: " in done.stdout
    missing = call("--project", unpacked, "derive", "--profile", "demo")
    assert missing.exit_code == 2
    assert "modelstress run --all --study model-queries --profile demo" in missing.stderr
    assert "there are samples of model-queries/mine" in missing.stderr


def test_results_count_what_is_stale_and_name_the_remedy(unpacked):
    query = unpacked / "queries/train/ocl/RouteSensor.ocl"
    query.write_text(query.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    assert call("--project", unpacked, "derive").exit_code == 0
    said = call("--project", unpacked, "results").stdout
    assert " stale: " in said and "--profile mine --rerun stale'" in said
    assert "1 missing" in said.splitlines()[-1]


def test_results_before_there_are_any(unpacked):
    done = call("--project", unpacked, "results", "--profile", "demo")
    assert done.exit_code == 0
    assert "no derived tables of study 'model-queries', profile 'demo' yet" in done.stdout


def test_verify_works_outside_of_a_project(unpacked, monkeypatch, tmp_path_factory):
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    done = call("verify", unpacked / "data/raw")
    assert "invocations checked" in done.stdout, done.output
    assert "no modelstress project" not in done.stderr


def test_count_works_outside_of_a_project(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    done = call("model", "count", tmp_path / "no-model.xmi")
    assert done.exit_code == 3
    assert "no modelstress project" not in done.stderr


def test_the_oracle_tells_its_counts_and_warns_of_none(tmp_path, monkeypatch):
    queries = {"PosLength": {"count": 0}, "RouteSensor": {"count": 1}, "SwitchSet": {"count": 7}}
    file = tmp_path / "oracle.json"
    file.write_text(json.dumps({"queries": queries}), encoding="utf-8")
    monkeypatch.setattr("modelstress.cli.model.write_oracle", lambda *_: file)
    done = call("--project", ROOT, "oracle", "train-2016-repair-1")
    assert done.stdout.splitlines() == [
        str(file), "PosLength: 0 matches", "RouteSensor: 1 match", "SwitchSet: 7 matches",
    ]  # fmt: skip
    assert done.stderr.startswith("warning: nothing matches PosLength;")
