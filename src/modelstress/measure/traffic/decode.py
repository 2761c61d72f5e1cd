"""From packets, or from what passed the proxy, to messages and totals of each execution."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from modelstress.measure.traffic.http2 import Http2, is_http2
from modelstress.measure.traffic.proxy import Seen
from modelstress.measure.traffic.readers import (
    Http,
    OtherProtocolError,
    Part,
    Reader,
    Runs,
    is_http,
)
from modelstress.measure.traffic.segments import ACK, FIN, RST, SYN, Segment, Stream, parse

HANDSHAKE = Part("handshake", True, 0, 0)


@dataclass(frozen=True)
class Share:
    """The time that belongs to an execution, ns: from its start to the start of the next.

    Attributes:
        begin: its start.
        finish: its end; what comes later is late, but still its own.
        end: the next one's start, or the end of the pause after the last.
    """

    begin: int
    finish: int
    end: int


@dataclass(frozen=True)
class Message:
    """Something that one side told the other; times in ns, on the clock of the shares.

    Attributes:
        execution: index of the share in which it began; −1 outside of all.
        connection: number over the whole capture.
        part: kind, direction and sizes.
        begin, end: first and last byte.
        packets, size: that began with one of its bytes, and bytes of their frames.
    """

    execution: int
    connection: int
    part: Part
    begin: int
    end: int
    packets: int
    size: int


@dataclass
class Totals:
    """Of one execution; ``[True]`` is what the client sent, ``[False]`` what it received."""

    packets: dict[bool, int] = field(default_factory=lambda: {True: 0, False: 0})
    size: dict[bool, int] = field(default_factory=lambda: {True: 0, False: 0})
    payload: dict[bool, int] = field(default_factory=lambda: {True: 0, False: 0})
    connections: int = 0
    round_trips: int = 0
    retransmissions: int = 0
    longest_gap: int = 0
    spoken: int | None = None


@dataclass
class Decoded:
    """All that a capture says.

    Attributes:
        messages: in the order of their beginnings.
        totals: of each execution.
        outside: what belongs to no execution, such as sessions opened before the first.
        connections: in the whole capture.
    """

    messages: list[Message]
    totals: list[Totals]
    outside: Totals
    connections: int


@dataclass
class _Direction:
    """When the bytes of one direction came: (first byte, time, size of the frame)."""

    stream: Stream = field(default_factory=Stream)
    length: int = 0
    marks: list[tuple[int, int, int]] = field(default_factory=list)
    closed: bool = False

    def come(self, time_ns: int, size: int, data: bytes) -> None:
        self.marks.append((self.length, time_ns, size))
        self.length += len(data)

    def take(self, start: int, end: int) -> tuple[int, int, int, int]:
        """Begin, end, packets and their bytes of a range; earlier marks are forgotten."""
        first = bisect_right(self.marks, start, key=lambda mark: mark[0]) - 1
        last = bisect_right(self.marks, end - 1, key=lambda mark: mark[0]) - 1
        marks = [mark for mark in self.marks[first : last + 1] if start <= mark[0] < end]
        begin, finish = self.marks[first][1], self.marks[last][1]
        del self.marks[:last]
        return begin, finish, len(marks), sum(size for _, _, size in marks)


@dataclass
class _Handshake:
    execution: int
    begin: int
    end: int
    packets: int = 0
    size: int = 0

    def add(self, time_ns: int, size: int) -> None:
        self.end = time_ns
        self.packets += 1
        self.size += size


@dataclass
class _Connection:
    number: int
    directions: dict[bool, _Direction] = field(
        default_factory=lambda: {True: _Direction(), False: _Direction()}
    )
    reader: Reader | None = None
    execution: int = -1
    asked: bool = False
    handshake: _Handshake | None = None


class Decoder:
    """Takes what was captured in the order of time.

    Args:
        shares: of the executions, in the order of their starts.
    """

    def __init__(self, shares: Sequence[Share]) -> None:
        self._shares = shares
        self._begins = [share.begin for share in shares]
        self._totals = [Totals() for _ in shares]
        self._outside = Totals()
        self._connections: list[_Connection] = []
        self._messages: list[Message] = []

    def result(self) -> Decoded:
        """Call it once, after everything."""
        for connection in self._connections:
            self._end_handshake(connection)
            if connection.reader is not None:
                self._tell(connection, connection.reader.finish())
        self._messages.sort(key=lambda message: (message.begin, message.end))
        return Decoded(self._messages, self._totals, self._outside, len(self._connections))

    # -- packets --------------------------------------------------------------------------------

    def packets(
        self, packets: Iterable[tuple[int, bytes]], ports: set[int], clock_ns: int
    ) -> Decoded:
        """Decode Ethernet frames.

        Args:
            packets: time in ns and frame.
            ports: of the server.
            clock_ns: the clock of those times minus the clock of the shares.
        """
        connections: dict[tuple[tuple[bytes, int], tuple[bytes, int]], _Connection] = {}
        for stamp, frame in packets:
            segment = parse(frame, ports)
            if segment is None:
                continue
            time_ns = stamp - clock_ns
            totals = self._count(time_ns, len(frame), segment.sent)
            key = (segment.client, segment.server)
            begins = segment.flags & (SYN | ACK) == SYN
            connection = connections.get(key)
            if connection is None or (begins and _over(connection)):
                connection = connections[key] = self._open(totals, begins)
            self._segment(connection, segment, time_ns, len(frame), totals)
        return self.result()

    def _segment(
        self, connection: _Connection, segment: Segment, time_ns: int, size: int, totals: Totals
    ) -> None:
        direction = connection.directions[segment.sent]
        self._shake(connection, segment, time_ns, size)
        before = direction.stream.retransmissions
        for its_size, data in direction.stream.accept(segment, size):
            self._payload(connection, segment.sent, time_ns, its_size, data)
        totals.retransmissions += direction.stream.retransmissions - before
        if segment.flags & (FIN | RST):
            alone = 0 if segment.payload else 1
            self._close(connection, segment.sent, time_ns, alone, alone * size)

    def _shake(self, connection: _Connection, segment: Segment, time_ns: int, size: int) -> None:
        """SYN, SYN-ACK and the client's next packet, which belongs to it when it says no more."""
        if segment.flags & SYN:
            if connection.handshake is None:
                execution = self._execution(time_ns)
                connection.handshake = _Handshake(execution, time_ns, time_ns)
            connection.handshake.add(time_ns, size)
        elif connection.handshake is not None and segment.sent:
            if not segment.payload and not segment.flags & (FIN | RST):
                connection.handshake.add(time_ns, size)
            self._end_handshake(connection)

    def _end_handshake(self, connection: _Connection) -> None:
        if (hands := connection.handshake) is not None:
            connection.handshake = None
            self._add(
                Message(
                    hands.execution, connection.number, HANDSHAKE, hands.begin, hands.end,
                    hands.packets, hands.size,
                )
            )  # fmt: skip

    def _count(self, time_ns: int, size: int, sent: bool) -> Totals:
        totals = self._of(self._execution(time_ns))
        totals.packets[sent] += 1
        totals.size[sent] += size
        return totals

    # -- proxy ----------------------------------------------------------------------------------

    def seen(self, events: Iterable[Seen]) -> Decoded:
        """Decode what passed a proxy."""
        connections: dict[int, _Connection] = {}
        for event in events:
            execution = self._execution(event.time_ns)
            if event.connection not in connections:
                connection = connections[event.connection] = self._open(self._of(execution), True)
                at = event.time_ns
                self._add(Message(execution, connection.number, HANDSHAKE, at, at, 0, 0))
            connection = connections[event.connection]
            if event.event == "payload":
                self._payload(connection, event.sent, event.time_ns, 0, event.payload)
            elif event.event == "close":
                self._close(connection, event.sent, event.time_ns, 0, 0)
        return self.result()

    # -- both -----------------------------------------------------------------------------------

    def _execution(self, time_ns: int) -> int:
        index = bisect_right(self._begins, time_ns) - 1
        return index if index >= 0 and time_ns < self._shares[index].end else -1

    def _of(self, execution: int) -> Totals:
        return self._totals[execution] if execution >= 0 else self._outside

    def _open(self, totals: Totals, begins: bool) -> _Connection:
        connection = _Connection(len(self._connections))
        self._connections.append(connection)
        if begins:
            totals.connections += 1
            totals.round_trips += 1
        return connection

    def _payload(
        self, connection: _Connection, sent: bool, time_ns: int, size: int, data: bytes
    ) -> None:
        execution = self._execution(time_ns)
        totals = self._of(execution)
        totals.payload[sent] += len(data)
        if connection.execution != execution:
            if connection.reader is not None:
                self._tell(connection, connection.reader.cut())
            connection.execution, connection.asked = execution, False
        if connection.asked and not sent:
            totals.round_trips += 1
        connection.asked = sent
        self._spoken(execution, time_ns)
        connection.directions[sent].come(time_ns, size, data)
        self._read(connection, sent, data)

    def _read(self, connection: _Connection, sent: bool, data: bytes) -> None:
        if connection.reader is None:
            connection.reader = _reader_of(sent, data)
        reader = connection.reader
        try:
            self._tell(connection, reader.feed(sent, data))
        except OtherProtocolError:
            assert isinstance(reader, Http | Http2)  # noqa: S101
            self._tell(connection, reader.finish())
            connection.reader = Runs(reader.fed())

    def _close(
        self, connection: _Connection, sent: bool, time_ns: int, packets: int, size: int
    ) -> None:
        direction = connection.directions[sent]
        if connection.reader is not None:
            self._tell(connection, connection.reader.end(sent))
        if direction.closed:
            return
        direction.closed = True
        part = Part("close", sent, direction.length, direction.length)
        execution = self._execution(time_ns)
        self._add(Message(execution, connection.number, part, time_ns, time_ns, packets, size))

    def _tell(self, connection: _Connection, parts: Iterable[Part]) -> None:
        for part in parts:
            begin, end, packets, size = connection.directions[part.sent].take(part.start, part.end)
            execution = self._execution(begin)
            message = Message(execution, connection.number, part, begin, end, packets, size)
            self._messages.append(message)

    def _add(self, message: Message) -> None:
        """A message without payload; payload has been noted as it came."""
        self._messages.append(message)
        self._spoken(message.execution, message.begin)
        self._spoken(message.execution, message.end)

    def _spoken(self, execution: int, time_ns: int) -> None:
        """Note the silence before; only as long as the execution lasts does somebody wait."""
        if execution < 0 or time_ns > self._shares[execution].finish:
            return
        totals = self._totals[execution]
        if totals.spoken is not None:
            totals.longest_gap = max(totals.longest_gap, time_ns - totals.spoken)
        totals.spoken = max(time_ns, totals.spoken or time_ns)


def _reader_of(sent: bool, data: bytes) -> Reader:
    """The reader of a connection on which this side begins, with these bytes."""
    if is_http2(sent, data):
        return Http2()
    return Http() if sent and is_http(data) else Runs()


def _over(connection: _Connection) -> bool:
    """Whether a new connection may have the same addresses and ports."""
    return any(direction.closed for direction in connection.directions.values())
