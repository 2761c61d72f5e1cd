"""What is measured of a window in executions, in seconds and in objects, and when it ends."""

from __future__ import annotations

import time

from modelstress.config.programs import OpenLoop
from modelstress.driver.schedule import Schedule
from modelstress.driver.stage import Goal, Stage

LONG_AGO_NS = 10**12


def stage(goal: Goal, *, warmup: bool = False, schedule: Schedule | None = None) -> Stage:
    made = Stage(goal, warmup=warmup, threads=2, schedule=schedule, first_slot=0, first_sequence=0)
    made.begin(0)
    return made


def run(made: Stage, tickets: int, objects: int = 0) -> list[str]:
    """Phases of so many executions, one after the other."""
    phases = []
    for _ in range(tickets):
        phase, _ = made.admit(made.draw())
        made.finished(phase, time.monotonic_ns(), answered=True, objects=objects)
        phases.append(phase)
    return phases


def test_executions():
    made = stage(Goal(executions=3))
    first, second = made.draw(), made.draw()
    assert made.admit(second)[0] == "measure", "whoever begins first, the ticket counts"
    assert run(made, 2) == ["measure", "cooldown"]
    made.finished("measure", time.monotonic_ns(), answered=True)
    assert not made.over.is_set(), "one of three has not even begun"
    assert made.admit(first)[0] == "measure"
    end = time.monotonic_ns()
    made.finished("measure", end, answered=False)
    assert made.over.is_set() and made.window_end_ns == end
    assert (made.ended, made.cooldown, made.answered) == (3, 1, 3)


def test_seconds():
    made = stage(Goal(seconds=5.0))
    phase, start = made.admit(made.draw())
    assert phase == "measure" and start >= made.begin_ns
    made.begin_ns -= LONG_AGO_NS  # as if they had passed
    assert made.admit(made.draw())[0] == "cooldown"
    made.finished("cooldown", time.monotonic_ns(), answered=True)
    made.look()
    assert not made.over.is_set(), "what began in time is still under way"
    end = time.monotonic_ns()
    made.finished("measure", end, answered=True)
    assert made.over.is_set() and made.window_end_ns == end
    assert made.progress() == (5, 5)


def test_seconds_with_nothing_under_way():
    made = stage(Goal(seconds=5.0))
    run(made, 3)
    made.look()
    assert not made.over.is_set()
    made.begin_ns -= LONG_AGO_NS
    made.look()
    assert made.over.is_set() and made.window_end_ns - made.begin_ns >= 5 * 10**9


def test_seconds_in_an_open_loop_take_what_is_due_in_them():
    loop = OpenLoop(kind="open", rate_per_s=2.0)
    made = stage(Goal(seconds=2.0), schedule=Schedule(loop, 1, 4))
    made.begin_ns -= LONG_AGO_NS  # all of them begin late
    assert run(made, 3) == ["measure"] * 3
    made.look()
    assert not made.over.is_set()
    assert run(made, 2) == ["measure", "cooldown"] and made.over.is_set()


def test_objects():
    made = stage(Goal(objects=10))
    begun = made.admit(made.draw())[0]
    assert run(made, 3, objects=4) == ["measure"] * 3
    assert run(made, 1) == ["cooldown"] and not made.over.is_set()
    made.finished(begun, time.monotonic_ns(), answered=True, objects=4)
    assert made.over.is_set() and made.progress() == (16, 16)


def test_warmup_has_a_least_number_and_a_least_time():
    made = stage(Goal(2, 5.0), warmup=True)
    assert run(made, 3) == ["warmup"] * 3 and not made.over.is_set()
    made.begin_ns -= LONG_AGO_NS
    assert run(made, 1) == ["warmup"] and made.over.is_set()
