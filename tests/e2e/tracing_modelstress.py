"""Stands in for ``modelstress`` where only the order of the workflow's jobs matters.

``run CELL …`` locks the machines of the host in the cell's id; one that is locked already is an
error. The first cells wait until two hosts have begun, so that the workflow gets to its end only
when they run at once. What happens goes to the file TRACE, a line each.
"""

import fcntl
import json
import os
import re
import sys
import time
from contextlib import ExitStack
from pathlib import Path

LONGEST_S = 60
TRACE = Path(os.environ["TRACE"])
MACHINES = json.loads(os.environ["MACHINES"])


def note(*words: str) -> None:
    """Append a line; short ones are written in one piece."""
    with TRACE.open("a") as file:
        file.write(" ".join(words) + "\n")


def main() -> int:
    """Measure nothing, but as if."""
    if sys.argv[1] != "run":
        return 0
    host = re.search(r"_host=([a-z-]+)", sys.argv[2])[1]
    with ExitStack() as held:
        for machine in MACHINES[host]:
            lock = held.enter_context(TRACE.with_name(f"{machine}.lock").open("w"))
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                note("busy", host)
                return 1
        note("begin", host)
        deadline = time.monotonic() + LONGEST_S
        while len({line.split()[1] for line in TRACE.read_text().splitlines()}) < 2:
            if time.monotonic() > deadline:
                note("alone", host)
                return 1
            time.sleep(0.02)
        time.sleep(0.3)  # another one on these machines would begin now
        note("end", host)
    return 0


if __name__ == "__main__":
    sys.exit(main())
