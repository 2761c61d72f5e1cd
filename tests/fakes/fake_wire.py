"""Ethernet frames made by hand: one TCP conversation between 10.0.0.1 and a server on 10.0.0.2."""

from __future__ import annotations

import socket
import struct
from dataclasses import dataclass, field

SERVER_PORT = 8080
FIN, SYN, RST, PSH, ACK = 1, 2, 4, 8, 16
CLIENT, SERVER = socket.inet_aton("10.0.0.1"), socket.inet_aton("10.0.0.2")


def frame(
    sent: bool, sequence: int, payload: bytes = b"", flags: int = ACK, port: int = 40_000
) -> bytes:
    """One Ethernet frame; checksums are left out, as segmentation offloads do."""
    ends = (port, SERVER_PORT) if sent else (SERVER_PORT, port)
    hosts = (CLIENT, SERVER) if sent else (SERVER, CLIENT)
    tcp = struct.pack("!HHIIBBHHH", *ends, sequence % 2**32, 0, 5 << 4, flags, 1000, 0, 0)
    length = 20 + len(tcp) + len(payload)
    ip = struct.pack("!BBHHHBBH4s4s", 0x45, 0, length, 0, 0, 64, 6, 0, *hosts)
    whole = bytes(12) + b"\x08\x00" + ip + tcp + payload
    return whole + bytes(max(0, 60 - len(whole)))  # an Ethernet frame has no less


@dataclass
class Wire:
    """Packets as they pass, each a microsecond after the one before."""

    time_ns: int = 0
    port: int = 40_000
    packets: list[tuple[int, bytes]] = field(default_factory=list)
    at: dict[bool, int] = field(default_factory=lambda: {True: 1000, False: 2**32 - 3})

    def put(self, sent: bool, payload: bytes = b"", flags: int = ACK, sequence: int | None = None):
        """Send a segment that comes next, or any other one."""
        self.time_ns += 1000
        here = self.at[sent] if sequence is None else sequence
        if sequence is None:
            self.at[sent] += len(payload) + bool(flags & (SYN | FIN))
        self.packets.append((self.time_ns, frame(sent, here, payload, flags, self.port)))
        return here

    def open(self) -> Wire:
        self.put(True, flags=SYN)
        self.put(False, flags=SYN | ACK)
        self.put(True)
        return self

    def close(self) -> Wire:
        self.put(True, flags=FIN | ACK)
        self.put(False, flags=FIN | ACK)
        self.put(True)
        return self
