"""A server that hangs in the middle of a cell: noticed, documented, restarted."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

from modelstress.config.errors import ModelstressError
from modelstress.measure import deadlines, procfs
from modelstress.measure.conversation import Client, Conversation, OverdueError
from modelstress.measure.dumps import thread_dump
from modelstress.measure.events import Phase
from modelstress.measure.hang_detector import Watch, Wedge, WedgedError
from modelstress.measure.interrupt import InterruptedRunError

if TYPE_CHECKING:
    from modelstress.measure.lifecycle import Life

LOOK_S = 1.0
"""Between two looks at the server; less when ``wedge_s`` is short."""
FRESH_S = 5.0
"""A client says PROGRESS every second; what one said before that is no evidence any more."""
OVER = {"warmup": "WARMED", "measure": "WINDOW"}
"""After this word a client's load is over, or what is left of it does not matter."""


class Restarts:
    """Looks after the server of one invocation while there is load on it.

    Attributes:
        records: what ``cell.json`` says of each time it hung.
    """

    def __init__(self, life: Life) -> None:
        self.records: list[dict[str, Any]] = []
        self._life = life
        self._settings = life.invocation.cell.settings
        self._due_s = 0.0
        self._cpu: dict[int, float] = {}
        self._stored: dict[int, int] = {}
        self._watch = Watch(self._settings.wedge_s)

    def look(self, phase: Phase) -> None:
        """Look at server and clients, if it is time to.

        Raises:
            WedgedError: the server hangs; ``go_on`` knows how to go on.
        """
        now, server = time.monotonic(), self._life.server
        if server is None or server.pid is None or not self._settings.wedge_s or now < self._due_s:
            return
        self._due_s = now + min(LOOK_S, self._settings.wedge_s / 20)
        said = [c.said.get("PROGRESS", {}) for c in self._life.clients]
        if not all("answered" in one and "under_way" in one for one in said):
            return  # a client program that does not tell, or not yet
        under_way = any(
            client.said["PROGRESS"]["under_way"] and now - client.progress_s < FRESH_S
            for client in self._life.clients
            if OVER[phase] not in client.said
        )
        for pid, counters in procfs.processes({server.pid}).items():
            self._cpu[pid] = counters.user_s + counters.system_s
            self._stored[pid] = max(self._stored.get(pid, 0), procfs.storage_bytes(pid))
        answered = sum(int(one["answered"]) for one in said)
        cpu_s, stored = sum(self._cpu.values()), sum(self._stored.values())
        if wedge := self._watch.look(now, answered, under_way, cpu_s, stored):
            self._begin_record(phase, wedge)
            raise WedgedError(str(wedge))

    def go_on(self, phase: Phase, wedged: WedgedError) -> None:
        """Document the hang, end what is under way and let the load go on with a new server.

        Raises:
            WedgedError: it cannot go on, or it has hung too often.
            ServerDiedError, ClientDiedError: what came instead.
            InterruptedRunError: the controller was told to end.
        """
        record, life = self.records[-1], self._life
        life.tell(phase, f"{wedged}; taking thread dumps")
        self._take_dumps(record)
        if not self._hold(str(wedged), record):
            raise WedgedError(f"{wedged}; a client program does not know WEDGED")
        before = len(self.records) - 1
        if before >= self._settings.restarts:
            raise WedgedError(f"{wedged}; it had been restarted {_times(before)} before")
        begun = time.monotonic()
        try:
            endpoint = life.restart_server(len(self.records))
        except InterruptedRunError:
            raise
        except ModelstressError as error:
            raise WedgedError(f"{wedged}; it did not start again: {error}") from error
        record["ready_s"] = round(time.monotonic() - begun, 3)
        life.tell(phase, f"the server was restarted ({record['timeouts']} executions timed out)")
        self._watch, self._cpu, self._stored = Watch(self._settings.wedge_s), {}, {}
        self._clients().tell(f"RESUME {json.dumps({'endpoint': endpoint})}")

    def _begin_record(self, phase: Phase, wedge: Wedge) -> None:
        self.records.append(
            {
                "phase": phase,
                "at_ns": time.monotonic_ns(),
                "after_s": round(wedge.after_s, 3),
                "cpu_share": round(wedge.cpu_share, 4),
                "timeouts": None,
                "dumps": [],
                "notes": [],
                "ready_s": None,
            }
        )

    def _take_dumps(self, record: dict[str, Any]) -> None:
        life, number = self._life, len(self.records) - 1
        assert life.server is not None  # noqa: S101
        for program in (life.server, *(client.program for client in life.clients)):
            file = life.work / f"threads-{number}-{program.name.replace(' ', '-')}.txt"
            host = life.hosts.nodes["server"]
            note = thread_dump(host, program, file, life.plan.server, life.interrupt)
            if note is None:
                record["dumps"].append(file.name)
            else:
                record["notes"].append(note)

    def _hold(self, reason: str, record: dict[str, Any]) -> bool:
        """Tell the clients; False when one does not answer (an older client program)."""
        conversation = self._clients()
        for client in conversation.clients:
            client.said.pop("HELD", None)
        conversation.tell(f"WEDGED {json.dumps({'reason': reason})}")
        try:
            conversation.until("HELD", deadlines.HELD_S, or_word="DONE")
        except OverdueError:
            return False
        held = [client.said.get("HELD", {}) for client in conversation.clients]
        record["timeouts"] = sum(int(one.get("timeouts", 0)) for one in held)
        return True

    def _clients(self) -> Conversation:
        """Those that are not done; the server's death is no news now."""
        undone: list[Client] = [c for c in self._life.clients if "DONE" not in c.said]
        return Conversation(undone, None, self._life.interrupt)


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number} times"
