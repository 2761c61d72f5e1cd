"""Counters of the kernel, telemetry, GC log, calibration."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from modelstress.hosts import ProcessHost, ProgramSpec
from modelstress.measure import calibration, procfs
from modelstress.measure.gclog import Pauses, gc_flag, read_pauses
from modelstress.measure.interrupt import Interrupt
from modelstress.measure.telemetry import Telemetry


def test_cpu_time_of_a_process() -> None:
    before, own = procfs.process(os.getpid()), os.times()
    assert before is not None
    assert before.user_s == pytest.approx(own.user, abs=0.1)
    while os.times().user < own.user + 0.2:
        pass
    after = procfs.process(os.getpid())
    assert after is not None and after.user_s - before.user_s >= 0.1
    assert after.session == os.getsid(0)
    assert after.rss_bytes > 1 << 20


def test_a_process_that_is_not_there() -> None:
    child = subprocess.Popen(["true"])
    time.sleep(0.05)
    assert procfs.process(child.pid) is None  # a zombie
    child.wait()
    assert procfs.process(child.pid) is None
    assert procfs.context_switches(child.pid) == {}


def test_processes_by_session() -> None:
    child = subprocess.Popen(["sleep", "60"], start_new_session=True)
    try:
        found = procfs.processes([child.pid])
        assert set(found) == {child.pid}
        assert os.getpid() in procfs.processes([os.getsid(0)])
    finally:
        child.kill()
        child.wait()


def test_context_switches_of_all_threads() -> None:
    woken = threading.Event()
    thread = threading.Thread(target=lambda: [woken.wait(0.001) for _ in range(50)])
    thread.start()
    native = thread.native_id
    time.sleep(0.03)
    during = procfs.context_switches(os.getpid())
    thread.join()
    assert native in during and os.getpid() in during
    assert during[native][0] > 0


def test_cpu_times_of_a_set_add_up() -> None:
    cpus = sorted(os.sched_getaffinity(0))
    whole = procfs.cpu_times(cpus)
    parts = [procfs.cpu_times([cpu]) for cpu in cpus]
    assert whole.idle_s == pytest.approx(sum(p.idle_s for p in parts), abs=1)
    assert procfs.cpu_times([]).busy_s == 0


def test_pressure_is_read_where_the_kernel_tells_it() -> None:
    told = procfs.pressure()
    assert set(told) <= set(procfs.PRESSURE)
    if Path("/proc/pressure/cpu").exists():
        assert "cpu.some" in told


def test_telemetry_counts_what_a_program_does(tmp_path: Path) -> None:
    cpu = max(os.sched_getaffinity(0))
    telemetry = Telemetry({"client": frozenset({cpu})}, interval_s=0.05)
    code = "import time\nwhile time.process_time() < 0.4: pass\ntime.sleep(60)"
    spec = ProgramSpec(
        "busy", (sys.executable, "-c", code), tmp_path, tmp_path / "log", frozenset({cpu})
    )
    program = ProcessHost("telemetry").start(spec)
    telemetry.start()
    telemetry.watch("client", program.pid)
    telemetry.begin()
    deadline = time.monotonic() + 30
    while (
        (c := procfs.process(program.pid))
        and c.user_s + c.system_s < 0.35
        and time.monotonic() < deadline
    ):
        time.sleep(0.02)
    telemetry.end()
    program.stop(5)
    telemetry.stop()
    telemetry.stop()
    spent = telemetry.window()
    assert 0.25 <= spent["client.user_s"] + spent["client.system_s"] <= 0.6
    assert spent["cpus.client.user_s"] + spent["cpus.client.system_s"] >= 0.25
    busy = telemetry.busy_share("client")
    assert busy is not None and 0.5 < busy <= 1
    assert telemetry.busy_share("server") is None
    assert telemetry.busy_share("client", cell=1) is None
    record = telemetry.record()
    columns = record["columns"]
    assert len({len(column) for column in columns.values()}) == 1
    assert columns["t_ns"] == sorted(columns["t_ns"])
    # the totals of a program that ended remain
    assert columns["client.user_s"][-1] + columns["client.system_s"][-1] >= 0.25
    assert columns["client.rss_bytes"][-1] == 0
    assert record["marks"]["go"] < record["marks"]["window"]


def test_gc_pauses_of_an_interval(tmp_path: Path) -> None:
    log = tmp_path / "gc.log"
    log.write_text(
        "[1000ns][gc] Using G1\n"
        "[2000ns][gc,start    ] GC(0) Pause Young (Normal) (G1 Evacuation Pause)\n"
        "[2100ns][gc          ] GC(0) Pause Young (Normal) (G1) 17M->5M(20M) 1.5ms\n"
        "[2500ns][gc          ] GC(1) Concurrent Mark Cycle 9.000ms\n"
        "[3000ns][gc             ] GC(2) Pause Full (System.gc()) 12M->3M(20M) 5,913ms\n"
        "[3500ns][gc,phases   ] GC(3) Pause Mark Start 0.010ms\n"
        "[3600ns][gc"
    )
    assert read_pauses([log]) == Pauses(3, 7.423, 5.913)
    assert read_pauses([log], [(2101, 3000)]) == Pauses(1, 5.913, 5.913)
    assert read_pauses([log], [(9000, 9999)]) == Pauses()
    assert read_pauses([tmp_path / "none"]) is None
    again = tmp_path / "gc-1.log"
    again.write_text("[4000ns][gc          ] GC(0) Pause Young (Normal) 1M->1M(20M) 2.0ms\n")
    assert read_pauses([again, log], [(2101, 10**18)]) == Pauses(3, 7.923, 5.913)


def test_gc_log_of_a_real_jvm(tmp_path: Path) -> None:
    java = shutil.which("java")
    if java is None:
        pytest.skip("no Java runtime")
    source = tmp_path / "A.java"
    source.write_text("class A { public static void main(String[] a) { System.gc(); } }")
    log = tmp_path / "gc.log"
    begin = time.monotonic_ns()
    argv = [java, "-XX:+UseG1GC", gc_flag(log.name), str(source)]
    subprocess.run(argv, check=True, timeout=60, cwd=tmp_path)
    pauses = read_pauses([log], [(begin, time.monotonic_ns())])
    assert pauses is not None and pauses.count >= 1
    assert pauses.total_ms >= pauses.longest_ms > 0
    assert read_pauses([log], [(0, begin)]) == Pauses()


def test_calibration_runs_on_its_cpus_and_leaves_nothing(tmp_path: Path) -> None:
    host = ProcessHost("calibration")
    one = calibration.Calibration(host, tmp_path, frozenset({max(os.sched_getaffinity(0))}))
    assert one.program.lines.read(0.2) is None  # it waits
    result = one.begin(0.1).result(Interrupt())
    assert result is not None and result["seconds"] == 0.1
    assert result["rounds_per_s"] > 0 and result["longest_gap_ns"] > 0
    assert result["flushes_per_s"] > 0
    assert 0 < result["switch_ns"] < 1e9
    assert [file.name for file in tmp_path.iterdir()] == ["calibration.log"]
    assert one.program.exit_code() == 0


def test_a_calibration_that_fails_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calibration, "SPIN", str(tmp_path / "none.py"))
    one = calibration.Calibration(ProcessHost("c"), tmp_path, frozenset(os.sched_getaffinity(0)))
    assert one.begin().result(Interrupt()) is None


def test_a_calibration_after_a_start_is_taken_once_while_it_is_fresh(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    recent, rates = calibration.Recent(), {"rounds_per_s": 7.0}
    assert recent.take("these CPUs") is None
    recent.keep("these CPUs", rates, "start")
    assert recent.take("other CPUs") is None and recent.take("these CPUs") is None
    recent.keep("these CPUs", rates, "start")
    shared = recent.take("these CPUs")
    assert shared is not None and shared.rates == rates
    assert shared.record()["start"] == "start"
    assert recent.take("these CPUs") is None
    for of, found in ((None, rates), ("these CPUs", None)):
        recent.keep(of, found, "start")
        assert recent.take("these CPUs") is None and recent.take(None) is None
    monkeypatch.setattr(calibration, "FRESH_S", -1.0)
    recent.keep("these CPUs", rates, "start")
    assert recent.take("these CPUs") is None


def test_a_calibration_is_as_long_as_a_quarter_of_the_load_before_it() -> None:
    assert [calibration.seconds_after(s) for s in (0, 1.4, 3, 60)] == [0.25, 0.35, 0.75, 1]
