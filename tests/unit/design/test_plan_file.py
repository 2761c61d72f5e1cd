"""The plan as a file: what is read is what was made, while the configuration is the same."""

import json
import shutil
from collections import defaultdict
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from modelstress.cli import main
from modelstress.config.errors import ConfigError
from modelstress.config.factors import ONE_START, PLACEBO, TWO_STARTS
from modelstress.config.project import Project
from modelstress.design import plan_file
from modelstress.design.plan import compared_alike, plan_of
from modelstress.design.plan_file import current_plan, make_plan, plan_path, read_plan, write_plan

ROOT = Project.find(Path(__file__)).root
STUDY = "model-queries"


@pytest.fixture
def project(tmp_path) -> Project:
    for folder in ("config", "queries"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    return Project(tmp_path)


@pytest.mark.parametrize("profile", ["demo", "reduced"])
def test_what_is_read_is_what_was_made(project, profile):
    made = make_plan(project, STUDY, profile)
    assert read_plan(project, STUDY, profile) is None
    path = write_plan(project, made)
    assert path == plan_path(project, STUDY, profile)
    assert read_plan(project, STUDY, profile) == made == current_plan(project, STUDY, profile)
    table = pq.read_table(path)
    assert table["position"].to_pylist() == list(range(len(made.runs)))
    assert {"query", "settings"} <= json.loads(table["contents"][0].as_py()).keys()


@pytest.mark.parametrize(
    "file", ["config/studies/model-queries.yaml", "config/profiles/demo.yaml",
             "config/tools/cdo.yaml", "queries/train/case.yaml", "config/config.yaml"],
)  # fmt: skip
def test_a_plan_of_other_configuration_is_none(project, file):
    write_plan(project, make_plan(project, STUDY, "demo"))
    text = (project.root / file).read_text(encoding="utf-8")
    (project.root / file).write_text(text + "# changed\n", encoding="utf-8")
    assert read_plan(Project(project.root), STUDY, "demo") is None


def test_another_executor_is_another_plan(project, monkeypatch):
    write_plan(project, make_plan(project, STUDY, "demo"))
    monkeypatch.setenv("MODELSTRESS_EXECUTOR", "namespace")
    assert read_plan(project, STUDY, "demo") is None


@pytest.mark.parametrize("damage", ["cut", "empty", "no Parquet", "other levels", "no column"])
def test_a_damaged_plan_is_made_anew(project, damage):
    made = make_plan(project, STUDY, "demo")
    path = write_plan(project, made)
    content = path.read_bytes()
    if damage in ("other levels", "no column"):
        table = pq.read_table(path)
        levels = [text.replace("RouteSensor", "PosLength") for text in table["levels"].to_pylist()]
        table = table.drop_columns(["seed" if damage == "no column" else "levels"])
        if damage == "other levels":
            table = table.append_column("levels", [levels])
        pq.write_table(table, path)
    else:
        path.write_bytes({"cut": content[:-40], "empty": b"", "no Parquet": b"PAR1" * 9}[damage])
    assert read_plan(project, STUDY, "demo") is None
    assert current_plan(project, STUDY, "demo") == made


def test_names_that_are_paths_are_refused(project):
    for study, profile in (("../x", "demo"), (STUDY, "../../x")):
        with pytest.raises(ConfigError, match="is no name"):
            current_plan(project, study, profile)


def test_commands_read_the_plan_instead_of_making_it(project, monkeypatch):
    done = CliRunner().invoke(main, ["--project", str(project.root), "plan", "--profile", "demo"])
    assert done.exit_code == 0, done.output
    assert done.stdout.endswith("demo.parquet: 23 cells, 33 invocations in 21 starts\n")
    write_plan(project, make_plan(project, STUDY, "anatomy-demo"))  # captured beside it

    def refused(*_):
        raise AssertionError("the plan was made anew")

    monkeypatch.setattr(plan_file, "cells_of", refused)
    done = CliRunner().invoke(main, ["--project", str(project.root), "cells", "--profile", "demo"])
    assert done.exit_code == 0 and "23 cells, 33 invocations" in done.stdout


def test_cells_that_are_compared_are_measured_one_after_the_other(project):
    """In every block the cells of a pair (HTTP against TCP) are neighbours, or share a start."""
    made = make_plan(project, STUDY, "reduced")
    study = project.study(STUDY)
    alike, block = compared_alike(study, made.cells)
    places = defaultdict(list)
    blocks = defaultdict(list)
    for run in made.runs:
        places[run.invocation, alike(run.cell)].append(run)
        blocks[run.invocation, block(run.cell)].append(run)
    for runs in blocks.values():
        positions = [run.position for run in runs]
        assert max(positions) - min(positions) == len(positions) - 1, "nothing in between"
    tasks = [{study.task(run.cell.levels["query"]) for run in runs} for runs in blocks.values()]
    assert all(len(names) == 1 for names in tasks) and max(map(len, blocks.values())) > 8
    pairs = [group for group in places.values() if len(group) > 1]
    assert len(pairs) > 100
    for group in pairs:
        copies = {run.cell.levels.get(PLACEBO) == TWO_STARTS for run in group}
        assert len({run.start for run in group}) == len(copies), "copies of starts are apart"
    assert {len(group) for group in pairs} == {2, 3, 4}, "with copies as placebos"
    first = {min(group, key=lambda run: run.position).cell.levels["protocol"] for group in pairs}
    assert first == {"tcp", "http"}
    seeds = {(r.cell.id, r.invocation): r.seed for r in plan_of(made.cells, project.main.seed)}
    assert seeds == {(r.cell.id, r.invocation): r.seed for r in made.runs}
    starts = [run.start for run in made.runs]
    copies = [run for run in made.runs if run.cell.levels.get(PLACEBO) == ONE_START]
    assert starts == sorted(starts)
    assert {*starts} == set(range(starts[-1] + 1)) and len(copies) == 3 * 6
    assert max(starts.count(start) for start in starts) == 5, "two languages, two protocols, a copy"


def test_cells_of_a_fraction_that_constraints_forbid_are_counted(project):
    file = project.root / "config/profiles/demo.yaml"
    text = file.read_text(encoding="utf-8").replace("anatomy: anatomy-demo\n", "")
    file.write_text(f"{text}\ndesign: {{kind: fraction, resolution: 3}}\n", encoding="utf-8")
    done = CliRunner().invoke(main, ["--project", str(project.root), "cells", "--profile", "demo"])
    assert done.exit_code == 0, done.output
    assert "cells of the fraction are left out: constraints forbid them" in done.stdout
