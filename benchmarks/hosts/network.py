"""What the executors' networks are like: rate of a shaped link, shares of two clients, latency.

``python benchmarks/hosts/network.py [--mbit 100] [--seconds 60] [--rounds 3]`` measures every
executor in turn, several times. Round trips are of one byte; ``process`` is the loopback interface,
and the others are held against it. Bulk data go from each client to the server and, with both at
once, must share its link.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import uuid
from pathlib import Path
from typing import Any

import click

from modelstress.config.project import Project
from modelstress.hosts import (
    Host,
    Hosts,
    Link,
    ProcessHosts,
    Program,
    ProgramSpec,
    Setup,
    plan_cpus,
    private,
)
from modelstress.hosts.namespace import NamespaceHosts

TRAFFIC = Path(__file__).with_name("traffic.py").resolve()
PINGS = 20_000
EXECUTORS = ("process", "namespace", "docker")


def made(executor: str, setup: Setup) -> Hosts:
    """Hosts of an executor; containers are those of the example tool, whose image has Python."""
    if executor == "process":
        return ProcessHosts(setup)
    if executor == "namespace":
        return NamespaceHosts(setup)
    from modelstress.hosts.containers import ContainerHosts

    project = Project.find(TRAFFIC)
    return ContainerHosts(setup, project, project.tool("example"), project.machines())


def started(host: Host, name: str, folder: Path, cpus: frozenset[int], *words: str) -> Program:
    """Start one of the programs and wait for its READY."""
    argv = (sys.executable, "-I", "-S", str(TRAFFIC), *words)
    spec = ProgramSpec(name, argv, folder, folder / f"{name}.log", cpus, reads=(TRAFFIC,))
    program = host.start(spec)
    line = program.lines.read(20)
    if line is None or not line.startswith("READY"):
        raise SystemExit(f"{name}: {line!r}; see {spec.stderr}: {spec.stderr.read_text()}")
    program.ready = line.removeprefix("READY").strip()  # type: ignore[attr-defined]
    return program


def said(program: Program, seconds: float) -> Any:
    """The JSON that a program prints at its end."""
    line = program.lines.read(seconds)
    program.stop(2)
    return json.loads(line or "null")


@click.command()
@click.option(
    "--executor", type=click.Choice(EXECUTORS), help="Only this one, as one line of JSON."
)
@click.option("--mbit", default=100.0, show_default=True, help="Rate of every link.")
@click.option("--seconds", default=60.0, show_default=True, help="Of a transfer; 0: none.")
@click.option("--rounds", default=3, show_default=True)
def main(executor: str | None, mbit: float, seconds: float, rounds: int) -> None:
    """Measure all executors, or one."""
    if executor is None:
        compare(mbit, seconds, rounds)
        return
    if executor == "namespace" and (why := private.enter(mounts=True)):
        raise SystemExit(why)
    links = {"ping": 0.0} | ({} if executor == "process" or not seconds else {"bulk": mbit})
    print(json.dumps({what: on(executor, what, rate, seconds) for what, rate in links.items()}))


def compare(mbit: float, seconds: float, rounds: int) -> None:
    """Every executor in a process of its own, in turns; medians over the rounds."""
    found: dict[str, list[Any]] = {executor: [] for executor in EXECUTORS}
    for number in range(rounds):
        for executor in EXECUTORS:
            argv = [sys.executable, __file__, "--executor", executor, "--mbit", str(mbit)]
            argv += ["--seconds", str(0 if number else seconds)]
            done = subprocess.run(argv, stdout=subprocess.PIPE, check=True)
            found[executor].append(json.loads(done.stdout.splitlines()[-1]))
    base = statistics.median(one["ping"][49] for one in found["process"])
    print(f"round trips of one byte, {PINGS} in each of {rounds} rounds, µs (load {load():.1f})")
    for executor, every in found.items():
        medians = [one["ping"][49] for one in every]
        tails = [one["ping"][98] for one in every]
        print(
            f"{executor}: median {statistics.median(medians):.1f} ({min(medians):.1f} to "
            f"{max(medians):.1f}), p99 {statistics.median(tails):.1f}; "
            f"{statistics.median(medians) / base:.2f} times that of process"
        )
    for executor, (first, *_) in found.items():
        for rates in first.get("bulk", []):
            shares = ", ".join(f"{rate / sum(rates):.1%}" for rate in rates)
            print(
                f"{executor}, {mbit:g} Mbit/s, {len(rates)} client(s), {seconds:g} s: "
                f"{sum(rates):.2f} Mbit/s of payload ({shares})"
            )


def load() -> float:
    """Load average of the last minute."""
    return os.getloadavg()[0]


def on(executor: str, what: str, rate: float, seconds: float) -> list[Any]:
    """Make hosts with links of a rate, and measure one thing there."""
    with tempfile.TemporaryDirectory(prefix="modelstress-network-") as place:
        folder = Path(place)
        (folder / "server").mkdir()
        plan = plan_cpus()
        setup = Setup(uuid.uuid4().hex, plan, folder, folder / "server", 2, Link(mbit_s=rate))
        hosts = made(executor, setup)
        try:
            server = started(
                hosts.server, "serving", folder, plan.server, "serve", hosts.server.address
            )
            port = server.ready  # type: ignore[attr-defined]
            at = hosts.reached(f"tcp://{hosts.server.address}:{port}").removeprefix("tcp://")
            where = (at.rpartition(":")[0], port)
            if what == "ping":
                return pings(hosts, folder, *where)
            return [sent(hosts, folder, numbers, seconds, *where) for numbers in ((0,), (0, 1))]
        finally:
            hosts.close()


def sent(
    hosts: Hosts, folder: Path, numbers: tuple[int, ...], seconds: float, where: str, port: str
) -> list[float]:
    """Rates of some clients that send at the same time, in Mbit/s of payload."""
    clients = [
        started(
            hosts.clients[n], f"sending-{n}-{len(numbers)}", folder, hosts.plan.client,
            "send", where, port, str(seconds),
        )
        for n in numbers
    ]  # fmt: skip
    for client in clients:
        client.send("GO")
    found = [said(client, seconds + 30) for client in clients]
    return [one["bytes"] * 8 / one["seconds"] / 1e6 for one in found]


def pings(hosts: Hosts, folder: Path, where: str, port: str) -> list[float]:
    """Percentiles 1 to 99 of round trips of one byte, µs."""
    client = started(
        hosts.clients[0], "asking", folder, hosts.plan.client, "ping", where, port, str(PINGS)
    )
    client.send("GO")
    return statistics.quantiles(said(client, 120), n=100)


if __name__ == "__main__":
    main()
