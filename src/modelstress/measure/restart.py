"""Nodes that hang in the middle of a cell: noticed, documented, restarted."""

from __future__ import annotations

import json
import time
from typing import Any

from modelstress.config.errors import ModelstressError
from modelstress.measure import deadlines, procfs
from modelstress.measure.clients import Clients
from modelstress.measure.conversation import OverdueError
from modelstress.measure.dumps import thread_dump
from modelstress.measure.events import Phase
from modelstress.measure.hang_detector import Watch, Wedge, WedgedError
from modelstress.measure.interrupt import InterruptedRunError
from modelstress.measure.run import Run
from modelstress.measure.servers import Servers

LOOK_S = 1.0
"""Between two looks at the server; less when ``wedge_s`` is short."""
FRESH_S = 5.0
"""A client says PROGRESS every second; what one said before that is no evidence any more."""
OVER = {"warmup": "WARMED", "measure": "WINDOW"}
"""After this word a client's load is over, or what is left of it does not matter."""


class Restarts:
    """Looks after the nodes of one invocation while there is load on them.

    They hang together: no execution is answered and all of them are idle. All are started again.

    Args:
        run: the invocation.
        servers: its nodes.
        clients: they tell what is answered and under way.

    Attributes:
        records: what ``cell.json`` says of each time they hung.
    """

    def __init__(self, run: Run, servers: Servers, clients: Clients) -> None:
        self.records: list[dict[str, Any]] = []
        self._run, self._servers, self._clients = run, servers, clients
        self._settings = run.invocation.cell.settings
        self._due_s = 0.0
        self._cpu: dict[int, float] = {}
        self._stored: dict[int, int] = {}
        self._watch = Watch(self._settings.wedge_s)

    def look(self, phase: Phase) -> None:
        """Look at nodes and clients, if it is time to.

        Raises:
            WedgedError: the nodes hang; ``go_on`` knows how to go on.
        """
        now = time.monotonic()
        pids = {program.pid for program in self._servers.programs.values()}
        local_pids = {pid for pid in pids if pid is not None}
        if not local_pids or local_pids != pids or not self._settings.wedge_s or now < self._due_s:
            return
        self._due_s = now + min(LOOK_S, self._settings.wedge_s / 20)
        clients = self._clients.all
        reports = [client.said.get("PROGRESS", {}) for client in clients]
        if not all("answered" in report and "under_way" in report for report in reports):
            return  # a client program that does not tell, or not yet
        under_way = any(
            client.said["PROGRESS"]["under_way"] and now - client.progress_s < FRESH_S
            for client in clients
            if OVER[phase] not in client.said
        )
        for pid, counters in procfs.processes(local_pids).items():
            self._cpu[pid] = counters.user_s + counters.system_s
            self._stored[pid] = max(self._stored.get(pid, 0), procfs.storage_bytes(pid))
        answered = sum(int(report["answered"]) for report in reports)
        cpu_s, stored = sum(self._cpu.values()), sum(self._stored.values())
        if wedge := self._watch.look(now, answered, under_way, cpu_s, stored):
            self._begin_record(phase, wedge)
            raise WedgedError(str(wedge))

    def go_on(self, phase: Phase, wedged: WedgedError) -> None:
        """Document the hang, end what is under way and let the load go on with fresh nodes.

        Raises:
            WedgedError: it cannot go on, or it has hung too often.
            ServerDiedError, ClientDiedError: what came instead.
            InterruptedRunError: the controller was told to end.
        """
        record, run = self.records[-1], self._run
        run.tell(phase, f"{wedged}; taking thread dumps")
        self._take_dumps(record)
        if not self._hold(str(wedged), record):
            raise WedgedError(f"{wedged}; a client program does not know WEDGED")
        before = len(self.records) - 1
        if run.cells > 1:  # the others must not be measured on a server that was started later
            raise WedgedError(f"{wedged}; it shares its start with other cells")
        if before >= self._settings.restarts:
            raise WedgedError(f"{wedged}; it had been restarted {_times(before)} before")
        begun = time.monotonic()
        try:
            self._servers.restart(len(self.records))
            addresses = self._servers.addresses(run.invocation.protocol)
        except InterruptedRunError:
            raise
        except ModelstressError as error:
            raise WedgedError(f"{wedged}; it did not start again: {error}") from error
        record["ready_s"] = round(time.monotonic() - begun, 3)
        run.tell(phase, f"the server was restarted ({record['timeouts']} executions timed out)")
        self._watch, self._cpu, self._stored = Watch(self._settings.wedge_s), {}, {}
        self._clients.resume(addresses)

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
        run, number = self._run, len(self.records) - 1
        servers = self._servers.programs
        first = run.hosts.nodes[next(iter(servers))]
        programs = (*servers.values(), *(client.program for client in self._clients.all))
        for program in programs:
            file = run.work / f"threads-{number}-{program.name.replace(' ', '-')}.txt"
            note = thread_dump(first, program, file, run.server_cpus, run.interrupt)
            if note is None:
                record["dumps"].append(file.name)
            else:
                record["notes"].append(note)

    def _hold(self, reason: str, record: dict[str, Any]) -> bool:
        """Tell the clients; False when one does not answer (an older client program)."""
        conversation = self._clients.undone()
        conversation.tell(f"WEDGED {json.dumps({'reason': reason})}", "HELD")
        try:
            conversation.until("HELD", deadlines.HELD_S, or_word="DONE")
        except OverdueError:
            return False
        held = [client.said.get("HELD", {}) for client in conversation.clients]
        record["timeouts"] = sum(int(answer.get("timeouts", 0)) for answer in held)
        return True


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number} times"
