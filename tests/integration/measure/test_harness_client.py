"""The life of a cell with the real client program and its drivers ``null`` and ``flaky``."""

from __future__ import annotations

import dataclasses
import json
import signal
import struct
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fake_cells import codes, fake_invocation, kill, processes_of, read_record, read_rows
from harness_tool import JAR

from modelstress.analysis.raw import of_cell
from modelstress.config.errors import ConfigError
from modelstress.config.profile import Steady
from modelstress.config.programs import WorkloadOperation
from modelstress.design.kinds import Checks, Expected
from modelstress.measure import calibration
from modelstress.measure.cell import run_invocation
from modelstress.measure.events import Event
from modelstress.measure.invocation import Invocation
from modelstress.samples.bins import merged
from modelstress.samples.histograms import durations, read_parquet

pytestmark = pytest.mark.skipif(not JAR.is_file(), reason="java-shims/harness is not built")

MASK = 2**64 - 1
ITEMS = 4


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calibration, "SECONDS", 0.02)


def mix(x: int) -> int:
    x = (x + 0x9E3779B97F4A7C15) & MASK
    x = ((x ^ x >> 30) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ x >> 27) * 0x94D049BB133111EB) & MASK
    return x ^ x >> 31


def write_ids(file: Path, count: int) -> None:
    """Identifier i is element 10 · i."""
    columns = [{"name": n, "type": "int64", "offset": 8 * i} for i, n in enumerate(("id", "index"))]
    header = {"record_size": 16, "columns": columns, "dictionaries": {}, "meta": {}}
    text = json.dumps(header).encode()
    text += b" " * (-(12 + len(text)) % 64)
    records = b"".join(struct.pack("<qq", i, 10 * i) for i in range(count))
    file.write_bytes(b"MSSF" + struct.pack("<II", 1, len(text)) + text + records)


def harness_invocation(folder: Path, name: str, arity: int = 1, **more: Any) -> Invocation:
    options = {"items": ITEMS, **more.pop("driver", {})}
    one = fake_invocation(folder, driver=options, **more)
    write_ids(one.ids, 100)
    tool = one.cell.tool.model_copy(update={"driver": name})
    matches = [range(i, i + arity) for i in range(0, ITEMS, arity)]
    digest = 0
    for match in matches:
        folded = 0
        for element in match:
            folded = mix(folded ^ 10 * element)
        digest = (digest + folded) & MASK
    parameters: dict[str, Any] = {"language": "ocl", "tuple": ["a", "b"][:arity]}
    return dataclasses.replace(
        one,
        jar=Path(__file__).parents[2] / "fakes" / "harness_tool.py",
        cell=dataclasses.replace(one.cell, tool=tool),
        needs=dataclasses.replace(
            one.needs,
            operations=(WorkloadOperation(name="Q", text="q", arity=arity, parameters=parameters),),
            checks=Checks({"Q": Expected(len(matches), digest)}),
        ),
    )


def measure(invocation: Invocation, folder: Path, listener: Any = lambda event: None) -> None:
    run_invocation(invocation, lock_file=folder / "lock", listener=listener)


def measured(invocation: Invocation) -> list[dict[str, Any]]:
    return [row for row in read_rows(invocation).to_pylist() if row["phase"] == "measure"]


@pytest.mark.parametrize("arity", [1, 2])
@pytest.mark.parametrize("connection", ["per-execution", "reused"])
def test_every_execution_is_verified(tmp_path: Path, arity: int, connection: str) -> None:
    levels = {"connection": connection}
    invocation = harness_invocation(
        tmp_path, "null", arity, threads=4, clients=2, executions=500, levels=levels
    )
    measure(invocation, tmp_path)
    assert read_record(invocation)["outcomes"]["measure"] == {"ok": 500}
    record = read_record(invocation)
    assert [c["exit_code"] for c in record["clients"]] == [0, 0]
    assert all(c["stray_lines"] == 0 for c in record["clients"])
    assert record["window"]["begin_ns"] < record["window"]["end_ns"]
    assert processes_of(str(tmp_path)) == []


@pytest.mark.parametrize(("most_s", "steady"), [(20.0, True), (0.3, False)])
def test_a_warm_up_ends_when_it_is_steady_or_is_flagged(
    tmp_path: Path, most_s: float, steady: bool
) -> None:
    invocation = harness_invocation(
        tmp_path, "flaky", threads=2, clients=2, executions=30, driver={"latency_ms": 2}
    )
    rule = Steady(within=0.5 if steady else 1e-9, most_s=most_s)
    warmup = invocation.cell.settings.warmup.model_copy(update={"steady": rule})
    settings = invocation.cell.settings.model_copy(update={"warmup": warmup})
    cell = dataclasses.replace(invocation.cell, settings=settings)
    invocation = dataclasses.replace(invocation, cell=cell)
    measure(invocation, tmp_path)
    record = read_record(invocation)
    assert [client["warmed"]["steady"] for client in record["clients"]] == [steady, steady]
    assert ("unsteady" in codes(invocation)) is not steady
    assert record["outcomes"]["measure"] == {"ok": 30}


