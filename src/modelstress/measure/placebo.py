"""Placebo of a machine: pairs of equal starts of a small server and client over loopback.

Each start is a fresh server process and a fresh client process, on CPU sets of their own, spoken to
as those of any tool are. What the two starts of a pair differ by is the machine's doing.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from modelstress.config.errors import MeasureError
from modelstress.config.profile import Warmup
from modelstress.config.programs import Workload, WorkloadOperation
from modelstress.config.window import Window
from modelstress.hosts import CpuPlan, ProcessHost, ProgramSpec, available_cpus, plan_cpus
from modelstress.hosts.base import Program
from modelstress.measure import procfs
from modelstress.measure.collect import read_samples
from modelstress.measure.conversation import Client, Conversation
from modelstress.measure.interrupt import Interrupt
from modelstress.measure.lock import HostLock
from modelstress.measure.placebo_client import DRIVER
from modelstress.measure.server import await_ready

Latencies = NDArray[np.float64]
"""Of one start, in ms."""

PAIRS = 20
WARMUP_S, WINDOW_S = 0.3, 1.0
TIMEOUT_MS = 5_000
STEP_S = 20.0
"""Longest time of a step of a start: until ready, warm-up, window, end."""
STOP_S = 1.0
SERVER = str(Path(__file__).with_name("placebo_server.py"))
CLIENT = str(Path(__file__).with_name("placebo_client.py"))


@dataclass(frozen=True)
class Placebo:
    """What was measured.

    Attributes:
        pairs: latencies (ms) of both starts of each pair; which of them came first alternates.
        seconds: that all took.
        stolen: share of the CPUs' time that a hypervisor gave to others, 0 to 1.
        shared: server and client had one CPU between them.
    """

    pairs: tuple[tuple[Latencies, Latencies], ...]
    seconds: float
    stolen: float
    shared: bool


def measure(
    seconds: float, interrupt: Interrupt, told: Callable[[str], None] = lambda sentence: None
) -> Placebo:
    """Measure pairs, ``PAIRS`` at most, while there is time.

    Args:
        seconds: after which no pair begins that would probably end later.
        interrupt: looked at by every wait.
        told: called with a sentence after each pair.

    Raises:
        BusyError: somebody else measures here for all that time.
        MeasureError: a program did not do its part.
        InterruptedRunError: the controller was told to end; nothing runs any more.
    """
    begun = time.monotonic()
    plan = plan_cpus(allow_shared=True)
    own, cpus = available_cpus(), plan.server | plan.client
    pairs: list[tuple[Latencies, Latencies]] = []
    with HostLock("doctor --grade", seconds, interrupt, told):
        os.sched_setaffinity(0, plan.server)  # as in a run: nothing is done on the client's CPUs
        try:
            _start(plan, interrupt)  # files come into the cache, and counts for nothing
            before, first = procfs.cpu_times(cpus), time.monotonic()
            while len(pairs) < PAIRS:
                typical_s = (time.monotonic() - first) / max(1, len(pairs))
                if pairs and time.monotonic() - begun + typical_s > seconds:
                    break
                one, other = (_start(plan, interrupt) for _ in range(2))
                pairs.append((one, other) if len(pairs) % 2 else (other, one))
                told(f"pair {len(pairs)} of {PAIRS} at most")
            after, took = procfs.cpu_times(cpus), time.monotonic() - first
        finally:
            os.sched_setaffinity(0, own)
    stolen = (after.steal_s - before.steal_s) / (took * len(cpus))
    return Placebo(tuple(pairs), time.monotonic() - begun, stolen, plan.shared)


def _start(plan: CpuPlan, interrupt: Interrupt) -> Latencies:
    """Latencies (ms) of one start; its programs and files are gone afterwards."""
    started: list[Program] = []
    with tempfile.TemporaryDirectory(prefix="modelstress-placebo-") as name:
        folder = Path(name)
        host = ProcessHost(f"placebo-{os.getpid()}")
        try:
            argv = (sys.executable, "-I", "-S", SERVER)
            server = host.start(
                ProgramSpec("server", argv, folder, folder / "server.log", plan.server)
            )
            started.append(server)
            url = await_ready(server, STEP_S, interrupt).endpoints["tcp"]
            return _load(host, plan, folder, url, server, started, interrupt)
        finally:
            for program in reversed(started):
                program.stop(STOP_S)


def _load(
    host: ProcessHost,
    plan: CpuPlan,
    folder: Path,
    url: str,
    server: Program,
    started: list[Program],
    interrupt: Interrupt,
) -> Latencies:
    """Latencies (ms) of the window of a client, which is started for it."""
    workload = Workload(
        operations=[WorkloadOperation(name="group")],
        warmup=Warmup(executions=50, seconds=WARMUP_S, threads=1),
        window=Window(seconds=WINDOW_S),
        timeout_ms=TIMEOUT_MS,
        connection="reused",
    )
    file, out = folder / "workload.json", folder / "samples.mssf"
    file.write_text(workload.model_dump_json(exclude_none=True), encoding="utf-8")
    argv = (
        *(sys.executable, "-P", CLIENT, "client", "--driver", DRIVER, "--endpoint", url),
        *("--workload", str(file), "--threads", "1", "--out", str(out)),
    )
    program = host.start(ProgramSpec("client", argv, folder, folder / "client.log", plan.client))
    started.append(program)
    talk = Conversation([Client(0, program)], [server], interrupt)
    talk.until("READY", STEP_S)
    for word, answer in (("WARM", "WARMED"), ("GO", "DONE")):
        talk.tell(word)
        talk.until(answer, STEP_S)
    program.wait(STEP_S)
    samples = read_samples(out).select(["phase", "outcome", "duration_ns"]).to_pylist()
    measured = [sample for sample in samples if sample["phase"] == "measure"]
    failed = Counter(sample["outcome"] for sample in measured if sample["outcome"] != "ok")
    if failed or not measured:
        counts = ", ".join(f"{count} {outcome}" for outcome, count in failed.items())
        raise MeasureError(
            f"the placebo's executions failed ({counts or 'there are none'}); "
            "stop what else runs here and try again"
        )
    return np.array([sample["duration_ns"] for sample in measured], dtype=np.float64) / 1e6
