"""Invariants of a measured invocation: what their programs say, and what becomes of the answers."""

from __future__ import annotations

import dataclasses
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from fake_cells import codes, fake_invocation, read_record
from measuring import measure, nothing_left, outcomes

from modelstress.config.programs import WorkloadOperation
from modelstress.design.kinds import Checks, Invariant
from modelstress.measure.histograms import Histograms
from modelstress.measure.invariants import Held
from modelstress.measure.invocation import Invocation

pytestmark = pytest.mark.usefixtures("quick")

OURS = {"invariant", "unverified"}
"""Codes that are about invariants; a busy machine has others."""


def flags(invocation: Invocation) -> dict[str, str]:
    """What is said of invariants, by code; none of it makes the invocation invalid."""
    reasons = read_record(invocation)["validity"]["reasons"]
    found = {reason["code"]: reason for reason in reasons if reason["code"] in OURS}
    assert {reason["kind"] for reason in found.values()} <= {"flag"}
    return {code: reason["message"] for code, reason in found.items()}


def program(folder: Path, name: str, body: str) -> Path:
    file = folder / name
    file.write_text(f"#!{sys.executable}\nimport json, sys, time\n{body}\n")
    file.chmod(0o755)
    return file


def says(holds: object, message: str = "as it should be") -> str:
    return f"print({json.dumps(json.dumps({'holds': holds, 'message': message}))})"


def with_invariants(folder: Path, *bodies: str, timeout_s: float = 10.0, **more: Any) -> Invocation:
    invocation = fake_invocation(folder, executions=12, **more)
    invariants = tuple(
        Invariant(f"n{n}", f"invariant {n}", program(folder, f"check-{n}", body), timeout_s)
        for n, body in enumerate(bodies)
    )
    checks = Checks(invocation.needs.checks.expected, invariants=invariants)
    needs = dataclasses.replace(invocation.needs, checks=checks)
    return dataclasses.replace(invocation, needs=needs)


def test_one_that_holds_changes_nothing(tmp_path: Path) -> None:
    invocation = with_invariants(tmp_path, says(True))
    done = measure(invocation, tmp_path)
    record = read_record(invocation)
    assert done.outcomes == outcomes(invocation) == {"ok": 12}
    assert record["invariants"] == [
        {"name": "n0", "title": "invariant 0", "holds": True, "message": "as it should be"}
    ]
    assert flags(invocation) == {}
    nothing_left(tmp_path, invocation, "i00")


def test_what_a_program_is_told(tmp_path: Path) -> None:
    body = """
config = json.load(open(sys.argv[sys.argv.index("--config") + 1]))
import socket
host, port = config["endpoints"]["server"]["tcp"].removeprefix("tcp://").rsplit(":", 1)
with socket.create_connection((host, int(port)), timeout=5) as link:
    link.sendall(b"are you there?\\n")
    config["answer"] = link.recv(100).decode()
print("some words before it")
print(json.dumps({"holds": True, "message": json.dumps(config)[:400]}))
"""
    invocation = with_invariants(tmp_path, body, server={"die_after_s": 600})
    measure(invocation, tmp_path)
    [held] = read_record(invocation)["invariants"]
    told = json.loads(held["message"])
    assert told["answer"] == "are you there?\n", "the server still answers"
    assert told["outcomes"] == {"Q": {"ok": 12}} and told["dataset"] is None
    assert told["levels"]["tool"] == "fake" and told["levels"]["threads"] == 2


def test_one_that_does_not_hold_makes_every_answer_incorrect(tmp_path: Path) -> None:
    invocation = with_invariants(tmp_path, says(True), says(False, "a coin is missing"))
    done = measure(invocation, tmp_path)
    record = read_record(invocation)
    assert done.outcomes == outcomes(invocation) == {"incorrect": 12}
    assert record["outcomes"]["measure"] == {"incorrect": 12}
    assert record["outcomes"]["warmup"] == {"incorrect": 2}, "nobody knows when it was lost"
    assert [one["holds"] for one in record["invariants"]] == [True, False]
    assert [*flags(invocation)] == ["invariant"], "it is counted, not excluded"
    assert "invariant 1: a coin is missing" in flags(invocation)["invariant"]
    assert "invariant 0" not in flags(invocation)["invariant"]


