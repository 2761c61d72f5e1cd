"""The plan of the project beside the data."""

from pathlib import Path

from modelstress.analysis import planned_beside, planned_cells
from modelstress.config.project import Project

ROOT = Path(__file__).parents[3]


def test_the_plan_of_this_project():
    plan = planned_cells(Project(ROOT), "model-queries", "demo")
    assert {one.tool for one in plan} >= {"cdo"}
    assert len({one.cell for one in plan}) == len(plan) > 1
    first = plan[0]
    assert first.levels["tool"] == first.tool
    assert {"query", "settings"} <= set(first.contents)
    assert planned_beside(ROOT / "data", "model-queries", "demo") == plan


def test_samples_outside_a_project_have_no_plan(tmp_path):
    assert planned_beside(tmp_path, "model-queries", "demo") is None
