"""What was stopped from outside, or by a limit of the machine, is invalid and measured again."""

from __future__ import annotations

import json
import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fake_cells import codes, fake_invocation, read_record
from measuring import measure, nothing_left

from modelstress.analysis import raw
from modelstress.config.profile import Warmup
from modelstress.measure import again, folders
from modelstress.measure.again import run_until_valid
from modelstress.measure.cell import Measured, run_start
from modelstress.measure.interrupt import InterruptedRunError
from modelstress.measure.invocation import Invocation
from modelstress.samples import seals
from modelstress.samples.record import read_record as read

pytestmark = pytest.mark.usefixtures("quick", "idle")


def until_valid(invocation: Invocation, folder: Path, **more: Any) -> Measured:
    [measured] = run_until_valid([invocation], lock_file=folder / "lock", lock_wait_s=5, **more)
    return measured


def dying(folder: Path, **server: Any) -> Invocation:
    options = {"die_at_query": 40, **server}
    return fake_invocation(folder, executions=200, server=options, driver={"sleep_s": 0.05})


@pytest.mark.parametrize("signum", [signal.SIGKILL, signal.SIGTERM])
def test_a_server_that_somebody_stops_makes_its_invocation_invalid(
    tmp_path: Path, signum: int
) -> None:
    invocation = dying(tmp_path, die_signal=int(signum))
    done = measure(invocation, tmp_path)
    assert done.valid is False and codes(invocation) >= {"server-died", "server-killed"}
    assert done.outcomes is not None and done.outcomes["error"] > 0


@pytest.mark.parametrize(
    ("code", "words", "valid"),
    [
        (1, "something is wrong", True),
        (134, "SIGABRT in native code", True),
        (1, "java.lang.OutOfMemoryError: Java heap space", True),
        (1, "java.lang.OutOfMemoryError: unable to create native thread: possibly", False),
        (1, "accept: Too many open files", False),
        (1, "write: No space left on device", False),
    ],
)
def test_a_tool_that_ends_by_itself_is_data_unless_the_machine_made_it(
    tmp_path: Path, code: int, words: str, valid: bool
) -> None:
    invocation = dying(tmp_path, die_code=code, die_words=words)
    assert measure(invocation, tmp_path).valid is valid
    assert "server-died" in codes(invocation)
    assert ("machine-limit" in codes(invocation)) is not valid


def test_a_server_that_dies_before_its_first_answer_was_not_measured(tmp_path: Path) -> None:
    """Whatever ended it: there is nothing that a table could say of it."""
    slow = fake_invocation(
        tmp_path, server={"die_after_s": 1.5, "die_code": 1}, driver={"sleep_s": 9}
    )
    settings = slow.cell.settings.model_copy(update={"warmup": Warmup(executions=0, seconds=0)})
    invocation = replace(slow, cell=replace(slow.cell, settings=settings))
    assert measure(invocation, tmp_path).valid is False
    assert codes(invocation) >= {"server-died", "no-answer"}


def test_invalid_once_is_measured_again_and_kept_aside(tmp_path: Path) -> None:
    invocation = dying(tmp_path, die_times=1)
    said: list[str] = []
    done = until_valid(invocation, tmp_path, listener=lambda event: said.append(event.message))
    assert done.valid and done.outcomes == {"ok": 200}
    nothing_left(tmp_path, invocation, "i00", "i00.invalid-1")
    assert any("server-killed" in one and "measuring again" in one for one in said)
    attempt = invocation.folder.with_name("i00.invalid-1")
    record = read(attempt / "cell.json")
    assert not record["validity"]["valid"] and seals.broken(record, attempt) == []
    assert [one.state for one in raw.of_cell(attempt.parent)] == ["complete", "attempt"]
    # and what is valid is not measured again by the next run
    assert not until_valid(invocation, tmp_path).fresh


