"""Calibration: how much a CPU set gets done in one second, and a disk flushes, by themselves.

Run by file name as a program (``python -I -S spin.py``) and pinned by the host. It waits, idle,
for a line with a number of seconds on standard input, spins for so long, flushes for a fifth of it,
and prints one JSON line. Different numbers before and after a cell mean that the machine itself
changed.
"""

import json
import os
import sys
import time

ROUND = 1000
OF_FLUSHES = 0.2
"""Of the seconds of spinning, how long it flushes."""
BLOCK = bytes(4096)


def spin(seconds: float) -> dict[str, float]:
    """Count in a loop for so long.

    Returns:
        ``rounds_per_s`` (of 1000 additions each) and ``longest_gap_ns``, the longest time between
        two looks at the clock: far above a round's time when the CPU was taken away.
    """
    begin = last = time.monotonic_ns()
    end = begin + int(seconds * 1e9)
    rounds = longest = total = 0
    while last < end:
        for number in range(ROUND):
            total += number
        now = time.monotonic_ns()
        longest = max(longest, now - last)
        last = now
        rounds += 1
    return {"rounds_per_s": rounds / ((last - begin) / 1e9), "longest_gap_ns": longest}


def flushes(seconds: float) -> dict[str, float]:
    """Write a block and have it flushed, again and again, in the working directory.

    Args:
        seconds: for how long; once at least.

    Returns:
        ``flushes_per_s``, what a durable commit costs at least; nothing where nobody may write.
    """
    name = f"flush-{os.getpid()}.tmp"
    try:
        file = os.open(name, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError:
        return {}
    try:
        os.remove(name)  # noqa: PTH107 - pathlib takes long to import
        begin, count = time.monotonic(), 0
        while (passed := time.monotonic() - begin) < seconds or not count:
            os.pwrite(file, BLOCK, 0)
            os.fsync(file)
            count += 1
        return {"flushes_per_s": count / passed} if passed else {}
    except OSError:
        return {}
    finally:
        os.close(file)


if __name__ == "__main__":
    if line := sys.stdin.readline():  # nothing: the controller has ended
        seconds = float(line)
        print(json.dumps(spin(seconds) | flushes(OF_FLUSHES * seconds)), flush=True)
