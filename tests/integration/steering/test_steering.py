"""Coordinator and workers with a real queue: what arrives, who may join, what is adapted."""

from __future__ import annotations

import json
import random
import shutil
import threading
from collections.abc import Sequence
from pathlib import Path

import psycopg
import pytest
import sleepers
from steered_study import STEERING, Steered, results, steered

from benchmarks.steering.storm import Storm
from modelstress.analysis import derive, planned_beside
from modelstress.config.errors import BusyError, ConfigError, MeasureError
from modelstress.config.project import Project
from modelstress.design.plan import Run
from modelstress.measure.interrupt import Interrupt
from modelstress.samples.provenance import sha256_jar
from modelstress.steering import progress, queue
from modelstress.steering.keys import Key
from modelstress.steering.postgres import PostgresServer


def test_what_arrives_is_as_if_it_had_been_measured_here(
    server: PostgresServer, tmp_path: Path
) -> None:
    project = sleepers.write_project(tmp_path / "project", 3, STEERING, invocations=2)
    with steered(server, project) as study:
        study.join(name="first")
        done = study.end()
    assert (done.planned, done.done, done.failed, done.late) == (16, 16, 0, 0)
    assert len(results(project)) == 16
    records = [json.loads((one / "cell.json").read_text()) for one in results(project)]
    assert {record["provenance"]["steering"]["worker"] for record in records} == {"first"}
    data = project.root / "data"
    derived = derive(data, "sleepers", "storm", planned_beside(data, "sleepers", "storm"))
    assert len(derived.cells) == 8 and (derived.cells["state"] == "complete").all()
    assert derived.invocations["used"].all() and len(derived.invocations) == 16

    # anchors are marked, and no estimate of the study has them
    anchors = list(study.coordinator.folder.glob("anchors/sleeper/*/i*/"))
    assert len(anchors) == 2 == done.anchors
    marks = [json.loads((a / "cell.json").read_text())["provenance"]["steering"] for a in anchors]
    assert {mark["kind"] for mark in marks} == {"anchor"}
    assert not list((data / "steering" / "workers").iterdir()), "nothing is left of the worker"
    assert progress.of_study(project, "sleepers", "storm").done == 16


def test_it_goes_on_where_it_was_and_knows_what_was_measured_without_it(
    server: PostgresServer, tmp_path: Path
) -> None:
    project = sleepers.write_project(tmp_path / "project", 3, STEERING)
    with steered(server, project) as study:
        kept = study.coordinator.plan.runs[0]
        study.interrupt.signum = 15
        study.thread.join(40)
        sleepers.write_result(project, kept)  # by `modelstress run`, meanwhile
        again = Steered(server, project).start()
        again.join()
        done = again.end()
    assert (done.planned, done.done) == (8, 8)
    noted = [line for file in (project.root / "measured").iterdir() for line in file.open()]
    assert len([line for line in noted if line.startswith("storm ")]) == 7
    second = Steered(server, project).coordinator
    with pytest.raises(BusyError, match="another coordinator"), again.coordinator._alone():
        second.run(Interrupt())


def test_a_machine_with_other_files_or_programs_is_refused_with_the_reason(
    server: PostgresServer, tmp_path: Path
) -> None:
    project = sleepers.write_project(tmp_path / "project", 2, STEERING)
    other = sleepers.write_project(tmp_path / "other", 2, STEERING, invocations=2)
    rebuilt = tmp_path / "rebuilt"
    shutil.copytree(project.root, rebuilt)
    (rebuilt / "sleeper" / "program").write_text("another build")
    with steered(server, project) as study:
        with pytest.raises(ConfigError, match="another plan here"):
            study.join(root=other.root)
        with pytest.raises(ConfigError, match="sleeper/program is another one.*--shipped"):
            study.join(root=rebuilt, name="rebuilt")
        with pytest.raises(ConfigError, match="cannot be fixed here"):
            study.join(fix={"o2": 1})
        study.join(root=rebuilt, shipped=True, name="shipped")
        done = study.end()
    assert done.done == 4
    assert {w.name: w.state for w in done.workers}["rebuilt"] == "refused"
    assert any("another one" in worker.why for worker in done.workers)
    assert (rebuilt / "sleeper" / "program").read_text() == "another build", "ours stay ours"
    assert not (rebuilt / "data" / "raw").exists()


def test_a_worker_with_a_template_gets_only_jobs_that_fit(
    server: PostgresServer, tmp_path: Path
) -> None:
    project = sleepers.write_project(
        tmp_path / "project", 3, "{lease_s: 2, anchors: 0, divide_by: [o2]}"
    )
    templates = project.root / "config" / "templates"
    templates.mkdir()
    (templates / "also-on.yaml").write_text("template: also-on\nfix: {also: 1}\n")
    with steered(server, project) as study:
        assert study.coordinator.about.divide_by == ["also", "o2"]
        fixed = threading.Thread(
            target=study.join, kwargs={"fix": project.template("also-on").fix, "name": "fixed"}
        )
        fixed.start()
        while len(results(project)) < 4:
            fixed.join(0.1)
            assert fixed.is_alive()
        levels = [json.loads((r / "cell.json").read_text())["levels"] for r in results(project)]
        assert {level["also"] for level in levels} == {1}
        study.join(fix={"o2": [0, 1]})
        assert study.end().done == 8
        fixed.join(20)