def test_twice_at_most(tmp_path: Path) -> None:
    invocation = dying(tmp_path)
    done = until_valid(invocation, tmp_path)
    assert done.valid is False
    nothing_left(tmp_path, invocation, "i00", "i00.invalid-1", "i00.invalid-2")
    before = read_record(invocation)
    assert not until_valid(invocation, tmp_path).fresh and read_record(invocation) == before


def test_a_run_stopped_between_two_attempts_goes_on_with_what_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    invocation = dying(tmp_path)
    calls = 0

    def stopped(*given: Any, **more: Any) -> list[Measured]:
        nonlocal calls
        calls += 1
        if calls == 2:
            raise InterruptedRunError(signal.SIGTERM, "")
        return run_start(*given, **more)

    monkeypatch.setattr(again, "run_start", stopped)
    with pytest.raises(InterruptedRunError):
        until_valid(invocation, tmp_path)
    nothing_left(tmp_path, invocation, "i00.invalid-1")
    assert until_valid(invocation, tmp_path).valid is False
    nothing_left(tmp_path, invocation, "i00", "i00.invalid-1", "i00.invalid-2")


def test_a_rerun_begins_counting_anew(tmp_path: Path) -> None:
    invocation = dying(tmp_path, die_times=2)
    assert until_valid(invocation, tmp_path).valid
    assert len(folders.attempts(invocation.folder)) == 2
    assert until_valid(invocation, tmp_path, again=True).valid
    assert folders.attempts(invocation.folder) == []
    hidden = sorted(p.name for p in invocation.folder.parent.glob(".*"))
    assert hidden == [".i00.invalid-1.replaced-0", ".i00.invalid-2.replaced-0", ".i00.replaced-0"]


def test_what_another_start_would_not_change_is_not_measured_again(tmp_path: Path) -> None:
    invocation = dying(tmp_path)
    folder = invocation.folder
    folder.mkdir(parents=True)
    reasons = [{"code": "shared-cpus", "kind": "invalid", "message": "one CPU"}]
    judged = {"valid": False, "reasons": reasons}
    (folder / "cell.json").write_text(json.dumps({"validity": judged}))
    assert again._why(folder) == []


def test_clients_that_filled_their_processors_twice_are_not_measured_a_third_time(
    tmp_path: Path,
) -> None:
    reason = {"code": "client-busy", "kind": "invalid", "message": "99 % busy"}
    judged = {"validity": {"valid": False, "reasons": [reason]}}

    def found(name: str) -> Path:
        folder = tmp_path / name
        folder.mkdir()
        (folder / "cell.json").write_text(json.dumps(judged))
        return folder

    assert again._why(found("i00")) == ["client-busy"]
    found(".i00.replaced-0")  # one that was measured anew on purpose says nothing
    assert again._why(tmp_path / "i00") == ["client-busy"]
    found("i00.invalid-1")
    assert again._why(tmp_path / "i00") == []
    assert again._why(found("i01")) == []  # another start of the cell: seen before


def test_attempts_go_on_behind_one_that_somebody_deleted(tmp_path: Path) -> None:
    folder = tmp_path / "i00"
    (tmp_path / "i00.invalid-2").mkdir(parents=True)
    (tmp_path / "i00.invalid-2" / "cell.json").touch()
    folder.mkdir()
    (folder / "cell.json").touch()
    assert folders.keep_attempt(folder).name == "i00.invalid-3"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["i00.invalid-2", "i00.invalid-3"]


def test_samples_that_lost_their_record_are_kept_when_they_are_measured_again(
    tmp_path: Path,
) -> None:
    invocation = fake_invocation(tmp_path, executions=20)
    assert measure(invocation, tmp_path).valid
    (invocation.folder / "cell.json").unlink()
    before = (invocation.folder / "samples.parquet").read_bytes()
    assert measure(invocation, tmp_path).fresh
    kept = invocation.folder.with_name(".i00.replaced-0")
    assert (kept / "samples.parquet").read_bytes() == before
