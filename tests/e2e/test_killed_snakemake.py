"""A Snakemake that was killed with -9 after it had locked, and the next `make run`."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.e2e.conftest import BIN, ROOT, command, environment

TOOL = ROOT / "tools" / "stale_lock.py"
WAITS = """
rule all:
    input: "made"
onstart:
    import json
    from pathlib import Path
    Path(".snakemake/holder.json").write_text(json.dumps(holder()))
rule made:
    output: "made"
    shell: "while [ ! -e go ]; do sleep 0.05; done; touch made"
"""


def project_of(tmp_path: Path) -> Path:
    """A workflow of one job that waits, which notes its holder as ours does."""
    common = (ROOT / "workflow/rules/common.smk").read_text(encoding="utf-8")
    begin = common.index("def holder():")
    noted = common[begin : common.index("\n\n\n", begin)]
    text = f"import os, socket\n{noted}\n{WAITS}"
    (tmp_path / "Snakefile").write_text(text, encoding="utf-8")
    return tmp_path


def snakemake(project: Path) -> subprocess.Popen[bytes]:
    with (project / "log").open("ab") as log:
        return subprocess.Popen(
            [BIN / "snakemake", "--cores", "1"],
            cwd=project, env=environment(), stdout=log, stderr=log, start_new_session=True,
        )  # fmt: skip


def locked(project: Path, running: subprocess.Popen[bytes]) -> None:
    """Wait until it has locked, and has noted who it is."""
    deadline = time.monotonic() + 120
    while not (
        list(project.glob(".snakemake/locks/*.lock"))
        and (project / ".snakemake/holder.json").exists()
    ):
        assert running.poll() is None and time.monotonic() < deadline, (project / "log").read_text()
        time.sleep(0.02)


def clear(project: Path) -> subprocess.CompletedProcess[str]:
    return command(sys.executable, str(TOOL), str(project), cwd=project)


@pytest.fixture
def killed(tmp_path: Path):
    """A project whose Snakemake was killed; its job waits for the file ``go`` and ends."""
    project = project_of(tmp_path)
    running = snakemake(project)
    try:
        locked(project, running)
        running.kill()
        running.wait()
        yield project
    finally:
        if running.poll() is None:
            running.kill()
        (project / "go").touch()


def test_it_does_not_lock_the_next_run_out(killed):
    holder = json.loads((killed / ".snakemake/holder.json").read_text(encoding="utf-8"))
    [temporary] = holder["temporary"]
    assert Path(temporary).is_dir()
    (killed / "go").touch()
    # without the option it may refuse what the killed one had begun, before it looks at locks
    argv = ("snakemake", "--cores", "1", "--rerun-incomplete")
    refused = command(*argv, cwd=killed)
    assert refused.returncode != 0 and "Lock" in refused.stderr, "or there is nothing to mend"
    done = clear(killed)
    assert done.returncode == 0 and "the lock of a Snakemake that was killed is removed" in (
        done.stderr
    )
    assert not Path(temporary).exists()
    assert not (killed / ".snakemake/holder.json").exists()
    went = command(*argv, cwd=killed)
    assert went.returncode == 0, went.stderr
    assert (killed / "made").exists()


def test_a_live_one_is_left_alone(tmp_path):
    project = project_of(tmp_path)
    running = snakemake(project)
    try:
        locked(project, running)
        done = clear(project)
        assert done.returncode == 5
        assert done.stderr.count("\n") == 1 and f"process {running.pid}" in done.stderr
        assert list(project.glob(".snakemake/locks/*.lock"))
        (project / "go").touch()
        assert running.wait(120) == 0, (project / "log").read_text()
    finally:
        if running.poll() is None:
            os.killpg(running.pid, signal.SIGKILL)
        (project / "go").touch()


def test_one_of_another_host_is_left_alone(killed):
    file = killed / ".snakemake/holder.json"
    file.write_text(json.dumps({"host": f"{socket.gethostname()}-2", "pid": 1}), encoding="utf-8")
    done = clear(killed)
    assert done.returncode == 5 and "snakemake --unlock" in done.stderr
    assert list(killed.glob(".snakemake/locks/*.lock"))


def test_a_forged_note_makes_nothing_else_go(killed, tmp_path):
    keep = tmp_path / "snakemake-keep"
    keep.mkdir()
    file = killed / ".snakemake/holder.json"
    noted = {"host": socket.gethostname(), "pid": 1, "temporary": [str(keep), "/", 7]}
    file.write_text(json.dumps(noted), encoding="utf-8")
    assert clear(killed).returncode == 0
    assert keep.is_dir()


def test_nothing_to_clear_is_silent(tmp_path):
    done = clear(tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_live_one_of_another_user_is_left_alone(killed, monkeypatch):
    """The kernel does not tell where it works: what it has noted of itself counts."""
    spec = importlib.util.spec_from_file_location("stale_lock", TOOL)
    assert spec is not None and spec.loader is not None
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    resolve = Path.resolve

    def forbidden(path: Path, strict: bool = False) -> Path:
        if path.name == "cwd" and path.parts[1] == "proc":
            raise PermissionError(13, "Permission denied", str(path))
        return resolve(path, strict)

    holder = json.loads((killed / ".snakemake/holder.json").read_text(encoding="utf-8"))
    monkeypatch.setattr(Path, "resolve", forbidden)
    monkeypatch.setattr(tool, "_snakemakes", lambda: [1, holder["pid"]])
    assert tool.main(killed) == 5
    assert list(killed.glob(".snakemake/locks/*.lock"))
    monkeypatch.setattr(tool, "_snakemakes", lambda: [1])
    assert tool.main(killed) == 0
    assert not list(killed.glob(".snakemake/locks/*.lock"))
