"""Windows in slices, each of which GO begins, of a client program in Python."""

from __future__ import annotations

import time
from itertools import pairwise
from pathlib import Path
from typing import Any

from python_client import client, ops

QUIET = {"executions": 2, "seconds": 0, "threads": 1}


def measured(tmp_path: Path, idle_s: float = 0.3, **workload: Any):
    """A client that had all its slices, and what it said of each; idle after each of them."""
    said = []
    slices = workload["slices"]
    with client(tmp_path, 2, operations=ops(ms=2), warmup=QUIET, **workload) as c:
        c.hear("READY")
        c.tell("WARM")
        c.hear("WARMED")
        for number in range(slices):
            c.tell("GO")
            said.append(c.hear("SLICED"))
            if number < slices - 1:
                time.sleep(idle_s)
        done = c.hear("DONE")
        assert c.ended() == 0
    return c, said, done


def test_executions_are_divided_and_nothing_runs_in_between(tmp_path: Path) -> None:
    c, said, done = measured(tmp_path, executions=20, slices=3)
    assert [slice_["executions"] for slice_ in said] == [7, 7, 6]
    assert done == {"executions": 20, "cooldown": sum(slice_["cooldown"] for slice_ in said)}
    assert len(c.all("WINDOW")) == 3, "each slice says when its last measured execution ended"
    rows = sorted(c.rows(), key=lambda row: row["start_ns"])
    assert len(rows) == 20
    gaps = [b["start_ns"] - a["start_ns"] for a, b in pairwise(rows)]
    assert sum(gap > 250e6 for gap in gaps) == 2, "two pauses of 0.3 s"
    numbers = [row["sequence"] for row in c.rows()]
    cooled = [row["sequence"] for row in c.rows("cooldown")]
    assert len({*numbers, *cooled}) == len(numbers) + len(cooled), "no number twice"


def test_seconds_are_divided(tmp_path: Path) -> None:
    window = {"seconds": 0.4, "per_thread": 10, "most_s": 20}
    c, said, done = measured(tmp_path, window=window, slices=2)
    assert all(slice_["executions"] >= 10 for slice_ in said), "five of each thread in each slice"
    assert done["executions"] == len(c.rows()) == sum(slice_["executions"] for slice_ in said)


def test_an_open_loop_begins_its_schedule_anew(tmp_path: Path) -> None:
    mode = {"kind": "open", "rate_per_s": 100}
    c, said, _ = measured(tmp_path, executions=20, slices=2, mode=mode)
    assert [slice_["executions"] for slice_ in said] == [10, 10]
    late = [row["start_ns"] - row["intended_start_ns"] for row in c.rows()]
    assert max(late) < 250e6, "what waited between the slices is not late"


def test_a_pause_ends_the_load_of_a_warm_up_with_a_rule(tmp_path: Path) -> None:
    warmup = {"executions": 4, "seconds": 0, "steady": {"within": 0.99, "most_s": 20}}
    with client(tmp_path, 2, operations=ops(ms=2), executions=4, warmup=warmup) as c:
        c.hear("READY")
        c.tell("WARM")
        c.hear("WARMED")
        c.tell("PAUSE")
        c.hear("PAUSED")
        paused_ns = time.monotonic_ns()
        time.sleep(0.3)
        c.tell("GO")
        c.hear("DONE")
    assert max(row["start_ns"] for row in c.rows("warmup")) < paused_ns
    assert min(row["start_ns"] for row in c.rows()) > paused_ns + 250e6


def test_a_warm_up_is_divided_and_nothing_runs_in_between(tmp_path: Path) -> None:
    warmup = {"executions": 7, "seconds": 0.3, "threads": 1}
    said, paused_ns, asked_ns = [], [], 0
    with client(tmp_path, 2, operations=ops(ms=2), executions=9, slices=3, warmup=warmup) as c:
        c.hear("READY")
        for _ in range(3):
            begun_ns = time.monotonic_ns()
            c.tell("WARM")
            said.append(c.hear("WARMED"))
            paused_ns.append(time.monotonic_ns())
            asked_ns += paused_ns[-1] - begun_ns
            time.sleep(0.3)
        for _ in range(3):
            c.tell("GO")
        c.hear("DONE")
    rows = sorted(c.rows("warmup"), key=lambda row: row["start_ns"])
    ends = [sum(row["start_ns"] < at for row in rows) for at in paused_ns]
    assert [one["executions"] for one in said] == ends and ends[-1] == len(rows), "sums up to then"
    assert all(one["seconds"] > least for one, least in zip(said, (0.1, 0.2, 0.3), strict=True))
    assert said[-1]["seconds"] <= asked_ns / 1e9, "without what lay between"
    gaps = [b["start_ns"] - a["start_ns"] for a, b in pairwise(rows)]
    assert sum(gap > 250e6 for gap in gaps) == 2
    assert len({row["sequence"] for row in rows}) == len(rows), "no number twice"
    later = [row["thread"] for row in rows[ends[0] :]]
    assert set(later[:4]) == {0, 1}, "few threads at the very beginning only"


def test_the_rule_of_a_warm_up_goes_on_over_its_slices(tmp_path: Path) -> None:
    warmup = {"executions": 2, "seconds": 0, "steady": {"within": 0.99, "most_s": 1.2}}
    said = []
    with client(tmp_path, 1, operations=ops(ms=15), executions=4, slices=4, warmup=warmup) as c:
        c.hear("READY")
        for _ in range(4):
            c.tell("WARM")
            said.append(c.hear("WARMED"))
            c.tell("PAUSE")
            c.hear("PAUSED")
        for _ in range(4):
            c.tell("GO")
        c.hear("DONE")
    assert not said[0]["steady"], "0.3 s have no 40 executions of 15 ms"
    assert said[-1]["steady"], "all together have"
    counts = [one["executions"] for one in said]
    assert counts == sorted(counts) and counts[-1] >= 40


def test_go_without_warm_does_all_slices_of_a_warm_up(tmp_path: Path) -> None:
    warmup = {"executions": 8, "seconds": 0}
    with client(tmp_path, 1, operations=ops(ms=1), executions=4, slices=4, warmup=warmup) as c:
        c.hear("READY")
        for _ in range(4):
            c.tell("GO")
        c.hear("DONE")
    assert c.all("WARMED") == [] and len(c.rows("warmup")) == 8


def test_a_window_without_slices_says_nothing_of_them(tmp_path: Path) -> None:
    with client(tmp_path, 1, operations=ops(ms=1), executions=5, warmup=QUIET) as c:
        c.measure()
    assert c.all("SLICED") == []
