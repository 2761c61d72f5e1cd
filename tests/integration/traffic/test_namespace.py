"""Captured cells in a real network namespace, of a small HTTP server and of the fake tool."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import yaml
from fake_cells import FAKE, processes_of

from modelstress.config.project import Project
from modelstress.hosts import private
from modelstress.measure.traffic.capture import PROXIED
from modelstress.workloads.queries import files

HTTP = str(Path(__file__).with_name("small_http.py"))
WAY, WHY_NOT = private.available()
needs_namespace = pytest.mark.skipif(WAY is None, reason=WHY_NOT)


def over_http(*arguments: str) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, HTTP, *arguments], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    said: dict[str, Any] = json.loads(done.stdout)
    return said


@needs_namespace
def test_proxy_and_counter_see_the_same():
    said = over_http()
    assert said["packets"] == said["proxy"]
    assert said["failure"] is None and said["dropped"] == 0 and said["threads_left"] == []
    counted, written, longest = said["counted"]
    assert counted == written == said["in_executions"] and said["outside"] == 0
    assert longest == private.MTU + 14, "a big answer fills packets, and no packet is bigger"
    for execution in said["packets"]:
        first, answer, second, other = execution["http"]
        assert first[:3] == ["http-request", "/first?secret", None] and first[4] == 8
        assert second[1] == "/second" and answer[2] == other[2] == 200
        assert answer[4] == 8 + 50_000 and answer[5] > answer[3] + answer[4]
        assert (execution["connections"], execution["round_trips"]) == (1, 3)
        assert execution["payload"][0] == first[5] + second[5]


@needs_namespace
def test_what_the_kernel_had_to_drop_is_known():
    said = over_http("small")
    assert said["dropped"] > 0


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with one cell of the fake tool, whose executions are captured."""
    written: dict[str, Any] = {
        "config/config.yaml": {"profile": "captured", "studies": ["fakes"], "lock_wait_s": 200},
        "config/studies/fakes.yaml": {
            "study": "fakes", "title": "t",
            "models": {"m": {"case": "train", "line": "2016", "scenario": "repair", "size": 1}},
            "factors": {
                "tool": ["fake"], "backend": ["none"], "language": ["ocl"], "protocol": ["tcp"],
                "model": ["m"], "query": ["Q"], "threads": [1],
            },
        },
        "config/profiles/captured.yaml": {
            "profile": "captured", "title": "t", "invocations": 1,
            "settings": {
                "executions": 3, "warmup": {"executions": 1, "seconds": 0, "threads": 1},
                "timeout_ms": 20_000, "capture": {"pause_ms": 100},
            },
        },
        "config/tools/fake.yaml": {
            "tool": "fake", "title": "Fake", "jar": str(FAKE), "driver": "fake",
            "supports": {"backend": ["none"], "protocol": ["tcp"], "language": ["ocl"]},
        },
        "queries/train/case.yaml": {"case": "train", "queries": {"Q": {"tuple": ["a"]}}},
    }  # fmt: skip
    for name, content in written.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(yaml.safe_dump(content))
    (tmp_path / "queries/train/ocl").mkdir()
    (tmp_path / "queries/train/ocl/Q.ocl").write_text("q")
    made = Project(tmp_path)
    store = files.store_folder(made, "fake", "none", "m", None)
    store.mkdir(parents=True)
    (store / "ids.mssf").write_bytes(b"ids")
    (store / "loaded.json").write_text(json.dumps({"content": {"model": "x"}}))
    oracle = files.oracle_file(made, "m")
    oracle.parent.mkdir(parents=True, exist_ok=True)
    known = {"Q": {"count": 0, "digest": "0"}}
    oracle.write_text(json.dumps({"content": {"model": "x"}, "queries": known}))
    return tmp_path


def run(project: Path, path: str | None = None) -> subprocess.Popen[str]:
    argv = [sys.executable, "-c", "from modelstress.cli import main; main()"]
    return subprocess.Popen(
        [*argv, "--project", str(project), "run", "--all"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "PATH": path or os.environ["PATH"]},
    )  # fmt: skip


