"""Warm-ups that end when they are steady, of a client program in Python."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from python_client import client, ops


def warm_up(most_s: float = 20.0, within: float = 0.5) -> dict[str, Any]:
    rule = {"within": within, "most_s": most_s}
    return {"executions": 10, "seconds": 0, "threads": 1, "steady": rule}


def test_load_goes_on_until_the_window_is_asked_for(tmp_path: Path) -> None:
    operations = ops(ms=2)
    with client(tmp_path, 2, operations=operations, executions=20, warmup=warm_up()) as c:
        c.hear("READY")
        c.tell("WARM")
        warmed = c.hear("WARMED")
        time.sleep(0.5)  # another client may still be warming up
        c.tell("GO")
        assert c.hear("DONE")["executions"] == 20 and c.ended() == 0
    assert warmed["steady"] is True and abs(warmed["change"]) <= 0.5
    assert len(c.rows("warmup")) > warmed["executions"] + 50
    assert len(c.rows()) == 20


def test_the_most_seconds_end_it(tmp_path: Path) -> None:
    rule = warm_up(most_s=0.4, within=1e-9)
    with client(tmp_path, 1, operations=ops(ms=2), executions=5, warmup=rule) as c:
        c.measure()
    [warmed] = c.all("WARMED")
    assert warmed["steady"] is False and warmed["seconds"] >= 0.4
    assert len(c.rows()) == 5


def test_go_without_warm_does_it_first_and_does_not_speak_of_it(tmp_path: Path) -> None:
    with client(tmp_path, 1, operations=ops(ms=1), executions=5, warmup=warm_up()) as c:
        c.hear("READY")
        c.tell("GO")
        c.hear("DONE")
    assert c.all("WARMED") == [] and len(c.rows("warmup")) >= 40


def test_a_window_lasts_until_threads_have_their_executions(tmp_path: Path) -> None:
    window = {"seconds": 0.1, "per_thread": 5, "most_s": 20}
    with client(tmp_path, 3, operations=ops(ms=60), window=window) as c:
        done = c.measure()
    assert 15 <= done["executions"] <= 18 and len(c.rows()) == done["executions"]


def test_a_window_with_too_few_executions_ends_after_its_most_seconds(tmp_path: Path) -> None:
    window = {"seconds": 0.1, "per_thread": 1000, "most_s": 0.6}
    with client(tmp_path, 2, operations=ops(ms=100), window=window) as c:
        done = c.measure()
    assert 4 <= done["executions"] <= 14


@pytest.mark.parametrize(
    ("workload", "sentence"),
    [
        ({"executions": 1, "warmup": {"steady": {"within": 2}}}, "warmup.steady.within"),
        ({"window": {"seconds": 1, "per_thread": 3}}, "belong together"),
        ({"window": {"seconds": 5, "per_thread": 3, "most_s": 1}}, "most_s must be at least"),
    ],
)
def test_rules_that_make_no_sense_are_refused(
    tmp_path: Path, workload: dict[str, Any], sentence: str
) -> None:
    with client(tmp_path, 1, **workload) as c:
        assert c.ended() == 2
    assert sentence in c.last_word()
