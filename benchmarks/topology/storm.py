#!/usr/bin/env python3
"""Transactions while processes are killed: is one lost, done twice, or done by halves?

    .venv/bin/python benchmarks/topology/storm.py [--topology market-4]
        [--distribution three-stores] [--transactions 100000] [--clients 2] [--threads 8]
        [--every 4]

Every ``--every`` seconds on average a random process gets SIGKILL: a store (with its PostgreSQL),
an object manager or a client; it is started again on the files that it left. Afterwards the stores
are read: every transaction that was said to be committed is there once, none that was aborted is
there, and one whose end nobody heard is there once or not at all, never by halves; nothing is in
doubt 30 s after the last process was started; the invariants hold (``check-stores``).
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))
from common.nodes import Node  # noqa: E402 - of this folder, which is no package

JAR = ROOT / "java-shims/topology/target/dist/topology.jar"
JAVA = ["java", "-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", str(JAR)]
SERVER = [*JAVA, "org.modelstress.topology.tool.Main"]
DATASET = {
    "name": "marketplace-1000",
    "parameters": {"accommodations": 1000, "landlords": 10, "customers": 1000},
}
ENDS = ("market", "end")
DOUBT_S = 30


def text(*files: str) -> str:
    """Configuration files put together, by NIO."""
    whole = "".join((ROOT / "config" / file).read_text(encoding="utf-8") for file in files)
    return whole.replace("${protocol}", "nio")


class Storm:
    """All processes of a run.

    Args:
        arguments: of the program.
        folder: for everything.
    """

    def __init__(self, arguments: argparse.Namespace, folder: Path) -> None:
        self.arguments, self.folder = arguments, folder
        types = ["distributions/types.yaml", "distributions/customers-by-number.yaml"]
        self.distribution = text(*types, f"distributions/{arguments.distribution}.yaml")
        self.topology = self.distribution + text(f"topologies/{arguments.topology}.yaml")
        known = yaml.safe_load(self.topology)
        self.stores = list(known["stores"])
        self.peers = {
            name: [link.get("store") or link["server"] for link in about["connections"]]
            for name, about in known["managers"].items()
        }
        self.servers = [name for name, about in known["managers"].items() if "listeners" in about]
        self.nodes: dict[str, Node] = {}
        self.clients: dict[str, subprocess.Popen[bytes]] = {}
        self.sessions = 0
        self.kills: collections.Counter[str] = collections.Counter()

    def config(self, name: str, role: str) -> dict[str, Any]:
        """Of ``load`` and ``serve``."""
        return {
            "tool": "topology", "node": name, "role": role, "backend": "postgresql",
            "store": str(self.folder / "store"), "bind": "127.0.0.1",
            "options": {"topology": self.topology, "distribution": self.distribution},
        }  # fmt: skip

    def load(self) -> None:
        """Make the stores."""
        config = self.config("ds1", "store") | {"dataset": DATASET}
        file = self.folder / "load.json"
        file.write_text(json.dumps(config))
        command = [*JAVA, "org.modelstress.topology.tool.Main", "load", "--config", str(file)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)

    def start(self, name: str) -> None:
        """Start a node and, before it, those that it needs and that never were started."""
        for peer in self.peers.get(name, ()):
            if peer not in self.nodes:
                self.start(peer)
        if name not in self.nodes:
            store = name in self.stores
            config = self.config(name, "store" if store else "manager")
            self.nodes[name] = Node(self.folder, config, SERVER, "nio")
        needed = {peer: {"nio": self.nodes[peer].endpoint} for peer in self.peers.get(name, ())}
        self.nodes[name].start(needed)

    def addresses(self) -> dict[str, dict[str, str]]:
        """Of servers, as clients want them."""
        return {name: {"nio": self.nodes[name].endpoint} for name in self.servers}

    def start_client(self, name: str, linger_s: int = 0) -> None:
        """Start a client process on the log of its predecessor; it stays a while at its end."""
        folder = self.folder / name
        folder.mkdir(exist_ok=True)
        done = self.done()
        share = max(1, (self.arguments.transactions - done) // self.arguments.clients)
        config = {
            "name": name, "topology": self.topology, "addresses": self.addresses(),
            "first": self.sessions, "threads": self.arguments.threads,
            "transactions": share, "linger_ms": 1000 * linger_s,
            "log": str(folder / "transactions"),
            "out": str(folder / "history"),
        }  # fmt: skip
        self.sessions += self.arguments.threads
        file = folder / "client.json"
        file.write_text(json.dumps(config))
        with (folder / "log").open("a") as log:
            self.clients[name] = subprocess.Popen(
                [*JAVA, str(ROOT / "benchmarks/topology/StormClient.java"), str(file)],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
            )  # fmt: skip

    def history(self) -> list[list[str]]:
        """Whole lines of all clients."""
        lines: list[list[str]] = []
        for file in self.folder.glob("client-*/history"):
            whole = file.read_text().rpartition("\n")[0]
            lines += [line.split() for line in whole.split("\n") if line]
        return lines

    def done(self) -> int:
        """Transactions that have ended; who reached nobody has not begun one."""
        return sum(line[0] in ENDS and line[-1] != "UNREACHABLE" for line in self.history())

    def run(self) -> None:
        """Transactions and kills, until there were enough."""
        begin = time.monotonic()
        for name in self.servers:
            if name not in self.nodes:
                self.start(name)
        for number in range(self.arguments.clients):
            self.start_client(f"client-{number}")
        chance = random.Random(self.arguments.seed)
        shown = 0.0
        while (done := self.done()) < self.arguments.transactions:
            time.sleep(chance.expovariate(1 / self.arguments.every))
            victim = chance.choice([*self.nodes, *self.clients])
            self.kills[victim] += 1
            if victim in self.nodes:
                self.nodes[victim].kill()
                time.sleep(chance.uniform(0, 1))
                self.start(victim)
            else:
                os.killpg(self.clients[victim].pid, signal.SIGKILL)
                self.clients[victim].wait()
                self.start_client(victim)
            for name, client in self.clients.items():
                if client.poll() is not None:
                    self.start_client(name)
            if time.monotonic() - shown > 20:
                shown = time.monotonic()
                seconds = shown - begin
                print(
                    f"{done} transactions, {sum(self.kills.values())} kills, {seconds:.0f} s",
                    flush=True,
                )
        for client in self.clients.values():
            with contextlib.suppress(ProcessLookupError):
                os.killpg(client.pid, signal.SIGKILL)
            client.wait()

    def recover(self) -> float:
        """Start the coordinators of clients once more; seconds until nothing is in doubt."""
        self.arguments.transactions = 0
        for name in self.clients:
            self.start_client(name, 2 * DOUBT_S)
        begin = time.monotonic()
        while time.monotonic() - begin < DOUBT_S:
            if not any(self.rows(s, "SELECT gid FROM pg_prepared_xacts") for s in self.stores):
                break
            time.sleep(0.5)
        return time.monotonic() - begin

    def rows(self, store: str, sql: str) -> list[str]:
        """First columns of a query."""
        command = [
            *JAVA,
            str(ROOT / "benchmarks/topology/Rows.java"),
            self.nodes[store].endpoint,
            sql,
        ]
        found = subprocess.run(command, check=True, capture_output=True, text=True)
        return found.stdout.split()

    def judge(self) -> dict[str, int]:
        """How many transactions ended how, and what is wrong with them."""
        ends = {line[1]: line[2] for line in self.history() if line[0] == "end"}
        begun = {line[1] for line in self.history() if line[0] == "begin"}
        counts = {kind: self.marks(kind) for kind in ("Landlord", "Customer")}
        found: collections.Counter[str] = collections.Counter()
        for name in begun:
            there = [counts[kind][name] for kind in counts]
            end = ends.get(name, "NOT_HEARD")
            found[f"mark {end}"] += 1
            found["halves"] += there[0] != there[1]
            found["twice"] += max(there) > 1
            found["lost"] += end == "COMMITTED" and min(there) == 0
            found["not aborted"] += (
                end not in ("COMMITTED", "UNKNOWN", "NOT_HEARD") and max(there) > 0
            )
        found["of nobody"] = sum(name not in begun for kind in counts for name in counts[kind])
        found.update(f"market {line[1]}" for line in self.history() if line[0] == "market")
        return dict(found)

    def marks(self, kind: str) -> collections.Counter[str]:
        """How many objects of a type have the name of a transaction; replicas count once."""
        columns = """SELECT "name" || ',' || "oid" FROM"""
        objects: set[str] = set()
        for store in self.having(kind):
            objects.update(self.rows(store, f"""{columns} "{kind}" WHERE "name" LIKE 'mark-%'"""))
        return collections.Counter(one.partition(",")[0] for one in objects)

    def having(self, kind: str) -> list[str]:
        """Stores with a type."""
        domains = yaml.safe_load(self.distribution)["domains"].values()
        trees = [d["tree"] for d in domains if any(q.split()[2] == kind for q in d["define"])]
        return [s for s in self.stores if any(re.search(rf"\b{s}\b", tree) for tree in trees)]

    def invariants(self) -> str:
        """What ``check-stores`` says."""
        config = {
            "endpoints": {store: {"nio": self.nodes[store].endpoint} for store in self.stores},
            "levels": {"distribution": self.arguments.distribution, "customers": "by-number"},
            "dataset": DATASET, "outcomes": {},
        }  # fmt: skip
        file = self.folder / "check.json"
        file.write_text(json.dumps(config))
        program = ROOT / "java-shims/topology/check-stores"
        done = subprocess.run([program, "--config", str(file)], capture_output=True, text=True)
        return done.stdout.strip() or done.stderr.strip()

    def close(self) -> None:
        """Nothing of it is left."""
        for client in self.clients.values():
            with contextlib.suppress(ProcessLookupError):
                os.killpg(client.pid, signal.SIGKILL)
        for node in self.nodes.values():
            node.kill()


def main() -> None:
    """Run the program."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--topology", default="market-4")
    parser.add_argument("--distribution", default="three-stores")
    parser.add_argument("--transactions", type=int, default=100_000)
    parser.add_argument("--clients", type=int, default=2)
    parser.add_argument("--threads", type=int, default=8)
    parser.add_argument("--every", type=float, default=4.0)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="storm-"))
    wanted = arguments.transactions
    storm = Storm(arguments, folder)
    try:
        storm.load()
        storm.run()
        doubt = storm.recover()
        found, done = storm.judge(), storm.done()
        held = json.loads(storm.invariants().splitlines()[-1])
    finally:
        storm.close()
    print(f"{arguments.topology}, {arguments.distribution}: {done} transactions (of {wanted})")
    print(f"kills: {dict(storm.kills)}, {sum(storm.kills.values())} together")
    print(
        "ends:",
        {what: n for what, n in sorted(found.items()) if what.startswith(("mark", "market"))},
    )
    wrong = {
        what: found.get(what, 0) for what in ("lost", "twice", "halves", "not aborted", "of nobody")
    }
    print("wrong:", wrong)
    print(f"nothing in doubt after {doubt:.1f} s; invariants: {held['message']}")
    failed = any(wrong.values()) or not held["holds"] or doubt >= DOUBT_S
    if failed:
        print(f"files are in {folder}")
    else:
        shutil.rmtree(folder)
    sys.exit(failed)


if __name__ == "__main__":
    main()
