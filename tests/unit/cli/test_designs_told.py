"""``modelstress cells`` of study configuration-space: counts, resolutions, aliases."""

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from modelstress.cli import main
from modelstress.config.project import Project

ROOT = Project.find(Path(__file__)).root
STUDY = "configuration-space"


def told(root, profile, *options):
    command = ["--project", str(root), "cells", "--study", STUDY, "--profile", profile, *options]
    done = CliRunner().invoke(main, command)
    assert done.exit_code == 0, done.output
    return done.stdout


def of_screening(folder, design, more=""):
    """A project with a profile ``own``: the options of the screening under another design."""
    shutil.copytree(ROOT / "config", folder / "config")
    shutil.copytree(ROOT / "queries", folder / "queries")
    profiles = folder / "config" / "profiles" / STUDY
    text = (profiles / "screening.yaml").read_text(encoding="utf-8")
    text = text.replace("profile: screening", "profile: own")
    text = text.replace("design: {kind: fraction, resolution: 4}", f"design: {design}")
    (profiles / "own.yaml").write_text(f"{text}{more}", encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("profile", "cells", "invocations", "resolution"),
    [
        ("demo", 16, 48, "16 of 32 combinations, resolution V (1 word of 5 factors)"),
        ("screening", 32, 64, "32 of 16,384 combinations, resolution IV (77 words of 4 factors)"),
        ("screening-128", 128, 128, "128 of 16,384 combinations, resolution IV (3 words of 4"),
        ("reference", 1024, 2048, "1,024 of 16,384 combinations, resolution VII (8 words of 7"),
    ],
)
def test_profiles_have_their_cells_and_resolution(profile, cells, invocations, resolution):
    printed = told(ROOT, profile)
    assert f"\n{cells} cells, {invocations} invocations" in printed
    assert resolution in printed


CONSTRAINTS = """constraints:
- when: {threadPerConnectionPolicy: 1}
  only: {threadPoolWatchConnection: [1]}
"""


def test_a_fraction_that_constraints_break_is_told_with_what_is_lost(tmp_path):
    root = of_screening(tmp_path, "{kind: fraction, resolution: 4, runs: 64}", CONSTRAINTS)
    printed = told(root, "own")
    assert "\n48 cells, 96 invocations" in printed
    assert "16 cells of the fraction are left out: constraints forbid them, and effects" in printed
    assert "D-efficiency 0.9" in printed and "largest alias: an estimate of" in printed


FIVE_FIXED = """  clientCallTimeOutPeriod: [0]
  supportPerThreadTimeOut: [0]
  maxGIOPVersion: ["1.2"]
  maxGIOPConnectionPerServer: [5]
  oneCallPerConnection: [1]
"""


def test_a_d_optimal_design_is_told_with_its_alias_matrix(tmp_path):
    root = of_screening(tmp_path, "{kind: d-optimal, runs: 24}", f"{FIVE_FIXED}{CONSTRAINTS}")
    data = json.loads(told(root, "own", "--json"))
    levels = [run["levels"] for run in data["runs"] if run["invocation"] == 0]
    assert len(levels) == 24
    assert not any(
        cell["threadPerConnectionPolicy"] == 1 and cell["threadPoolWatchConnection"] == 0
        for cell in levels
    )
    design = data["design"]
    assert len(design["terms"]) == 10 and not design["confounded"]
    assert 0.8 < design["efficiency"] < 1
    entry = max(design["aliases"], key=lambda entry: abs(entry["share"]))
    printed = told(root, "own", "--aliases")
    assert f"D-efficiency {design['efficiency']:.3f} for 10 terms in 24 cells" in printed
    [row] = [line for line in printed.splitlines() if line.startswith(f"  {entry['term']}: ")]
    assert f"{entry['share']:+.2f} {entry['of']}" in row


def test_a_refinement_is_data(tmp_path):
    """One cell of two options at their second levels: 14 options can change, one is forbidden."""
    around = "{threadPerConnectionPolicy: 0, threadPoolWatchConnection: 0}"
    root = of_screening(tmp_path, f"{{kind: neighbours, of: [{around}]}}", CONSTRAINTS)
    assert "\n14 cells, 28 invocations" in told(root, "own")
