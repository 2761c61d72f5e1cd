"""`modelstress doctor`: settings with remedies, grades and exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result
from machine_trees import WORKSTATION, tree

from modelstress.cli import main
from modelstress.measure import doctor, placebo
from modelstress.measure.placebo import Placebo
from modelstress.samples import machine_settings


def call(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["doctor", *arguments])


@pytest.fixture
def workstation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine whose settings hurt, and whose starts scatter by 2 %."""
    found = machine_settings.settings(tree(tmp_path, WORKSTATION))
    monkeypatch.setattr(doctor, "settings", lambda: found)
    rng = np.random.default_rng(1)
    levels = rng.lognormal(0, 0.02, (20, 2))
    starts = tuple((np.full(9, one), np.full(9, other)) for one, other in levels)
    made = Placebo(starts, 1.4, 80.0, 0.0, shared=False)
    monkeypatch.setattr(placebo, "measure", lambda *_: made)


@pytest.mark.usefixtures("workstation")
def test_what_hurts_has_its_remedy_on_the_line() -> None:
    done = call("--grade")
    assert done.exit_code == 0
    lines = done.stdout.splitlines()
    [governor] = [line for line in lines if "CPU governor" in line]
    assert governor.startswith("hurts    CPU governor: powersave: ")
    assert governor.endswith("cpupower frequency-set -g performance")
    assert lines[-1].startswith("grade B: quiet enough for ±")
    # needs neither a project nor Java
    assert not [line for line in lines if "JDK" in line]


@pytest.mark.usefixtures("workstation")
@pytest.mark.parametrize(("asked", "code"), [("A", 4), ("b", 0), ("D", 0)])
def test_the_exit_code_says_whether_the_grade_is_reached(asked: str, code: int) -> None:
    done = call("--at-least", asked)
    assert done.exit_code == code
    assert "Traceback" not in done.output
    if code:
        assert done.stderr.startswith("error: this machine has grade B, and A was asked for")


@pytest.mark.usefixtures("workstation")
def test_json_has_findings_and_grade() -> None:
    told = json.loads(call("--at-least", "A", "--json").stdout)
    assert {finding["mark"] for finding in told["findings"]} >= {"ok", "hurts"}
    assert all(finding["cost"] for finding in told["findings"] if finding["mark"] == "hurts")
    grade = told["grade"]
    assert grade["letter"] == "B" and grade["low"] < 1 < grade["high"]
    assert grade["within"] == pytest.approx(max(grade["high"], 1 / grade["low"]) - 1, abs=1e-5)
    assert (grade["pairs"], grade["window_s"], grade["shared_cpu"]) == (20, 1.4, False)


@pytest.mark.parametrize("words", [("--at-least", "E"), ("--seconds", "1"), ("--seconds", "nan")])
def test_wrong_words_are_refused(words: tuple[str, str]) -> None:
    assert call(*words).exit_code == 2
