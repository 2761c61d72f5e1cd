"""``modelstress follow-up``: from a table of effects to the profile of a second half."""

import shutil
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner

from modelstress.cli import main
from modelstress.config.project import Project
from modelstress.design.cells import fractions_of

ROOT = Project.find(Path(__file__)).root
STUDY = "configuration-space"
PAIR = ("threadPerConnectionPolicy", "threadPoolWatchConnection")


@pytest.fixture
def root(tmp_path):
    for name in ("config", "queries"):
        shutil.copytree(ROOT / name, tmp_path / name)
    return tmp_path


def run(root, *words):
    return CliRunner().invoke(main, ["--project", str(root), *words, "--study", STUDY])


def write(root, rows, profile="screening"):
    folder = root / "data" / "derived" / STUDY / profile
    folder.mkdir(parents=True)
    table = pd.DataFrame(rows, columns=["terms", "likely", "strong"])
    table.to_parquet(folder / "effects.parquet")


def aliases(root):
    """The pair of threads and what the screening does not tell from it, as the table has it."""
    project = Project(root)
    study = project.study(STUDY)
    (part,) = fractions_of(project, study, project.profile("screening", STUDY))
    relation = {frozenset()}
    for word in part.words:
        relation |= {other ^ word for other in relation}
    others = [
        (a, b) for place, a in enumerate(part.factors) for b in part.factors[place + 1:]
        if frozenset((a, b)) ^ frozenset(PAIR) in relation and {a, b} != set(PAIR)
    ]  # fmt: skip
    return [" × ".join(PAIR), *(" × ".join(pair) for pair in others)]


def test_a_second_half_is_chosen_written_and_is_a_profile(root):
    terms = aliases(root)
    assert len(terms) > 1
    write(root, [(" or ".join(terms), terms[0], True), ("protocol", "protocol", True),
                 (" or ".join(terms), terms[0], False)])  # fmt: skip
    done = run(root, "follow-up", "--profile", "screening")
    assert done.exit_code == 0, done.output
    assert "1 strong effects could each be that of several terms" in done.stdout
    assert "a second half of 32 cells with " in done.stdout
    assert "all of them are told from what they could be" in done.stdout
    assert "design: {kind: fraction, resolution: 4, fold: [" in done.stdout
    more = ("--name", "folded", "--invocations", "1")
    done = run(root, "follow-up", "--profile", "screening", *more)
    assert done.exit_code == 0, done.output
    assert f"config/profiles/{STUDY}/folded.yaml: written" in done.stdout
    told = run(root, "cells", "--profile", "folded").stdout
    assert "64 of 16,384 combinations, resolution IV" in told
    assert "half of them have " in told and "\n64 cells, 64 invocations" in told
    again = run(root, "follow-up", "--profile", "screening", "--name", "folded")
    assert again.exit_code == 2 and "is there already; give another name" in again.output


def test_effects_of_one_term_need_no_second_half(root):
    write(root, [("protocol", "protocol", True)])
    done = run(root, "follow-up", "--profile", "screening")
    assert done.exit_code == 0 and "there is nothing to tell apart" in done.stdout


def test_what_is_missing_or_wrong_is_said(root):
    done = run(root, "follow-up", "--profile", "screening")
    assert done.exit_code == 3
    assert f"'modelstress derive --study {STUDY} --profile screening'" in done.output
    write(root, [(" or ".join(aliases(root)), " × ".join(PAIR), True)])
    done = run(root, "follow-up", "--profile", "screening", "--name", "../up")
    assert done.exit_code == 2 and "profile name '../up': use letters" in done.output
    done = run(root, "follow-up", "--profile", "builds")
    assert done.exit_code == 2 and "only a fraction can be folded" in done.output
