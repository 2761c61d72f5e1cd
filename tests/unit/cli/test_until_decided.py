"""``modelstress run --until decided``: which cells get more starts, and when it ends.

What is measured is written by a stand-in for the machine; the loop, the looks and the decisions are
the real ones.
"""

from __future__ import annotations

import re
import shutil
import time
from collections import Counter
from pathlib import Path

import numpy as np
import planned_samples
import pytest
import synthetic
from click.testing import CliRunner

from modelstress.cli import main, measuring, until
from modelstress.config.project import Project
from modelstress.design.contents import contents_of
from modelstress.measure import folders

ROOT = Project.find(Path(__file__)).root
LOOKS = "looks: [2, 4, 8]\n"
MISSING = "every comparison is decided|undecided comparisons need about|it cannot be told"


class Nothing:
    """Cells that need nothing."""

    def __init__(self, *_: object) -> None:
        pass

    def provide(self, *_: object, **__: object) -> None:
        pass


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """CDO is clearly slower over HTTP; Hawk is the same, and its starts scatter."""
    for name in ("config", "queries"):
        shutil.copytree(ROOT / name, tmp_path / name)
    profile = tmp_path / "config/profiles/demo.yaml"
    profile.write_text(planned_samples.PROFILE + LOOKS, encoding="utf-8")

    def measured(project, starts, again, needs, log, interrupt, until_s=None):
        if until_s is not None and time.monotonic() > until_s:
            return [], []
        for run in (run for start in starts for run in start):
            cell = run.cell
            if folders.finished(cell.folder(project.raw, run.invocation)):
                continue
            rng = np.random.default_rng([run.seed, run.invocation])
            scatter = 0.003 if cell.tool.tool == "cdo" else 0.03
            slower = cell.tool.tool == "cdo" and cell.levels["protocol"] == "http"
            level = (60.0 if slower else 20.0) * np.exp(rng.normal(0, scatter))
            values = level * rng.lognormal(0, 0.001, 12)
            threads = int(cell.levels["threads"])
            table = synthetic.samples(values, threads=threads, number=run.invocation)
            synthetic.write(
                project.root / "data", dict(cell.levels), run.invocation, table, cell=cell.id,
                contents=contents_of(project, cell),
            )  # fmt: skip
        return [{}] * sum(map(len, starts)), []

    monkeypatch.setattr(until, "measure_all", measured)
    monkeypatch.setattr(measuring, "Needs", Nothing)
    return tmp_path


def call(project: Path, *arguments: str):
    return CliRunner().invoke(main, ["--project", str(project), *arguments])


def decided(project: Path, *arguments: str):
    return call(project, "run", "--profile", "demo", "--until", "decided", *arguments)


def starts_of(project: Path) -> dict[str, Counter[int]]:
    """Tool and protocol to how many of its cells have so many starts."""
    found: dict[str, Counter[int]] = {}
    for cell in (project / "data/raw/model-queries/demo").glob("*/*"):
        count = len([*cell.glob("i??")])
        protocol = "http" if "_http_" in cell.name else "tcp"
        found.setdefault(f"{cell.parent.name} {protocol}", Counter())[count] += 1
    return found


def test_time_goes_to_what_is_undecided(project):
    done = decided(project)
    assert done.exit_code == 0, done.output
    looks = re.findall(r"look (\d) of 3, (\d) starts: .* (\d+) undecided", done.stdout)
    assert [look[:2] for look in looks] == [("1", "2"), ("2", "4"), ("3", "8")][: len(looks)]
    left = [int(look[2]) for look in looks]
    assert left == sorted(left, reverse=True) and left[0] > left[-1]
    found = starts_of(project)
    assert set(found["cdo http"]) == {2}, "decided at the first look, and in no other comparison"
    assert max(found["hawk http"]) > 2
    again = decided(project)
    assert again.stdout.splitlines()[-1] == done.stdout.splitlines()[-1]
    assert starts_of(project) == found, "what is measured is not measured again"


def test_a_wider_margin_is_decided_sooner_and_a_budget_ends_it(project):
    assert decided(project, "--margin", "80%").exit_code == 0
    before = starts_of(project)
    done = decided(project, "--budget", "0.001s", "--margin", "2%")
    assert done.exit_code == 0 and re.search(MISSING, done.stdout.splitlines()[-1])
    assert done.stdout.count("look ") == 1 and starts_of(project) == before
    assert "the budget ended before look 1 of 3, 2 starts; until then nothing is" in done.stdout
    assert call(project, "derive", "--profile", "demo").exit_code == 0
    assert re.search(MISSING, call(project, "cells", "--profile", "demo").stdout)
    assert decided(project, "--margin", "4%").exit_code == 0
    assert max(before["hawk http"]) < max(starts_of(project)["hawk http"])


def test_what_was_interrupted_is_counted_as_not_measured_and_costs_its_time(project):
    assert decided(project, "--margin", "80%").exit_code == 0
    first = min((project / "data/raw/model-queries/demo").glob("*/*/i00"))
    first.rename(first.with_name("i00.aborted-0"))
    said = call(project, "cells", "--profile", "demo", "--plan").stdout
    states = Counter(re.findall(r"^i\d\d .*  (\w+)$", said, re.MULTILINE))
    assert states["aborted"] == 1 and states["measured"] > 1
    total, left = re.findall(r"(\d+) invocations \((\d+) not measured yet, which takes", said)[0]
    assert (int(total), int(left)) == (states.total(), 1)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--all"], "leave CELL and the others out"),
        (["--margin", "x"], "--margin is 'x'; give a share, such as 10%"),
        (["--margin", "100%"], "give a share"),
        (["--budget", "6"], "--budget is '6'; give a duration, such as 6h"),
        (["--budget", "0h"], "give a duration"),
    ],
)
def test_wrong_words_are_one_sentence(project, arguments, words):
    done = decided(project, *arguments)
    assert done.exit_code == 2 and words in done.stderr and done.stderr.count("\n") == 1


def test_a_profile_without_looks_is_told_what_to_write(project):
    profile = project / "config/profiles/demo.yaml"
    profile.write_text(planned_samples.PROFILE, encoding="utf-8")
    done = decided(project)
    assert done.exit_code == 2 and "field 'looks' is missing" in done.stderr
    profile.write_text(planned_samples.PROFILE + "looks: [3, 6]\n", encoding="utf-8")
    done = decided(project)
    assert done.exit_code == 2
    assert "looks must ascend from the profile's invocations, 2" in done.stderr


def test_a_profile_of_one_study_is_named_by_its_own_file(project):
    own = project / "config/profiles" / synthetic.STUDY / "demo.yaml"
    own.parent.mkdir()
    own.write_text(planned_samples.PROFILE, encoding="utf-8")
    said = decided(project).stderr
    assert f"config/profiles/{synthetic.STUDY}/demo.yaml: field 'looks' is missing" in said
