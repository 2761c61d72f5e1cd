"""Calibration: what a CPU set gets done, a switch between processes costs, and a disk flushes.

Run by file name as a program (``python -I -S spin.py``) and pinned by the host. It waits, idle,
for a line with a number of seconds on standard input, spins for so long, switches for a tenth of
it, flushes for a fifth, and prints one JSON line. Different numbers before and after a cell mean
that the machine itself changed.
"""

import json
import os
import sys
import time

ROUND = 1000
OF_SWITCHES, OF_FLUSHES = 0.1, 0.2
"""Of the seconds of spinning, how long it switches and flushes."""
BLOCK = bytes(4096)
PASSES = 20
"""Times that a byte goes to and fro between two looks at the clock."""


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


def switches(seconds: float) -> dict[str, float]:
    """Pass a byte to another process on the same CPU and back, and as often to oneself.

    Both do two reads and two writes of a pipe a time; only the first has two switches between
    processes besides.

    Args:
        seconds: for how long, each in turn.

    Returns:
        ``switch_ns``, half of the difference of the median times; nothing where there can be no
        other process.
    """
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    try:
        there, back = os.pipe(), os.pipe()
        child = os.fork()
    except OSError:
        return {}
    if not child:
        os.close(there[1])  # or its own end would keep it waiting for ever
        while os.read(there[0], 1):
            os.write(back[1], b"x")
        os._exit(0)
    own = os.pipe()
    alone: list[int] = []
    together: list[int] = []
    end = time.monotonic() + seconds
    while time.monotonic() < end or not together:
        begin = time.perf_counter_ns()
        for _ in range(2 * PASSES):
            os.write(own[1], b"x")
            os.read(own[0], 1)
        middle = time.perf_counter_ns()
        for _ in range(PASSES):
            os.write(there[1], b"x")
            os.read(back[0], 1)
        together.append(time.perf_counter_ns() - middle)
        alone.append(middle - begin)
    os.close(there[1])
    os.waitpid(child, 0)
    difference = sorted(together)[len(together) // 2] - sorted(alone)[len(alone) // 2]
    return {"switch_ns": difference / PASSES / 2}


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
        found = spin(seconds) | flushes(OF_FLUSHES * seconds) | switches(OF_SWITCHES * seconds)
        print(json.dumps(found), flush=True)
