"""``modelstress verify-claims``: a dataset's claims, measured again by a stand-in for a machine."""

from __future__ import annotations

import json
import re
import shutil
import zlib
from pathlib import Path

import numpy as np
import planned_samples
import pytest
import synthetic
from click.testing import CliRunner

from modelstress.cli import main, measuring, verify_claims
from modelstress.config.project import Project
from modelstress.design.plan_file import make_plan
from modelstress.measure import folders

ROOT = Project.find(Path(__file__)).root
PROFILE = planned_samples.PROFILE.replace("invocations: 2", "invocations: 4")


class Nothing:
    """Cells that need nothing."""

    def __init__(self, *_: object) -> None:
        pass

    def provide(self, *_: object, **__: object) -> None:
        pass


def write(project: Project, cell, number: int, http: float) -> None:
    """A start in which HTTP takes so many times as long as TCP."""
    rng = np.random.default_rng([number, zlib.crc32(cell.id.encode())])
    level = 20.0 * (http if cell.levels["protocol"] == "http" else 1.0)
    values = level * np.exp(rng.normal(0, 0.01)) * rng.lognormal(0, 0.001, 12)
    table = synthetic.samples(values, threads=int(cell.levels["threads"]), number=number)
    synthetic.write(
        project.root / "data", {**cell.levels}, number, table, cell=cell.id, profile=cell.profile
    )


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a dataset in which HTTP is twice as slow."""
    for name in ("config", "queries"):
        shutil.copytree(ROOT / name, tmp_path / name)
    (tmp_path / "config/profiles/demo.yaml").write_text(PROFILE, encoding="utf-8")
    known = Project(tmp_path)
    for run in make_plan(known, "model-queries", "demo").runs:
        write(known, run.cell, run.invocation, 2.0)
    monkeypatch.setattr(measuring, "Needs", Nothing)
    return tmp_path


def stand_in(monkeypatch: pytest.MonkeyPatch, http: float) -> None:
    def measured(project, starts, again, needs, log, interrupt, until_s=None):
        for run in (run for start in starts for run in start):
            if not folders.finished(run.cell.folder(project.raw, run.invocation)):
                write(project, run.cell, run.invocation, http)
        return [], []

    monkeypatch.setattr(verify_claims, "measure_all", measured)


def call(project: Path, *arguments: str):
    here = str(project)
    return CliRunner().invoke(
        main, ["--project", here, "verify-claims", here, "--profile", "demo", *arguments]
    )


@pytest.mark.parametrize(("http", "word"), [(2.1, "reproduced"), (0.5, "contradicted")])
def test_what_becomes_of_claims(project, monkeypatch, http, word):
    stand_in(monkeypatch, http)
    done = call(project, "--budget", "6h")
    assert done.exit_code == 0, done.output
    first, *lines = done.stdout.strip().splitlines()
    assert "claims are measured again: of the claims over starts" in first
    protocol = [line for line in lines if " protocol, " in line]
    assert protocol and all(line.strip().startswith(word) for line in protocol)
    counts = next(line for line in lines if line.endswith(" undecided"))
    assert re.search(rf"\b[1-9]\d* {word}", counts), lines
    folder = project / "data/raw/model-queries/verify-claims"
    assert folder.is_dir(), "apart from what was measured for the profile"


def test_a_dry_run_measures_nothing_and_json_is_json(project, monkeypatch):
    stand_in(monkeypatch, 2.0)
    done = call(project, "--dry-run")
    assert done.exit_code == 0 and "slower, 2" in done.stdout
    assert not (project / "data/raw/model-queries/verify-claims").exists()
    table = json.loads(call(project, "--budget", "6h", "--json").stdout)
    assert {"claimed", "verdict", "ratio"} <= set(table[0])


def test_a_budget_that_is_too_small_is_said(project):
    done = call(project, "--budget", "1s")
    assert done.exit_code == 2 and "give a larger --budget" in done.stderr


def test_one_claim_by_the_command_of_its_row(project, monkeypatch):
    """The budget that the artifact's row names is enough for its claim, and for no other one."""
    stand_in(monkeypatch, 2.0)
    shown = CliRunner().invoke(
        main, ["--project", str(project), "artifact", str(project), "--profile", "demo"]
    )
    assert shown.exit_code == 0, shown.output
    command = re.search(
        r"`modelstress verify-claims \S+ --claim (\S+) --budget (\S+)`", shown.stdout
    )
    assert command is not None, shown.stdout
    claim, budget = command.groups()
    done = call(project, "--claim", claim, "--budget", budget)
    assert done.exit_code == 0, done.output
    assert "1 reproduced, 0 contradicted, 0 undecided" in done.stdout
    assert claim.split("/")[2] in done.stdout
    unknown = call(project, "--claim", "protocol/cdo/nothing/over-starts")
    assert unknown.exit_code == 2 and "modelstress artifact" in unknown.stderr
