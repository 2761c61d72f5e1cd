"""One thread of load."""

from __future__ import annotations

import itertools
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, get_args

from modelstress.driver.execution import Execution, GivenUpError, Target
from modelstress.driver.failures import Failures, sentence
from modelstress.driver.plan import OperationPlan
from modelstress.driver.samples import Recorder, Sample
from modelstress.driver.spi import (
    Driver,
    DriverTimeoutError,
    Endpoints,
    Kind,
    Operation,
    Options,
    Outcome,
    Session,
    SessionContext,
)  # fmt: skip
from modelstress.driver.stage import SECOND, Stage
from modelstress.driver.verifier import Verifier

GRACE_NS = SECOND
"""After the deadline, the time that a driver has to notice; then the same to come back."""
LATE = "no answer within {} ms; ended by the harness"
KINDS = frozenset(get_args(Kind))
MOST_ITEMS = 2**31 - 1
MOST_ATTEMPTS = 2**16 - 1


@dataclass(frozen=True)
class Setup:
    """What all threads of a client share; ``sessions`` numbers what they open."""

    driver: Driver
    target: Target
    options: Options
    client: int
    reuse: bool
    plan: OperationPlan
    verifier: Verifier
    recorder: Recorder
    failures: Failures
    sessions: itertools.count[int] = field(default_factory=itertools.count)

    @property
    def timeout_ns(self) -> int:
        """Deadline of an execution."""
        return self.options.timeout_ms * 1_000_000


