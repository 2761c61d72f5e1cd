"""The tool of docs/own-study.md: its two nodes, its clients and its invariant, as processes."""

from __future__ import annotations

import contextlib
import json
import queue
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from modelstress.samples.mssf import read_mssf, samples_table

LEDGER = Path(__file__).parents[3] / "examples" / "own-study" / "ledger"
DEADLINE_S = 20.0


class Node:
    """A server process that is ready."""

    def __init__(self, work: Path, **config: Any) -> None:
        work.mkdir(parents=True, exist_ok=True)
        file = work / "config.json"
        given = {"tool": "ledger", "store": None, "work": str(work), "bind": "127.0.0.1",
                 "ports": {"http": 0}}  # fmt: skip
        file.write_text(json.dumps(given | config))
        self.errors = work / "stderr"
        with self.errors.open("wb") as errors:
            self.process = subprocess.Popen(
                [sys.executable, str(LEDGER / "ledger-server"), "serve", "--config", str(file)],
                stdout=subprocess.PIPE, stderr=errors, stdin=subprocess.DEVNULL,
            )  # fmt: skip
        lines: queue.Queue[bytes] = queue.Queue()
        assert self.process.stdout is not None
        threading.Thread(
            target=lambda: lines.put(self.process.stdout.readline()), daemon=True
        ).start()
        word, _, said = lines.get(timeout=DEADLINE_S).decode().partition(" ")
        assert word == "READY", self.errors.read_text()
        ready = json.loads(said)
        assert ready["pid"] == self.process.pid
        self.url: str = ready["endpoints"]["http"]

    def ask(self, path: str, body: object = None, **headers: str) -> tuple[int, Any]:
        data = (
            None if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        )
        request = urllib.request.Request(self.url + path, data, headers)
        try:
            with urllib.request.urlopen(request, timeout=DEADLINE_S) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)

    def transfer(self, source: int, target: int, amount: int, versions: object = None) -> Any:
        seen = versions or [self.ask(f"/account?id={n}")[1]["version"] for n in (source, target)]
        return self.ask("/transfer", {
            "from": source, "to": target, "amount": amount,
            "from_version": seen[0], "to_version": seen[1],
        })  # fmt: skip

    def stop(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(5)


@contextlib.contextmanager
def node(work: Path, **config: Any) -> Iterator[Node]:
    made = Node(work, **config)
    try:
        yield made
    finally:
        made.process.kill()
        made.process.wait()


@contextlib.contextmanager
def both(folder: Path, accounts: int, durability: str = "off") -> Iterator[tuple[Node, Node]]:
    dataset = {"name": f"bank-{accounts}", "parameters": {"accounts": accounts}}
    options = {"durability": durability}
    with node(folder / "writer", node="writer", dataset=dataset, options=options) as writer:
        peers = {"writer": {"http": writer.url}}
        with node(folder / "replica", node="replica", dataset=dataset, peers=peers) as replica:
            yield writer, replica


def transfer(source: int, target: int, amount: float) -> dict[str, float]:
    return {
        "from": source, "to": target, "amount": amount, "from_version": 0, "to_version": 0,
    }  # fmt: skip


def check_money(folder: Path, writer: Node, replica: Node) -> dict[str, Any]:
    file = folder / "check.json"
    endpoints = {"writer": {"http": writer.url}, "replica": {"http": replica.url}}
    file.write_text(
        json.dumps({"endpoints": endpoints, "levels": {}, "dataset": {}, "outcomes": {}})
    )
    done = subprocess.run(
        [sys.executable, str(LEDGER / "check-money"), "--config", str(file)],
        capture_output=True, text=True, check=True, timeout=DEADLINE_S,
    )  # fmt: skip
    return json.loads(done.stdout.splitlines()[-1])


def wait_until(holds: Any) -> None:
    deadline = time.monotonic() + DEADLINE_S
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_transfers_conflicts_and_refusals(tmp_path):
    with both(tmp_path, 4) as (writer, _):
        seen = [writer.ask(f"/account?id={n}")[1] for n in (0, 1)]
        assert seen == [{"id": n, "balance": 1000, "version": 0} for n in (0, 1)]
        assert writer.transfer(0, 1, 300) == (200, {"id": 1, "balance": 700})
        assert writer.ask("/account?id=1")[1] == {"id": 1, "balance": 1300, "version": 1}
        assert writer.transfer(0, 1, 1, [0, 1])[0] == 409, "the payer has changed"
        assert writer.transfer(2, 0, 1, [0, 0])[0] == 409, "the payee has changed"
        assert writer.transfer(0, 1, 701)[0] == 422, "it cannot pay"
        assert writer.ask("/accounts")[1] == {
            "accounts": 4, "opening": 1000, "total": 4000, "last": 1,
        }  # fmt: skip
        assert writer.stop() in (0, 143)


def test_the_replica_catches_up(tmp_path):
    with both(tmp_path, 3) as (writer, replica):
        for _ in range(25):
            assert writer.transfer(0, 1, 2)[0] == 200
        wait_until(lambda: replica.ask("/accounts")[1]["last"] == 25)
        assert replica.ask("/account?id=1")[1] == {"id": 1, "balance": 1050}
        history = replica.ask("/history?id=0")[1]["transfers"]
        assert history == list(range(25, 5, -1)), "the last twenty"
        assert replica.transfer(0, 1, 1, [1, 1])[0] == 405
        assert check_money(tmp_path, writer, replica)["holds"] is True


def test_lost_money_is_found(tmp_path):
    with both(tmp_path, 3) as (writer, replica):
        base = sqlite3.connect(tmp_path / "writer" / "ledger.sqlite")
        base.execute("UPDATE account SET balance = balance - 1 WHERE id = 0")
        base.commit()
        said = check_money(tmp_path, writer, replica)
        assert said == {
            "holds": False,
            "message": "the writer's accounts hold 2999 instead of 3000",
        }


def test_what_was_committed_is_there_after_a_crash(tmp_path):
    config = {"node": "writer", "options": {"durability": "full"}}
    with node(tmp_path, **config) as writer:
        writer.transfer(0, 1, 10)
        writer.process.kill()
    with node(tmp_path, **config, resume=True) as writer:
        assert writer.ask("/account?id=1")[1]["balance"] == 1010
    with node(tmp_path, **config) as writer:
        assert writer.ask("/accounts")[1]["last"] == 0, "without resume it begins anew"


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/transfer", b"[" * 4000, 400),
        ("/transfer", b"[]", 400),
        ("/transfer", transfer(0, 0, 1), 400),
        ("/transfer", transfer(0, 1, -1), 400),
        ("/transfer", transfer(0, 1, 1.5), 400),
        ("/transfer", transfer(0, 9**30, 1), 400),
        ("/transfer", b"x" * 5000, 413),
        ("/account?id=99", None, 404),
        ("/account?id=x", None, 400),
        ("/account", None, 400),
        ("/elsewhere", None, 404),
    ],
)  # fmt: skip
def test_requests_that_make_no_sense(tmp_path, path, body, status):
    with node(tmp_path, node="writer") as writer:
        assert writer.ask(path, body)[0] == status
        assert writer.ask("/accounts", Origin="http://a.page")[0] == 403
        assert writer.ask("/accounts")[1]["total"] == 20_000


