"""A cell of the fake tool under the executor ``namespace``; run as a program, by the tests.

A process cannot leave a namespace, so that every test has one of its own. Usage:
``python in_namespace.py FOLDER REQUEST`` where REQUEST is JSON for ``fake_invocation``, or with
``"nodes": true`` for ``two_nodes``; the last line printed is JSON.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "fakes"))

from fake_cells import fake_invocation, processes_of, read_record, read_rows
from fake_nodes import two_nodes
from pydantic import TypeAdapter

from modelstress.config.errors import ModelstressError
from modelstress.config.faults import Fault
from modelstress.hosts import private
from modelstress.measure import calibration
from modelstress.measure.cell import run_invocation
from modelstress.measure.events import Event


def main(folder: Path, request: dict) -> dict:
    """Measure, and say what came of it and what is left."""
    if why_not := private.enter(mounts=True):
        sys.exit(f"no namespace: {why_not}")
    calibration.SECONDS = 0.02
    request["levels"] = {"executor": "namespace", **request.get("levels", {})}
    if "fault" in request:
        request["levels"]["fault"] = request["fault"]["kind"]
        request["fault"] = TypeAdapter(Fault).validate_python(request["fault"])
    made = two_nodes if request.pop("nodes", False) else fake_invocation
    invocation = made(folder, **request)
    qdiscs: list[str] = []
    links: list[str] = []

    def look(event: Event) -> None:
        """What limits the switch's ports and the server's end of its cable; a client's end."""
        if event.phase == "measure" and not qdiscs:
            [server, *_] = processes_of(str(folder), "serve")
            [client, *_] = processes_of(str(folder), "client")
            for inside in ([], inside_of(server)):
                qdiscs.extend(said(*inside, "tc", "qdisc", "show"))
            links.extend(said(*inside_of(client), "ip", "-details", "link", "show", "eth0"))

    try:
        run_invocation(invocation, listener=look, lock_file=folder / "lock", lock_wait_s=5)
    except ModelstressError as error:
        return {"error": str(error), **left(folder)}
    rows = [row for row in read_rows(invocation).to_pylist() if row["phase"] == "measure"]
    return {
        "uid": os.getuid(),
        "record": read_record(invocation),
        "qdiscs": qdiscs,
        "links": links,
        "outcomes": [row["outcome"] for row in rows],
        "folder": str(invocation.folder),
        **left(folder),
    }


def inside_of(process: int) -> list[str]:
    """Begin of a command in the network of a process."""
    return ["nsenter", f"--net=/proc/{process}/ns/net"]


def said(*argv: str) -> list[str]:
    """Lines that a command prints."""
    done = subprocess.run(argv, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def left(folder: Path) -> dict:
    """Processes, network devices and mounts that should be gone."""
    mounts = Path("/proc/self/mounts").read_text().splitlines()
    devices = Path("/proc/self/net/dev").read_text().splitlines()[2:]
    return {
        "processes": processes_of(str(folder), "serve") + processes_of(str(folder), "client"),
        "devices": [line.partition(":")[0].strip() for line in devices],
        "mounts": [line for line in mounts if str(folder) in line],
    }


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1]), json.loads(sys.argv[2])), default=str))
