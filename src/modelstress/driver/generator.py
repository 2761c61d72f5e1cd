"""Runs warm-up and window with a fixed pool of threads that share one queue."""

from __future__ import annotations

import sys
import threading
import time
from dataclasses import dataclass
from typing import Any, Protocol

from modelstress.config.programs import OpenLoop, Workload
from modelstress.driver.execution import NO_SLOT, Taken
from modelstress.driver.schedule import Schedule
from modelstress.driver.stage import SECOND, Goal, Stage
from modelstress.driver.steady import SteadyRule
from modelstress.driver.worker import GRACE_NS, LATE, Setup, Worker

TICK_S = 0.25
SETTLING_S = 0.05
"""A window begins so soon after the controller has asked for it."""
WATCH_S = 0.05
LEAD_NS = 5_000_000
"""An open loop begins a little later than its threads are released, for them to wake up."""
RECORDING_NS = 2 * SECOND
"""How long the end of the process waits for threads that are recording."""
SWITCH_S = 0.0005
"""How long a thread that computes may keep others from stopping their clocks."""


class Listener(Protocol):
    """Told how things go, by the thread that called ``warm_up`` or ``measure``."""

    def progress(self, said: dict[str, Any]) -> None:
        """The fields of a PROGRESS line."""

    def window_ended(self, clock_ns: int) -> None:
        """The last measured execution has ended."""

    def warmed(self, result: Result, verdict: Verdict | None) -> None:
        """The warm-up is over as far as this process goes; with a rule, its load goes on."""

    def released(self) -> bool:
        """Whether the load of a warm-up may end."""


@dataclass(frozen=True)
class Verdict:
    """Whether a warm-up became steady, and how latencies changed at the last look (a fraction)."""

    steady: bool
    change: float


@dataclass(frozen=True)
class Result:
    """What a part came to."""

    executions: int
    cooldown: int = 0
    seconds: float = 0.0


class StoppedError(Exception):
    """The end of the process has begun elsewhere, or a thread met a failure (the cause)."""


