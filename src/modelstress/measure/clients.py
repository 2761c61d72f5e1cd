"""The clients of an invocation: started, asked for their clocks, stopped."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from modelstress.config.programs import Workload
from modelstress.config.tool import SERVER
from modelstress.hosts import Program
from modelstress.measure import deadlines
from modelstress.measure.conversation import Client, ClientDiedError, Conversation, refused
from modelstress.measure.footprint import footprint
from modelstress.measure.invocation import workload_of
from modelstress.measure.java import flags_of
from modelstress.measure.programs import client_argv
from modelstress.measure.run import Run


@dataclass(frozen=True)
class ClientEnd:
    """A client that has been stopped, and what it said.

    Attributes:
        number: of the client.
        threads: of it.
        workload: that it had.
        samples: its sample file.
        said: word to the object of its last line.
        details: distinct failure messages.
        strays: lines that are not of the contract.
        offset_ns, rtt_ns: its clock minus the controller's, and how sure that is.
        died: how it ended before its time, or None.
        killed: on purpose.
        exit_code: of its process.
        footprint: when it was ready.
    """

    number: int
    threads: int
    workload: Workload
    samples: Path
    said: Mapping[str, Mapping[str, Any]]
    details: tuple[Mapping[str, Any], ...]
    strays: int
    offset_ns: int | None
    rtt_ns: int | None
    died: str | None
    killed: bool
    exit_code: int
    footprint: Mapping[str, Any] | None

    @property
    def executions(self) -> int | None:
        """Measured executions of it; None where only it knew, and did not say."""
        if self.workload.executions is not None:
            return self.workload.executions
        done = self.said.get("DONE", {}).get("executions")
        return int(done) if isinstance(done, int) else None


@dataclass(frozen=True)
class Clients:
    """Started client programs.

    Attributes:
        run: what they are clients of.
        all: they, by number.
        workloads: theirs.
    """

    run: Run
    all: tuple[Client, ...]
    workloads: tuple[Workload, ...]

    def await_ready(self, servers: Sequence[Program]) -> None:
        """Wait until all are ready, and compare their clocks with the controller's.

        Args:
            servers: watched meanwhile.

        Raises:
            ModelstressError: a client or server ended, or a deadline passed.
        """
        conversation = Conversation(self.all, servers, self.run.interrupt)
        seconds = self.run.left(self.run.invocation.cell.tool.ready_timeout_s)
        try:
            conversation.until("READY", seconds)
            conversation.measure_offsets()
            for client in self.all:
                client.footprint = footprint(client.program.pid)
        except ClientDiedError as error:
            raise next((refused(c) for c in self.all if c.died), error) from error

    def resume(self, addresses: Mapping[str, str]) -> None:
        """Let those that are not done go on with nodes that were started again."""
        single = self.run.invocation.single
        message = {"endpoint": addresses[SERVER]} if single else {"endpoints": dict(addresses)}
        self.undone().tell(f"RESUME {json.dumps(message)}")

    def undone(self) -> Conversation:
        """Talk to those that are not done; the servers' death is no news."""
        undone = [client for client in self.all if "DONE" not in client.said]
        return Conversation(undone, (), self.run.interrupt)

    def stop(self, *, failed: bool) -> tuple[ClientEnd, ...]:
        """End all: by themselves after DONE, or told to when the load has failed."""
        if failed:
            for client in self.all:
                client.program.terminate()
        deadline = time.monotonic() + deadlines.CLIENT_STOP_S
        ends = []
        for client, workload in zip(self.all, self.workloads, strict=True):
            client.program.wait(max(0.0, deadline - time.monotonic()))
            while client.hear():
                pass
            exit_code = client.program.stop(0.5)
            ends.append(
                ClientEnd(
                    number=client.number,
                    threads=self.run.invocation.threads[client.number],
                    workload=workload,
                    samples=samples_file(self.run, client.number),
                    said=dict(client.said),
                    details=tuple(client.details),
                    strays=client.strays,
                    offset_ns=client.offset_ns,
                    rtt_ns=client.rtt_ns,
                    died=client.died,
                    killed=client.killed,
                    exit_code=exit_code,
                    footprint=client.footprint,
                )
            )
        return tuple(ends)


def start(run: Run, addresses: Mapping[str, str]) -> Clients:
    """Start all clients of an invocation.

    Args:
        run: the invocation.
        addresses: node to where it is reached.

    Raises:
        ModelstressError: a program is not there, or a level that clients do not know.
    """
    invocation, tool = run.invocation, run.invocation.cell.tool
    named = [f"{node}={address}" for node, address in addresses.items()]
    endpoints = list(addresses.values()) if invocation.single else named
    clients, workloads = [], []
    for number, threads in enumerate(invocation.threads):
        workload = workload_of(invocation, number, run.slices)
        file = run.work / f"workload-{number}{run.tag}.json"
        file.write_text(workload.model_dump_json(indent=2, exclude_none=True), encoding="utf-8")
        samples = samples_file(run, number)
        argv = client_argv(
            invocation.client_program, tool.driver, endpoints, file, threads, samples,
            flags_of(tool.jvm.client, invocation.cell.levels), run.temporary,
        )  # fmt: skip
        program = run.start(
            run.hosts.clients[number], f"client {number}{run.tag}", argv, run.hosts.plan.client,
            log=run.work / f"client-{number}{run.tag}.log", role="client", writes=(samples.name,),
            reads=(invocation.client_program.parent, *([invocation.ids] if invocation.ids else [])),
        )  # fmt: skip
        clients.append(Client(number, program))
        workloads.append(workload)
    return Clients(run, tuple(clients), tuple(workloads))


def samples_file(run: Run, client: int) -> Path:
    """The sample file of a client."""
    return run.work / f"client-{client}{run.tag}.mssf"
