"""The nodes of an invocation: started in order, restarted, revived, stopped."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from modelstress.config.errors import MeasureError
from modelstress.config.programs import ServerConfig
from modelstress.config.tool import SERVER
from modelstress.hosts import Program
from modelstress.measure import folders
from modelstress.measure.footprint import footprint
from modelstress.measure.invocation import Node
from modelstress.measure.programs import server_argv
from modelstress.measure.run import Run
from modelstress.measure.server import Ready, await_ready, death_of


@dataclass(frozen=True)
class Started:
    """A node that is ready.

    Attributes:
        node: what it was made of.
        config: its configuration, as it was started first.
        program: its process now.
        ready: what it said last.
        ready_s: how long its first start took.
        gc_logs: names in the work folder, one per start.
        footprint: of its first process.
    """

    node: Node
    config: ServerConfig
    program: Program
    ready: Ready
    ready_s: float
    gc_logs: tuple[str, ...]
    footprint: Mapping[str, Any] | None


@dataclass(frozen=True)
class ServerEnd:
    """A node that has been stopped.

    Attributes:
        node: what it was made of.
        pid: of its last process; None on another machine.
        exit_code: of its last process.
        died: it had ended before it was asked to.
        ready_s: how long its first start took.
        gc_logs: one per start.
        log: its own.
        footprint: of its first process.
        disk_bytes: what its folder took of the disk when it was asked to end; None: not known.
    """

    node: Node
    pid: int | None
    exit_code: int
    died: bool
    ready_s: float
    gc_logs: tuple[Path, ...]
    log: Path
    footprint: Mapping[str, Any] | None
    disk_bytes: int | None


class Servers:
    """The nodes of an invocation; none where the server is somebody else's.

    Args:
        run: what they are nodes of.
        protocols: that they serve, one for each cell of the start; some may be the same.
    """

    def __init__(self, run: Run, protocols: Sequence[str]) -> None:
        self._run = run
        self._protocols = tuple(dict.fromkeys(protocols))
        self._started: dict[str, Started] = {}
        self._disk_bytes: dict[str, int | None] = {}

    @property
    def programs(self) -> dict[str, Program]:
        """Node to its process now."""
        return {name: server.program for name, server in self._started.items()}

    def start(self) -> None:
        """Start all nodes, each when those that it needs are ready.

        Raises:
            ModelstressError: one does not get ready; see ``await_ready``.
        """
        for node in self._run.invocation.start_order:
            begun = time.monotonic()
            config = self._config(node)
            file = self._file(node, ".json")
            file.write_text(config.text(), encoding="utf-8")
            program, log = self._serve(node, file, "")
            ready = self._ready(program)
            took_s = time.monotonic() - begun
            self._started[node.name] = Started(
                node, config, program, ready, took_s, (log,), footprint(program.pid)
            )

    def restart(self, number: int) -> None:
        """Kill all nodes and start them again on fresh copies of the store.

        Args:
            number: of the restart, from 1.

        Raises:
            ModelstressError: one does not get ready; see ``await_ready``.
        """
        for server in self._started.values():
            server.program.stop(0.0)
        for name in self._started:
            self._run.hosts.empty_folder(name)
        for name, server in self._started.items():
            config = self._config(server.node)
            file = self._file(server.node, ".json")
            file.write_text(config.text(), encoding="utf-8")
            self._started[name] = self._again(replace(server, config=config), file, str(number))

    def revive(self, name: str) -> None:
        """Start a node that was killed again, on the files that it left, at the same address.

        Raises:
            ModelstressError: it does not get ready; see ``await_ready``.
        """
        server = self._started[name]
        server.program.stop(0.0)
        had = {protocol: urlsplit(url).port for protocol, url in server.ready.endpoints.items()}
        ports = {
            protocol: had.get(protocol) or port for protocol, port in server.config.ports.items()
        }
        config = server.config.model_copy(update={"resume": True, "ports": ports})
        file = self._file(server.node, "-again.json")
        file.write_text(config.text(), encoding="utf-8")
        self._started[name] = self._again(server, file, "again")

    def addresses(self, protocol: str) -> dict[str, str]:
        """Node to the address that clients reach it at; the main one first.

        A node that does not speak it, and is not the main one, is none that clients talk to.

        Args:
            protocol: of the clients.

        Raises:
            MeasureError: READY of the main one names no address for it.
        """
        run = self._run
        node_addresses: dict[str, str] = {}
        for name, endpoints in self._endpoints().items():
            if protocol not in endpoints and node_addresses:
                continue
            if protocol not in endpoints:
                raise MeasureError(
                    f"{name}: READY names no endpoint for protocol {protocol!r} "
                    f"(it has {', '.join(endpoints) or 'none'})"
                )
            address = run.hosts.reached(name, endpoints[protocol])
            if run.capture is not None and name == run.captured_node:
                address = run.capture.begin(address)
            node_addresses[name] = address
        return node_addresses

    def reached(self) -> dict[str, dict[str, str]]:
        """Node to protocol to the address that clients reach it at."""
        reach = self._run.hosts.reached
        return {
            name: {protocol: reach(name, url) for protocol, url in endpoints.items()}
            for name, endpoints in self._endpoints().items()
        }

    def terminate(self) -> frozenset[str]:
        """Ask all nodes to end, and return at once; those that had ended before by themselves."""
        programs = self.programs
        died = frozenset(name for name, program in programs.items() if death_of(program))
        self._disk_bytes = {name: self._run.hosts.disk_bytes(name) for name in programs}
        for program in programs.values():
            program.terminate()
        return died

    def stop(self, died: frozenset[str]) -> tuple[ServerEnd, ...]:
        """Wait for the end of nodes that were asked to, and kill those that do not come to it."""
        deadline = time.monotonic() + self._run.invocation.cell.tool.stop_timeout_s
        return tuple(
            ServerEnd(
                node=server.node,
                pid=server.program.pid,
                exit_code=server.program.stop(max(0.0, deadline - time.monotonic())),
                died=name in died,
                ready_s=server.ready_s,
                gc_logs=tuple(self._run.work / log for log in server.gc_logs),
                log=self._file(server.node, ".log"),
                footprint=server.footprint,
                disk_bytes=self._disk_bytes.get(name),
            )
            for name, server in self._started.items()
        )

    def _endpoints(self) -> Mapping[str, Mapping[str, str]]:
        invocation = self._run.invocation
        if invocation.external:
            return {SERVER: invocation.cell.tool.endpoint or {}}
        return {node.name: self._started[node.name].ready.endpoints for node in invocation.nodes}

    def _again(self, server: Started, config: Path, start: str) -> Started:
        program, log = self._serve(server.node, config, start)
        ready = self._ready(program)
        self._run.hosts.limit_cpu(server.node.name)  # a new container has no limit yet
        return replace(server, program=program, ready=ready, gc_logs=(*server.gc_logs, log))

    def _ready(self, program: Program) -> Ready:
        seconds = self._run.left(self._run.invocation.cell.tool.ready_timeout_s)
        return await_ready(program, seconds, self._run.interrupt)

    def _serve(self, node: Node, config: Path, start: str) -> tuple[Program, str]:
        """Start a node's program; it, and the name of its GC log."""
        run, name = self._run, node.name
        gc_log = _gc_log(name, start)
        argv = server_argv(node.program, "serve", config, node.jvm, gc_log, run.temporary)
        store = run.invocation.store
        program = run.start(
            run.hosts.nodes[name], name, argv, run.hosts.plan.nodes[name],
            log=self._file(node, ".log"), role=name, node=name, writes=(gc_log,),
            reads=(node.program.parent, *(() if store is None else (store,))),
        )  # fmt: skip
        return program, gc_log

    def _config(self, node: Node) -> ServerConfig:
        invocation, host = self._run.invocation, self._run.hosts.nodes[node.name]
        return ServerConfig(
            tool=invocation.cell.tool.tool,
            store=None if invocation.store is None else str(invocation.store),
            work=str(self._run.work / folders.node_files(node.name)),
            bind=host.address,
            ports=dict.fromkeys(self._protocols, host.port),
            options=dict(node.options),
            node=node.name,
            role=node.role,
            peers={name: self._seen(name, node.name) for name in node.needs},
            **invocation.needs.server,
        )

    def _seen(self, name: str, by: str) -> dict[str, str]:
        """Addresses at which another node reaches a node that is ready, by protocol."""
        endpoints = self._started[name].ready.endpoints
        return {p: self._run.hosts.seen(name, by, url) for p, url in endpoints.items()}

    def _file(self, node: Node, ending: str) -> Path:
        """A file of a node in the work folder."""
        return self._run.work / f"{folders.node_files(node.name)}{ending}"


def _gc_log(node: str, start: str) -> str:
    """Name of the GC log of one start of a node: the first, the nth again, or after a fault."""
    if node == SERVER:
        return f"gc-{start}.log" if start else "gc.log"
    return f"gc.{node}.{start}.log" if start else f"gc.{node}.log"
