"""A control group of a node's own: a limit of its memory that can be changed while it runs.

Both generations are known. The group lies below the controller's, so that what holds for that one
holds for the node too; in generation 2, where a group with processes can have no such child,
mostly beside it.
"""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from modelstress.config.errors import MeasureError, MissingError
from modelstress.samples.cgroup_limits import folder_of

MIB = 1 << 20
EMPTY_S = 5.0
"""How long the kernel may take to notice that the last process of a group is gone."""


class MemoryGroup:
    """A group for one program and all that it starts.

    Args:
        name: of the group; nobody else's may be called so.
        node: whose memory it is, for messages.

    Raises:
        MissingError: this process may not make groups, or the kernel limits no memory.
    """

    def __init__(self, name: str, node: str = "server") -> None:
        parent, self._v2 = _parent()
        self._node = node
        self._folder = parent / name
        try:
            self._folder.mkdir()
        except OSError as error:
            raise MissingError(
                f"the {node}'s memory cannot be limited: {self._folder}: {error.strerror}; run as "
                "root, or use the executor 'docker'"
            ) from error

    def add(self, pid: int) -> None:
        """Take a program in that was just started."""
        (self._folder / "cgroup.procs").write_text(str(pid))

    def limit(self, mib: float | None) -> None:
        """Set the limit of memory and of memory with swap, in MiB; None for no limit.

        Where the kernel counts swap, none is left to the group: a node that may not have memory
        must not become a slow one instead.

        Raises:
            MeasureError: the kernel does not take it (generation 1 refuses what is in use).
        """
        text = str(round(mib * MIB)) if mib is not None else ("max" if self._v2 else "-1")
        try:
            self._set(text)
        except OSError as error:
            raise MeasureError(
                f"the {self._node}'s memory cannot be limited to {text} bytes: {error.strerror}"
            ) from error

    def used_mib(self) -> float | None:
        """See ``used_mib``."""
        return used_mib(self._folder, self._v2)

    def kills(self) -> int:
        """How often the kernel killed a process of the group because of the limit."""
        file = self._folder / ("memory.events" if self._v2 else "memory.oom_control")
        with suppress(OSError, ValueError):
            fields = dict(line.split() for line in file.read_text().splitlines())
            return int(fields.get("oom_kill", 0))
        return 0

    def remove(self) -> None:
        """Remove the group, when its processes have ended; never raises."""
        end = time.monotonic() + EMPTY_S
        while time.monotonic() < end:
            try:
                self._folder.rmdir()
            except FileNotFoundError:
                return
            except OSError:
                time.sleep(0.02)

    def _set(self, text: str) -> None:
        memory = self._folder / ("memory.max" if self._v2 else "memory.limit_in_bytes")
        if self._v2:
            memory.write_text(text)
            swap = self._folder / "memory.swap.max"
            if swap.is_file():  # not where the kernel does not count swap
                swap.write_text("max" if text == "max" else "0")
            return
        both = self._folder / "memory.memsw.limit_in_bytes"
        if not both.is_file():
            memory.write_text(text)
            return
        try:  # neither may ever be above the sum: which goes first depends on the direction
            memory.write_text(text)
            both.write_text(text)
        except OSError as error:
            if error.errno != errno.EINVAL:
                raise
            both.write_text(text)
            memory.write_text(text)


def used_mib(folder: Path, v2: bool) -> float | None:
    """Memory of a control group that cannot be taken back, in MiB; None where that is not known.

    That is what is charged to it without the file pages of its page cache: also the kernel's own
    memory, such as page tables and stacks, which counts for the limit as well.
    """
    names = ("inactive_file", "active_file")
    with suppress(OSError, ValueError, KeyError):
        used = int((folder / ("memory.current" if v2 else "memory.usage_in_bytes")).read_text())
        lines = (folder / "memory.stat").read_text().splitlines()
        fields = dict(line.split() for line in lines)
        return (used - sum(int(fields[n if v2 else f"total_{n}"]) for n in names)) / MIB
    return None


def why_not() -> str | None:
    """Why no memory can be limited here; None when it can."""
    try:
        probe = MemoryGroup(f"modelstress-probe-{os.getpid()}")
        try:
            probe.limit(None)
        finally:
            probe.remove()
    except (MissingError, MeasureError) as error:
        return str(error)
    return None


def remove_groups(mark: str) -> None:
    """Remove the groups that a killed controller left, once their processes have been killed."""
    end = time.monotonic() + EMPTY_S
    while left := list(_groups(mark)):
        for folder in left:
            with suppress(OSError):
                folder.rmdir()
        if time.monotonic() > end:
            return
        time.sleep(0.02)


def _groups(mark: str) -> Iterator[Path]:
    with suppress(MissingError):
        for parent in (_own()[0], _own()[0].parent):
            yield from parent.glob(f"modelstress-{mark}*")


def _own() -> tuple[Path, bool]:
    if group := folder_of("memory"):
        return group
    raise MissingError("memory cannot be limited: this kernel has no control groups")


def _parent() -> tuple[Path, bool]:
    """Where a group can be made whose memory is limited, and whether it is of generation 2.

    Raises:
        MissingError: nowhere; the sentence says why.
    """
    group, v2 = _own()
    if not v2:
        return group, v2
    for folder in (group, group.parent):
        with suppress(OSError):
            if "memory" in (folder / "cgroup.subtree_control").read_text().split():
                return folder, v2
    raise MissingError(
        "memory cannot be limited: the controller 'memory' is enabled neither in "
        f"{group} nor above it (cgroup.subtree_control); start modelstress with 'systemd-run "
        "--scope' (and '--user' where you are not root), or use the executor 'docker'"
    )
