"""Keys, digests and queues; starts that a strategy adds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import sleepers

from modelstress.config.errors import ConfigError
from modelstress.config.project import Project
from modelstress.design.plan_file import Plan, make_plan
from modelstress.steering.anchors import anchor_run, choose
from modelstress.steering.catalogue import Catalogue
from modelstress.steering.keys import (
    Key,
    fits,
    parsed_fix,
    plan_digest,
    queue_name,
    queue_names,
    schema_name,
    starts_of,
)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return sleepers.write_project(tmp_path / "project", 4, invocations=2)


@pytest.fixture
def plan(project: Project) -> Plan:
    return make_plan(project, sleepers.STUDY, sleepers.PROFILE)


def test_every_start_has_a_key_of_its_own(plan: Plan) -> None:
    found = starts_of(plan)
    assert len(found) == 32
    assert {key.number for key in found} == {0, 1}


def test_the_digest_tells_plans_apart_and_not_programs(project: Project, plan: Plan) -> None:
    before = plan_digest(plan)
    (project.root / "sleeper" / "program").write_text("built anew")
    assert plan_digest(make_plan(project, plan.study, plan.profile)) == before
    file = project.profile_file(plan.profile)
    file.write_text(file.read_text().replace("executions: 4", "executions: 5"))
    changed = Project(project.root)
    assert plan_digest(make_plan(changed, plan.study, plan.profile)) != before
    assert plan_digest(replace(plan, runs=plan.runs[:-1])) != before


def test_a_worker_fetches_of_the_queues_that_fit_what_it_fixes(
    project: Project, plan: Plan
) -> None:
    study = project.study(plan.study)
    by = ["fail", "o2"]
    for text, count in (("fail=1", 8), ("fail=1,o2=0", 4), ("fail=0,fail=1", 16)):
        fix = parsed_fix([text], study)
        names = queue_names(study, by, fix)
        wanted = {cell.id for cell in plan.cells if fits(cell.levels, fix)}
        assert len(wanted) == count
        assert {c.id for c in plan.cells if queue_name(c.levels, by) in names} == wanted
    assert queue_names(study, [], {}) == ["all"]
    with pytest.raises(ConfigError, match="divided by fail, o2"):
        queue_names(study, by, {"o3": 1})


@pytest.mark.parametrize(
    ("text", "said"),
    [("o9=1", "option of the study"), ("o2", "option of the study"), ("o2=7", "no level '7'")],
)
def test_fixing_what_there_is_not_is_a_sentence(project: Project, text: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        parsed_fix([text], project.study(sleepers.STUDY))


def test_names_of_queues_and_schemas_fit_into_postgresql() -> None:
    """63 bytes; procrastinate puts 23 before the name of a queue."""
    assert len(queue_name({"a": 1}, ["a"])) <= 40
    long = schema_name("s" * 80, "p" * 80)
    assert len(f"{long}_worker") <= 63
    assert schema_name("a-b", "c") != schema_name("a", "b-c")


def test_anchors_are_spread_fixed_and_start_by_themselves(plan: Plan) -> None:
    chosen = choose(plan.cells, 8)
    assert [c.id for c in chosen] == [c.id for c in choose(list(reversed(plan.cells)), 8)]
    assert len({cell.id for cell in chosen}) == 8
    first, second = (dict(cell.levels) for cell in chosen[:2])
    differ = [name for name in first if first[name] != second[name]]
    assert len(differ) == 4, "the second one differs in every option"
    for name in ("fail", "also", "o2", "o3"):
        assert {cell.levels[name] for cell in chosen} == {0, 1}
    run = anchor_run(chosen[0], 3, 7)
    assert (run.cell.profile, run.invocation) == ("storm-anchors", 3)
    assert choose(plan.cells, 99) and choose([], 8) == []


def test_later_starts_and_cells_beyond_the_plan_are_found_by_their_keys(
    project: Project, plan: Plan
) -> None:
    catalogue = Catalogue(project, plan)
    cell = plan.cells[0]
    key = catalogue.more(cell, 5)
    [run] = catalogue.start(key)
    assert (run.cell, run.invocation) == (cell, 5)
    few = replace(plan, cells=plan.cells[1:], runs=[r for r in plan.runs if r.cell != cell])
    smaller = Catalogue(project, few)
    with pytest.raises(ConfigError, match="not in the plan"):
        smaller.start(Key(cell.id, 0))
    jumbled = dict(sorted(cell.levels.items()))  # as JSON of a database has them
    [run] = smaller.start(Key(cell.id, 0), jumbled)
    assert run.cell.id == cell.id and run.seed == catalogue.start(Key(cell.id, 0))[0].seed
    for levels in (
        {**jumbled, "o2": 7}, {**jumbled, "more": 1}, {"o2": 1}, {**jumbled, "o2": [1]},
        {**jumbled, "tool": "../x"},
    ):  # fmt: skip
        with pytest.raises(ConfigError):
            smaller.start(Key(cell.id, 0), levels)
