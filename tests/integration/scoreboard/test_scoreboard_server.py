"""The scoreboard's server: who is answered, what is refused, and what is left of it."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import time
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlsplit

import psutil
import pytest
import space_samples
import yaml

from modelstress.config.profile import Profile
from modelstress.config.project import Project
from modelstress.design.cells import cells_of
from tests.integration.scoreboard.conftest import PROFILE, argv_of, project_in, served

STUDY = space_samples.STUDY


def ask(address: str, path: str = "/", method: str = "GET", body: str | None = None, **headers):
    where = urlsplit(address)
    connection = http.client.HTTPConnection(where.hostname, where.port, timeout=30)
    try:
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        return answer.status, answer.read().decode(), dict(answer.getheaders())
    finally:
        connection.close()


def test_pages_are_answered_with_a_policy_that_lets_nothing_else_in(address: str) -> None:
    for path, kind in (
        ("/", "text/html"), ("/?protocol=unix", "text/html"), ("/progress", "text/html"),
        ("/scoreboard.css", "text/css"), ("/scoreboard.js", "text/javascript"),
        ("/icon.svg", "image/svg+xml"),
    ):  # fmt: skip
        status, text, headers = ask(address, path)
        assert status == 200 and text and headers["Content-Type"].startswith(kind)
        policy = headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy and "unsafe" not in policy
        assert headers["X-Content-Type-Options"] == "nosniff"
    assert ask(address, method="HEAD")[:2] == (200, "")


@pytest.mark.parametrize("host", ["localhost:9", "127.0.0.1", "[::1]:80", "localhost"])
def test_a_tunnel_may_have_another_port(address: str, host: str) -> None:
    assert ask(address, Host=host)[0] == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "localhost.evil.example:80", "127.0.0.1.evil.example", "", "[::1].a"]
)
def test_another_host_is_refused(address: str, host: str) -> None:
    for path in ("/", "/progress", "/scoreboard.js", "/other"):
        status, text, _ = ask(address, path, Host=host)
        assert status in (400, 403) and "Progress" not in text


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "PATCH", "BREW"])
def test_only_get_is_answered(address: str, method: str) -> None:
    assert ask(address, method=method)[0] in (400, 405)
    assert ask(address, "/progress", method=method, body="x" * 100)[0] in (400, 405)


@pytest.mark.parametrize(
    ("path", "status", "sentence"),
    [
        ("/?protcol=unix", 400, "there is no option &#39;protcol&#39; (did you mean"),
        ("/?protocol=%3Cscript%3E", 400, "has no level &#39;&lt;script&gt;&#39;"),
        ("/?protocol=unix&protocol=tcp", 400, "given 2 times"),
        ("/?protocol=%ff", 400, "not UTF-8"),
        ("/?" + "&".join(f"a{i}=1" for i in range(300)), 400, "more than 200 fields"),
        ("/?protocol=" + 9000 * "x", 400, "more than 8192 characters"),
        ("/%2e%2e/etc/passwd", 404, "no such page"),
        ("/scoreboard.py", 404, "no such page"),
    ],
)
def test_what_cannot_be_shown_is_said_in_a_sentence(
    address: str, path: str, status: int, sentence: str
) -> None:
    got, text, _ = ask(address, path)
    assert got == status and sentence in text and "Traceback" not in text
    assert "<script>" not in text


def test_a_request_without_end_takes_nothing_from_the_others(address: str) -> None:
    where = urlsplit(address)
    with socket.create_connection((where.hostname, where.port), 10) as slow:
        slow.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 200_000)
        assert ask(address)[0] == 200


def test_it_listens_on_loopback_alone(scoreboard: tuple[str, subprocess.Popen[str]]) -> None:
    server = psutil.Process(scoreboard[1].pid)
    listening = [
        one.laddr.ip
        for process in (server, *server.children(recursive=True))
        for one in process.net_connections()
        if one.status == psutil.CONN_LISTEN
    ]
    assert listening == ["127.0.0.1"]


def test_what_reads_ends_with_a_server_that_was_killed(space_project: Project) -> None:
    with served(space_project) as (_, process):
        ours = psutil.Process(process.pid).children(recursive=True)
        process.kill()
        assert psutil.wait_procs(ours, 30)[1] == []


def test_a_server_whose_reader_was_killed_says_so(space_project: Project) -> None:
    with served(space_project) as (_, process):
        for child in psutil.Process(process.pid).children():
            if "spawn_main" in " ".join(child.cmdline()):
                child.kill()
        assert process.wait(20) != 0
        assert process.stderr is not None
        assert "the process that reads the samples has ended" in process.stderr.read()


def test_new_measurements_and_a_queue_are_shown_until_ctrl_c(tmp_path: Path) -> None:
    project = project_in(tmp_path / "project")
    cells = space_samples.write_all(project, PROFILE, left_out=44)
    queue = project.root / "data" / "steering" / STUDY / PROFILE / "progress.json"
    with served(project) as (where, process):
        until(where, "<b>4</b> measured")
        cell = next(c for c in cells if not c.folder(project.raw, 2).exists())
        space_samples.write_start(
            project.root / "data", PROFILE, cell.tool.tool, cell.id, cell.levels, 2, 0.02
        )
        until(where, "<b>5</b> measured")
        queue.parent.mkdir(parents=True)
        told = {"study": STUDY, "profile": PROFILE, "at": datetime.now(UTC).isoformat(),
                "queue": True, "queued": 43}  # fmt: skip
        queue.write_text(json.dumps(told), encoding="utf-8")
        until(where, "<b>43</b> queued")
        ours = psutil.Process(process.pid).children(recursive=True)
        assert ours
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        assert process.wait(20) == 0
        assert process.stderr is not None and process.stderr.read() == ""
        assert psutil.wait_procs(ours, 10)[1] == []


def until(address: str, words: str) -> None:
    """Wait for words in the progress."""
    deadline = time.monotonic() + 60
    while words not in (text := ask(address, "/progress")[1]):
        assert time.monotonic() < deadline, text
        time.sleep(0.2)


def test_a_wrong_name_is_answered_in_a_sentence(space_project: Project) -> None:
    argv = argv_of(space_project, "--profile", "demmo")
    done = subprocess.run(argv, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and "did you mean" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_port_that_is_taken_is_said(space_project: Project, address: str) -> None:
    port = str(urlsplit(address).port)
    argv = argv_of(space_project, "--port", port)
    done = subprocess.run(argv, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and f"--port {port} cannot be had" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_profile_of_a_page_plans_the_chosen_cells(address: str, tmp_path: Path) -> None:
    text = ask(address, "/?protocol=unix&threadPerConnectionPolicy=0")[1]
    profile = text.split('aria-label="Profile">')[1].split("</pre>")[0].replace("&#39;", "'")
    project = project_in(tmp_path / "project")
    made = Profile.model_validate(yaml.safe_load(profile))
    file = project.root / "config" / "profiles" / STUDY / f"{made.profile}.yaml"
    file.write_text(profile, encoding="utf-8")
    cells = cells_of(project, project.study(STUDY), project.profile(made.profile, STUDY))
    assert {cell.levels["protocol"] for cell in cells} == {"unix"}
    assert {cell.levels["threadPerConnectionPolicy"] for cell in cells} == {0}
    assert 4 <= len(cells) <= 8