def test_a_wrong_oracle_is_noticed(tmp_path: Path) -> None:
    invocation = harness_invocation(tmp_path, "null", executions=50)
    checks = Checks({"Q": Expected(ITEMS, 1)})
    needs = dataclasses.replace(invocation.needs, checks=checks)
    wrong = dataclasses.replace(invocation, needs=needs)
    measure(wrong, tmp_path)
    assert read_record(wrong)["outcomes"]["measure"] == {"incorrect": 50}


def test_all_faults_of_a_driver_are_classified(tmp_path: Path) -> None:
    faults = ("error", "reject", "throw", "wrong", "unknown", "odd", "timeout")
    driver = {**dict.fromkeys(faults, 0.1), "latency_ms": 1}
    invocation = harness_invocation(tmp_path, "flaky", 2, threads=4, executions=120, driver=driver)
    invocation.cell.settings.__dict__["timeout_ms"] = 100
    measure(invocation, tmp_path)
    record = read_record(invocation)
    found = record["outcomes"]["measure"]
    assert sum(found.values()) == 120
    assert set(found) == {"ok", "incorrect", "error", "timeout", "rejected"}
    messages = {(d["outcome"], d["message"]) for d in record["details"]}
    assert ("error", "injected error") in messages
    assert any(outcome == "timeout" for outcome, _ in messages)


def test_exhausted_ports_are_the_clients_fault(tmp_path: Path) -> None:
    driver = {"disconnect": 0.5, "client_fault": 1, "latency_ms": 1}
    invocation = harness_invocation(tmp_path, "flaky", driver=driver)
    measure(invocation, tmp_path)
    assert "client-fault" in codes(invocation)
    assert not read_record(invocation)["validity"]["valid"]


def test_an_open_loop(tmp_path: Path) -> None:
    levels = {"mode": "open", "rate_per_s": 200, "arrivals": "poisson"}
    invocation = harness_invocation(
        tmp_path, "flaky", levels=levels, executions=100, driver={"latency_ms": 2}
    )
    measure(invocation, tmp_path)
    rows = measured(invocation)
    assert len(rows) == 100
    assert all(row["start_ns"] >= row["intended_start_ns"] for row in rows)
    ends = [r["intended_start_ns"] + r["duration_ns"] >= r["start_ns"] for r in rows]
    assert all(ends)


def test_an_unknown_driver_reaches_the_user(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="nosuch"):
        measure(harness_invocation(tmp_path, "nosuch"), tmp_path)


def kill_when_measuring(role: str, invocation: Invocation, signum: int) -> Any:
    """A listener that kills a program of the cell once some executions are done."""
    killed: list[int] = []

    def listen(event: Event) -> None:
        if event.phase == "measure" and event.done > 5 and not killed:
            work = str(invocation.folder.with_name("i00.work"))
            word = "serve" if role == "server" else "--workload"
            killed.extend(processes_of(work, word))
            kill(killed, signum)

    return listen


def test_a_client_jvm_killed_in_mid_cell(tmp_path: Path) -> None:
    invocation = harness_invocation(
        tmp_path, "flaky", threads=2, executions=400, driver={"latency_ms": 10}
    )
    measure(invocation, tmp_path, kill_when_measuring("client", invocation, signal.SIGKILL))
    found = read_record(invocation)["outcomes"]["measure"]
    assert sum(found.values()) == 400 and found["ok"] > 5 and found["error"] > 0
    assert set(found) == {"ok", "error"}
    assert "client-died" in codes(invocation)


def test_the_server_killed_in_mid_cell(tmp_path: Path) -> None:
    invocation = harness_invocation(
        tmp_path, "flaky", threads=2, executions=400, driver={"latency_ms": 10}
    )
    measure(invocation, tmp_path, kill_when_measuring("server", invocation, signal.SIGKILL))
    rows = measured(invocation)
    assert sorted(row["sequence"] for row in rows) == list(range(400))
    assert {row["outcome"] for row in rows} == {"ok", "error"}
    assert "server-died" in codes(invocation)
    assert read_record(invocation)["clients"][0]["exit_code"] == 143


def test_a_driver_that_hangs_for_good_is_ended_with_the_cell(tmp_path: Path) -> None:
    invocation = harness_invocation(
        tmp_path, "flaky", threads=2, executions=400, driver={"hang": 1}, cell_timeout_s=6
    )
    measure(invocation, tmp_path)  # for ever, if the driver were waited for
    found = read_record(invocation)["outcomes"]["measure"]
    assert sum(found.values()) == 400 and "ok" not in found
    assert "cell-timeout" in codes(invocation)
    assert processes_of(str(tmp_path)) == []


