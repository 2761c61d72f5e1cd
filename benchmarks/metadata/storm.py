#!/usr/bin/env python3
"""Updates while database and service are killed: is an acknowledged version lost, or one halved?

    .venv/bin/python benchmarks/metadata/storm.py [--backend postgresql] [--updates 100000]
        [--kills 50] [--control transactions] [--layout rows]

Writers update objects of their own over the web API, readers read what was acknowledged. Database
(with its server processes) and service get SIGKILL at random and are started again on the files
that they left; kills are spread over the updates. Afterwards every version of every object is read.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))
from common.nodes import Node  # noqa: E402 - of this folder, which is no package

JAR = ROOT / "java-shims/metadata/target/dist/metadata.jar"
JAVA = ["java", "-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", str(JAR)]
SERVER = [*JAVA, "org.modelstress.metadata.tool.Main"]
MOST_S = 3600


class Storm:
    """All processes of a run.

    Args:
        arguments: of the program.
        folder: for everything.
    """

    def __init__(self, arguments: argparse.Namespace, folder: Path) -> None:
        self.arguments, self.folder = arguments, folder
        self.database = Node(folder, self.config("database"), SERVER, "sql")
        self.service = Node(folder, self.config("service"), SERVER, "http")
        self.client: subprocess.Popen[bytes] | None = None
        self.kills = {"database": 0, "service": 0}

    def config(self, role: str) -> dict[str, Any]:
        """Of ``serve``."""
        options = {"layout": self.arguments.layout, "control": self.arguments.control}
        return {
            "tool": "metadata", "node": role, "role": role, "backend": self.arguments.backend,
            "store": None, "bind": "127.0.0.1", "options": options,
        }  # fmt: skip

    def start(self, node: Node) -> None:
        """Start a node, on the database if it is the service."""
        peers = {} if node is self.database else {"database": {"sql": self.database.endpoint}}
        node.start(peers)

    def run(self) -> None:
        """Updates and kills, until there were enough of both."""
        self.start(self.database)
        self.start(self.service)
        config = {
            "endpoint": self.service.endpoint, "updates": self.arguments.updates,
            "writers": self.arguments.writers, "readers": self.arguments.readers,
            "out": str(self.folder / "out"),
        }  # fmt: skip
        file = self.folder / "client.json"
        file.write_text(json.dumps(config))
        source = str(ROOT / "benchmarks/metadata/StormClient.java")
        with (self.folder / "client.log").open("wb") as log:
            self.client = subprocess.Popen(
                [*JAVA, source, str(file)], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                start_new_session=True,
            )  # fmt: skip
        chance, begin = random.Random(self.arguments.seed), time.monotonic()
        due = sorted(
            chance.uniform(0.01, 0.98) * self.arguments.updates for _ in range(self.arguments.kills)
        )
        shown = 0.0
        while self.client.poll() is None and time.monotonic() - begin < MOST_S:
            time.sleep(0.05)
            done = self.done()
            while due and done >= due[0]:
                due.pop(0)
                time.sleep(chance.uniform(0, 0.5))
                self.kill(chance)
            if time.monotonic() - shown > 20:
                shown = time.monotonic()
                print(f"{done} updates, {sum(self.kills.values())} kills, {shown - begin:.0f} s",
                      flush=True)  # fmt: skip

    def kill(self, chance: random.Random) -> None:
        """Kill one or the other, and start it again."""
        node = chance.choice([self.database, self.service])
        self.kills[node.name] += 1
        node.kill()
        time.sleep(chance.uniform(0, 0.5))
        self.start(node)

    def lines(self) -> list[str]:
        """Whole lines of the clients."""
        file = self.folder / "out"
        return file.read_text().rpartition("\n")[0].split("\n") if file.is_file() else []

    def done(self) -> int:
        """Updates that were acknowledged."""
        done = [int(line.split()[1]) for line in self.lines()[-5:] if line.startswith("done ")]
        return done[-1] if done else 0

    def check(self) -> dict[str, Any]:
        """What ``check-versions`` says."""
        found = self.done()
        config = {
            "endpoints": {"database": {"sql": self.database.endpoint}},
            "levels": {"layout": self.arguments.layout}, "dataset": None,
            "outcomes": {"update-own": {"ok": found}},
        }  # fmt: skip
        file = self.folder / "check.json"
        file.write_text(json.dumps(config))
        program = ROOT / "java-shims/metadata/check-versions"
        done = subprocess.run([program, "--config", str(file)], capture_output=True, text=True)
        lines = done.stdout.strip().splitlines()
        return json.loads(lines[-1]) if lines else {"holds": False, "message": done.stderr.strip()}

    def close(self) -> None:
        """Nothing of it is left."""
        if self.client:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.client.pid, signal.SIGKILL)
        self.service.kill()
        self.database.kill()


def main() -> None:
    """Run the program."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--backend", default="postgresql", choices=["postgresql", "mariadb"])
    parser.add_argument("--control", default="transactions")
    parser.add_argument("--layout", default="rows", choices=["rows", "document"])
    parser.add_argument("--updates", type=int, default=100_000)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--writers", type=int, default=12)
    parser.add_argument("--readers", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="storm-"))
    storm = Storm(arguments, folder)
    try:
        storm.run()
        lines = storm.lines()
        held = storm.check()
    finally:
        storm.close()
    wrong = [line for line in lines if line.startswith("wrong ")]
    ended = lines[-1] if lines and lines[-1].startswith("end ") else "the clients did not end"
    print(f"{arguments.backend}, {arguments.control}, {arguments.layout}: kills {storm.kills}")
    print(ended)
    print("\n".join(wrong[:10]) or "nothing wrong was seen")
    print(f"afterwards: {held['message']}")
    failed = bool(wrong) or not held["holds"] or not ended.startswith("end ")
    if failed:
        print(f"files are in {folder}")
    else:
        shutil.rmtree(folder)
    sys.exit(failed)


if __name__ == "__main__":
    main()
