"""What is computed of an invocation in which something went wrong on purpose."""

import numpy as np
import pyarrow as pa
import pytest

from modelstress.analysis import faults, raw
from modelstress.samples.schema import SCHEMA

S = 1_000_000_000
BEGIN = 100 * S


def start(executions, **fault):
    """An invocation; executions are (intended, end, outcome), in seconds of the window."""
    rows = [
        {
            "client": 0, "thread": 0, "sequence": n, "operation": "Q", "phase": "measure",
            "intended_start_ns": BEGIN + int(a * S), "start_ns": BEGIN + int(a * S),
            "duration_ns": int((b - a) * S), "verify_ns": 0, "outcome": outcome,
            "items": 1, "attempts": 1, "think_ns": 0,
        }
        for n, (a, b, outcome) in enumerate(executions)
    ]  # fmt: skip
    fields = [SCHEMA.field(name) for name in raw.NEEDED]
    table = pa.Table.from_pylist(rows, schema=pa.schema(fields))
    known = {"kind": "server-paused", "begun_ns": BEGIN + 2 * S, "ended_ns": BEGIN + 4 * S}
    record = {"fault": known | fault, "clients": [{"client": 0, "offset_ns": 0}]}
    return raw.Invocation("f", "t", "c", 0, "complete", record, table, ())


STEADY = [(t / 10, t / 10 + 0.05, "ok") for t in range(20)]
AFTER = [(t / 10, t / 10 + 0.05, "ok") for t in range(45, 60)]
LOST = [(2.5, 3.5, "timeout"), (3.0, 4.2, "timeout")]


def test_losses_and_recovery():
    found = faults.row(start([*STEADY, *LOST, *AFTER]))
    assert found is not None
    assert (found["executions"], found["ok"], found["lost"]) == (37, 35, 2)
    assert found["begun_s"] == 2.0 and found["lasted_s"] == 2.0
    assert found["first_correct_s"] == pytest.approx(2.55)
    assert found["after_end_s"] == pytest.approx(0.55)
    assert found["last_failure_s"] == pytest.approx(0.2)
    assert found["recovered"] == faults.BY_ITSELF and found["before"] == 0


def test_an_answer_to_what_was_asked_before_is_no_recovery():
    late = [(1.9, 4.1, "ok")]
    found = faults.row(start([*STEADY[:-1], *late, *LOST, (4.5, 5.5, "timeout")]))
    assert found is not None and found["recovered"] == faults.NOT
    assert np.isnan(found["first_correct_s"]) and np.isnan(found["after_end_s"])


def test_an_answer_before_the_fault_took_effect_is_no_recovery():
    meanwhile = [(2.1, 2.15, "ok"), (2.3, 2.35, "ok")]
    steps = [*STEADY, *meanwhile, *LOST, *AFTER]
    found = faults.row(start(steps, in_effect_ns=BEGIN + int(2.4 * S)))
    assert found is not None and found["first_correct_s"] == pytest.approx(2.55)
    sooner = faults.row(start(steps, in_effect_ns=BEGIN + int(2.2 * S)))
    assert sooner is not None and sooner["first_correct_s"] == pytest.approx(0.35)


def test_help_is_told_from_recovery():
    helped = faults.row(start([*STEADY, *LOST, *AFTER], helped_ns=BEGIN + 5 * S))
    assert helped is not None and helped["recovered"] == faults.WITH_HELP
    dead = [(4.5, 4.6, "error")]
    died = faults.row(start([*STEADY, *LOST, *dead], server_died="server died: killed by signal 9"))
    assert died is not None and died["recovered"] == faults.NOT
    assert died["remarks"] == "server died: killed by signal 9"


DEAD = [(t / 10, t / 10 + 0.05, "error") for t in range(46, 70)]


def test_a_service_that_answers_once_and_then_no_more_has_not_come_back():
    once = [(4.5, 4.55, "ok")]
    found = faults.row(start([*STEADY, *LOST, *once, *DEAD]))
    assert found is not None and found["recovered"] == faults.NOT
    assert found["after_end_s"] == pytest.approx(0.55), "when it did answer is told all the same"
    helped = faults.row(start([*STEADY, *LOST, *once, *DEAD], helped_ns=BEGIN + 5 * S))
    assert helped is not None and helped["recovered"] == faults.NOT, "help that did not last"


def test_few_failures_at_the_end_are_no_death():
    found = faults.row(start([*STEADY, *LOST, *AFTER, (6.1, 6.2, "timeout")]))
    assert found is not None and found["recovered"] == faults.BY_ITSELF


def test_how_long_a_killed_server_takes_to_start_is_its_recovery():
    late = [(t / 10, t / 10 + 0.05, "error") for t in range(41, 45)]
    again = {"kind": "server-killed", "restart_s": 2.0, "ready_ns": BEGIN + int(4.5 * S)}
    found = faults.row(start([*STEADY, *LOST, *late, *AFTER], **again))
    assert found is not None and found["recovered"] == faults.BY_ITSELF
    assert (found["lasted_s"], found["ready_s"]) == (2.0, pytest.approx(0.5))
    assert found["after_end_s"] == pytest.approx(0.55) and found["lost"] == 6
    never = faults.row(start([*STEADY, *LOST, *late], kind="server-killed", restart_s=2.0))
    assert never is not None and never["recovered"] == faults.NOT, "asked, and not answered"


def test_what_failed_before_is_not_the_faults():
    early = [(0.0, 0.1, "error"), *STEADY[1:], *AFTER]
    found = faults.row(start(early))
    assert found is not None and (found["lost"], found["before"]) == (0, 1)
    assert np.isnan(found["last_failure_s"])


def test_without_a_fault_there_is_no_row():
    plain = start(STEADY)
    for record in ({}, {"fault": {"kind": "link-cut", "begun_ns": None}}):
        other = raw.Invocation("f", "t", "c", 0, "complete", record, plain.table, ())
        assert faults.row(other) is None


def test_what_was_asked_no_more_is_not_taken_for_a_failure():
    unseen = faults.row(start([*STEADY, *LOST]))
    assert unseen is not None and unseen["recovered"] == faults.UNSEEN
    for_good = faults.row(start([*STEADY, *LOST], kind="server-killed", restart_s=None))
    assert for_good is not None and for_good["recovered"] == faults.NOT


@pytest.mark.parametrize(
    ("restart", "expected"),
    [
        ({"phase": "warmup", "at_ns": BEGIN - S, "ready_s": 1.0}, faults.BY_ITSELF),
        ({"phase": "measure", "at_ns": BEGIN + S, "ready_s": 1.0}, faults.BY_ITSELF),
        ({"phase": "measure", "at_ns": BEGIN + 3 * S, "ready_s": None}, faults.BY_ITSELF),
        ({"phase": "measure", "at_ns": BEGIN + 3 * S, "ready_s": 1.0}, faults.WITH_HELP),
    ],
)
def test_only_a_restart_after_the_fault_is_help(restart, expected):
    found = start([*STEADY, *LOST, *AFTER])
    found.record["server"] = {"restarts": [restart]}
    row = faults.row(found)
    assert row is not None and row["recovered"] == expected


def test_wrong_answers_from_before_are_not_blamed_on_the_fault():
    found = faults.row(start([(0.0, 0.1, "incorrect"), *STEADY[1:], (3.0, 3.1, "incorrect")]))
    assert found is not None
    assert (found["wrong"], found["before"], found["lost"]) == (1, 1, 0), "wrong is not lost"