@pytest.mark.timeout(180)
@pytest.mark.parametrize("connection", ["per-execution", "reused"])
@pytest.mark.parametrize("mode", ["closed", "open"])
@pytest.mark.parametrize("samples", ["rows", "histogram"])
def test_a_load_that_hangs_goes_on_after_a_restart(
    tmp_path: Path, samples: str, mode: str, connection: str
) -> None:
    """The driver hangs now and then and the server does nothing: to the controller, it hangs."""
    levels: dict[str, Any] = {"connection": connection}
    if mode == "open":
        levels |= {"mode": "open", "rate_per_s": 200}
    invocation = harness_invocation(
        tmp_path, "flaky", threads=2, clients=2, executions=60, driver={"hang": 0.05},
        levels=levels, settings={"wedge_s": 1.5, "restarts": 20}, cell_timeout_s=150,
    )  # fmt: skip
    invocation.cell.settings.__dict__["timeout_ms"] = 60_000
    cell = dataclasses.replace(invocation.cell, samples=samples)
    invocation = dataclasses.replace(invocation, cell=cell)
    measure(invocation, tmp_path)
    record = read_record(invocation)
    found = record["outcomes"]["measure"]
    assert sum(found.values()) == 60 and set(found) == {"ok", "timeout"}
    assert record["failure"] is None
    restarts = record["server"]["restarts"]
    assert restarts and all(one["ready_s"] > 0 for one in restarts)
    whole = [counts.get("timeout", 0) for counts in record["outcomes"].values()]
    # whoever hangs in the cooldown, when nothing measured is left, is ended by its own deadline
    assert found["timeout"] <= sum(one["timeouts"] for one in restarts) <= sum(whole)
    for number, one in enumerate(restarts):
        assert one["dumps"] == [f"threads-{number}-client-0.txt", f"threads-{number}-client-1.txt"]
        texts = [(invocation.folder / name).read_text() for name in one["dumps"]]
        assert any("FlakyDriver$FlakySession.hang" in text for text in texts)
        assert one["notes"] == ["server is no JVM: no thread dump"]
        for text in texts:
            assert not Path(f"/tmp/.java_pid{text.partition(':')[0]}").exists()
    assert processes_of(str(tmp_path)) == []


@pytest.mark.parametrize("mode", ["closed", "open"])
def test_histograms_instead_of_rows(tmp_path: Path, mode: str) -> None:
    driver = {"latency_ms": 1, "wrong": 0.2, "error": 0.1}
    levels = {} if mode == "closed" else {"mode": "open", "rate_per_s": 400}
    invocation = harness_invocation(
        tmp_path, "flaky", threads=4, clients=2, executions=300, driver=driver, levels=levels
    )
    whole = dataclasses.replace(
        invocation, cell=dataclasses.replace(invocation.cell, samples="histogram")
    )
    measure(whole, tmp_path)
    record = read_record(whole)
    found = record["outcomes"]["measure"]
    assert sum(found.values()) == 300 and set(found) == {"ok", "incorrect", "error"}
    assert record["samples"] == "histogram"
    assert read_rows(whole).num_rows == 0
    lines = list(read_parquet(whole.folder, 2))
    good = [line for line in lines if line["phase"] == "measure" and line["outcome"] == "ok"]
    histogram = merged(map(durations, good))
    assert histogram.total == found["ok"]
    assert histogram.median() >= 1_000_000
    assert record["window"]["begin_ns"] < record["window"]["end_ns"]
    [start] = of_cell(whole.folder.parent)
    assert start.state in ("complete", "invalid"), start.problems  # a busy machine is no damage
    assert {name: n for name, n in start.executions.counts().items() if n} == found
    latencies = start.executions.latencies_ms
    assert latencies.size == found["ok"] and float(np.median(latencies)) >= 1
    assert {caveat.code for caveat in start.executions.caveats} >= {"histograms"}


def test_histograms_of_a_killed_client(tmp_path: Path) -> None:
    invocation = harness_invocation(
        tmp_path, "flaky", threads=2, executions=400, driver={"latency_ms": 10}
    )
    whole = dataclasses.replace(
        invocation, cell=dataclasses.replace(invocation.cell, samples="histogram")
    )
    measure(whole, tmp_path, kill_when_measuring("client", whole, signal.SIGKILL))
    found = read_record(whole)["outcomes"]["measure"]
    assert sum(found.values()) == 400 and found["error"] > 0
    assert "client-died" in codes(whole)


def test_golden_sample_file() -> None:
    golden = JAR.parents[2] / "src" / "test" / "resources" / "golden.mssf"
    from modelstress.measure.collect import read_samples

    table = read_samples(golden)
    assert table.num_rows > 0


def test_the_wrapper_runs_the_real_client() -> None:
    tool = Path(__file__).parents[2] / "fakes" / "harness_tool.py"
    done = subprocess.run([str(tool), "client"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and "error: " in done.stderr