def test_failures_stay_failures_beside_one_that_does_not_hold(tmp_path: Path) -> None:
    invocation = with_invariants(tmp_path, says(False))
    wrong = WorkloadOperation(name="Q", text=")))", parameters={"count": 3})
    failing = dataclasses.replace(invocation.needs, operations=(wrong,))
    invocation = dataclasses.replace(invocation, needs=failing)
    measure(invocation, tmp_path)
    assert outcomes(invocation) == {"error": 12}
    assert [*flags(invocation)] == ["invariant"]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("sys.exit('error: the books cannot be read')", "check-0: exit code 1: the books cannot"),
        ("sys.exit(3)", "check-0: exit code 3"),
        ("print('all is well')", "check-0: its last line is not"),
        ("pass", "check-0: its last line is not"),
        ("print('[]')", "check-0: its last line is not"),
        ("print('{\"holds\": 1}')", "check-0: its last line is not"),
        (f"{says(True)}\nprint('goodbye')", "check-0: its last line is not"),
        ("time.sleep(600)", "check-0: not ended after 1 s"),
        ("while True: print('busy')", "check-0: not ended after 1 s"),
    ],
)
def test_one_that_says_nothing_is_a_flag_and_no_verdict(
    tmp_path: Path, body: str, said: str
) -> None:
    timeout_s = 1.0 if "not ended" in said else 10.0
    invocation = with_invariants(tmp_path, body, says(True), timeout_s=timeout_s)
    measure(invocation, tmp_path)
    record = read_record(invocation)
    assert outcomes(invocation) == {"ok": 12}
    first, second = record["invariants"]
    assert first["holds"] is None and first["message"].startswith(said)
    assert second["holds"] is True, "the others are checked"
    assert [*flags(invocation)] == ["unverified"]
    assert f"invariant 0: {said}" in flags(invocation)["unverified"]
    nothing_left(tmp_path, invocation, "i00")


def test_a_program_that_is_not_there_is_a_flag(tmp_path: Path) -> None:
    invocation = with_invariants(tmp_path, says(True))
    (tmp_path / "check-0").unlink()
    measure(invocation, tmp_path)
    [held] = read_record(invocation)["invariants"]
    assert held["holds"] is None and held["message"]
    assert [*flags(invocation)] == ["unverified"]


def test_of_a_server_that_has_died_nothing_is_asked(tmp_path: Path) -> None:
    told = tmp_path / "told"
    body = f"open({str(told)!r}, 'w').close()\n{says(False)}"
    invocation = with_invariants(
        tmp_path, body, server={"die_after_s": 0.8}, driver={"sleep_s": 0.5}
    )
    measure(invocation, tmp_path)
    [held] = read_record(invocation)["invariants"]
    assert held["holds"] is None and "a server died" in held["message"]
    assert "server-died" in codes(invocation) and [*flags(invocation)] == ["unverified"]
    assert not told.exists() and "incorrect" not in outcomes(invocation)


def test_answers_kept_as_histograms_are_judged_likewise() -> None:
    lines = [
        {"operation": "Q", "phase": phase, "outcome": outcome, "executions": 4}
        for phase in ("warmup", "measure") for outcome in ("ok", "rejected")
    ]  # fmt: skip
    kept = Histograms(lines, [], 0)
    for unknown in (True, None):
        assert kept.judged([Held("n", "t", unknown, "")]) == kept
    judged = kept.judged([Held("n", "t", True, ""), Held("m", "u", False, "lost")])
    for phase in ("warmup", "measure"):
        assert judged.outcomes(phase) == {"incorrect": 4, "rejected": 4}
    assert kept.outcomes("measure") == {"ok": 4, "rejected": 4}, "the others are left alone"
