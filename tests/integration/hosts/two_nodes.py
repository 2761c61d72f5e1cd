"""Two nodes that talk, on hosts of any executor; what clients see of them.

Run as a program, for hosts in namespaces: ``python two_nodes.py FOLDER``; it prints JSON.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from modelstress.hosts import (
    CpuPlan,
    Disturbance,
    Hosts,
    Link,
    Node,
    Program,
    ProgramSpec,
    Setup,
    available_cpus,
    namespace,
    private,
)

SOON = 20.0
SMALL_MIB, LARGE_MIB = 64, 512
DISK_MIB = 8
NODE = Path(__file__).with_name("talking_node.py").read_text(encoding="utf-8")
ASK = "import sys, urllib.request as u; print(u.urlopen(sys.argv[1], timeout=5).read().decode())"


def setup(folder: Path, mark: str, **of_store: Any) -> Setup:
    """A store and a reader that asks it, the reader with little memory; each on CPUs of its own."""
    for name in ("store", "reader"):
        (folder / name).mkdir(parents=True)
    first, *others = sorted(available_cpus())
    client = frozenset(others)
    plan = CpuPlan({"store": frozenset({first}), "reader": frozenset(others[:1])}, client)
    store = Node("store", folder / "store", memory_mib=LARGE_MIB, **of_store)
    return Setup(mark, plan, folder, (store, Node("reader", folder / "reader", SMALL_MIB)))


class Talk:
    """Starts both nodes on some hosts and asks them, as a client."""

    def __init__(self, hosts: Hosts, asked: Setup) -> None:
        self.hosts, self.folder = hosts, asked.folder
        self.programs: dict[str, Program] = {}
        self.endpoints: dict[str, str] = {}
        store = self._serve("store", "")
        self._serve("reader", hosts.seen("store", "reader", store))

    def _serve(self, name: str, peer: str) -> str:
        host, folder = self.hosts.nodes[name], self.folder
        argv = (name, host.address, str(host.port), str(folder / name), peer)
        program = self.programs[name] = host.start(
            ProgramSpec(
                name, (sys.executable, "-c", NODE, *argv), folder, folder / f"{name}.log",
                cpus=self.hosts.plan.nodes[name], node=name,
            )
        )  # fmt: skip
        line = program.lines.read(SOON)
        assert line, (folder / f"{name}.log").read_text()
        self.endpoints[name] = line
        return line

    def ask(self, name: str, what: str) -> Any:
        """What a node answers to a client; None for no answer."""
        url = f"{self.hosts.reached(name, self.endpoints[name])}/{what}"
        argv, log = (sys.executable, "-c", ASK, url), self.folder / "client.log"
        program = self.hosts.clients[0].start(ProgramSpec("client", argv, self.folder, log))
        try:
            line = program.lines.read(SOON)
        finally:
            program.stop(0.0)
        return None if line is None else json.loads(line)

    def meanwhile(self, node: str, what: Disturbance, *questions: tuple[str, str]) -> list[Any]:
        """What is answered while a node is disturbed, and then when it is not any more."""
        assert self.hosts.can(node, what) is None
        self.hosts.disturb(node, what)
        try:
            during = [self.ask(*one) for one in questions]
        finally:
            self.hosts.calm(node, what)
        return [during, [self.ask(*one) for one in questions]]


BOTH = (("store", "name"), ("reader", "name"), ("reader", "peer"))
WRITES = (("store", "write"), ("reader", "write"))


def observed(made: Callable[[], Hosts], asked: Setup, *kinds: str) -> dict[str, Any]:
    """All that is to be seen of two nodes; the hosts are gone afterwards.

    Args:
        made: makes the hosts.
        asked: what was asked for.
        kinds: of disturbances, all of the store.
    """
    hosts = made()
    try:
        talk = Talk(hosts, asked)
        found = {
            "answers": [talk.ask(*one) for one in BOTH],
            "cpus": {name: talk.ask(name, "cpus") for name in hosts.nodes},
            "here": {name: sorted(cpus) for name, cpus in hosts.here.items()},
            "counters": hosts.counters(),
        }
        for kind in kinds:
            questions = WRITES if kind == "disk" else BOTH
            found[kind] = talk.meanwhile("store", Disturbance(kind, 100), *questions)  # type: ignore[arg-type]
        hosts.empty_folder("reader")
        found["files"] = [
            [file.name for file in (asked.folder / name).iterdir()] for name in hosts.nodes
        ]
        found["eaten"] = [talk.ask("store", "eat"), talk.ask("reader", "eat")]
        found["ended"] = [talk.programs[name].wait(2.0) for name in hosts.nodes]
        for program in talk.programs.values():
            program.stop(SOON)
        found["record"] = hosts.record()
    finally:
        hosts.close()
    return found


def in_namespace(folder: Path) -> dict[str, Any]:
    """Both nodes in namespaces, with links and the store's disk disturbed; and what is left."""
    if why_not := private.enter(mounts=True):
        sys.exit(f"no namespace: {why_not}")
    asked = replace(setup(folder, "two-nodes", disk_mib=DISK_MIB), link=Link(mbit_s=100))
    found = observed(
        lambda: namespace.NamespaceHosts(asked), asked, "memory", "cut", "drop", "disk"
    )
    devices = Path("/proc/self/net/dev").read_text().splitlines()[2:]
    found["devices"] = [line.partition(":")[0].strip() for line in devices]
    mounts = Path("/proc/self/mounts").read_text().splitlines()
    found["mounts"] = [line for line in mounts if str(folder) in line]
    return found


if __name__ == "__main__":
    print(json.dumps(in_namespace(Path(sys.argv[1]))))
