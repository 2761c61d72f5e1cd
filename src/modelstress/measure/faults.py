"""What goes wrong on purpose in a measured window: done at its time, written down, undone."""

from __future__ import annotations

import signal
import time
from typing import TYPE_CHECKING, Any

from modelstress.config.errors import MeasureError, MissingError, ModelstressError
from modelstress.config.faults import ClientKilled, ServerKilled, ServerPaused
from modelstress.hosts import Program
from modelstress.measure import provisioning
from modelstress.measure.conversation import ServerDiedError
from modelstress.measure.interrupt import InterruptedRunError
from modelstress.measure.server import death_of
from modelstress.measure.validity import Reason

if TYPE_CHECKING:
    from modelstress.measure.lifecycle import Life

HELP_S = 3.0
"""A server that died of a fault is started again so long after the fault has ended: whoever runs
it would have noticed by then."""
KILLED_S = 5.0
"""What gets SIGKILL has ended by then, or cannot be killed."""


class Faults:
    """The fault of one invocation, if its cell has one.

    Looked after by ``look``, which the controller calls at least ten times a second.

    Attributes:
        record: what ``cell.json`` says of it; None without a fault.
    """

    def __init__(self, life: Life) -> None:
        self._life = life
        self._fault = life.invocation.cell.fault
        self._name = str(life.invocation.cell.levels.get("fault", "")) if self._fault else ""
        self._disturbance = provisioning.disturbance_of(life.invocation.cell)
        self._go_s: float | None = None
        self._begun_s: float | None = None
        self._in_effect_s = 0.0
        self._ended = False
        self._dead_s: float | None = None
        self._helped = False
        self.record: dict[str, Any] | None = None
        if self._fault is not None:
            self.record = {
                **self._fault.model_dump(),
                "begun_ns": None,
                "in_effect_ns": None,
                "ended_ns": None,
                "ready_ns": None,
                "cut_short": False,
                "server_died": None,
                "helped_ns": None,
                "notes": [],
            }

    def check(self) -> None:
        """Refuse a fault that cannot be had here, before anything is started.

        Raises:
            MissingError: says what it would need.
        """
        what, invocation = self._disturbance, self._life.invocation
        if invocation.store is None and not isinstance(self._fault, ClientKilled | None):
            raise MissingError(
                f"fault {self._name!r}: the server is somebody else's (field 'endpoint' of "
                f"config/tools/{invocation.cell.tool.tool}.yaml); only clients can be killed"
            )
        if what is not None and (why := self._life.hosts.can("server", what)):
            raise MissingError(f"fault {self._name!r}: {why}")
        if isinstance(self._fault, ClientKilled):
            clients = len(invocation.threads)
            if self._fault.client >= clients or clients < 2:
                raise MissingError(
                    f"fault {self._name!r} kills client "
                    f"{self._fault.client} of {clients}; another one must be left: use more "
                    "clients and threads"
                )

    def go(self) -> None:
        """The measured window begins."""
        self._go_s = time.monotonic()

    @property
    def under_way(self) -> bool:
        """Whether it has begun and not ended: a server that hangs now was made to."""
        return self._begun_s is not None and not self._ended

    @property
    def begun_ns(self) -> int | None:
        """When it began, ns of the controller's monotonic clock."""
        return int(self.record["begun_ns"]) if self.record else None

    @property
    def server_is_dead(self) -> bool:
        """Whether the server was killed by it and runs no more, as it was meant to."""
        killed = isinstance(self._fault, ServerKilled) and self._fault.restart_s is None
        return self._begun_s is not None and (killed or self._dead_s is not None)

    def reasons(self) -> list[Reason]:
        """What speaks against a cell whose fault was not what the study asked for."""
        if self.record is None:
            return []
        if self.record["begun_ns"] is None:
            message = f"the load ended before fault {self._name!r} began"
            return [Reason("fault-missing", "invalid", message)]
        if self.record["cut_short"]:
            message = f"the measured window ended before fault {self._name!r} did"
            return [Reason("fault-cut-short", "flag", message)]
        return []

    def look(self) -> None:
        """Begin, end or help, if it is time to.

        Raises:
            ServerDiedError: the server ended before anything was done to it.
            MeasureError: something could not be done; there is nothing to measure then.
            InterruptedRunError: the controller was told to end.
        """
        if self._fault is None or self._go_s is None or self.record is None:
            return
        now = time.monotonic()
        if self._begun_s is None:
            if now - self._go_s >= self._fault.at_s:
                self._begin()
            elif self._life.server is not None and (death := death_of(self._life.server)):
                raise ServerDiedError(death)
            return
        if not self._ended and now - self._in_effect_s >= self._lasts():
            self._end()
        self._watch(now)

    def over(self) -> None:
        """The window is over, or something else ended it: undo what is still done."""
        if self.under_way and self.record is not None:
            self.record["cut_short"] = self._lasts() < float("inf")
            try:
                self._end(restart=False)
            except MeasureError as error:
                self._note(str(error))
        self._go_s = None

    def _begin(self) -> None:
        assert self.record is not None  # noqa: S101
        life, fault = self._life, self._fault
        life.tell("measure", f"fault {self._name!r} begins")
        # before anything is done: what is lost from now on is the fault's
        self._begun_s, self.record["begun_ns"] = time.monotonic(), time.monotonic_ns()
        match fault:
            case ServerKilled():
                assert life.server is not None  # noqa: S101
                _kill(life.server)
            case ServerPaused():
                assert life.server is not None  # noqa: S101
                life.server.signal(signal.SIGSTOP)
            case ClientKilled(client=number):
                life.clients[number].killed = True
                _kill(life.clients[number].program)
            case _:
                assert self._disturbance is not None  # noqa: S101
                self.record |= life.hosts.disturb("server", self._disturbance)
        # a command in a container takes tenths of a second: a cut link is cut for its whole time
        self._in_effect_s, self.record["in_effect_ns"] = time.monotonic(), time.monotonic_ns()

    def _lasts(self) -> float:
        match self._fault:
            case ServerKilled(restart_s=None):
                return float("inf")
            case ServerKilled(restart_s=seconds) if seconds is not None:
                return seconds
            case ClientKilled() | None:
                return 0.0
            case fault:
                return float(getattr(fault, "seconds", 0.0))

    def _end(self, *, restart: bool = True) -> None:
        assert self.record is not None  # noqa: S101
        life = self._life
        self._ended = True
        match self._fault:
            case ServerPaused():
                if life.server is not None:
                    life.server.signal(signal.SIGCONT)
            case ServerKilled() | ClientKilled():
                pass
            case _ if self._disturbance is not None:
                life.hosts.calm("server", self._disturbance)
        self.record["ended_ns"] = time.monotonic_ns()
        life.tell("measure", "the fault has ended")
        if restart and isinstance(self._fault, ServerKilled):
            # after the end: how long a server takes to serve again is its recovery
            self._restart()

    def _watch(self, now: float) -> None:
        """Note that the server died though it should be alive; help it once."""
        assert self.record is not None and self._begun_s is not None  # noqa: S101
        life = self._life
        if life.server is None or (isinstance(self._fault, ServerKilled) and not self._ended):
            return
        if self._dead_s is None:
            if death := death_of(life.server):
                self.record["server_died"] = self.record["server_died"] or death
                self._dead_s = now
                life.tell("measure", death)
            return
        dead_s = now - max(self._dead_s, self._in_effect_s + self._lasts())
        if self._ended and dead_s >= HELP_S and not self._helped:
            self._helped = True
            life.tell("measure", "the server does not come back by itself: starting it again")
            if self._restart():
                self._dead_s = None
                self.record["helped_ns"] = time.monotonic_ns()

    def _restart(self) -> bool:
        """Start the server again on what it left behind, at the same address; whether it came."""
        try:
            self._life.revive_server()
        except InterruptedRunError:
            raise
        except ModelstressError as error:
            self._note(f"the server did not start again: {error}")
            return False
        assert self.record is not None  # noqa: S101
        self.record["ready_ns"] = time.monotonic_ns()
        return True

    def _note(self, sentence: str) -> None:
        assert self.record is not None  # noqa: S101
        self.record["notes"].append(sentence)


def _kill(program: Program) -> None:
    """Kill a program and see that it ended: a fault that did not happen must not count as one.

    Raises:
        MeasureError: it lives.
    """
    program.signal(signal.SIGKILL)
    if program.wait(KILLED_S) is None:
        raise MeasureError(f"{program.name} still runs {KILLED_S:g} s after SIGKILL")
