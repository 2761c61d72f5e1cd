"""A private network namespace: ``lo`` like a real network, and room for networks of hosts.

``modelstress run`` re-executes itself in it (util-linux ``unshare``), so process id, signals and
exit code stay what they were. For the executor ``namespace`` mounts are private too. For captures
the MTU of ``lo`` is set to 1500 and segmentation offloads are switched off, so that packets are as
many and as long as on an Ethernet. The namespace ends with its last process. This file needs
nothing but the standard library: it is also run by itself, as a probe.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import shutil
import socket
import struct
import subprocess
import sys
from pathlib import Path

MTU = 1500
OUTSIDE = "MODELSTRESS_OUTSIDE"
"""Environment variable: number of the network namespace that ``enter`` left."""
PROBE_S = 20
WAYS = (("--net",), ("--user", "--map-root-user", "--net"))
"""Arguments of ``unshare``, for root and for everybody else."""
MOUNTS = "--mount"
NETWORK = f"namespace: lo, MTU {MTU}, offloads off"

_GET_FLAGS, _SET_FLAGS, _GET_MTU, _SET_MTU, _ETHTOOL = 0x8913, 0x8914, 0x8921, 0x8922, 0x8946
_UP = 1
OFFLOADS = {"tso": (0x1E, 0x1F), "gso": (0x23, 0x24), "gro": (0x2B, 0x2C)}
"""Segmentation offloads: the commands that get and set them (linux/ethtool.h)."""


def enter(*, mounts: bool = False) -> str | None:
    """Go on in a private namespace; returns when there, or with the reason why it cannot be had.

    Call it before anything is started: this process is replaced by one that begins anew.

    Args:
        mounts: for hosts of their own: what is mounted there is private as well, and ``lo`` is as
            usual; otherwise for captures on a ``lo`` like a network.
    """
    if inside():
        if mounts:
            up()
            return None
        prepare()
        return missing()
    way, why = available(mounts=mounts)
    if way is None:
        return why
    os.environ[OUTSIDE] = str(_number())
    unshare = shutil.which("unshare") or "unshare"
    return os.execv(  # noqa: S606
        unshare, [unshare, *way, "--", sys.executable, *sys.orig_argv[1:]]
    )


def inside() -> bool:
    """Whether this process runs in a namespace that ``enter`` made."""
    return os.environ.get(OUTSIDE) not in (None, str(_number()))


def available(*, mounts: bool = False) -> tuple[tuple[str, ...] | None, str]:
    """Arguments of ``unshare`` that give a namespace in which packets can be counted, and why not.

    It is tried, not guessed: containers allow one thing and forbid another.
    """
    unshare = shutil.which("unshare")
    if unshare is None:
        return None, "no unshare on PATH (apt-get install util-linux)"
    failure = ""
    for way in [(*way, MOUNTS) for way in WAYS] if mounts else WAYS:
        argv = [unshare, *way, "--", sys.executable, "-I", "-S", __file__]
        try:
            done = subprocess.run(
                argv, capture_output=True, text=True, timeout=PROBE_S, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            failure = str(error)
            continue
        if done.returncode == 0:
            return way, ""
        failure = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
    return None, f"no private network namespace with packet counts: {failure}"


def prepare() -> None:
    """Set ``lo`` up: MTU 1500, no segmentation offloads.

    Raises:
        OSError: this process may not do so.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        _ioctl(any_socket, _SET_MTU, struct.pack("i", MTU))
        for name, (_, set_command) in OFFLOADS.items():
            try:
                _ethtool(any_socket, set_command, 0)
            except OSError:
                if offloads().get(name):  # some cannot be set and are off anyhow
                    raise
    up()


def up() -> None:
    """Set ``lo`` up: in a new namespace it is down.

    Raises:
        OSError: this process may not do so.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        [flags] = struct.unpack_from("h", _ioctl(any_socket, _GET_FLAGS, b""))
        _ioctl(any_socket, _SET_FLAGS, struct.pack("h", flags | _UP))


def missing() -> str | None:
    """Why packets on ``lo`` cannot be counted as if it were a network; None where they can."""
    if (now := mtu()) != MTU:
        return f"MTU of lo is {now} instead of {MTU}"
    if on := [name for name, state in offloads().items() if state]:
        return f"offloads of lo are on: {', '.join(on)}"
    try:
        socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0).close()
    except OSError as error:
        return f"no packet socket: {error.strerror}"
    return None


def mtu() -> int:
    """MTU of ``lo`` in bytes."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        [value] = struct.unpack_from("i", _ioctl(any_socket, _GET_MTU, b""))
    return int(value)


def offloads() -> dict[str, bool]:
    """Segmentation offloads of ``lo`` by name, and whether each is on."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        return {name: bool(_ethtool(any_socket, get, 0)) for name, (get, _) in OFFLOADS.items()}


def _number() -> int:
    return Path("/proc/self/ns/net").stat().st_ino


def _ioctl(any_socket: socket.socket, request: int, value: bytes) -> bytes:
    """An ioctl(2) on ``lo`` with a ``struct ifreq``; what stands behind the name afterwards."""
    result = fcntl.ioctl(any_socket, request, struct.pack("16s24s", b"lo", value))
    return result[16:]


def _ethtool(any_socket: socket.socket, command: int, value: int) -> int:
    """Get or set an ``ethtool_value`` of ``lo``."""
    data = ctypes.create_string_buffer(struct.pack("II", command, value), 8)
    _ioctl(any_socket, _ETHTOOL, struct.pack("P", ctypes.addressof(data)))
    return int(struct.unpack("II", data.raw)[1])


if __name__ == "__main__":
    try:
        prepare()
    except OSError as error:
        sys.exit(f"lo cannot be set up: {error.strerror}")
    sys.exit(missing())
