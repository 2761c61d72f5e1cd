"""A control group of a node's own: limits of its CPU time, and of its memory, which can change.

Both generations are known. The group lies below the controller's, so that what holds for that one
holds for the node too; in generation 2, where a group with processes can have no such child,
mostly beside it.
"""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path

from modelstress.config.errors import MeasureError, MissingError
from modelstress.samples.cgroup_limits import folder_of

MIB = 1 << 20
EMPTY_S = 5.0
"""How long the kernel may take to notice that the last process of a group is gone."""
PERIOD_US = 20_000
"""Of CPU limits: short, so that a node that waits for its next share waits no 100 ms."""


class ControlGroup:
    """A group for one program and all that it starts.

    Args:
        name: of the group; nobody else's may be called so.
        node: whose it is, for messages.
        controllers: of ``memory`` and ``cpu`` those whose limits it will have.

    Raises:
        MissingError: this process may not make groups, or the kernel limits none of these.
    """

    def __init__(
        self, name: str, node: str = "server", controllers: Collection[str] = ("memory",)
    ) -> None:
        self._node = node
        self._folders: dict[str, Path] = {}
        for controller in controllers:
            parent, self._v2 = _parent(controller, controllers)
            folder = parent / name
            if folder not in self._folders.values():
                self._make(folder, controller)
            self._folders[controller] = folder

    def _make(self, folder: Path, controller: str) -> None:
        try:
            folder.mkdir()
        except OSError as error:
            self.remove()
            raise MissingError(
                f"the {self._node}'s {controller} cannot be limited: {folder}: {error.strerror}; "
                "run as root, or use the executor 'docker'"
            ) from error

    def add(self, pid: int) -> None:
        """Take a program in that was just started."""
        for folder in dict.fromkeys(self._folders.values()):
            (folder / "cgroup.procs").write_text(str(pid))

    def limit_cpu(self, percent: float) -> None:
        """Set the limit of CPU time, in percent of one CPU.

        Raises:
            MeasureError: the kernel does not take it.
        """
        folder, quota = self._folders["cpu"], round(percent / 100 * PERIOD_US)
        try:
            if self._v2:
                (folder / "cpu.max").write_text(f"{quota} {PERIOD_US}")
            else:
                (folder / "cpu.cfs_period_us").write_text(str(PERIOD_US))
                (folder / "cpu.cfs_quota_us").write_text(str(quota))
        except OSError as error:
            raise MeasureError(
                f"the {self._node}'s CPU time cannot be limited to {percent:g} %: {error.strerror}"
            ) from error

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
        return used_mib(self._folders["memory"], self._v2) if self._limits_memory else None

    @property
    def _limits_memory(self) -> bool:
        return "memory" in self._folders

    def kills(self) -> int:
        """How often the kernel killed a process of the group because of the limit."""
        if not self._limits_memory:
            return 0
        name = "memory.events" if self._v2 else "memory.oom_control"
        file = self._folders["memory"] / name
        with suppress(OSError, ValueError):
            fields = dict(line.split() for line in file.read_text().splitlines())
            return int(fields.get("oom_kill", 0))
        return 0

    def remove(self) -> None:
        """Remove the group, when its processes have ended; never raises."""
        end = time.monotonic() + EMPTY_S
        left = set(self._folders.values())
        while left and time.monotonic() < end:
            for folder in list(left):
                try:
                    folder.rmdir()
                except FileNotFoundError:
                    left.discard(folder)
                except OSError:
                    time.sleep(0.02)

    def _set(self, text: str) -> None:
        folder = self._folders["memory"]
        memory = folder / ("memory.max" if self._v2 else "memory.limit_in_bytes")
        if self._v2:
            memory.write_text(text)
            swap = folder / "memory.swap.max"
            if swap.is_file():  # not where the kernel does not count swap
                swap.write_text("max" if text == "max" else "0")
            return
        both = folder / "memory.memsw.limit_in_bytes"
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
        probe = ControlGroup(f"modelstress-probe-{os.getpid()}")
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
    folders: set[Path] = set()
    for controller in ("memory", "cpu"):
        with suppress(MissingError):
            own = _own(controller)[0]
            folders |= {own, own.parent}
    for folder in folders:
        yield from folder.glob(f"modelstress-{mark}*")


def _own(controller: str) -> tuple[Path, bool]:
    if group := folder_of(controller):
        return group
    raise MissingError(f"{controller} cannot be limited: this kernel has no control groups")


def _parent(controller: str, together: Collection[str]) -> tuple[Path, bool]:
    """Where a group with a controller can be made, and whether it is of generation 2.

    Args:
        controller: of which a limit is wanted.
        together: all that are; in generation 2 a program is in one group only.

    Raises:
        MissingError: nowhere; the sentence says why.
    """
    group, v2 = _own(controller)
    if not v2:
        return group, v2
    for folder in (group, group.parent):
        with suppress(OSError):
            if set(together) <= set((folder / "cgroup.subtree_control").read_text().split()):
                return folder, v2
    raise MissingError(
        f"{controller} cannot be limited: the controller {controller!r} is enabled neither in "
        f"{group} nor above it (cgroup.subtree_control); start modelstress with 'systemd-run "
        "--scope' (and '--user' where you are not root), or use the executor 'docker'"
    )
