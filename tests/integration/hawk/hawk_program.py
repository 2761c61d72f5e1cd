"""The real server program and what it says when it is ready."""

from __future__ import annotations

import json
import select
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from modelstress.config.project import Project
from modelstress.measure.conformance.bench import QUICK_JVM
from modelstress.measure.java import find_java

ROOT = Project.find(Path(__file__)).root
JAR = ROOT / "java-shims/hawk/target/dist/hawk.jar"
LOAD_S = 120
READY_S = 60
STOP_S = 20


@dataclass
class Served:
    """A server program that answers."""

    endpoints: dict[str, str]
    pid: int
    model: Path
    store: Path
    config: dict[str, Any]

    def port(self, protocol: str) -> int:
        return int(self.endpoints[protocol].split(":")[2].split("/")[0])

    def http(self, protocol: str) -> str:
        """Address of one of the four protocols over HTTP."""
        return f"{self.endpoints['http'].rpartition('/')[0]}/{protocol}"


def hawk(*arguments: str) -> list[str]:
    java = [find_java().program, "-Xmx1g", "-XX:+UseG1GC", *QUICK_JVM, "-jar", str(JAR)]
    return [*java, *arguments]


def write_config(folder: Path, config: dict[str, Any], name: str = "config.json") -> str:
    path = folder / name
    path.write_text(json.dumps(config), encoding="utf-8")
    return str(path)


def ready(process: subprocess.Popen[str]) -> dict[str, Any]:
    """The READY line, in time."""
    assert process.stdout is not None
    assert select.select([process.stdout], [], [], READY_S)[0], "the server is not ready in time"
    word, _, rest = process.stdout.readline().partition(" ")
    assert word == "READY", word
    return dict(json.loads(rest))
