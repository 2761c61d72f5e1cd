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

PAIRS, LEAST_PAIRS = 20, 6
WARMUP_S = 0.3
SHORTEST_S, LONGEST_S = 0.3, 1.4
"""Of a window."""
START_S = 0.9
"""What a start takes beside its window, about."""
TIMEOUT_MS = 5_000
MOST_S = 115.0
STEP_S = 20.0
"""Longest time of a step of a start: until ready, warm-up, window, end."""
STOP_S = 1.0
LOCK_WAIT_S = 60.0
SERVER = str(Path(__file__).with_name("placebo_server.py"))
CLIENT = str(Path(__file__).with_name("placebo_client.py"))


@dataclass(frozen=True)
class Placebo:
    """What was measured.

    Attributes:
        pairs: latencies (ms) of both starts of each pair; which of them came first alternates.
        window_s: length of the window of each start.
        seconds: that all took.
        stolen: share of the CPUs' time that a hypervisor gave to others, 0 to 1.
        shared: server and client had one CPU between them.
    """

    pairs: tuple[tuple[Latencies, Latencies], ...]
    window_s: float
    seconds: float
    stolen: float
    shared: bool


def measure(
    seconds: float, interrupt: Interrupt, told: Callable[[str], None] = lambda sentence: None
) -> Placebo:
    """Measure pairs, ``PAIRS`` at most, while there is time.

    Windows are as long as lets so many pairs fit, within bounds. ``LEAST_PAIRS`` are measured on a
    slow machine, too, if ``MOST_S`` are enough.

    Args:
        seconds: after which no pair begins that would probably end later; what others measure here
            is waited for before.
        interrupt: looked at by every wait.
        told: called with a sentence after each pair.

    Raises:
        BusyError: somebody else measures here, and goes on for a minute.
        MeasureError: a program did not do its part.
        InterruptedRunError: the controller was told to end; nothing runs any more.
    """
    window_s = min(LONGEST_S, max(SHORTEST_S, seconds / PAIRS / 2 - START_S))
    plan = plan_cpus(allow_shared=True)
    own, cpus = available_cpus(), plan.server | plan.client
    bench = _Bench(plan, window_s, interrupt)
    pairs: list[tuple[Latencies, Latencies]] = []
    with HostLock("doctor --grade", LOCK_WAIT_S, interrupt, told):
        begun = time.monotonic()
        os.sched_setaffinity(0, plan.server)  # as in a run: nothing is done on the client's CPUs
        try:
            bench.start()  # files come into the cache, and counts for nothing
            before, first = procfs.cpu_times(cpus), time.monotonic()
            while len(pairs) < PAIRS:
                typical_s = (time.monotonic() - first) / max(1, len(pairs))
                limit_s = seconds if len(pairs) >= LEAST_PAIRS else MOST_S
                if time.monotonic() - begun + typical_s > limit_s:
                    break
                one, other = (bench.start() for _ in range(2))
                pairs.append((one, other) if len(pairs) % 2 else (other, one))
                told(f"pair {len(pairs)} of {PAIRS} at most")
            after, took = procfs.cpu_times(cpus), time.monotonic() - first
        finally:
            os.sched_setaffinity(0, own)
    stolen = (after.steal_s - before.steal_s) / (took * len(cpus))
    return Placebo(tuple(pairs), window_s, time.monotonic() - begun, stolen, plan.shared)


@dataclass(frozen=True)
class _Bench:
    """What all starts have in common: CPUs, length of the window, and what interrupts them."""

    plan: CpuPlan
    window_s: float
    interrupt: Interrupt

    def start(self) -> Latencies:
        """Latencies (ms) of one start; its programs and files are gone afterwards."""
        started: list[Program] = []
        with tempfile.TemporaryDirectory(prefix="modelstress-placebo-") as name:
            folder, host = Path(name), ProcessHost(f"placebo-{os.getpid()}")

            def begin(what: str, cpus: frozenset[int], *argv: str) -> Program:
                argv = (sys.executable, *argv)
                log = folder / f"{what}.log"
                started.append(host.start(ProgramSpec(what, argv, folder, log, cpus)))
                return started[-1]

            try:
                server = begin("server", self.plan.server, "-I", "-S", SERVER)
                url = await_ready(server, STEP_S, self.interrupt).endpoints["tcp"]
                file, out = folder / "workload.json", folder / "samples.mssf"
                file.write_text(self._workload().model_dump_json(exclude_none=True), "utf-8")
                client = begin(
                    "client", self.plan.client, "-P", CLIENT, "client", "--driver", DRIVER,
                    *("--endpoint", url, "--workload", str(file)),
                    *("--threads", "1", "--out", str(out)),
                )  # fmt: skip
                self._follow(client, server)
                return _latencies(out)
            finally:
                for program in reversed(started):
                    program.stop(STOP_S)

    def _workload(self) -> Workload:
        return Workload(
            operations=[WorkloadOperation(name="group")],
            warmup=Warmup(executions=50, seconds=WARMUP_S, threads=1),
            window=Window(seconds=self.window_s),
            timeout_ms=TIMEOUT_MS,
            connection="reused",
        )

    def _follow(self, client: Program, server: Program) -> None:
        """Lead a client through its warm-up and window to its end."""
        talk = Conversation([Client(0, client)], [server], self.interrupt)
        talk.until("READY", STEP_S)
        for word, answer in (("WARM", "WARMED"), ("GO", "DONE")):
            talk.tell(word)
            talk.until(answer, STEP_S)
        client.wait(STEP_S)


def _latencies(file: Path) -> Latencies:
    """Latencies (ms) of the window in a sample file.

    Raises:
        MeasureError: there are none, or not all executions were right.
    """
    samples = read_samples(file).select(["phase", "outcome", "duration_ns"]).to_pylist()
    measured = [sample for sample in samples if sample["phase"] == "measure"]
    failed = Counter(sample["outcome"] for sample in measured if sample["outcome"] != "ok")
    if failed or not measured:
        counts = ", ".join(f"{count} {outcome}" for outcome, count in failed.items())
        raise MeasureError(
            f"the placebo's executions failed ({counts or 'there are none'}); "
            "stop what else runs here and try again"
        )
    return np.array([sample["duration_ns"] for sample in measured], dtype=np.float64) / 1e6
