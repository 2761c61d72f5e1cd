"""What goes wrong on purpose in a measured window: done at its time, written down, undone."""

from __future__ import annotations

import signal
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from modelstress.config.errors import MeasureError, MissingError, ModelstressError
from modelstress.config.faults import (
    ClientKilled,
    DiskFull,
    Fault,
    LinkCut,
    MemoryLowered,
    PacketsDropped,
    ServerKilled,
    ServerPaused,
)
from modelstress.hosts import Program
from modelstress.measure.clients import Clients
from modelstress.measure.conversation import ServerDiedError
from modelstress.measure.interrupt import InterruptedRunError
from modelstress.measure.provisioning import disturbance_of, target_of
from modelstress.measure.run import Run
from modelstress.measure.server import death_of
from modelstress.measure.servers import Servers
from modelstress.measure.validity import Reason

HELP_S = 3.0
"""A server that died of a fault is started again so long after the fault has ended: whoever runs
it would have noticed by then."""
KILLED_S = 5.0
"""What gets SIGKILL has ended by then, or cannot be killed."""


@dataclass(frozen=True)
class FaultEnd:
    """What became of a cell's fault.

    Attributes:
        name: its level.
        record: what ``cell.json`` says of it.
        dead: nodes that it killed and that run no more, as they were meant to.
    """

    name: str
    record: Mapping[str, Any]
    dead: frozenset[str] = frozenset()

    @property
    def begun_ns(self) -> int | None:
        """When it began, ns of the controller's monotonic clock; None when it never did."""
        begun: int | None = self.record["begun_ns"]
        return begun

    def reasons(self) -> list[Reason]:
        """What speaks against a cell whose fault was not what the study asked for."""
        if self.begun_ns is None:
            message = f"the load ended before fault {self.name!r} began"
            return [Reason("fault-missing", "invalid", message)]
        if self.record["cut_short"]:
            message = f"the measured window ended before fault {self.name!r} did"
            return [Reason("fault-cut-short", "flag", message)]
        return []


def check(run: Run) -> None:
    """Refuse a fault that cannot be had here, before anything is started.

    Raises:
        MissingError: says what it would need.
    """
    invocation, fault = run.invocation, run.invocation.cell.fault
    if fault is None:
        return
    where = f"fault {_name(run)!r}"
    if invocation.external and not isinstance(fault, ClientKilled):
        raise MissingError(
            f"{where}: the server is somebody else's (field 'endpoint' of "
            f"config/tools/{invocation.cell.tool.tool}.yaml); only clients can be killed"
        )
    what = disturbance_of(fault)
    if what is not None and (why := run.hosts.can(target_of(invocation), what)):
        raise MissingError(f"{where}: {why}")
    if isinstance(fault, ClientKilled):
        clients = len(invocation.threads)
        if fault.client >= clients or clients < 2:
            raise MissingError(
                f"{where} kills client {fault.client} of {clients}; another one must be left: use "
                "more clients and threads"
            )


def injection_of(run: Run, servers: Servers, clients: Clients) -> Injection | None:
    """The fault of a cell, whose measured window begins now; None in a cell without one."""
    fault = run.invocation.cell.fault
    return None if fault is None else Injection(run, fault, servers, clients)


def never_begun(run: Run) -> FaultEnd | None:
    """What became of a cell's fault when there was no window; None in a cell without one."""
    fault = run.invocation.cell.fault
    return None if fault is None else FaultEnd(_name(run), _blank(run, fault))


@dataclass
class _Effect:
    """A fault that has begun.

    Attributes:
        ends_s: when it ends, on the controller's monotonic clock.
        ended: it has.
    """

    ends_s: float
    ended: bool = False


