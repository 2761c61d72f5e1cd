"""An invocation whose latencies had not settled is measured once more, with doubled warm-up."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest
import synthetic
from fake_cells import fake_invocation

from modelstress.analysis import settled
from modelstress.cli import run as cli
from modelstress.cli.progress import PlanProgress
from modelstress.cli.provide import Needs
from modelstress.config.project import Project
from modelstress.design.cells import cells_of
from modelstress.design.plan import plan_of
from modelstress.measure.cell import Measured
from modelstress.measure.invocation import workload_of

PROJECT = Project.find(Path(__file__))


def folder_of(tmp_path: Path, latencies) -> Path:
    synthetic.write(tmp_path, synthetic.LEVELS, 0, synthetic.samples(latencies))
    return synthetic.folder(tmp_path, synthetic.LEVELS, 0)


def test_judgement(tmp_path):
    noise = np.random.default_rng(1).lognormal(0, 0.05, 200)
    assert settled(folder_of(tmp_path / "steady", 10 * noise)) is True
    falling = 10 * noise * np.linspace(4, 1, 200)
    assert settled(folder_of(tmp_path / "falling", falling)) is False
    assert settled(folder_of(tmp_path / "few", noise[:5])) is None


def test_a_doubled_warm_up(tmp_path):
    once = fake_invocation(tmp_path)
    twice = dataclasses.replace(once, warmup_factor=2)
    first, second = workload_of(once, 0).warmup, workload_of(twice, 0).warmup
    assert second.executions == 2 * first.executions
    assert second.seconds == 2 * first.seconds


@pytest.mark.parametrize(
    ("wanted", "judgement", "factors"),
    [(True, False, [1, 2]), (True, True, [1]), (True, None, [1]), (False, False, [1])],
)
def test_repeated_at_most_once(wanted, judgement, factors, tmp_path, monkeypatch):
    cell = cells_of(PROJECT, PROJECT.study("model-queries"), PROJECT.profile("smoke"))[0]
    settings = cell.settings.model_copy(update={"repeat_unsettled": wanted})
    one = plan_of([dataclasses.replace(cell, settings=settings)], 1)[0]
    calls = []

    def measure(invocation, *, again, **_):
        calls.append((invocation.warmup_factor, again))
        return Measured(tmp_path, fresh=True)

    monkeypatch.setattr(cli, "prepare", lambda *_: fake_invocation(tmp_path))
    monkeypatch.setattr(cli, "run_until_valid", measure)
    monkeypatch.setattr("modelstress.analysis.settled", lambda folder: judgement)
    (tmp_path / "config").mkdir()
    (tmp_path / "config/config.yaml").write_text("profile: smoke\n", encoding="utf-8")
    project = Project(tmp_path)
    cli._measure(project, one, False, Needs(project, print), PlanProgress(1, 0))
    assert calls == [(factor, factor == 2) for factor in factors]