class Worker:
    """Takes part in one stage after the other.

    Attributes:
        thread: a daemon, so that a driver that hangs does not keep the process alive.
        stage: the one it is in, or was in last.
    """

    def __init__(
        self,
        setup: Setup,
        number: int,
        next_stage: Callable[[Stage | None], Stage | None],
        fail: Callable[[BaseException], None],
        given_up: Worker | None = None,
    ) -> None:
        self._setup, self.number = setup, number
        self._next_stage, self._fail = next_stage, fail
        self.execution = Execution(number)
        self.thread = threading.Thread(target=self._work, name=f"worker-{number}", daemon=True)
        self._resumed: Stage | None = given_up.stage if given_up else None
        self.stage: Stage | None = self._resumed
        self._position: int = given_up._position if given_up else 0
        self._paced = False
        self._session: Session | None = None
        self._opened: Endpoints | None = None

    def _work(self) -> None:
        try:
            stage = self._resumed or self._next_stage(None)
            while stage is not None:
                if self.stage is not None and self.stage.warmup != stage.warmup:
                    self._position = 0  # the order begins anew in the window
                self.stage = stage
                if self.number < stage.threads:
                    self._take_part(stage)
                stage = self._next_stage(stage)
            self._close_session()
        except GivenUpError:
            pass  # somebody else goes on in this thread's place
        except BaseException as error:
            self._fail(error)

    def _take_part(self, stage: Stage) -> None:
        self._paced = self._resumed is stage  # all threads begin a stage at once
        if self._setup.reuse and self._session is None and self._resumed is not stage:
            self._open_ahead(stage)
        stage.arrive()
        stage.started.wait()
        while not stage.over.is_set():
            self._execute(stage)
        stage.leave()

    def _open_ahead(self, stage: Stage) -> None:
        """Open the session before the stage begins; if it fails, the first execution tries."""
        if not self._begin(stage, Sample(self.number), None):
            return
        try:
            self._session = self._open()
        except GivenUpError:
            raise
        except BaseException:
            self._session = None
        self.execution.end()
        self.execution.recorded()

    def _execute(self, stage: Stage) -> None:
        """One ticket."""
        plan, recorder = self._setup.plan, self._setup.recorder
        ticket = stage.draw()
        slot, sequence = stage.first_slot + ticket, stage.first_sequence + ticket
        index = plan.index(warmup=stage.warmup, sequence=sequence, position=self._position)
        operation = plan.operation(index, sequence, slot)
        sample = Sample(self.number, sequence, index)
        recorder.claim(slot)
        self._await_turn(stage, stage.due_ns(ticket), index)
        if stage.over.is_set() or not self._begin(stage, sample, ticket):
            return  # nobody waits for this one any more
        self._position += 1
        outcome = self._run(operation, open_loop=stage.schedule is not None)
        end_ns = self.execution.end()
        sample.duration_ns = end_ns - sample.intended_start_ns - sample.think_ns
        self._judge(outcome, operation, sample, end_ns)
        recorder.record(slot, sample)
        self.execution.recorded()
        if stage.rule is not None and sample.outcome in ("ok", "timeout"):
            stage.rule.add(index, sample.duration_ns)
        counted = sample.outcome == "ok" and plan.operations[index].objects
        stage.finished(
            sample.phase,
            end_ns,
            answered=sample.outcome != "timeout",
            objects=sample.items if counted else 0,
        )
        if think_ns := plan.think_ns(index):
            stage.over.wait(think_ns / SECOND)

    def _await_turn(self, stage: Stage, due_ns: int | None, index: int) -> None:
        """Sleep until an execution is due; in a closed loop once a stage, not to go in step."""
        if due_ns is not None:
            while (left := due_ns - time.monotonic_ns()) > 0:
                if stage.over.wait(left / SECOND):
                    return
        elif not self._paced and (pause_ns := self._setup.plan.first_pause_ns(index, self.number)):
            stage.over.wait(pause_ns / SECOND)
        self._paced = True

    def _begin(self, stage: Stage, sample: Sample, ticket: int | None) -> bool:
        target = self._setup.target
        while target.wait(stage):
            if self.execution.begin(stage, target, sample, ticket):
                return True
        return False

    def _run(self, operation: Operation, *, open_loop: bool) -> Any:
        """What is timed: open a session (unless reused), execute, close it."""
        try:
            if not self._setup.reuse:
                session = self._open()
                try:
                    return session.execute(operation)
                finally:
                    close(session)
            if self._session is None or self._opened is not self._setup.target.endpoints:
                self._close_session()
                self._session = self._open()
                self.execution.restart_clock(open_loop=open_loop)
            return self._session.execute(operation)
        except GivenUpError:
            raise
        except DriverTimeoutError as error:
            return Outcome.timeout(sentence(error))
        except BaseException as error:  # whatever escapes a driver is an outcome
            return Outcome.error(sentence(error))

    def _open(self) -> Session:
        setup, number = self._setup, next(self._setup.sessions)
        seed = setup.plan.session_seed(self.number, number)
        endpoints = setup.target.endpoints
        session = setup.driver.open(
            endpoints,
            SessionContext(
                setup.client, self.number, number, seed, setup.options, self.execution.think
            ),
        )
        if session is None:
            raise TypeError("the driver opened no session (None)")
        self._opened = endpoints
        return session

    def _close_session(self) -> None:
        session, self._session = self._session, None
        if session is not None:
            try:
                close(session)
            except Exception as error:
                print(f"closing a session failed: {sentence(error)}", file=sys.stderr)

    def _judge(self, outcome: Any, operation: Operation, sample: Sample, end_ns: int) -> None:
        """Fill the outcome in; the clock has stopped."""
        setup = self._setup
        reason: str | None
        if end_ns - sample.start_ns - sample.think_ns > setup.timeout_ns + GRACE_NS:
            sample.outcome, reason = "timeout", LATE.format(setup.options.timeout_ms)
        elif (problem := _problem(outcome)) is not None:
            sample.outcome, reason = "error", problem
        else:
            sample.outcome, reason = outcome.kind, outcome.detail
            sample.items = outcome.count if outcome.ids is None else len(outcome.ids)
            sample.attempts = outcome.attempts
            sample.bytes_sent, sample.bytes_received = outcome.bytes_sent, outcome.bytes_received
        if sample.outcome == "ok" and outcome.ids is None:
            sample.result_count = sample.items
        elif sample.outcome == "ok":
            arity = setup.plan.operations[sample.operation].arity
            sample.result_count = sample.items // arity
            sample.result_digest, reason = setup.verifier.verify(outcome.ids, arity)
            sample.outcome = "ok" if reason is None else "incorrect"
            sample.verify_ns = time.monotonic_ns() - end_ns
        if sample.outcome != "ok":
            setup.failures.add(operation.name, sample.outcome, reason)
        if sample.outcome in ("error", "timeout"):
            self._opened = None  # a reused session is opened anew


def close(thing: object) -> None:
    """Close a session or a driver if it can be closed."""
    method = getattr(thing, "close", None)
    if method is not None:
        method()


def _problem(outcome: Any) -> str | None:
    """Why this is no outcome."""
    if not isinstance(outcome, Outcome) or outcome.kind not in KINDS:
        return f"the driver returned no outcome ({outcome!r:.100})"
    numbers: dict[str, tuple[Any, int, int]] = {
        "count": (outcome.count, 0, MOST_ITEMS),
        "attempts": (outcome.attempts, 1, MOST_ATTEMPTS),
        "bytes_sent": (outcome.bytes_sent, -1, 2**62),
        "bytes_received": (outcome.bytes_received, -1, 2**62),
    }
    for name, (number, least, most) in numbers.items():
        if not isinstance(number, int) or not least <= number <= most:
            return f"the driver returned an impossible {name} ({number!r:.100})"
    return None
