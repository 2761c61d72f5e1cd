"""Copies of cells as placebos: which starts have them, and how they are measured."""

from collections import Counter

import pytest

from modelstress.config.factors import ONE_START, PLACEBO, TWO_STARTS
from modelstress.config.project import Project
from modelstress.design.cells import cells_of
from modelstress.design.copies import with_copies
from modelstress.design.plan import compared_alike, plan_of, starts
from modelstress.design.sharing import sharing

STARTS = 12


@pytest.fixture(scope="module")
def study():
    return Project.find().study("model-queries")


@pytest.fixture(scope="module")
def cells(study):
    project = Project.find()
    profile = project.profile("claims").model_copy(update={"placebos": 0})
    return cells_of(project, study, profile)


@pytest.fixture(scope="module")
def copies(study, cells):
    whole = with_copies(study, cells, STARTS, seed=1)
    assert whole[: len(cells)] == cells
    return whole[len(cells) :]


def uncopied(cell):
    return {name: level for name, level in cell.levels.items() if name != PLACEBO}


def test_a_copy_has_its_cells_levels_and_an_id_of_its_own(cells, copies):
    levels = [dict(cell.levels) for cell in cells]
    assert copies and all(uncopied(copy) in levels for copy in copies)
    assert len({cell.id for cell in (*cells, *copies)}) == len(cells) + len(copies)


def test_half_of_the_starts_have_a_copy_in_them_and_half_are_copied_whole(study, cells, copies):
    key = sharing(study)
    in_turns = [copy for copy in copies if copy.levels[PLACEBO] == ONE_START]
    whole = [copy for copy in copies if copy.levels[PLACEBO] == TWO_STARTS]
    of_cells = Counter(map(key, cells))
    assert len(in_turns) == STARTS / 2
    assert all(of_cells[key(copy)] > 1 for copy in in_turns)
    copied_whole = Counter(map(key, whole))
    assert len(copied_whole) == STARTS / 2 and not copied_whole.keys() & of_cells.keys()
    # one that is measured in turns waits for the others, and so does its copy
    for copy in whole:
        siblings = [cell for cell in cells if uncopied(copy) == dict(cell.levels)]
        assert copied_whole[key(copy)] == of_cells[key(siblings[0])]


def test_copies_are_of_every_tool_and_load(study, cells, copies):
    def where(cell):
        return cell.tool.tool, cell.levels["threads"]

    assert {where(copy) for copy in copies} == {where(cell) for cell in cells}


def test_copies_are_measured_beside_their_cells(study, cells, copies):
    both = [*cells, *copies]
    runs = plan_of(both, 1, compared_alike(study, both), sharing(study))
    place_of = {run.cell.id: run.start for run in runs if run.invocation == 0}
    for copy in copies:
        cell = next(cell for cell in cells if uncopied(copy) == dict(cell.levels))
        between = abs(place_of[copy.id] - place_of[cell.id])
        assert between == 0 if copy.levels[PLACEBO] == ONE_START else 0 < between <= 40
    assert len(starts(runs)) < len(runs)


def test_without_comparisons_copies_are_beside_their_cells_too(study, cells):
    alone = study.model_copy(update={"comparisons": {}, "interleave": []})
    both = with_copies(alone, cells, 3, seed=1)
    assert [cell.levels[PLACEBO] for cell in both[len(cells) :]] == [TWO_STARTS] * 3
    runs = [r for r in plan_of(both, 1, compared_alike(alone, both)) if r.invocation == 0]
    for place, run in enumerate(runs):
        if PLACEBO in run.cell.levels:
            beside = [runs[at].cell for at in (place - 1, place + 1) if 0 <= at < len(runs)]
            assert uncopied(run.cell) in [dict(cell.levels) for cell in beside]


def test_a_study_cannot_have_a_factor_of_that_name(study):
    with pytest.raises(ValueError, match="has the name of a column"):
        type(study).model_validate(
            {**study.model_dump(), "factors": {**study.factors, PLACEBO: ["a"]}}
        )
