"""The space of a profile: reading it while it is measured, and what is told of it."""

import itertools
import shutil

import numpy as np
import pytest
import synthetic

from modelstress.analysis import PlannedCell
from modelstress.analysis.space import (
    Choice,
    Start,
    Watcher,
    cells_with,
    coverage,
    effects_within,
    fits,
    progress,
    regions,
    revisited,
    settings_of,
    space_of,
)

FACTORS = {"tool": ["t"], "a": [1, 0], "b": ["x", "y", "z"], "c": [True, False], "d": [5]}


def levels_of(a, b, c):
    return {"tool": "t", "a": a, "b": b, "c": c, "d": 5}


def named(levels):
    return "-".join(map(str, levels.values()))


ALL = [levels_of(*one) for one in itertools.product(*(FACTORS[name] for name in "abc"))]


def planned(invocations=1):
    return [PlannedCell("t", named(levels), "T", levels, invocations) for levels in ALL]


def start(levels, number=0, state="complete", median=1.0, **more):
    values = (median, 1000 / median, 0.1) if state == "complete" else (np.nan,) * 3
    more = {"executions": 10, "machine": "m", "build": "b", **more}
    return Start(number, state, levels, values=values, **more)


def made(starts, plan=None):
    found = {}
    for one in starts:
        found.setdefault(("t", named(one.levels)), []).append(one)
    return space_of(planned() if plan is None else plan, found, FACTORS)


def test_options_are_what_cells_differ_in_with_levels_in_the_studys_order():
    space = made([])
    assert [(option.name, option.levels) for option in space.options] == [
        ("a", ("1", "0")), ("b", ("x", "y", "z")), ("c", ("true", "false")),
    ]  # fmt: skip
    assert space.shared == {"tool": "t", "d": "5"}
    assert dict(settings_of(space, 5)) == {"b": "z", "c": "false"}
    assert dict(settings_of(space, 0)) == {}


def test_what_was_measured_outside_of_the_plan_is_there_with_new_levels_and_options():
    other = {**levels_of(1, "w", True), "e": "new"}
    space = made([start(other)])
    assert len(space.cells) == len(ALL) + 1
    assert space.options[1].levels == ("x", "y", "z", "w")
    assert space.options[-1].name == "e" and space.codes[0, -1] == -1  # others have no such factor
    assert progress(space).beyond == 1 and progress(space).measured == 0


def test_copies_of_cells_are_left_out():
    copy = {**levels_of(1, "x", True), "placebo": "one start"}
    plan = [*planned(), PlannedCell("t", named(copy), "T", copy, 1)]
    space = made([start(copy), start(ALL[0])], plan)
    assert len(space.cells) == len(ALL) and int(space.valid.sum()) == 1


def test_a_choice_has_the_cells_with_its_levels_and_the_mean_of_their_starts():
    starts = [start(levels, median=2.0 if levels["a"] else 8.0) for levels in ALL]
    starts += [start(ALL[0], number=1, median=8.0)]
    space = made(starts)
    whole, part = cells_with(space, Choice()), cells_with(space, Choice(((0, 0), (1, 0))))
    assert whole.places.size == 12 and int(fits(space, Choice(((0, 0),))).sum()) == 6
    assert part.values == pytest.approx([4.0, 2.0])  # the geometric mean of 2 and 8
    faster = cells_with(space, Choice(((0, 0), (1, 0)), measure=1))
    assert faster.values == pytest.approx([250.0, 500.0])


def test_starts_of_another_machine_or_build_can_be_left_out():
    space = made([start(ALL[0], 0, machine="m1"), start(ALL[0], 1, machine="m2", median=4.0)])
    assert space.machines == ("m1", "m2")
    assert cells_with(space, Choice(machine=1)).values == pytest.approx([4.0])
    assert cells_with(space, Choice(machine=0, build=0)).values == pytest.approx([1.0])