def test_strategies_adapt_what_is_measured_and_say_so(
    server: PostgresServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    leave_out = queue.leave_out

    def too_late_for_one(
        connection: psycopg.Connection, keys: Sequence[Key], why: str
    ) -> list[Key]:
        """A worker begins to measure one of several at the very moment."""
        first = [keys[0].cell, keys[0].number] if len(keys) > 1 else ["", 0]
        connection.execute(
            "UPDATE starts SET state = 'measuring' WHERE state = 'queued' "
            "AND cell = %s AND number = %s",
            first,
        )
        return leave_out(connection, keys, why)

    monkeypatch.setattr(queue, "leave_out", too_late_for_one)
    steering = "{lease_s: 2, anchors: 0, strategies: [stop-failing-region]}"
    project = sleepers.write_project(tmp_path / "project", 6, steering)
    with steered(server, project) as study:
        study.join()
        done = study.end()
    assert done.done + done.left_out == 64 and 0 < done.left_out <= 13
    assert "fail=1 and also=1 failed" in done.notes[0]
    file = study.coordinator.folder / "decisions.jsonl"
    decided = [json.loads(line) for line in file.read_text().splitlines()]
    assert sum(len(one["leave_out"]) for one in decided) == done.left_out
    assert len(results(project)) == done.done


def test_what_was_built_anew_is_measured_again_when_asked(
    server: PostgresServer, tmp_path: Path
) -> None:
    project = sleepers.write_project(tmp_path / "project", 2, STEERING)
    with steered(server, project) as study:
        study.join()
        assert study.end().done == 4
        (project.root / "sleeper" / "program").write_text("a newer build")
        sha256_jar.cache_clear()
        untouched = Steered(server, project).start()
        assert untouched.end().done == 4
        assert not list(project.raw.rglob(".i00.replaced-0"))
        again = Steered(server, project, again=True).start()
        again.join()
        assert again.end().done == 4
    assert len(list(project.raw.glob("sleepers/storm/*/*/.i00.replaced-0"))) == 4
    assert len(results(project)) == 4


def test_a_start_that_cannot_be_measured_is_tried_again_then_given_up(
    server: PostgresServer, tmp_path: Path
) -> None:
    project = sleepers.write_project(
        tmp_path / "project", 2, "{lease_s: 2, anchors: 0, attempts: 2}"
    )
    sleeps = sleepers.sleeping(0.01, project.root / "measured")

    def measure(used: Project, start: Sequence[Run]) -> list[Path]:
        if start[0].cell.levels["fail"]:
            raise MeasureError("the server never got ready")
        return sleeps(used, start)

    with steered(server, project) as study:
        study.join(measure=measure)
        done = study.end()
    assert (done.done, done.failed) == (2, 2)
    assert all("the server never got ready" in failure for failure in done.failures)


def test_a_forged_result_is_refused_and_measured_again(
    server: PostgresServer, tmp_path: Path
) -> None:
    project = sleepers.write_project(tmp_path / "project", 2, "{lease_s: 2, anchors: 0}")
    sleeps = sleepers.sleeping(0.01, project.root / "measured")
    forged = []

    def measure(used: Project, start: Sequence[Run]) -> list[Path]:
        folders = sleeps(used, start)
        if not forged:
            forged.append(folders[0])
            (folders[0] / "samples.parquet").write_bytes(b"nothing")
        return folders

    with steered(server, project) as study:
        study.join(measure=measure)
        done = study.end()
        assert any("is refused" in sentence for sentence in study.said)
    assert (done.done, done.failed) == (4, 0)


@pytest.mark.long
def test_nothing_is_lost_or_counted_twice_in_a_small_storm(tmp_path: Path) -> None:
    root = tmp_path / "project"
    sleepers.write_project(root, 5, "{lease_s: 1.5, anchors: 1}")
    storm = Storm(root, 2, 0.4, 1.5, random.Random(3))
    try:
        storm.blow(0.6, 200, {"worker": 1, "database": 1, "coordinator": 1, "pause": 1})
    finally:
        storm.end()
    assert storm.judge() == []
    assert storm.counts["in data/raw"] == 32


def test_neighbours_of_slow_cells_and_starts_of_undecided_ones_are_added(
    server: PostgresServer, tmp_path: Path
) -> None:
    """Eight drawn cells of 64; the slow ones have o2 and o3 on."""
    project = sleepers.write_project(
        tmp_path / "project", 6, "{lease_s: 2, anchors: 0, strategies: [refine-slow]}",
        design="{kind: sample, cells: 8}",
    )  # fmt: skip
    with steered(server, project) as study:
        study.join()
        done = study.end()
    assert done.planned > 8 and done.done == done.planned and "neighbours of the" in done.notes[-1]
    planned = {run.cell.id for run in study.coordinator.plan.runs}
    added = [r for r in results(project) if r.parent.name not in planned]
    assert len(added) == done.planned - 8
    levels = [json.loads((one / "cell.json").read_text())["levels"] for one in added]
    slow = sum(level["o2"] and level["o3"] for level in levels)
    assert slow > len(levels) / 4, "more than among all"


def test_undecided_comparisons_get_the_starts_of_the_next_look(
    server: PostgresServer, tmp_path: Path
) -> None:
    project = sleepers.write_project(
        tmp_path / "project", 2, "{lease_s: 2, anchors: 0, strategies: [stop-when-decided]}",
        invocations=3, looks="[3, 4]",
    )  # fmt: skip
    file = project.root / "config" / "studies" / f"{sleepers.STUDY}.yaml"
    file.write_text(
        file.read_text() + "comparisons:\n  also:\n    title: on against off\n"
        "    level: {also: 1}\n    baseline: {also: 0}\n    only: {fail: 0}\n"
    )
    with steered(server, project) as study:
        study.join()
        done = study.end()
    numbers = sorted(int(one.name[1:]) for one in results(project))
    # equal cells whose every start is the same are decided at the first look
    assert done.done == len(numbers) == done.planned
    assert (numbers.count(3) > 0) == bool(done.notes)
