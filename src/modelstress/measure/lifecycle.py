"""What happens between the host lock and the samples: server, clients, warm-up, window, end."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from modelstress.config.errors import MeasureError, ModelstressError
from modelstress.config.programs import ServerConfig, Workload
from modelstress.hosts import Host, Hosts, Program, ProgramSpec, kill_leftovers
from modelstress.measure import deadlines, dumps, folders
from modelstress.measure.calibration import Calibration
from modelstress.measure.conversation import (
    NO_ROOM,
    Client,
    ClientDiedError,
    Conversation,
    OverdueError,
    ServerDiedError,
    progress,
    refused,
)
from modelstress.measure.events import Phase, Tell
from modelstress.measure.faults import Faults
from modelstress.measure.gclog import GC_LOG
from modelstress.measure.hang_detector import WedgedError
from modelstress.measure.interrupt import Interrupt
from modelstress.measure.invocation import Invocation, workload_of
from modelstress.measure.programs import client_argv, server_argv
from modelstress.measure.restart import Restarts
from modelstress.measure.server import Ready, await_ready
from modelstress.measure.telemetry import Telemetry
from modelstress.measure.timeline import Timeline
from modelstress.measure.traffic.capture import Capture
from modelstress.samples.formats import FORMAT


class Life:
    """One invocation, step by step; each step leaves what it found in the attributes.

    The controller keeps to the server's CPUs: what it does must never delay a client.
    """

    def __init__(
        self,
        invocation: Invocation,
        hosts: Hosts,
        work: Path,
        mark: str,
        interrupt: Interrupt,
        tell: Tell,
    ) -> None:
        self.invocation, self.hosts, self.work = invocation, hosts, work
        self.plan, self._mark_of_run = hosts.plan, mark
        self.interrupt, self.tell = interrupt, tell
        self.timeline = Timeline()
        self.telemetry = Telemetry(hosts.here, counters=hosts.counters)
        self.server: Program | None = None
        self.ready: Ready | None = None
        self.server_exit: int | None = None
        self.workloads: list[Workload] = []
        self.clients: list[Client] = []
        self.calibrations: list[dict[str, float] | None] = []
        self._last_calibration: Calibration | None = None
        self.failure: MeasureError | None = None
        self.failed_ns: int | None = None
        self.provenance: dict[str, Any] = {}
        capture = invocation.cell.settings.capture
        self.capture = None if capture is None else Capture(work, capture.pause_ms)
        self._marks: set[str] = set()
        self._tmp = work / folders.TEMPORARY
        self._programs: list[Program] = []
        self._unsaved: list[str] = []
        self.restarts = Restarts(self)
        self.faults = Faults(self)
        self._own_cpus = os.sched_getaffinity(0)

    def run(self) -> dict[str, Any]:
        """Measure and write; the content of ``cell.json``.

        Raises:
            ModelstressError: there is nothing worth writing; see ``run_invocation``.
        """
        if cpus := self.hosts.here.get("server"):
            os.sched_setaffinity(0, cpus)
        self.faults.check()
        self.telemetry.start()
        self._start_server()
        self._start_clients()
        self._measure()
        return self._finish()

    def clean_up(self) -> None:
        """After the samples are safe: delete the work folder; nothing is left behind."""
        self.stop_everything()
        folders.remove_work(self.invocation.folder)

    def stop_everything(self) -> None:
        """Stop all programs, at the same time; never raises, may be called again."""
        self.telemetry.stop()
        for program in self._programs:
            program.terminate()
        end = time.monotonic() + self.invocation.cell.tool.stop_timeout_s
        for program in self._programs:
            try:
                program.stop(max(0.0, end - time.monotonic()))
            except ModelstressError as error:  # its files could not be brought here
                self._unsaved.append(str(error))
        self._programs.clear()
        if self.capture is not None:
            self.capture.end()
        self.hosts.close()
        kill_leftovers(self._mark_of_run)
        dumps.forget(self.work)
        os.sched_setaffinity(0, self._own_cpus)
        for sentence in self.hosts.left:
            self.tell("stopping", sentence)

    def keep(self, reason: str) -> Path | None:
        """Keep logs and the clients' files of an invocation that did not finish."""
        note = {"state": "aborted", "reason": reason, "timeline": self.timeline.record()}
        note |= {"unsaved": self._unsaved} if self._unsaved else {}
        with suppress(OSError):  # the disk may be full: the files themselves are what matters
            cell = self.invocation.cell
            levels = {"cell": cell.id, "invocation": self.invocation.number, "levels": cell.levels}
            about = {"format": FORMAT, **levels, **note}
            (self.work / "cell.json").write_text(json.dumps(about, indent=2))
        with suppress(OSError):
            return folders.keep_aborted(self.invocation.folder)
        return None

    def _begin(self, phase: Phase, message: str = "") -> None:
        self.timeline.begin(phase)
        self.tell(phase, message)

    def _start(
        self,
        host: Host,
        name: str,
        argv: tuple[str, ...],
        cpus: frozenset[int],
        *,
        reads: Path,
        writes: str,
    ) -> Program:
        log = self.work / f"{name.replace(' ', '-')}.log"
        env = {"TMPDIR": str(self._tmp)}
        program_of = (
            self.invocation.jar if name.startswith("server") else self.invocation.client_program
        )
        spec = ProgramSpec(
            name, argv, self.work, log, cpus, env, reads=(program_of.parent, reads),
            writes=(writes,),
        )  # fmt: skip
        program = host.start(spec)
        self._programs.append(program)
        role = name.partition(" ")[0]
        if program.pid is not None:
            self.telemetry.watch(role, program.pid)
        return program

    def _left(self, seconds: float) -> float:
        """``seconds``, or what is left of the cell's own deadline."""
        return min(seconds, self.invocation.cell.settings.cell_timeout_s - self.timeline.elapsed_s)

    # -- server ---------------------------------------------------------------------------------

    def _start_server(self) -> None:
        self._begin("server")
        invocation, tool = self.invocation, self.invocation.cell.tool
        if invocation.store is None:
            self.ready = Ready(dict(tool.endpoint or {}), None)
            self.calibrations.append(self._calibration().begin().result(self.interrupt))
            return
        config = self.work / "server.json"
        config.write_text(self._server_config().text(), encoding="utf-8")
        self.server = self._serve(config, GC_LOG)
        calibration = self._calibration().begin()
        self.ready = await_ready(self.server, self._left(tool.ready_timeout_s), self.interrupt)
        self._begin("clients")
        self.calibrations.append(calibration.result(self.interrupt))

    def _serve(self, config: Path, gc_log: str) -> Program:
        invocation = self.invocation
        assert invocation.store is not None  # noqa: S101
        flags = invocation.cell.tool.jvm.server
        argv = server_argv(invocation.jar, "serve", config, flags, gc_log, self._tmp)
        server, cpus = self.hosts.server, self.plan.server
        return self._start(server, "server", argv, cpus, reads=invocation.store, writes=gc_log)

    def restart_server(self, number: int) -> str:
        """Kill the server and start another one on a fresh copy of the store; its address.

        Args:
            number: of the restart, from 1.

        Raises:
            ModelstressError: it does not get ready; see ``await_ready``.
        """
        assert self.server is not None  # noqa: S101
        self.server.stop(0.0)
        self.hosts.empty_server_folder()
        self._serve_anew(self.work / "server.json", f"-{number}.")
        return self._endpoint()

    def revive_server(self) -> None:
        """Start a server that was killed again, on the files that it left, at the same address.

        Raises:
            ModelstressError: it does not get ready; see ``await_ready``.
        """
        assert self.server is not None and self.ready is not None  # noqa: S101
        self.server.stop(0.0)
        port = urlsplit(self.ready.endpoints[self.invocation.protocol]).port or 0
        config = self.work / "server-again.json"
        again = self._server_config(port).model_copy(update={"resume": True})
        config.write_text(again.text(), encoding="utf-8")
        self._serve_anew(config, "-again.")

    def _serve_anew(self, config: Path, log: str) -> None:
        self.server = self._serve(config, GC_LOG.replace(".", log))
        seconds = self._left(self.invocation.cell.tool.ready_timeout_s)
        self.ready = await_ready(self.server, seconds, self.interrupt)

    def _server_config(self, port: int = 0) -> ServerConfig:
        invocation = self.invocation
        return ServerConfig(
            tool=invocation.cell.tool.tool,
            backend=str(invocation.cell.levels["backend"]),
            store=str(invocation.store),
            work=str(self.work / folders.SERVER_COPY),
            bind=self.hosts.server.address,
            ports={invocation.protocol: port or self.hosts.server.port},
            attributes=list(invocation.attributes),
            options=invocation.server_options,
        )

    def _calibration(self) -> Calibration:
        calibration = Calibration(self.hosts.clients[0], self.work, self.plan.client)
        self._programs.append(calibration.program)
        return calibration

    # -- clients --------------------------------------------------------------------------------

    def _start_clients(self) -> None:
        invocation, tool = self.invocation, self.invocation.cell.tool
        endpoint = self._endpoint()
        for number, threads in enumerate(invocation.threads):
            workload = workload_of(invocation, number)
            file = self.work / f"workload-{number}.json"
            file.write_text(workload.model_dump_json(indent=2, exclude_none=True), encoding="utf-8")
            argv = client_argv(
                invocation.client_program, tool.driver, endpoint, file, threads,
                self.samples(number), tool.jvm.client, self._tmp,
            )  # fmt: skip
            host, cpus = self.hosts.clients[number], self.plan.client
            program = self._start(
                host, f"client {number}", argv, cpus, reads=invocation.ids,
                writes=self.samples(number).name,
            )  # fmt: skip
            self.workloads.append(workload)
            self.clients.append(Client(number, program, workload.executions))
        # Hashes, git and the libraries that read samples take their time: while the JVMs start.
        self._last_calibration = self._calibration()  # waits, idle, for the end of the window
        preparing = threading.Thread(target=self._prepare, name="prepare", daemon=True)
        preparing.start()
        conversation = self._conversation()
        try:
            conversation.until("READY", self._left(tool.ready_timeout_s))
            conversation.measure_offsets()
        except ClientDiedError as error:
            raise next((refused(c) for c in self.clients if c.died), error) from error
        preparing.join()

    def _endpoint(self) -> str:
        assert self.ready is not None  # noqa: S101
        protocol = self.invocation.protocol
        if protocol not in self.ready.endpoints:
            raise MeasureError(
                f"server: READY names no endpoint for protocol {protocol!r} "
                f"(it has {', '.join(self.ready.endpoints) or 'none'})"
            )
        endpoint = self.hosts.reached(self.ready.endpoints[protocol])
        return endpoint if self.capture is None else self.capture.begin(endpoint)

    def _prepare(self) -> None:
        from modelstress.measure import record_writer

        self.provenance = record_writer.provenance(self)

    def samples(self, client: int) -> Path:
        """The sample file of a client."""
        return self.work / f"client-{client}.mssf"

    # -- load -----------------------------------------------------------------------------------

    def _measure(self) -> None:
        """Warm-up and window; whatever the server or a client does now is a result."""
        try:
            self._step("warmup", "WARM", "WARMED", deadlines.warmup_s)
            if self.capture is not None:
                self.capture.settle(self.interrupt)
            self._mark("go")
            self.faults.go()
            self._step("measure", "GO", "DONE", deadlines.measure_s)
        except (ServerDiedError, ClientDiedError, OverdueError, WedgedError) as error:
            self.failure, self.failed_ns = error, time.monotonic_ns()
        self.faults.over()
        if isinstance(self.failure, ClientDiedError):
            for client in self.clients:
                if client.program.exit_code() == NO_ROOM:
                    raise MeasureError(str(self.failure))
        self._begin("stopping")
        self._mark("window")  # where no client said so
        assert self._last_calibration is not None  # noqa: S101
        if self.failure is None and self.hosts.here.keys() >= {"server", "client"}:
            # All is recorded: what is left to do for the clients, they can do elsewhere.
            for client in self.clients:
                client.program.move(self.plan.server)
            self._last_calibration.begin()
            self._stop_clients()
        else:
            self._stop_clients()
            self._last_calibration.begin()

    def _step(
        self, phase: Phase, word: str, answer: str, longest: Callable[[Workload, int], float]
    ) -> None:
        self._begin(phase)
        seconds = max(map(longest, self.workloads, self.invocation.threads))
        self._conversation(phase).tell(word)
        while True:
            try:
                self._conversation(phase).until(answer, self._left(seconds))
                return
            except WedgedError as wedged:
                self.restarts.go_on(phase, wedged)

    def _conversation(self, phase: Phase | None = None) -> Conversation:
        told = (0, 0)

        def heard() -> None:
            nonlocal told
            if all("WINDOW" in client.said or client.killed for client in self.clients):
                self._mark("window")
            if phase is not None and (counts := progress(self.clients, phase)) != told:
                told = counts
                self.tell(phase, "", *counts)
            self.faults.look()
            if phase is not None and not self.faults.under_way:
                self.restarts.look(phase)

        # with a fault, the server's death is not the end, and for `faults` to judge
        watched = None if phase == "measure" and self.faults.record else self.server
        return Conversation(self.clients, watched, self.interrupt, heard)

    def _mark(self, name: str) -> None:
        if name not in self._marks:
            self._marks.add(name)
            self.telemetry.mark(name)

    def _stop_clients(self) -> None:
        """Clients end by themselves after DONE; those that cannot get there are told to."""
        if self.failure is not None:
            for client in self.clients:
                client.program.terminate()
        end = time.monotonic() + deadlines.CLIENT_STOP_S
        for client in self.clients:
            client.program.wait(max(0.0, end - time.monotonic()))
            while client.hear():
                pass
            client.exit_code = client.program.stop(0.5)

    # -- end ------------------------------------------------------------------------------------

    def _finish(self) -> dict[str, Any]:
        """Read the samples while the server stops and the CPUs are calibrated; then write."""
        from modelstress.measure import record_writer  # imported before, in ``_prepare``

        if self.server is not None:
            self.server.terminate()
        self.tell("writing")
        samples = record_writer.collect_samples(self)
        self.telemetry.stop()
        if self.server is not None:
            self.server_exit = self.server.stop(self.invocation.cell.tool.stop_timeout_s)
        if self.capture is not None:
            self.capture.end()
        assert self._last_calibration is not None  # noqa: S101
        self.calibrations.append(self._last_calibration.result(self.interrupt))
        self.timeline.begin("writing")
        return record_writer.write(self, samples)