def test_invalid_starts_are_in_no_number_and_failures_are_counted_apart():
    starts = [
        start(ALL[0], failures=3), start(ALL[1], state="invalid"), start(ALL[2], state="aborted"),
        start(ALL[3], state="running"), start(ALL[4], state="aborted"), start(ALL[4]),
    ]  # fmt: skip
    space = made(starts)
    found = progress(space)
    assert (found.wanted, found.measured, found.invalid, found.failed) == (12, 2, 1, 1)
    assert (found.failing, found.running, found.missing) == (1, 1, 8)
    assert cells_with(space, Choice()).places.tolist() == [0, 4]
    assert np.flatnonzero(space.failed).tolist() == [0, 2]  # what was measured since has not failed


def test_time_is_left_only_while_something_is_measured():
    starts = [start(levels, ended_s=1000 + 10 * place) for place, levels in enumerate(ALL[:9])]
    space = made(starts)
    assert progress(space, now_s=1085).left_s == pytest.approx(30)
    assert progress(space, now_s=1085).per_hour == pytest.approx(360)
    assert np.isnan(progress(space, now_s=5000).left_s)


def test_coverage_counts_levels_and_pairs_that_were_measured():
    plan = [cell for cell in planned() if (cell.levels["a"], cell.levels["b"]) != (0, "z")]
    found = coverage(made([start(ALL[0]), start(ALL[3])], plan))
    assert (found.levels, found.levels_measured) == (7, 5)
    assert (found.pairs, found.pairs_measured, found.unplanned) == (15, 6, 1)
    assert found.shares[0, 1] == pytest.approx(2 / 5) and np.isnan(found.shares[0, 0])


def test_effects_are_told_within_a_choice_and_what_a_change_would_bring():
    def median(levels):
        return (2.0 if levels["a"] == 0 and not levels["c"] else 1.0) * (
            1 + 0.01 * np.sin(ALL.index(levels))
        )

    space = made(
        [start(levels, number, median=median(levels)) for levels in ALL for number in (0, 1)]
    )
    with_pool = effects_within(space, Choice(((0, 1),)), 0.01).main.effects
    assert [space.options[e.option].name for e in with_pool] == ["b", "c"]
    assert np.exp(with_pool[1].size) == pytest.approx(2, rel=0.05)
    without = effects_within(space, Choice(((0, 0),)), 0.01).main.effects
    assert np.exp(without[1].size) == pytest.approx(1, rel=0.05)
    ((level, change),) = revisited(space, Choice(((0, 1),)), 0.01)
    assert level == 1 and np.exp(change.size) == pytest.approx(2**0.5, rel=0.05)


def test_pairs_of_options_of_a_regular_design_are_told():
    rng = np.random.default_rng(3)
    every = [dict(zip("abcde", one, strict=True)) for one in itertools.product((0, 1), repeat=5)]
    factors = {name: [0, 1] for name in "abcde"}
    found = {
        ("t", named(levels)): [
            Start(number, "complete", levels,
                  values=(2.0 ** (levels["a"] * levels["b"]) * rng.lognormal(0, 0.02), 1.0, 0.1))
            for number in (0, 1)
        ]
        for levels in every
    }  # fmt: skip
    told = effects_within(space_of([], found, factors), Choice(), 0.01)
    assert told.contrasts and 0 < told.margin < 0.1
    assert {effect.option for effect in told.main.effects if effect.strong} == {0, 1}
    assert [pair.terms for pair in told.pairs] == [(("0", "1"),)]


def test_main_effects_that_are_aliased_with_pairs_are_said_to_be():
    factors = {name: [0, 1] for name in "abcdef"}
    found = {}
    for a, b, c in itertools.product((0, 1), repeat=3):
        levels = {"a": a, "b": b, "c": c, "d": a ^ b, "e": a ^ c, "f": b ^ c}
        found["t", named(levels)] = [
            Start(n, "complete", levels, values=(1.0 + 0.01 * n + a, 1.0, 0.1)) for n in range(3)
        ]
    told = effects_within(space_of([], found, factors), Choice(), 0.01)
    assert told.contrasts and [caveat.code for caveat in told.main.caveats] == ["aliased"]
    assert [effect.option for effect in told.main.effects if effect.strong] == [0]