def refused(tmp_path: Path, **config: Any) -> tuple[int, str]:
    file = tmp_path / "config.json"
    file.write_text(json.dumps({"work": str(tmp_path), "ports": {"http": 0}} | config))
    done = subprocess.run(
        [sys.executable, str(LEDGER / "ledger-server"), "serve", "--config", str(file)],
        capture_output=True, text=True, timeout=DEADLINE_S, check=False,
    )  # fmt: skip
    assert done.stdout == ""
    last = done.stderr.splitlines()[-1]
    assert last.startswith("error: ")
    return done.returncode, last


def test_exit_codes(tmp_path):
    assert refused(tmp_path, something=1)[0] == 2
    assert refused(tmp_path, ports={})[0] == 2
    assert refused(tmp_path, role="third")[0] == 2
    assert refused(tmp_path, node="replica")[0] == 2
    assert refused(tmp_path, options={"durability": "half"})[0] == 2
    assert refused(tmp_path, dataset={"parameters": {"accounts": 1}})[0] == 2
    with socket.create_server(("127.0.0.1", 0)) as taken:
        assert refused(tmp_path, ports={"http": taken.getsockname()[1]})[0] == 5
    (tmp_path / "ledger.sqlite").write_bytes(b"no database" * 100)
    assert refused(tmp_path, resume=True)[0] == 4


def test_clients(tmp_path):
    """The real client program beside both nodes: all outcomes that a ledger has, money kept."""
    workload = {
        "operations": [
            {"name": "transfer", "parameters": {"amount": 400, "decide_ms": 5}, "think_ms": 1},
            {"name": "balance"},
            {"name": "history"},
        ],
        "order": ["transfer", "balance", "history"],
        "window": {"seconds": 2.0},
        "warmup": {"executions": 0, "seconds": 0},
        "timeout_ms": 5000,
        "seed": 3,
        "options": {"retries": 1},
    }
    file, out = tmp_path / "workload.json", tmp_path / "samples.mssf"
    file.write_text(json.dumps(workload))
    with both(tmp_path, 3) as (writer, replica):
        process = subprocess.Popen(
            [sys.executable, str(LEDGER / "ledger-client"), "client", "--driver", "ledger",
             "--endpoint", f"writer={writer.url}", "--endpoint", f"replica={replica.url}",
             "--workload", str(file), "--threads", "8", "--out", str(out)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write("GO\n")
        process.stdin.flush()
        said = list(process.stdout)
        assert process.wait(DEADLINE_S) == 0 and said[-1].startswith("DONE ")
        assert check_money(tmp_path, writer, replica)["holds"] is True
        transfers = writer.ask("/accounts")[1]["last"]
    samples = read_mssf(out)
    rows = samples_table(samples).to_pylist()
    found = Counter((row["operation"], row["outcome"]) for row in rows)
    assert found["transfer", "ok"] == transfers
    assert found["transfer", "rejected"] > 0 and found["transfer", "aborted"] > 0
    assert {outcome for (name, outcome) in found if name != "transfer"} == {"ok"}
    aborted = samples.dictionaries["outcome"].index("aborted")
    assert set(samples.records["attempts"][samples.records["outcome"] == aborted]) == {2}
    transfer = samples.records["operation"] == 0
    assert samples.records["think_ns"][transfer].min() >= 5e6