class Injection:
    """The fault of one invocation, in its measured window, which begins when this is made.

    Looked after by ``look``, which the controller calls at least ten times a second.

    Args:
        run: the invocation.
        fault: of its cell.
        servers: which it hits.
        clients: which it hits.
    """

    def __init__(self, run: Run, fault: Fault, servers: Servers, clients: Clients) -> None:
        self._run, self._fault, self._servers, self._clients = run, fault, servers, clients
        self._target = target_of(run.invocation)
        self._due_s = time.monotonic() + fault.at_s
        self._record = _blank(run, fault)
        self._effect: _Effect | None = None
        self._dead_s: dict[str, float] = {}
        self._helped: set[str] = set()

    @property
    def under_way(self) -> bool:
        """Whether it has begun and not ended: a server that hangs now was made to."""
        return self._effect is not None and not self._effect.ended

    def look(self) -> None:
        """Begin, end or help, if it is time to.

        Raises:
            ServerDiedError: a server ended before anything was done to it.
            MeasureError: something could not be done; there is nothing to measure then.
            InterruptedRunError: the controller was told to end.
        """
        now = time.monotonic()
        if self._effect is None:
            if now >= self._due_s:
                self._effect = self._begin()
                return
            for program in self._servers.programs.values():
                if death := death_of(program):
                    raise ServerDiedError(death)
            return
        if not self._effect.ended and now >= self._effect.ends_s:
            self._end(self._effect)
            if isinstance(self._fault, ServerKilled):
                # after the end: how long a server takes to serve again is its recovery
                self._revive(self._target)
        self._watch(self._effect, now)

    def over(self) -> FaultEnd:
        """The window is over, or something else ended it: undo what is still done."""
        if self._effect is not None and not self._effect.ended:
            self._record["cut_short"] = self._effect.ends_s < float("inf")
            try:
                self._end(self._effect)
            except MeasureError as error:
                self._record["notes"].append(str(error))
        dead = set(self._dead_s)
        if self._effect is not None and self._for_good:
            dead.add(self._target)
        return FaultEnd(_name(self._run), self._record, frozenset(dead))

    @property
    def _for_good(self) -> bool:
        """Whether it kills a server that is not started again."""
        return isinstance(self._fault, ServerKilled) and self._fault.restart_s is None

    def _begin(self) -> _Effect:
        run = self._run
        run.tell("measure", f"fault {_name(run)!r} begins")
        # before anything is done: what is lost from now on is the fault's
        self._record["begun_ns"] = time.monotonic_ns()
        match self._fault:
            case ServerKilled():
                _kill(self._servers.programs[self._target])
            case ServerPaused():
                self._servers.programs[self._target].signal(signal.SIGSTOP)
            case ClientKilled(client=number):
                client = self._clients.all[number]
                client.killed = True
                _kill(client.program)
            case _:
                if what := disturbance_of(self._fault):
                    self._record |= run.hosts.disturb(self._target, what)
        # a command in a container takes tenths of a second: a cut link is cut for its whole time
        self._record["in_effect_ns"] = time.monotonic_ns()
        return _Effect(time.monotonic() + _lasts_s(self._fault))

    def _end(self, effect: _Effect) -> None:
        run = self._run
        effect.ended = True
        match self._fault:
            case ServerPaused():
                self._servers.programs[self._target].signal(signal.SIGCONT)
            case ServerKilled() | ClientKilled():
                pass
            case _:
                if what := disturbance_of(self._fault):
                    run.hosts.calm(self._target, what)
        self._record["ended_ns"] = time.monotonic_ns()
        run.tell("measure", "the fault has ended")

    def _watch(self, effect: _Effect, now: float) -> None:
        """Note servers that died though they should be alive; help each of them once."""
        for name, program in self._servers.programs.items():
            meant = isinstance(self._fault, ServerKilled) and name == self._target
            if meant and not effect.ended:
                continue
            if name not in self._dead_s:
                if death := death_of(program):
                    self._record["server_died"] = self._record["server_died"] or death
                    self._dead_s[name] = now
                    self._run.tell("measure", death)
                continue
            dead_s = now - max(self._dead_s[name], effect.ends_s)
            if effect.ended and dead_s >= HELP_S and name not in self._helped:
                self._helped.add(name)
                message = f"the {name} does not come back by itself: starting it again"
                self._run.tell("measure", message)
                if self._revive(name):
                    del self._dead_s[name]
                    self._record["helped_ns"] = time.monotonic_ns()

    def _revive(self, name: str) -> bool:
        """Start a server again on what it left behind, at the same address; whether it came."""
        try:
            self._servers.revive(name)
        except InterruptedRunError:
            raise
        except ModelstressError as error:
            self._record["notes"].append(f"the {name} did not start again: {error}")
            return False
        self._record["ready_ns"] = time.monotonic_ns()
        return True


def _name(run: Run) -> str:
    return str(run.invocation.cell.levels.get("fault", ""))


def _blank(run: Run, fault: Fault) -> dict[str, Any]:
    """Record of a fault that has not begun."""
    invocation, named = run.invocation, not isinstance(fault, ClientKilled)
    node = {"node": target_of(invocation)} if named and not invocation.single else {}
    return {
        **fault.model_dump(),
        **node,
        "begun_ns": None,
        "in_effect_ns": None,
        "ended_ns": None,
        "ready_ns": None,
        "cut_short": False,
        "server_died": None,
        "helped_ns": None,
        "notes": [],
    }


def _lasts_s(fault: Fault) -> float:
    """How long a fault lasts, seconds; infinite when what it does is never undone."""
    match fault:
        case ServerKilled(restart_s=None):
            return float("inf")
        case ServerKilled(restart_s=seconds) if seconds is not None:
            return seconds
        case ServerPaused() | LinkCut() | PacketsDropped() | MemoryLowered() | DiskFull():
            return fault.seconds
        case _:
            return 0.0


def _kill(program: Program) -> None:
    """Kill a program and see that it ended: a fault that did not happen must not count as one.

    Raises:
        MeasureError: it lives.
    """
    program.signal(signal.SIGKILL)
    if program.wait(KILLED_S) is None:
        raise MeasureError(f"{program.name} still runs {KILLED_S:g} s after SIGKILL")