class LoadGenerator:
    """The threads of a client."""

    def __init__(self, setup: Setup, workload: Workload, threads: int) -> None:
        self._setup, self._workload, self._slices = setup, workload, workload.slices or 1
        self._changed = threading.Condition()
        self._holding = threading.Lock()
        self._current: Stage | None = None
        self._stopped = False
        self._failure: BaseException | None = None
        self._settling: tuple[int, int, int] | None = None
        self._rule: SteadyRule | None = None
        self._warmups = self._warmed = self._warmed_ns = 0
        self._slots = self._stages = self._warmup_sequence = self._answered = 0
        self._slice = self._measured_sequence = 0
        self._workers = [Worker(setup, n, self._after, self._fail) for n in range(threads)]

    def start(self) -> None:
        """Start the threads; they wait for the first stage."""
        sys.setswitchinterval(SWITCH_S)
        for worker in self._workers:
            worker.thread.start()
        threading.Thread(target=self._watch, name="watchdog", daemon=True).start()

    def warm_up(self, listener: Listener) -> None:
        """The warm-up, or its next slice: first half with few threads, then with all of them.

        With a rule it goes on until it is steady, and then until the listener releases it: other
        clients may still be warming up, and what they measure is under the load of all. Slices
        after the first have all threads at once, and the rule goes on with what it has seen.

        Raises:
            StoppedError: see there.
        """
        policy, slices = self._workload.warmup, self._slices
        number, self._warmups = self._warmups, self._warmups + 1
        executions, seconds = _share(policy.executions, number, slices), policy.seconds / slices
        begin = time.monotonic_ns()
        if executions or seconds or policy.steady:
            few = len(self._workers) if number else policy.threads
            if few < len(self._workers) and (executions >= 2 or seconds > 0):
                half = Goal(executions // 2, seconds / 2)
                done = self._run(self._stage(half, few, warmup=True), listener)
                self._warmed += done
                # what the first half did beyond its share also counts
                executions, seconds = max(0, executions - done), seconds / 2
            if policy.steady is not None:
                self._rule = self._rule or SteadyRule(policy.steady.within)
                latest = begin + int(policy.steady.most_s / slices * SECOND)
                self._settling = (self._warmed, begin - self._warmed_ns, latest)
            stage = self._stage(
                Goal(executions, seconds), len(self._workers), warmup=True, rule=self._rule
            )
            self._warmed += self._run(stage, listener)
            self._warmed_ns += time.monotonic_ns() - begin
        if policy.steady is None:
            listener.warmed(Result(self._warmed, 0, self._warmed_ns / SECOND), None)

    def _settle(self, stage: Stage, rule: SteadyRule, listener: Listener) -> None:
        """Say once that a warm-up is over, and end it when it may end."""
        now = time.monotonic_ns()
        if self._settling is not None:
            before, begin_ns, latest_ns = self._settling
            steady = stage.reached(now) and rule.steady()
            if steady or now >= latest_ns:
                self._settling = None
                result = Result(before + stage.ended, 0, (now - begin_ns) / SECOND)
                listener.warmed(result, Verdict(steady, rule.change))
        if self._settling is None and listener.released():
            stage.finish()

    @property
    def warmups_left(self) -> int:
        """Slices of the warm-up that are still to come."""
        return self._slices - self._warmups

    @property
    def slices_left(self) -> int:
        """Slices of the window that are still to be measured."""
        return self._slices - self._slice

    def measure(self, listener: Listener) -> Result:
        """The next slice of the measured window, and its cooldown.

        Raises:
            StoppedError: see there.
        """
        stage = self._stage(self._goal(self._slice), len(self._workers), warmup=False)
        self._slice += 1
        done = self._run(stage, listener)
        self._measured_sequence += stage.drawn
        return Result(done, stage.cooldown, (stage.window_end_ns - stage.begin_ns) / SECOND)

    def _goal(self, number: int) -> Goal:
        """When a slice of the window ends."""
        workload, window, slices = self._workload, self._workload.window, self._slices

        if window is None:
            return Goal(_share(workload.executions or 0, number, slices))
        least = -(-(window.per_thread or 0) // slices) * len(self._workers)
        seconds = None if window.seconds is None else window.seconds / slices
        most_s = (window.most_s or 0.0) / slices
        objects = None if window.objects is None else _share(window.objects, number, slices)
        return Goal(None, seconds, objects, least, most_s)

    def _stage(
        self, goal: Goal, threads: int, *, warmup: bool, rule: SteadyRule | None = None
    ) -> Stage:
        mode = self._workload.mode
        schedule = None
        if isinstance(mode, OpenLoop):
            # not the slots: how many a warm-up took differs, and a seed means the same arrivals
            seed = self._setup.plan.seed ^ (self._stages << 8) ^ (0 if warmup else 1)
            expected = self._workload.executions or int(mode.rate_per_s * (goal.seconds or 0))
            schedule = Schedule(mode, seed, expected)
        self._stages += 1
        return Stage(
            goal,
            warmup=warmup,
            threads=threads,
            schedule=schedule,
            first_slot=self._slots,
            first_sequence=self._warmup_sequence if warmup else self._measured_sequence,
            rule=rule,
        )

    def _run(self, stage: Stage, listener: Listener) -> int:
        with self._changed:
            self._current = stage
            self._changed.notify_all()
        # a thread whose open hangs has been given up by then; the stage begins without it
        stage.await_arrivals((self._setup.timeout_ns + 4 * GRACE_NS) / SECOND)
        stage.begin(LEAD_NS if stage.schedule else 0)
        while not stage.await_window(TICK_S if stage.rule is None else SETTLING_S):
            self._tick(stage, listener)
            if stage.rule is not None:
                self._settle(stage, stage.rule, listener)
        self._check_stopped()
        if not stage.warmup:
            listener.window_ended(stage.window_end_ns)
        while not stage.await_departures(TICK_S):
            self._tick(stage, listener)
        self._tick(stage, listener)
        self._slots += stage.drawn
        if stage.warmup:
            self._warmup_sequence += stage.drawn
        self._answered += stage.answered
        return stage.ended

    def _tick(self, stage: Stage, listener: Listener) -> None:
        self._check_stopped()
        self._setup.recorder.tick()
        done, total = stage.progress()
        listener.progress(
            {
                "phase": "warmup" if stage.warmup else "measure",
                "done": done,
                "total": total,
                "unit": "executions" if stage.warmup else stage.goal.unit,
                "answered": self._answered + stage.answered,
                "under_way": sum(w.execution.under_way for w in self._present()),
            }
        )

    def _check_stopped(self) -> None:
        if self._stopped or self._failure is not None:
            raise StoppedError from self._failure

    def _present(self) -> list[Worker]:
        with self._changed:
            return list(self._workers)

    def _after(self, last: Stage | None) -> Stage | None:
        """The stage after this one, as soon as it exists; None at the end."""
        with self._changed:
            self._changed.wait_for(lambda: self._current is not last or self._stopped)
            return None if self._stopped else self._current

    def _fail(self, cause: BaseException) -> None:
        self._failure = self._failure or cause
        if self._current is not None:
            self._current.finish()

    def _watch(self) -> None:
        """End executions whose driver misses its deadline by two grace periods.

        A thread of Python's cannot be interrupted: it is given up and replaced.
        """
        setup = self._setup
        reason = LATE.format(setup.options.timeout_ms) + ", its thread given up"
        while not self._stopped:
            time.sleep(WATCH_S)
            for worker in self._present():
                taken = worker.execution.overdue(setup.timeout_ns + 2 * GRACE_NS)
                if taken is not None:
                    self._give_up(worker, taken, reason)

    def _give_up(self, worker: Worker, taken: Taken, reason: str) -> None:
        operation = "(open)"
        if taken.slot != NO_SLOT:
            operation = self._setup.plan.operations[taken.sample.operation].name
            end_ns = self._record(taken, "timeout")
            if worker.stage is not None:
                worker.stage.finished(taken.sample.phase, end_ns, answered=False)
        self._setup.failures.add(operation, "timeout", reason)
        with self._changed:
            if not self._stopped:
                fresh = Worker(self._setup, worker.number, self._after, self._fail, worker)
                self._workers[worker.number] = fresh
                fresh.thread.start()

    def _record(self, taken: Taken, outcome: str) -> int:
        now, sample = time.monotonic_ns(), taken.sample
        sample.duration_ns = max(0, now - sample.intended_start_ns - sample.think_ns)
        sample.outcome = outcome
        self._setup.recorder.record(taken.slot, sample)
        return now

    def hold(self, reason: str) -> int:
        """End all that is under way as timeouts and begin nothing more until ``resume``.

        Returns:
            how many executions it ended.
        """
        timeouts = 0
        with self._holding:  # the file must not be closed meanwhile
            if not self._stopped:
                self._setup.target.released.clear()
                for worker in self._present():
                    taken = worker.execution.take()
                    if taken is not None:
                        self._give_up(worker, taken, reason)
                        timeouts += taken.slot != NO_SLOT
        return timeouts

    def resume(self, urls: dict[str, str] | str) -> None:
        """Go on, with the nodes that are at these addresses now; sessions are opened anew.

        Raises:
            ValueError: a name is not a node's.
        """
        self._setup.target.release(urls)

    def _stop_threads(self) -> None:
        with self._changed:
            self._stopped = True
            self._changed.notify_all()
        if self._current is not None:
            self._current.finish()

    def close(self, seconds: float) -> None:
        """End between stages: sessions are closed, in so many seconds at most, then the file."""
        self._stop_threads()
        deadline = time.monotonic() + seconds
        for worker in self._present():
            worker.thread.join(max(0.001, deadline - time.monotonic()))
        self._setup.recorder.close(self._slots)

    def abort(self) -> None:
        """End in the middle: executions under way are recorded as unfinished."""
        self._stop_threads()
        deadline, all_done = time.monotonic_ns() + RECORDING_NS, True
        with self._holding:
            for worker in self._present():
                done, taken = worker.execution.stop(deadline)
                all_done = all_done and done
                if taken is not None and taken.slot != NO_SLOT:
                    self._record(taken, "unfinished")
        stage = self._current
        drawn = 0 if stage is None else stage.first_slot + stage.drawn
        # whoever is still recording writes into the mapping: then the file must not be cut
        self._setup.recorder.close(drawn if all_done else None)


def _share(whole: int, number: int, slices: int) -> int:
    """Of a number, what one slice has; the first ones have what does not divide."""
    return whole // slices + (number < whole % slices)