def unshare(folder: Path, script: str) -> str:
    """A PATH on which ``unshare`` is this script."""
    (folder / "bin").mkdir()
    (folder / "bin/unshare").write_text(f"#!/bin/sh\n{script}\n")
    (folder / "bin/unshare").chmod(0o755)
    return f"{folder / 'bin'}:{os.environ['PATH']}"


def invocation(project: Path) -> Path:
    [cell] = (project / "data/raw/fakes/captured/fake").iterdir()
    return cell / "i00"


@needs_namespace
@pytest.mark.parametrize("root", [True, False])
def test_run_enters_a_namespace_by_itself(project, tmp_path, root):
    """As root, and as somebody who may only have a namespace together with one of users."""
    script = '[ "$1" = --net ] && exit 1' if not root else ":"
    done = run(project, unshare(tmp_path, f'{script}\nexec {shutil.which("unshare")} "$@"'))
    _, errors = done.communicate(timeout=250)
    assert done.returncode == 0, errors
    record = json.loads((invocation(project) / "cell.json").read_text())
    assert record["provenance"]["topology"]["network"] == private.NETWORK
    capture = record["capture"]
    assert capture["method"] == "packets" and capture["dropped"] == 0 and capture["mtu"] == 1500
    assert capture["offloads"] == {"tso": False, "gso": False, "gro": False}
    assert (invocation(project) / "capture.pcap").is_file()
    rows = pq.read_table(invocation(project) / "anatomy.parquet").to_pylist()
    assert [(row["phase"], row["sequence"]) for row in rows] == [
        ("warmup", 0), ("measure", 0), ("measure", 1), ("measure", 2),
    ]  # fmt: skip
    assert all(row["connections"] == 1 and row["round_trips"] == 2 for row in rows)
    assert sum(row["packets_sent"] + row["packets_received"] for row in rows) == capture["packets"]
    messages = pq.read_table(invocation(project) / "messages.parquet").to_pylist()
    kinds = ["handshake", "data", "data", "close", "close"]
    assert [m["kind"] for m in messages] == 3 * kinds
    assert all(m["begin_ns"] >= 0 for m in messages)


@needs_namespace
@pytest.mark.parametrize("signum", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_reaches_the_run_inside(project, signum):
    profile = project / "config/profiles/captured.yaml"
    wanted = yaml.safe_load(profile.read_text())
    wanted["settings"] |= {"executions": 500}
    profile.write_text(yaml.safe_dump(wanted))
    process = run(project)
    end = time.monotonic() + 200
    while not any(f.stat().st_size > 1000 for f in project.rglob("i00.work/client-0.mssf")):
        assert process.poll() is None and time.monotonic() < end
        time.sleep(0.05)
    process.send_signal(signum)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 128 + signum
    assert "interrupted" in errors and invocation(project).with_name("i00.aborted-0").is_dir()
    assert processes_of(str(project)) == []


def test_without_a_namespace_a_proxy_is_used_and_said(project, tmp_path):
    done = run(project, unshare(tmp_path, "echo 'not permitted' >&2\nexit 1"))
    _, errors = done.communicate(timeout=250)
    assert done.returncode == 0, errors
    assert "through a proxy" in errors and "not permitted" in errors
    record = json.loads((invocation(project) / "cell.json").read_text())
    assert record["capture"]["method"] == "proxy" and record["capture"]["file"] is None
    assert record["provenance"]["topology"]["network"] == PROXIED
    rows = pq.read_table(invocation(project) / "anatomy.parquet").to_pylist()
    assert {(row["packets_sent"], row["bytes_received"]) for row in rows} == {(None, None)}
    assert all(row["payload_sent"] == row["payload_received"] == 6 for row in rows)
    assert all((row["connections"], row["round_trips"]) == (1, 2) for row in rows)
