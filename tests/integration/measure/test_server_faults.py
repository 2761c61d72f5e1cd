"""Servers that do not start, die or do not stop, with a fake tool that keeps the contracts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from fake_cells import (
    codes,
    fake_invocation,
    processes_of,
    read_record,
)
from measuring import kept, measure, measured_rows, nothing_left, outcomes

from modelstress.config.errors import BusyError, ConfigError, MeasureError, MissingError

pytestmark = pytest.mark.usefixtures("quick")


def test_a_server_that_never_gets_ready(tmp_path: Path) -> None:
    invocation = fake_invocation(tmp_path, server={"never_ready": 1}, ready_timeout_s=1)
    with pytest.raises(MeasureError, match=r"not ready after 1 s.*waiting for something.*aborted"):
        measure(invocation, tmp_path)
    nothing_left(tmp_path, invocation, "i00.aborted-0")
    assert "waiting" in (kept(invocation) / "server.log").read_text()
    record = json.loads((kept(invocation) / "cell.json").read_text())
    assert record["state"] == "aborted" and record["levels"]["query"] == "Q"


@pytest.mark.parametrize(
    ("code", "error"),
    [(2, ConfigError), (3, MissingError), (4, MissingError), (5, BusyError), (6, MeasureError)],
)
def test_a_server_that_cannot_start_says_why(tmp_path: Path, code: int, error: type) -> None:
    invocation = fake_invocation(tmp_path, server={"fail": code})
    with pytest.raises(error, match=rf"exit code {code}\): told to fail"):
        measure(invocation, tmp_path)
    nothing_left(tmp_path, invocation, "i00.aborted-0")


def test_a_server_that_ends_without_a_word(tmp_path: Path) -> None:
    invocation = fake_invocation(tmp_path, server={"silent_end": 1})
    with pytest.raises(MeasureError, match="no 'error:' line"):
        measure(invocation, tmp_path)


def test_a_server_killed_in_mid_cell(tmp_path: Path) -> None:
    server, driver = {"die_after_s": 2.0}, {"sleep_s": 0.05}
    invocation = fake_invocation(tmp_path, executions=300, server=server, driver=driver)
    done = measure(invocation, tmp_path)
    found = outcomes(invocation)
    assert sum(found.values()) == 300
    assert found["ok"] > 0 and found["error"] > 0 and set(found) == {"ok", "error"}
    assert done.outcomes == found
    assert sorted(row["sequence"] for row in measured_rows(invocation)) == list(range(300))
    record = read_record(invocation)
    assert record["failure"] == "server died: killed by signal 9"
    assert "server died: killed by signal 9" in [d["message"] for d in record["details"]]
    assert "server-died" in codes(invocation)
    nothing_left(tmp_path, invocation, "i00")
    # and the next cell has a fresh server
    other = fake_invocation(tmp_path, number=1)
    assert measure(other, tmp_path).outcomes == {"ok": 20}


def test_a_server_killed_during_the_warm_up(tmp_path: Path) -> None:
    server, driver = {"die_after_s": 1.5}, {"hang_in_warmup": 1}
    invocation = fake_invocation(tmp_path, server=server, driver=driver)
    assert measure(invocation, tmp_path).outcomes == {"error": 20}


def test_a_server_that_ignores_sigterm_is_killed_and_flagged(tmp_path: Path) -> None:
    invocation = fake_invocation(tmp_path, server={"ignore_term": 1}, stop_timeout_s=1)
    assert measure(invocation, tmp_path).outcomes == {"ok": 20}
    assert "server-stop" in codes(invocation)
    nothing_left(tmp_path, invocation, "i00")


def test_what_a_server_starts_goes_with_it(tmp_path: Path) -> None:
    before = processes_of("sleep\x00600")
    for number, escape in enumerate((0, 1)):
        server = {"grandchild": 1, "escape": escape}
        measure(fake_invocation(tmp_path, server=server, number=number), tmp_path)
        assert processes_of("sleep\x00600") == before