def test_regions_are_of_the_cells_that_were_tried():
    bad = [levels for levels in ALL if levels["b"] == "z"]
    starts = [start(levels, failures=5 if levels in bad else 0) for levels in ALL]
    space = made(starts)
    found = regions(space, np.ones(len(ALL), bool), 0.5)
    assert found[0].settings == ((1, 2),) and found[0].failed == 4
    assert regions(space, fits(space, Choice(((1, 0),))), 0.5) == []


@pytest.fixture
def watched(tmp_path):
    levels = synthetic.LEVELS
    table = synthetic.samples(np.full(20, 2.0))
    for number in (0, 1):
        synthetic.write(tmp_path, levels, number, table)
    root = tmp_path / "raw" / synthetic.STUDY / synthetic.PROFILE
    return tmp_path, root, levels, table


def only(watcher):
    (starts,) = watcher.starts.values()
    return {one.number: one for one in starts}


def test_a_start_is_read_once_and_what_is_new_is_added(watched, monkeypatch):
    data, root, levels, table = watched
    watcher = Watcher(root)
    assert watcher.update() and not watcher.update()
    assert only(watcher)[0].values[0] == pytest.approx(2.0) and only(watcher)[0].executions == 20
    before = only(watcher)[0]
    synthetic.write(data, levels, 2, table)
    assert watcher.update()
    assert sorted(only(watcher)) == [0, 1, 2] and only(watcher)[0] is before


def test_what_is_measured_again_is_read_again_and_what_is_gone_is_forgotten(watched):
    data, root, levels, _ = watched
    watcher = Watcher(root)
    watcher.update()
    folder = synthetic.folder(data, levels, 1)
    folder.rename(folder.with_name(".i01.replaced-0"))
    synthetic.write(data, levels, 1, synthetic.samples(np.full(20, 5.0)))
    assert watcher.update() and only(watcher)[1].values[0] == pytest.approx(5.0)
    shutil.rmtree(folder.parent)
    assert watcher.update() and watcher.starts == {}


def test_work_is_running_until_it_ends(watched):
    data, root, levels, table = watched
    work = synthetic.folder(data, levels, 2, ".work")
    work.mkdir()
    watcher = Watcher(root)
    watcher.update()
    assert only(watcher)[2].state == "running"
    work.rmdir()
    target = synthetic.write(data, levels, 2, table)
    record = (target / "cell.json").rename(data / "cell.json")
    watcher.update()
    assert only(watcher)[2].state == "partial"
    record.rename(target / "cell.json")
    assert watcher.update() and only(watcher)[2].state == "complete"


def test_a_damaged_start_failed_and_an_invalid_one_did_not(watched):
    data, root, levels, table = watched
    synthetic.write(data, levels, 2, table, valid=False)
    (synthetic.folder(data, levels, 0) / "samples.parquet").write_bytes(b"no table")
    watcher = Watcher(root)
    watcher.update()
    states = {number: (one.state, one.failing) for number, one in only(watcher).items()}
    assert states == {0: ("damaged", True), 1: ("complete", False), 2: ("invalid", False)}


def test_reading_stops_when_its_time_is_over(watched):
    data, root, levels, table = watched
    for threads in range(2, 6):
        synthetic.write(data, levels | {"threads": threads}, 0, table)
    watcher = Watcher(root)
    watcher.update(0)
    assert watcher.unread >= 4
    watcher.update()
    assert watcher.unread == 0 and len(watcher.starts) == 5


def test_a_folder_that_is_not_there_has_no_starts(tmp_path):
    watcher = Watcher(tmp_path / "raw")
    assert not watcher.update() and watcher.starts == {}
