"""A client program in Python, driven over its pipes as the controller does it."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from python_client import DEADLINE_S, PROGRAM, client, ops, outcomes

from modelstress.driver.verifier import digest
from modelstress.samples.bins import decoded, merged
from modelstress.samples.histograms import read_lines
from modelstress.samples.mssf import read_mssf


def test_a_window_of_executions(tmp_path):
    with client(tmp_path, 3, operations=ops(count=7, attempts=2), executions=50) as c:
        ready = c.hear("READY")
        assert ready["pid"] == c.process.pid
        c.tell("PING")
        assert c.hear("PONG")["clock_ns"] >= ready["clock_ns"]
        c.tell("WARM")
        assert c.hear("WARMED")["executions"] >= 4
        c.tell("GO")
        done = c.hear("DONE")
        assert done["executions"] == 50 and c.ended() == 0
    rows = c.rows()
    assert len(rows) == 50 and outcomes(rows) == {"ok": 50}
    assert {(r["items"], r["result_count"], r["result_digest"]) for r in rows} == {(7, 7, 0)}
    assert sorted(row["sequence"] for row in rows) == list(range(50))
    assert len(c.rows("cooldown")) == done["cooldown"] and len(c.rows("warmup")) >= 4
    assert set(c.records()["attempts"]) == {2}
    [window] = c.all("WINDOW")
    ends = [row["start_ns"] + row["duration_ns"] for row in rows]
    assert window["clock_ns"] == max(ends)
    assert "a driver may print" in c.errors.read_text()


def test_identifiers_have_the_digest_of_the_oracle(tmp_path):
    with client(tmp_path, 1, operations=[
        {"name": "A", "arity": 2, "parameters": {"ids": [4, 5, 6, 7]}},
        {"name": "B", "arity": 2, "parameters": {"ids": [4, 5, 6]}},
    ], order=["A", "B"], executions=4) as c:  # fmt: skip
        c.measure()
    right, wrong = c.rows()[:2]
    assert (right["outcome"], right["result_digest"]) == ("ok", digest([4, 5, 6, 7], 2))
    assert (right["items"], right["result_count"], wrong["outcome"]) == (4, 2, "incorrect")


def test_every_thread_goes_through_the_order(tmp_path):
    order = ["transfer", "balance", "balance", "history"]
    operations = [{"name": name} for name in ("balance", "history", "transfer")]
    with client(tmp_path, 3, operations=operations, order=order, executions=90) as c:
        c.measure()
    for phase, following in (("warmup", ""), ("measure", "cooldown")):
        for thread in range(3):
            rows = [r for p in (phase, following) for r in c.rows(p) if r["thread"] == thread]
            done = [row["operation"] for row in rows]
            assert done == [order[i % 4] for i in range(len(done))], phase


def test_a_window_of_seconds(tmp_path):
    with client(tmp_path, 2, operations=ops(ms=30), window={"seconds": 1.2}) as c:
        done = c.measure()
    rows = c.rows()
    assert done["executions"] == len(rows) > 0
    begin, end = min(r["start_ns"] for r in rows), max(r["start_ns"] for r in rows)
    assert 0.8e9 < end - begin < 1.2e9
    assert all(r["start_ns"] > end for r in c.rows("cooldown"))
    progress = [said for said in c.all("PROGRESS") if said["phase"] == "measure"]
    assert {(said["unit"], said["total"]) for said in progress} == {("seconds", 2)}
    assert progress[-1]["done"] == 1 and progress[-1]["answered"] > 0
    heard = len(c.all("PROGRESS"))
    assert heard <= 2 * 1.5 + 4, "twice a second at most"


def test_a_window_of_objects(tmp_path):
    operations = [
        {"name": "load", "objects": True, "parameters": {"count": 100}},
        {"name": "look", "parameters": {"count": 1}},
    ]
    order = ["load", "look"]
    with client(tmp_path, 1, operations=operations, order=order, window={"objects": 1000}) as c:
        c.measure()
    rows = c.rows()
    assert sum(r["items"] for r in rows if r["operation"] == "load") == 1000
    assert rows[-1]["operation"] == "load" and len(rows) == 19


def test_an_open_loop_counts_from_the_intended_start(tmp_path):
    mode = {"kind": "open", "rate_per_s": 50.0}
    with client(tmp_path, 1, operations=ops(ms=40), mode=mode, executions=20) as c:
        c.measure()
    rows = sorted(c.rows(), key=lambda r: r["intended_start_ns"])
    gaps = np.diff([r["intended_start_ns"] for r in rows])
    assert np.all(np.abs(gaps - 20e6) < 2)
    waited = [r["start_ns"] - r["intended_start_ns"] for r in rows]
    assert waited[-1] > 0.3e9, "arrivals do not wait for the thread"
    assert all(r["duration_ns"] >= w + 40e6 for r, w in zip(rows, waited, strict=True))


def test_thinking_within_an_execution_is_no_latency(tmp_path):
    operations = ops(think=700, ms=5)
    with client(tmp_path, 2, operations=operations, executions=2, timeout_ms=100,
                warmup={"executions": 0, "seconds": 0}) as c:  # fmt: skip
        c.measure()
    assert outcomes(c.rows()) == {"ok": 2}
    records = c.records()
    assert np.all(records["think_ns"] >= 700e6) and np.all(records["duration_ns"] < 600e6)
    ends = c.records()["start_ns"] + records["duration_ns"] + records["think_ns"]
    assert c.all("WINDOW")[0]["clock_ns"] == max(ends)


@pytest.mark.parametrize("warmup", [0, 12])
def test_a_pause_after_an_operation_staggers_the_threads(tmp_path, warmup):
    operations = [{"name": "A", "think_ms": 300}]
    with client(tmp_path, 6, operations=operations, executions=12,
                warmup={"executions": warmup, "seconds": 0}) as c:  # fmt: skip
        c.measure()
    rows = [row for row in c.rows() if row["phase"] == "measure"]
    first = {r["thread"]: r["start_ns"] for r in reversed(rows)}
    spread = np.ptp(list(first.values()))
    assert spread > 50e6, "they began in step"
    for thread in range(6):
        starts = [r["start_ns"] for r in rows if r["thread"] == thread]
        assert all(gap >= 300e6 for gap in np.diff(starts))


@pytest.mark.parametrize("kind", ["incorrect", "aborted", "rejected", "error", "timeout"])
def test_outcomes_of_a_driver(tmp_path, kind):
    operations = ops(outcome=kind, attempts=3)
    with client(tmp_path, 2, operations=operations, executions=10, connection="reused") as c:
        c.measure()
    assert outcomes(c.rows()) == {kind: 10} and set(c.records()["attempts"]) == {3}
    [detail] = c.all("DETAIL")
    assert detail == {"operation": "A", "outcome": kind, "message": f"{kind} was asked for"}


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"raise": True}, "it broke: a cause"),
        ({"return": None}, "the driver returned no outcome (None)"),
        ({"count": -1}, "the driver returned an impossible count (-1)"),
        ({"attempts": 0}, "the driver returned an impossible attempts (0)"),
    ],
)
def test_what_escapes_a_driver_is_an_error(tmp_path, parameters, said):
    with client(tmp_path, 1, operations=ops(**parameters), executions=3) as c:
        c.measure()
    assert outcomes(c.rows()) == {"error": 3}
    assert [detail["message"] for detail in c.all("DETAIL")] == [said]


def test_sessions_that_cannot_be_opened(tmp_path):
    for connection in ("reused", "per-execution"):
        for asked in ("error", "timeout"):
            folder = tmp_path / f"{connection}-{asked}"
            folder.mkdir()
            options = {"open": asked}
            with client(folder, 2, connection=connection, options=options, executions=5) as c:
                c.measure()
            assert outcomes(c.rows()) == {asked: 5}
            message = c.all("DETAIL")[0]["message"]
            assert message.startswith("client: " if asked == "error" else "nobody opened")


def test_sessions_are_reused_and_know_who_they_are(tmp_path):
    with client(tmp_path, 2, "writer=tcp://127.0.0.1:1", "replica=tcp://127.0.0.1:2",
                operations=ops(say=1), executions=20, connection="reused",
                seed=5) as c:  # fmt: skip
        c.measure()
    said = [line for line in c.errors.read_text().splitlines() if line.startswith("A ")]
    sessions = {tuple(line.split()[1:4]) for line in said}
    assert len(sessions) == 2 and len({seed for _, _, seed in sessions}) == 2
    assert "'writer': 'tcp://127.0.0.1:1', 'replica': 'tcp://127.0.0.1:2'" in said[0]


def test_a_driver_that_hangs_is_given_up_and_replaced(tmp_path):
    operations = [{"name": "slow", "parameters": {"hang": True}}, {"name": "quick"}]
    with client(tmp_path, 1, operations=operations, order=["quick", "slow", "quick"],
                executions=5, timeout_ms=200,
                warmup={"executions": 0, "seconds": 0}) as c:  # fmt: skip
        c.measure()
    rows = c.rows()
    assert [(r["operation"], r["outcome"]) for r in rows] == [
        ("quick", "ok"), ("slow", "timeout"), ("quick", "ok"), ("quick", "ok"), ("slow", "timeout"),
    ]  # fmt: skip
    assert all(r["duration_ns"] > 2.2e9 for r in rows if r["outcome"] == "timeout")
    assert "ended by the harness, its thread given up" in c.all("DETAIL")[0]["message"]


def test_opening_that_hangs_does_not_keep_the_window_from_beginning(tmp_path):
    options = {"open": "hang"}
    with client(tmp_path, 1, options=options, connection="reused", executions=1,
                timeout_ms=100, warmup={"executions": 0, "seconds": 0}) as c:  # fmt: skip
        c.measure()
    assert outcomes(c.rows()) == {"timeout": 1}
    assert c.all("DETAIL")[0]["operation"] == "(open)"


@pytest.mark.parametrize("said", ['{"endpoint": "tcp://127.0.0.1:2"}',
                                  '{"endpoints": {"server": "tcp://127.0.0.1:2"}}'])  # fmt: skip
def test_wedged_and_resumed(tmp_path, said):
    operations = ops(hang=True)
    with client(tmp_path, 3, operations=operations, executions=30, timeout_ms=60_000,
                warmup={"executions": 0, "seconds": 0}, connection="reused") as c:  # fmt: skip
        c.hear("READY")
        c.tell("GO")
        assert c.hear("PROGRESS")["under_way"] == 3
        c.tell('WEDGED {"reason": "it hangs"}')
        assert c.hear("HELD") == {"timeouts": 3}
        c.tell("RESUME {}")  # not understood, and nothing happens
        assert c.hear("PROGRESS")["under_way"] == 0
        c.tell(f"RESUME {said}")
        assert c.hear("DONE")["executions"] == 30 and c.ended() == 0
    assert outcomes(c.rows()) == {"timeout": 3, "ok": 27}
    assert {d["message"] for d in c.all("DETAIL")} == {"it hangs"}
    assert "not understood" in c.errors.read_text()


@pytest.mark.parametrize("how", ["eof", signal.SIGTERM, signal.SIGINT])
def test_ended_in_the_middle(tmp_path, how):
    operations = ops(ms=60_000)
    with client(tmp_path, 4, operations=operations, executions=100, timeout_ms=90_000,
                warmup={"executions": 0, "seconds": 0}) as c:  # fmt: skip
        c.hear("READY")
        c.tell("GO")
        assert c.hear("PROGRESS")["under_way"] == 4
        if how == "eof":
            c.process.stdin.close()
        else:
            c.process.send_signal(how)
        assert c.ended() == 143
    assert outcomes(c.rows()) == {"unfinished": 4}
    assert len(read_mssf(c.samples).records) == 4, "the file is cut behind the last"


def test_killed(tmp_path):
    with client(tmp_path, 2, operations=ops(ms=1), executions=10**6) as c:
        c.hear("READY")
        c.tell("GO")
        while c.hear("PROGRESS")["phase"] != "measure":
            pass
        answered = c.hear("PROGRESS")["done"]
        os.kill(c.process.pid, signal.SIGKILL)
        c.ended()
    assert len(c.rows()) >= answered > 0


def test_no_room_for_more_samples(tmp_path):
    room = 2 << 20
    with client(tmp_path, 2, executions=10**6, warmup={"executions": 0, "seconds": 0}) as c:
        resource.prlimit(c.process.pid, resource.RLIMIT_FSIZE, (room, room))
        c.hear("READY")
        c.tell("GO")
        assert c.ended() == 7
    assert "no room for samples" in c.last_word()
    rows = outcomes(c.rows())
    assert rows["ok"] > 16_000 and rows.keys() <= {"ok", "unfinished"}


def test_histograms(tmp_path):
    operations = ops(ms=5, count=3, attempts=2, think=4)
    with client(tmp_path, 2, operations=operations, executions=60, samples="histogram") as c:
        c.measure()
    assert len(read_mssf(c.samples).records) == 0
    text = c.samples.with_name("samples.mssf.histograms.jsonl").read_text()
    lines = [json.loads(line) for line in text.splitlines()]
    measured = [line for line in lines if line["phase"] == "measure"]
    assert sum(line["executions"] for line in measured) == 60
    assert sum(line["items"] for line in measured) == 180
    assert sum(line["attempts"] for line in measured) == 120
    assert sum(line["think_ns"] for line in measured) >= 60 * 4e6
    read = read_lines(c.samples)
    durations = merged(decoded(line["duration_ns"]) for line in read)
    assert durations.total == sum(line["executions"] for line in lines)
    assert durations.values.min() >= 5e6 * 0.999


def refusal(tmp_path: Path, *arguments: str, **workload: Any) -> str:
    file = tmp_path / "workload.json"
    given = {"operations": [{"name": "A"}], "timeout_ms": 5, "executions": 1} | workload
    file.write_text(json.dumps(given))
    words = ["--driver", "scripted", "--endpoint", "tcp://h:1", "--workload", str(file),
             "--threads", "1", "--out", str(tmp_path / "out"), *arguments]  # fmt: skip
    done = subprocess.run(
        [sys.executable, str(PROGRAM), "client", *words], capture_output=True, text=True,
        timeout=DEADLINE_S, stdin=subprocess.DEVNULL, check=False,
    )  # fmt: skip
    assert done.returncode == 2 and done.stdout == ""
    last = done.stderr.splitlines()[-1]
    assert last.startswith("error: ")
    return last


def test_refusals_are_one_sentence(tmp_path):
    assert "there: scripted" in refusal(tmp_path, "--driver", "unknown")
    assert "usage: client" in refusal(tmp_path, "--what", "is this")
    assert "--threads: 0" in refusal(tmp_path, "--threads", "0")
    assert "no such file" in refusal(tmp_path, "--workload", str(tmp_path / "absent"))
    assert "is not a URL" in refusal(tmp_path, "--endpoint", "h:1")
    assert "two addresses" in refusal(tmp_path, "--endpoint", "server=tcp://h:2")
    assert "say one of" in refusal(tmp_path, window={"seconds": 1})
    assert "unknown operation 'B'" in refusal(tmp_path, order=["B"])
    assert "belongs to a closed loop" in refusal(
        tmp_path,
        operations=[{"name": "A", "think_ms": 1}],
        mode={"kind": "open", "rate_per_s": 1},
    )
    assert "unknown field" in refusal(tmp_path, something=1)
    assert "ids: " in refusal(tmp_path, ids=str(tmp_path / "absent"))
    (tmp_path / "out").write_text("measured")
    assert "out exists" in refusal(tmp_path)
