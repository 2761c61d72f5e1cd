"""One measurement at a time on one host, over all users and controllers."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import re
import stat
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from modelstress.config.errors import BusyError
from modelstress.hosts.user import user_name
from modelstress.measure.interrupt import TICK_S, Interrupt


def lock_path(machine: str = "") -> Path:
    """The lock file, the same for every user of the host.

    Args:
        machine: another one that is measured on from here (a Docker context); by default this one.

    The choice depends on the folder only, never on the caller's rights or environment: two users
    who chose differently would measure at the same time.
    """
    folder = Path("/run/lock")
    try:
        everyone = folder.stat().st_mode & 0o1777 == 0o1777
    except OSError:
        everyone = False
    # what a context may be called, a file may not always be
    suffix = f"-{re.sub('[^A-Za-z0-9_.-]', '-', machine)}" if machine else ""
    return (folder if everyone else Path("/tmp")) / f"modelstress{suffix}.lock"  # noqa: S108


class HostLock:
    """An exclusive ``flock``: the kernel releases it when its holder ends, however it ends.

    The file is never deleted; its content tells who holds the lock and means nothing otherwise.

    Args:
        holder: what is measured, such as a cell's id; shown to those who wait.
        wait_s: how long to wait for another holder.
        interrupt: looked at while waiting.
        told: called once, with a sentence, when there is somebody to wait for.
        path: of the lock file.
    """

    def __init__(
        self,
        holder: str,
        wait_s: float,
        interrupt: Interrupt,
        told: Callable[[str], None] = lambda sentence: None,
        path: Path | None = None,
    ) -> None:
        self._holder = holder
        self._wait_s = wait_s
        self._interrupt = interrupt
        self._told = told
        self._path = path or lock_path()
        self._fd = -1

    def __enter__(self) -> HostLock:
        self._fd = _open(self._path)
        try:
            self._acquire()
        except BaseException:
            os.close(self._fd)
            raise
        return self

    def __exit__(self, *exc: object) -> None:
        os.ftruncate(self._fd, 0)
        os.close(self._fd)

    def _acquire(self) -> None:
        deadline = time.monotonic() + self._wait_s
        waiting = False
        while not self._try():
            self._interrupt.check()
            who = _who(self._fd)
            if time.monotonic() >= deadline:
                raise BusyError(
                    f"{self._path}: {who} measures on this host since more than "
                    f"{self._wait_s:g} s; wait for its end or raise 'lock_wait_s'"
                )
            if not waiting:
                self._told(f"waiting for {who}, which measures on this host")
                waiting = True
            time.sleep(TICK_S)
        note = {"pid": os.getpid(), "user": user_name(), "cell": self._holder}
        os.ftruncate(self._fd, 0)
        os.pwrite(self._fd, json.dumps(note).encode(), 0)

    def _try(self) -> bool:
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno in (errno.EAGAIN, errno.EACCES):
                return False
            raise BusyError(f"{self._path}: cannot be locked: {error.strerror}") from error
        return True


def _open(path: Path) -> int:
    """Open or create the file, for everyone; a link or a folder in its place is refused."""
    flags = os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC
    for _ in range(3):
        try:
            # First without O_CREAT: the kernel may refuse that for another user's file in a
            # sticky folder (fs.protected_regular).
            fd = os.open(path, flags)
        except FileNotFoundError:
            try:
                fd = os.open(path, flags | os.O_CREAT | os.O_EXCL, 0o666)
                os.fchmod(fd, 0o666)  # whatever the umask is
            except FileExistsError:
                continue
        except OSError as error:
            raise BusyError(
                f"{path}: the host lock cannot be opened: {error.strerror}; look at that file"
            ) from error
        file_stat = os.fstat(fd)
        # a second name could be that of somebody's file, which we would empty
        if not stat.S_ISREG(file_stat.st_mode) or file_stat.st_nlink != 1:
            os.close(fd)
            raise BusyError(
                f"{path}: the host lock must be a regular file with one name; remove what is there"
            )
        return fd
    raise BusyError(f"{path}: somebody keeps creating and deleting the host lock")


def _who(fd: int) -> str:
    try:
        note: dict[str, Any] = json.loads(os.pread(fd, 4096, 0))
        return f"process {note['pid']} of {note['user']} (cell {note['cell']})"
    except (ValueError, KeyError, TypeError):
        return "another run"
