"""Control groups of processes: where they are, and what they limit. Both generations are known."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

ROOT = Path("/sys/fs/cgroup")
LIMITS = {
    "cpu.max": "cpu",
    "memory.max": "memory",
    "cpu.cfs_quota_us": "cpu",
    "memory.limit_in_bytes": "memory",
}
"""Files with a limit, of generation 2 and 1, and their controllers."""


def folder_of(controller: str, pid: int | None = None) -> tuple[Path, bool] | None:
    """The control group of a process for one controller, and whether it is of generation 2.

    Args:
        controller: such as ``memory``.
        pid: of the process; this one by default.

    Returns:
        None when the process is gone or the kernel has no such group.
    """
    with suppress(OSError, ValueError):
        whose = "self" if pid is None else pid
        lines = Path(f"/proc/{whose}/cgroup").read_text().splitlines()
        for line in lines:
            _, controllers, path = line.split(":", 2)
            if controller in controllers.split(","):
                return ROOT / controller / path.lstrip("/"), False
        for line in lines:
            number, _, path = line.split(":", 2)
            if number == "0" and (ROOT / "cgroup.controllers").is_file():
                return ROOT / path.lstrip("/"), True
    return None


def limits() -> dict[str, str]:
    """CPU and memory limits that hold for this process, as the kernel prints them.

    A group is limited by those above it, too: of each limit, the tightest one.
    """
    amounts = {}
    for name, controller in LIMITS.items():
        place = folder_of(controller)
        folders = [] if place is None else [place[0], *place[0].parents]
        texts = []
        for folder in folders:
            if folder.is_relative_to(ROOT):
                with suppress(OSError):
                    texts.append((folder / name).read_text(encoding="ascii").strip())
        if texts:
            amounts[name] = min(texts, key=_amount)
    return amounts


def _amount(text: str) -> float:
    """How much a limit leaves: `max`, `-1`, bytes, or microseconds of CPU (and of how many)."""
    first, *rest = text.split()
    if first in ("max", "-1"):
        return float("inf")
    return int(first) / int(rest[0]) if rest else int(first)
