"""TCP segments in Ethernet frames, and the stream of bytes that one direction carries."""

from __future__ import annotations

import struct
from collections.abc import Container
from dataclasses import dataclass, field

FIN, SYN, RST, ACK = 0x01, 0x02, 0x04, 0x10
ETHERNET_BYTES = 14
_IPV4 = 0x0800
_TCP = 6
_HALF = 1 << 31
_WHOLE = 1 << 32


@dataclass(frozen=True, slots=True)
class Segment:
    """One TCP segment.

    Attributes:
        client: address and port of the side that is not the server.
        server: likewise.
        sent: from the client to the server.
        flags: of its TCP header.
        sequence: number of its first byte, modulo 2**32.
        payload: what it carries.
    """

    client: tuple[bytes, int]
    server: tuple[bytes, int]
    sent: bool
    flags: int
    sequence: int
    payload: bytes


def parse(frame: bytes, server_ports: Container[int]) -> Segment | None:
    """The TCP segment of an Ethernet frame; None when it is none to or from these ports."""
    if len(frame) < ETHERNET_BYTES + 40 or struct.unpack_from("!H", frame, 12)[0] != _IPV4:
        return None
    length = struct.unpack_from("!H", frame, 16)[0]  # short frames are padded behind the packet
    protocol, source, destination = struct.unpack_from("!9xB2x4s4s", frame, ETHERNET_BYTES)
    if protocol != _TCP:
        return None
    tcp = ETHERNET_BYTES + 4 * (frame[ETHERNET_BYTES] & 0x0F)
    from_port, to_port, sequence, offset, flags = struct.unpack_from("!HHI4xBB", frame, tcp)
    payload = frame[tcp + 4 * (offset >> 4) : ETHERNET_BYTES + length]
    this, that = (source, from_port), (destination, to_port)
    if to_port in server_ports:
        return Segment(this, that, True, flags, sequence, payload)
    if from_port in server_ports:
        return Segment(that, this, False, flags, sequence, payload)
    return None


@dataclass
class Stream:
    """One direction of a connection, put together in the order of its sequence numbers.

    Attributes:
        retransmissions: segments that brought bytes, SYN or FIN that had been seen before.
    """

    retransmissions: int = 0
    _next: int | None = None
    _early: dict[int, tuple[int, bytes]] = field(default_factory=dict)
    _ended: bool = False

    def accept(self, segment: Segment, size: int) -> list[tuple[int, bytes]]:
        """Take a segment; frame size and new bytes of every one that can be read now, in order.

        A segment that comes before its turn is kept until the gap is filled: only then can the
        receiver read it.

        Args:
            segment: of this direction.
            size: bytes of its frame.
        """
        if segment.flags & SYN:
            if self._next is not None:
                self.retransmissions += 1
            self._next = (segment.sequence + 1) % _WHOLE
            return []
        if segment.flags & FIN:
            self.retransmissions += self._ended and not segment.payload
            self._ended = True
        if not segment.payload:
            return []
        if self._next is None:  # the capture began in mid-connection
            self._next = segment.sequence
        ahead = (segment.sequence - self._next) % _WHOLE
        if 0 < ahead < _HALF:
            self.retransmissions += segment.sequence in self._early
            early_segment = self._early.get(segment.sequence, (0, b""))
            if len(segment.payload) > len(early_segment[1]):
                self._early[segment.sequence] = (size, segment.payload)
            return []
        new = self._new(segment.sequence, segment.payload)
        keep_alive = len(segment.payload) == 1 and ahead == _WHOLE - 1  # RFC 9293, 3.8.4
        self.retransmissions += ahead != 0 and not keep_alive
        return ([(size, new)] if new else []) + self._ready()

    def _new(self, sequence: int, payload: bytes) -> bytes:
        """The bytes from the expected one on."""
        assert self._next is not None  # noqa: S101
        new = payload[(self._next - sequence) % _WHOLE :]
        self._next = (self._next + len(new)) % _WHOLE
        return new

    def _ready(self) -> list[tuple[int, bytes]]:
        """What was early and now is not; what it repeats has been counted with its own frame."""
        ready: list[tuple[int, bytes]] = []
        while True:
            due = [s for s in self._early if not 0 < (s - (self._next or 0)) % _WHOLE < _HALF]
            if not due:
                return ready
            for sequence in due:
                size, payload = self._early.pop(sequence)
                if new := self._new(sequence, payload):
                    ready.append((size, new))
