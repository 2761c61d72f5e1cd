"""Where commands find what they work on: archives as projects, files outside of any project."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pandas as pd
import planned_samples
import pytest
import synthetic
from click.testing import CliRunner

from modelstress import analysis
from modelstress.analysis import replication
from modelstress.cli import main
from modelstress.config.claims import Claims
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
    # a project with tables, but not of the study that is asked for
    (unpacked / PACKAGE).unlink()
    shutil.rmtree(unpacked / "results")
    other = call("--project", unpacked, "results", "--study", "x" * 300)
    assert other.exit_code == 2 and "the name is too long; a name has" in other.stderr, other.output


def test_a_report_that_is_ahead_of_the_derived_tables_says_so(unpacked):
    assert call("--project", unpacked, "derive").exit_code == 0
    assert "older than" not in call("--project", unpacked, "report").stderr
    record = next(unpacked.glob("data/raw/*/*/*/*/i00/cell.json"))
    later = (unpacked / f"data/derived/{synthetic.STUDY}/mine/datapackage.json").stat().st_mtime + 5
    os.utime(record, (later, later))
    done = call("--project", unpacked, "report")
    assert done.exit_code == 0 and done.stderr.count("\n") == 1
    assert "are older than its samples" in done.stderr
    assert f"'modelstress derive --study {synthetic.STUDY} --profile mine'" in done.stderr


def test_results_count_what_is_stale_and_name_the_remedy(unpacked):
    query = unpacked / "queries/train/ocl/RouteSensor.ocl"
    query.write_text(query.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    assert call("--project", unpacked, "derive").exit_code == 0
    said = call("--project", unpacked, "results").stdout
    assert " stale: " in said and "--profile mine --rerun stale'" in said
    assert "1 missing" in said.splitlines()[-1]


def test_results_of_invalid_cells_only_are_there_and_say_what_to_do(unpacked):
    """Snakemake deletes everything that a job made when one of its folders is not there."""
    for file in unpacked.glob("data/raw/*/*/*/*/i*/cell.json"):
        record = json.loads(file.read_text(encoding="utf-8"))
        reason = {"code": "client-busy", "kind": "invalid", "message": "95 % busy"}
        record["validity"] = {"valid": False, "reasons": [reason]}
        file.write_text(json.dumps(record), encoding="utf-8")
    for command in ("derive", "report"):
        done = call("--project", unpacked, command)
        assert done.exit_code == 0, done.output
    for folder in ("tables", "figures"):
        assert (unpacked / "results" / synthetic.STUDY / folder).is_dir(), folder
    rows = pd.read_csv(unpacked / "results" / synthetic.STUDY / "claims.csv")
    measured = rows[rows["source"] == "report"]
    assert set(measured["status"]) <= {"undecided"} and measured["estimate"].isna().all()
    said = call("--project", unpacked, "results").stdout
    assert " invalid and in no number" in said and "--profile mine --rerun all'" in said
    [counts] = [line for line in said.splitlines() if " cells: " in line]
    assert counts.count("invalid") == 1


def test_the_report_writes_claims_and_those_of_the_papers(unpacked):
    for command in ("derive", "report"):
        done = call("--project", unpacked, command)
        assert done.exit_code == 0, done.output
    folder = unpacked / "results" / synthetic.STUDY
    claims = Claims.model_validate_json((folder / "claims.json").read_text(encoding="utf-8"))
    derived = analysis.load(unpacked / "data", synthetic.STUDY, claims.profile)
    papers = replication.papers_beside(unpacked / "data", synthetic.STUDY)
    printed = [claim for claim in claims.claims if claim.rule == "as printed"]
    assert [claim.id for claim in printed] == [
        f"{paper.paper}/{entry.id}" for paper in papers.papers for entry in paper.entries
    ]
    over = [claim for claim in claims.claims if claim.rule == "over starts"]
    assert len(over) == len(derived.comparisons) > 0
    assert len(pd.read_csv(folder / "claims.csv")) == len(claims.claims)
    said = call("--project", unpacked, "results").stdout
    assert "claims    results" in said and "front     results" in said
    [head] = [line for line in said.splitlines() if "correct/s" in line]
    measured = derived.cells[derived.cells["invocations"] > 0]
    assert len(said[said.index(head) :].splitlines()) == 1 + len(measured)
    assert (folder / "front.md").read_text(encoding="utf-8").splitlines()[0][2:] in said


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
    monkeypatch.setattr("modelstress.workloads.queries.commands.write_oracle", lambda *_: file)
    done = call("--project", ROOT, "oracle", "train-2016-repair-1")
    assert done.stdout.splitlines() == [
        str(file), "PosLength: 0 matches", "RouteSensor: 1 match", "SwitchSet: 7 matches",
    ]  # fmt: skip
    assert done.stderr.startswith("warning: nothing matches PosLength;")


@pytest.mark.parametrize("size", ["nan", "inf"])
def test_a_bound_of_an_archive_is_a_number(tmp_path, size):
    refused = call("unpack", tmp_path / "some.zip", "--most-gb", size)
    assert refused.exit_code == 2 and "--most-gb" in refused.stderr
    assert refused.exception is None or isinstance(refused.exception, SystemExit)
