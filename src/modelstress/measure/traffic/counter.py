"""Counts and keeps every packet of a server's ports: AF_PACKET, standard library only."""

from __future__ import annotations

import ctypes
import mmap
import os
import select
import socket
import struct
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from modelstress.config.errors import MeasureError
from modelstress.measure.traffic import pcap

ETH_P_ALL = 3
SOL_PACKET = 263
PACKET_RX_RING, PACKET_STATISTICS, PACKET_VERSION, PACKET_IGNORE_OUTGOING = 5, 6, 10, 23
TPACKET_V2 = 1
SO_ATTACH_FILTER = 26
BUFFER_BYTES = 64 << 20
"""Of the ring: 32,768 packets may wait."""
BLOCK_BYTES = 1 << 16
SLOT_BYTES = 2048
"""Room for the frame of a packet of 1500 bytes and the kernel's header."""
PACKET_OUTGOING = 4
CLOCK_STEP_NS = 1_000_000
"""Realtime clocks are set now and then; a smaller difference is the reading of two clocks."""
STOP_S = 10.0


class Counter:
    """Writes the packets of some TCP ports of the loopback interface to a pcap file.

    Each packet is there once: leaving it, ``lo`` hands it to itself. Times are the kernel's.

    Args:
        file: is written from the start.

    Attributes:
        packets: counted so far.
        dropped: that the kernel had to drop, because we were too slow; known after ``stop``.
        failure: what ended the counting early, for people.
        clock_ns: realtime minus monotonic clock; constant over the file, also where the realtime
            clock is set while we count.
        ports: of servers.
    """

    def __init__(self, file: Path) -> None:
        self.file = file
        self.packets = 0
        self.dropped = 0
        self.failure: str | None = None
        self.clock_ns = realtime_offset()
        self.ports: set[int] = set()
        self._offset = self.clock_ns
        self._socket: socket.socket | None = None
        self._ring: _Ring | None = None
        self._over = -1
        self._thread = threading.Thread(target=self._run, name="counter", daemon=True)

    def watch(self, port: int) -> None:
        """Count the packets of this port from now on, besides those asked for before.

        Raises:
            MeasureError: this process may not see packets.
        """
        self.ports.add(port)
        try:
            if self._socket is None:
                self._socket, self._ring = _open(self.ports)
                self._over = os.eventfd(0, os.EFD_CLOEXEC)
                self._thread.start()
            else:
                _attach(self._socket, self.ports)
        except OSError as error:
            raise MeasureError(
                f"packets cannot be counted: {error.strerror}; see 'modelstress doctor'"
            ) from error

    def stop(self) -> None:
        """Count what has come so far and end; may be called again."""
        if self._socket is None:
            return
        os.eventfd_write(self._over, 1)
        self._thread.join(STOP_S)
        if self._thread.is_alive():
            self.failure = f"the counter did not end within {STOP_S:g} s"
            return
        with self._socket:
            raw = self._socket.getsockopt(SOL_PACKET, PACKET_STATISTICS, 8)
        self.dropped = struct.unpack("II", raw)[1]
        os.close(self._over)
        if self._ring is not None:
            self._ring.close()
        self._socket = self._ring = None

    def _run(self) -> None:
        assert self._socket is not None and self._ring is not None  # noqa: S101
        poll = select.poll()
        poll.register(self._socket, select.POLLIN)
        poll.register(self._over, select.POLLIN)
        try:
            with self.file.open("wb") as stream:
                stream.write(pcap.HEADER)
                over = False
                while not over:
                    over = any(fd == self._over for fd, _ in poll.poll())
                    for time_ns, frame in self._received(self._ring):
                        self.packets += 1
                        stream.write(pcap.record(time_ns, frame))
        except OSError as error:
            self.failure = f"{self.file.name}: {error.strerror or error}"

    def _received(self, ring: _Ring) -> Iterator[tuple[int, bytes]]:
        """All that waits in the ring."""
        if abs(realtime_offset(tries=1) - self._offset) > CLOCK_STEP_NS:
            now = realtime_offset()  # one reading alone may have been interrupted
            self._offset = now if abs(now - self._offset) > CLOCK_STEP_NS else self._offset
        step = self.clock_ns - self._offset
        while (packet := ring.next()) is not None:
            time_ns, frame = packet
            if frame:
                yield time_ns + step, frame


