"""Server and client programs under ThreadSanitizer, AddressSanitizer and UBSan find nothing."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from orb_programs import NO_ORB, TARGET, Client, make, samples, serving, workload

pytestmark = [NO_ORB, pytest.mark.long, pytest.mark.timeout(900)]
SIGNS = ("ThreadSanitizer", "AddressSanitizer", "LeakSanitizer", "runtime error:")
SLOW = {"timeout_ms": 20_000}


@pytest.fixture(scope="module", autouse=True)
def built() -> None:
    make("sanitized", seconds=880)


@pytest.fixture(params=["thread", "address"])
def build(request: pytest.FixtureRequest) -> Path:
    return TARGET / request.param / "roundtrips" / "g++-O2"


@pytest.fixture
def env(tmp_path: Path) -> Iterator[dict[str, str]]:
    """What sanitizers report goes to files, of which there must be none."""
    options = f"log_path={tmp_path / 'found'}:second_deadlock_stack=1"
    yield {"TSAN_OPTIONS": options, "ASAN_OPTIONS": f"log_path={tmp_path / 'found'}",
           "UBSAN_OPTIONS": f"log_path={tmp_path / 'found'}:print_stacktrace=1"}  # fmt: skip
    found = [file.read_text() for file in tmp_path.glob("found*")]
    logs = [file.read_text() for file in tmp_path.glob("*.log")]
    assert not found, found[0][:8000]
    assert not any(sign in log for log in logs for sign in SIGNS), logs


Speak = Callable[[Client], None]


def spoken(
    endpoint: str, folder: Path, fields: dict[str, Any], build: Path, env: dict[str, str],
    speak: Speak, code: int = 0, threads: int = 4,
) -> Client:  # fmt: skip
    client = Client(endpoint, folder, fields, threads, built=build, env=env)
    client.until("READY")
    speak(client)
    ended, said = client.end()
    assert ended == code and not any(sign in said for sign in SIGNS), said
    return client


def go(client: Client) -> None:
    client.say("PING")
    client.until("PONG")
    client.say("GO")
    client.until("DONE")


NAMES = ("call", "ping", "octets-1k", "readings", "relayed", "notify", "event", "call-path")
ALL = [{"name": name} for name in NAMES]


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"threadPerConnectionPolicy": 0, "threadPoolWatchConnection": 0, "threadPolicy": "SINGLE"},
    ],
)
@pytest.mark.parametrize(
    "fields",
    [
        {"executions": 2000},
        {"executions": 2000, "samples": "histogram"},
        {"executions": 300, "connection": "per-execution"},
        {"executions": 400, "mode": {"kind": "open", "rate_per_s": 400.0, "arrivals": "poisson"}},
    ],
    ids=["closed", "histogram", "per-execution", "open"],
)
def test_loads(
    tmp_path: Path, build: Path, env: dict[str, str], fields: dict[str, Any],
    options: dict[str, Any],
) -> None:  # fmt: skip
    with serving(tmp_path, options, built=build, env=env) as (endpoint, _):
        spoken(endpoint, tmp_path, workload(**SLOW, operations=ALL, **fields), build, env, go)


def test_slices_after_a_steady_warm_up(tmp_path: Path, build: Path, env: dict[str, str]) -> None:
    fields = workload(
        **SLOW, slices=3, window={"seconds": 0.6},
        warmup={"executions": 50, "seconds": 0.1, "steady": {"within": 0.5, "most_s": 3}},
    )  # fmt: skip
    del fields["executions"]

    def speak(client: Client) -> None:
        for _ in range(3):
            client.say("WARM")
            client.until("WARMED")
            client.say("PAUSE")
            client.until("PAUSED")
        for _ in range(3):
            client.say("GO")
            client.until("SLICED")
        client.until("DONE")

    with serving(tmp_path, built=build, env=env) as (endpoint, _):
        spoken(endpoint, tmp_path, fields, build, env, speak)


def test_a_server_that_hangs_and_one_that_goes_on(
    tmp_path: Path, build: Path, env: dict[str, str]
) -> None:
    """Timeouts by the watchdog, threads that are given up, WEDGED and RESUME."""
    fields = workload(timeout_ms=500, executions=3000, operations=[{"name": "call"}])

    with serving(tmp_path, built=build, env=env) as (endpoint, server):

        def speak(client: Client) -> None:
            client.say("WARM")
            client.until("WARMED")
            server.send_signal(signal.SIGSTOP)
            client.say("GO")
            time.sleep(4)  # the deadline, and two graces of the watchdog
            client.say(f"WEDGED {json.dumps({'reason': 'hung'})}")
            client.until("HELD")
            server.send_signal(signal.SIGCONT)
            client.say(f"RESUME {json.dumps({'endpoint': endpoint})}")
            client.until("DONE")

        client = spoken(endpoint, tmp_path, fields, build, env, speak)
    window = samples(client.out).query("phase == 'measure'")
    assert len(window) == 3000 and (window["outcome"] == "timeout").sum() >= 4


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_an_end_by_a_signal(
    tmp_path: Path, build: Path, env: dict[str, str], number: signal.Signals
) -> None:
    def speak(client: Client) -> None:
        client.say("GO")
        client.until("PROGRESS")
        client.process.send_signal(number)

    fields = workload(**SLOW, executions=10_000_000)
    with serving(tmp_path, built=build, env=env) as (endpoint, _):
        client = spoken(endpoint, tmp_path, fields, build, env, speak, code=143)
    assert len(samples(client.out)) > 0


def test_the_end_of_the_controller(tmp_path: Path, build: Path, env: dict[str, str]) -> None:
    def speak(client: Client) -> None:
        client.say("GO")
        client.until("PROGRESS")
        client.process.stdin.close()
        client.process.stdin = None  # `communicate` does without

    fields = workload(**SLOW, executions=10_000_000)
    with serving(tmp_path, built=build, env=env) as (endpoint, _):
        spoken(endpoint, tmp_path, fields, build, env, speak, code=143)
