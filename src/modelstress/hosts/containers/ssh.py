"""Docker daemons behind SSH: their socket, forwarded to one of this machine's.

docker-py's own SSH has no deadlines and cannot attach to a container through the ``ssh`` program;
a forwarded socket is a socket like any other.
"""

from __future__ import annotations

import atexit
import itertools
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.parse import urlsplit

from modelstress.config.errors import MissingError
from modelstress.hosts.process import LAUNCHER

THERE = "/var/run/docker.sock"
"""The daemon's socket on its own machine."""
CONNECTING_S = 20
NUMBERS = itertools.count()
OPTIONS = (
    "BatchMode=yes", "ConnectTimeout=10", "ExitOnForwardFailure=yes", "StreamLocalBindUnlink=yes",
    "ServerAliveInterval=5", "ServerAliveCountMax=6", "ControlMaster=no", "ControlPath=none",
)  # fmt: skip
"""Nobody is there to type a password; a machine that does not answer any more is noticed; and the
connection is this program's own: a shared one would outlive it."""
SAYING_S = 5
"""How long a program that was told to end may take to."""
FORWARDS: dict[str, subprocess.Popen[bytes]] = {}
"""What forwards, by context."""


def forwarded(url: str, context: str) -> str:
    """Address of a daemon as docker-py can use it: that of a local socket for ``ssh://``.

    The ``ssh`` program runs until this one ends, with the keys and settings of its user.

    Args:
        url: of the Docker context.
        context: its name.

    Raises:
        MissingError: there is no ``ssh``, or it does not get there.
    """
    if not url.startswith("ssh://"):
        return url
    if shutil.which("ssh") is None:
        raise MissingError(
            f"Docker context {context!r}: no ssh on PATH (apt-get install openssh-client)"
        )
    parts = urlsplit(url)
    # each has a place of its own: an earlier one's may still lead somewhere
    place = _folder() / f"{next(NUMBERS)}-{os.getpid()}"
    named = [word for option in OPTIONS for word in ("-o", option)]
    port = ["-p", str(parts.port)] if parts.port else []
    to = f"{parts.username}@{parts.hostname}" if parts.username else str(parts.hostname)
    ssh = ["ssh", "-N", "-T", *named, *port, "-L", f"{place}:{THERE}", "--", to]
    # it ends with us, however we end
    argv = [sys.executable, "-I", "-S", LAUNCHER, str(os.getpid()), "-", "-", *ssh]
    program = subprocess.Popen(
        argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        start_new_session=True,
    )  # fmt: skip
    atexit.register(_end, program, place)
    end = time.monotonic() + CONNECTING_S
    while not _listens(place):
        if program.poll() is not None or time.monotonic() > end:
            raise MissingError(f"Docker context {context!r}: ssh to {to}: {_said(program)}")
        time.sleep(0.05)
    FORWARDS[context] = program
    return f"unix://{place}"


def ended(context: str) -> bool:
    """Whether a daemon's socket was forwarded and is not any more."""
    return context in FORWARDS and FORWARDS[context].poll() is not None


def _folder() -> Path:
    """A folder of this user's own for sockets, without those of programs that were killed."""
    folder = Path(tempfile.gettempdir()) / f"modelstress-ssh-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    seen = folder.lstat()
    if folder.is_symlink() or seen.st_uid != os.getuid() or seen.st_mode & 0o077:
        raise MissingError(f"{folder} must be a folder that only you can use; delete it")
    for left in folder.iterdir():
        pid = left.name.rpartition("-")[2]
        if pid.isdecimal() and not Path(f"/proc/{pid}").exists():
            left.unlink(missing_ok=True)
    return folder


def _listens(place: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as probe:
        return probe.connect_ex(str(place)) == 0


def _said(program: subprocess.Popen[bytes]) -> str:
    """The last line of what it complained about; it is ended."""
    program.terminate()
    try:
        _, stderr = program.communicate(timeout=SAYING_S)
    except subprocess.TimeoutExpired as error:  # it, or something that it started
        program.kill()
        with program:  # which closes its pipes and waits
            stderr = error.stderr or b""
    lines = stderr.decode("utf-8", errors="replace").strip().splitlines()
    return lines[-1] if lines else f"no connection within {CONNECTING_S} s"


def _end(program: subprocess.Popen[bytes], place: Path) -> None:
    program.terminate()
    place.unlink(missing_ok=True)