class _Ring:
    """Packets in memory shared with the kernel (packet_mmap, TPACKET_V2).

    Unlike a socket's buffer its size needs no privilege beyond the packet socket's own: without
    root the usual limit would hold some hundred packets only.
    """

    _HEAD = struct.Struct("IIIHHII")
    _KIND = 32 + 10  # of the packet, in the sockaddr_ll behind the header

    def __init__(self, raw: socket.socket) -> None:
        block = min(BLOCK_BYTES, BUFFER_BYTES)
        blocks = BUFFER_BYTES // block
        self._slots = blocks * block // SLOT_BYTES
        wanted = struct.pack("IIII", block, blocks, SLOT_BYTES, self._slots)
        raw.setsockopt(SOL_PACKET, PACKET_VERSION, TPACKET_V2)
        raw.setsockopt(SOL_PACKET, PACKET_RX_RING, wanted)
        self._memory = mmap.mmap(raw.fileno(), blocks * block)
        self._at = 0

    def next(self) -> tuple[int, bytes] | None:
        """Kernel time in ns since 1970 and frame; no frame for one that leaves lo."""
        place = self._at * SLOT_BYTES
        status, _, length, start, _, seconds, rest = self._HEAD.unpack_from(self._memory, place)
        if not status & 1:
            return None
        leaving = self._memory[place + self._KIND] == PACKET_OUTGOING
        frame = b"" if leaving else self._memory[place + start : place + start + length]
        struct.pack_into("I", self._memory, place, 0)  # back to the kernel
        self._at = (self._at + 1) % self._slots
        return seconds * 1_000_000_000 + rest, frame

    def close(self) -> None:
        self._memory.close()


def realtime_offset(tries: int = 20) -> int:
    """Realtime minus monotonic clock in ns, from the fastest of several readings of both."""
    best, offset = 1 << 62, 0
    for _ in range(tries):
        before = time.monotonic_ns()
        real = time.time_ns()
        after = time.monotonic_ns()
        if after - before < best:
            best, offset = after - before, real - (before + after) // 2
    return offset


def port_filter(ports: Sequence[int]) -> list[tuple[int, int, int, int]]:
    """Classic BPF: accept unfragmented IPv4 TCP to or from one of these ports, whole.

    Instructions are (code, jump if true, jump if false, operand); see bpf(4).
    """
    tests = [(0x48, 14)]  # ldh [x + 14]: source port
    tests += [(0x15, port) for port in ports]
    tests += [(0x48, 16)]
    tests += [(0x15, port) for port in ports]
    head = [
        (0x28, 0, 0, 12),  # ldh [12]: EtherType
        (0x15, 0, 5 + len(tests), 0x0800),
        (0x30, 0, 0, 23),  # ldb [23]: protocol
        (0x15, 0, 3 + len(tests), 6),
        (0x28, 0, 0, 20),  # ldh [20]: fragment offset
        (0x45, 1 + len(tests), 0, 0x1FFF),
        (0xB1, 0, 0, 14),  # ldxb 4 * ([14] & 15): length of the IP header
    ]
    body = [
        (code, len(tests) - number if code == 0x15 else 0, 0, operand)
        for number, (code, operand) in enumerate(tests)
    ]
    return [*head, *body, (0x06, 0, 0, 0), (0x06, 0, 0, 0xFFFF_FFFF)]


def _open(ports: set[int]) -> tuple[socket.socket, _Ring]:
    """A socket that sees these ports; nothing else has ever come into its ring."""
    raw = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
    try:
        with suppress(OSError):  # kernels before 4.20: left out one by one
            raw.setsockopt(SOL_PACKET, PACKET_IGNORE_OUTGOING, 1)
        ring = _Ring(raw)
        _attach(raw, ports)
        raw.bind(("lo", ETH_P_ALL))
    except BaseException:
        raw.close()
        raise
    return raw, ring


def _attach(raw: socket.socket, ports: set[int]) -> None:
    program = b"".join(struct.pack("HBBI", *line) for line in port_filter(sorted(ports)))
    code = ctypes.create_string_buffer(program, len(program))
    described = struct.pack("HP", len(program) // 8, ctypes.addressof(code))
    raw.setsockopt(socket.SOL_SOCKET, SO_ATTACH_FILTER, described)
