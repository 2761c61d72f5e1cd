"""What the payload of a connection says: HTTP requests and responses, WebSocket frames, or runs.

HTTP/2 has a module of its own.

A reader takes the bytes of both directions in the order of time and gives back parts: ranges of
bytes of one direction that are one message.
"""

from __future__ import annotations

import dataclasses
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Protocol

import h11

METHODS = (b"GET ", b"POST ", b"PUT ", b"HEAD ", b"DELETE ", b"OPTIONS ", b"PATCH ", b"TRACE ")
LONGEST_HEADER = 1 << 20


@dataclass(frozen=True)
class Part:
    """A message as a range of bytes of one direction.

    Attributes:
        kind: ``data``, ``http-request``, ``http-response``, ``websocket``, or a frame of HTTP/2
            that is neither (``http2-data``, ``http2-trailers``, ``http2-control``).
        sent: by the client.
        start, end: of the range, counted from the connection's beginning.
        header_bytes, body_bytes: of HTTP, WebSocket and frames of HTTP/2; a body without its
            chunks' frames.
        http_method, http_path, http_status: of HTTP; a response has the method and path of its
            request. The path has the names of its query's parameters, not their values.
    """

    kind: str
    sent: bool
    start: int
    end: int
    header_bytes: int | None = None
    body_bytes: int | None = None
    http_method: str | None = None
    http_path: str | None = None
    http_status: int | None = None


class OtherProtocolError(Exception):
    """It is not HTTP after all."""


class Reader(Protocol):
    """Finds the messages of one connection."""

    def feed(self, sent: bool, data: bytes) -> list[Part]:
        """The messages that are complete with these bytes.

        Raises:
            OtherProtocolError: these bytes are not what the reader can read.
        """

    def cut(self) -> list[Part]:
        """An execution has ended: what ends with it."""

    def end(self, sent: bool) -> list[Part]:
        """A direction was closed: what ends with it."""

    def finish(self) -> list[Part]:
        """The capture has ended: messages that are not complete."""


class Runs:
    """Any protocol: payload of one direction without payload of the other in between.

    Args:
        fed: bytes of each direction that others have read.
    """

    def __init__(self, fed: dict[bool, int] | None = None) -> None:
        self._fed = fed or {True: 0, False: 0}
        self._run: tuple[bool, int] | None = None

    def feed(self, sent: bool, data: bytes) -> list[Part]:
        """See ``Reader.feed``; a run is complete when the other side begins to speak."""
        over = self.cut() if self._run is not None and self._run[0] != sent else []
        if self._run is None:
            self._run = (sent, self._fed[sent])
        self._fed[sent] += len(data)
        return over

    def cut(self) -> list[Part]:
        """See ``Reader.cut``."""
        if self._run is None:
            return []
        (sent, start), self._run = self._run, None
        return [Part("data", sent, start, self._fed[sent])]

    def end(self, sent: bool) -> list[Part]:
        """See ``Reader.end``."""
        return self.cut() if self._run is not None and self._run[0] == sent else []

    finish = cut


@dataclass
class _Side:
    """One direction of HTTP: requests as a server reads them, or responses as a client does."""

    sent: bool
    http: h11.Connection
    fed: int = 0
    start: int = 0
    open: Part | None = None

    @property
    def position(self) -> int:
        return self.fed - len(self.http.trailing_data[0])


def _fresh() -> dict[bool, _Side]:
    return {
        True: _Side(True, h11.Connection(h11.SERVER, max_incomplete_event_size=LONGEST_HEADER)),
        False: _Side(False, h11.Connection(h11.CLIENT, max_incomplete_event_size=LONGEST_HEADER)),
    }


@dataclass
class Http:
    """HTTP/1.1, read by h11 as the server and as the client: each is told what the other reads.

    After an upgrade the connection is read as WebSocket.
    """

    _sides: dict[bool, _Side] = field(default_factory=_fresh)
    _parts: list[Part] = field(default_factory=list)
    _request: Part | None = None
    _socket: WebSocket | None = None

    def feed(self, sent: bool, data: bytes) -> list[Part]:
        """See ``Reader.feed``."""
        if self._socket is not None:
            return self._socket.feed(sent, data)
        side = self._sides[sent]
        side.fed += len(data)
        try:
            side.http.receive_data(data)
            self._advance()
        except (h11.ProtocolError, RuntimeError) as error:
            raise OtherProtocolError(str(error)) from error
        return self._complete_now()

    def cut(self) -> list[Part]:
        """See ``Reader.cut``; a request under way goes on in the next execution."""
        return []

    def end(self, sent: bool) -> list[Part]:
        """See ``Reader.end``; a response without a length ends here."""
        if self._socket is not None:
            return []
        with suppress(h11.ProtocolError, RuntimeError):  # in mid-message: ``finish`` tells of it
            self._sides[sent].http.receive_data(b"")
            self._advance()
        return self._complete_now()

    def finish(self) -> list[Part]:
        """See ``Reader.finish``; a response may end with its connection."""
        if self._socket is not None:
            return self._socket.finish()
        return self._complete_now() + [
            dataclasses.replace(side.open or Part("data", side.sent, side.start, 0), end=side.fed)
            for side in self._sides.values()
            if side.fed > side.start
        ]

    def fed(self) -> dict[bool, int]:
        """Bytes of each direction so far."""
        return {sent: side.fed for sent, side in self._sides.items()}

    def _complete_now(self) -> list[Part]:
        parts, self._parts = self._parts, []
        return parts

    def _advance(self) -> None:
        """Read on until both sides need more."""
        while any([self._step(side) for side in self._sides.values()]):  # noqa: C419
            pass
        ends = [side.http for side in self._sides.values()]
        if self._socket is None and all(
            h11.DONE == end.our_state == end.their_state for end in ends
        ):
            for end in ends:
                end.start_next_cycle()
            self._advance()

    def _step(self, side: _Side) -> bool:
        """Read one event, if there is one."""
        if self._socket is not None:
            return False
        event = side.http.next_event()
        if event in (h11.NEED_DATA, h11.PAUSED) or isinstance(event, h11.ConnectionClosed):
            return False
        other = self._sides[not side.sent].http
        if isinstance(event, h11.Request):
            self._request = side.open = self._head(side, "http-request", event)
            other.send(h11.Request(method=event.method, headers=event.headers, target=event.target))
        elif isinstance(event, h11.InformationalResponse | h11.Response):
            side.open = self._head(side, "http-response", event)
            again = type(event)(status_code=event.status_code, headers=event.headers)
            other.send(again)
            if isinstance(event, h11.InformationalResponse):
                self._complete(side)
                if event.status_code == 101:
                    self._switch()
        elif isinstance(event, h11.Data):
            assert side.open is not None  # noqa: S101
            body = (side.open.body_bytes or 0) + len(event.data)
            side.open = dataclasses.replace(side.open, body_bytes=body)
            other.send(h11.Data(data=event.data))
        elif isinstance(event, h11.EndOfMessage):
            other.send(h11.EndOfMessage())
            self._complete(side)
        return True

    def _head(self, side: _Side, kind: str, event: Any) -> Part:
        header = side.position - side.start
        part = Part(kind, side.sent, side.start, side.position, header, 0)
        if isinstance(event, h11.Request):
            method = event.method.decode("ascii", "replace")
            return dataclasses.replace(part, http_method=method, http_path=path_of(event.target))
        request = self._request
        return dataclasses.replace(
            part,
            http_method=request.http_method if request else None,
            http_path=request.http_path if request else None,
            http_status=event.status_code,
        )

    def _complete(self, side: _Side) -> None:
        assert side.open is not None  # noqa: S101
        self._parts.append(dataclasses.replace(side.open, end=side.position))
        side.open, side.start = None, side.position

    def _switch(self) -> None:
        """Go on with WebSocket; bytes that came with the upgrade belong to it."""
        starts = {sent: side.start for sent, side in self._sides.items()}
        self._socket = WebSocket(starts)
        for sent, side in self._sides.items():
            self._parts += self._socket.feed(sent, side.http.trailing_data[0])


@dataclass
class _Frames:
    """One direction of WebSocket: where its open frame began, its header, and what is missing."""

    start: int
    position: int
    head: bytearray = field(default_factory=bytearray)
    missing: int | None = None
    body: int | None = None


class WebSocket:
    """Frames as in RFC 6455, section 5.2; what they contain is not looked at.

    Args:
        fed: bytes of each direction before the first frame.
    """

    def __init__(self, fed: dict[bool, int]) -> None:
        self._sides = {sent: _Frames(start, start) for sent, start in fed.items()}

    def feed(self, sent: bool, data: bytes) -> list[Part]:
        """See ``Reader.feed``."""
        side, parts, at = self._sides[sent], [], 0
        while at < len(data) or side.missing == 0:
            if side.missing is None:
                side.head.append(data[at])
                at, side.position = at + 1, side.position + 1
                side.missing = side.body = _body_bytes(side.head)
                continue
            taken = min(side.missing, len(data) - at)
            at, side.position = at + taken, side.position + taken
            side.missing -= taken
            if side.missing == 0:
                size, body = len(side.head), side.body
                parts.append(Part("websocket", sent, side.start, side.position, size, body))
                self._sides[sent] = side = _Frames(side.position, side.position)
        return parts

    def cut(self) -> list[Part]:
        """See ``Reader.cut``."""
        return []

    def end(self, sent: bool) -> list[Part]:
        """See ``Reader.end``."""
        return []

    def finish(self) -> list[Part]:
        """See ``Reader.finish``."""
        return [
            Part("websocket", sent, side.start, side.position, len(side.head))
            for sent, side in self._sides.items()
            if side.position > side.start
        ]


def is_http(data: bytes) -> bool:
    """Whether a client that begins with these bytes may speak HTTP/1.x."""
    return any(data.startswith(method) or method.startswith(data) for method in METHODS)


def _body_bytes(head: bytearray) -> int | None:
    """Length of a frame's payload; None while its header is not complete."""
    if len(head) < 2:
        return None
    code, mask = head[1] & 0x7F, 4 if head[1] & 0x80 else 0
    more = {126: 2, 127: 8}.get(code, 0)
    if len(head) < 2 + more + mask:
        return None
    return int.from_bytes(head[2 : 2 + more]) if more else code


def path_of(target: bytes) -> str:
    """Path and names of parameters; values may be secrets."""
    path, mark, query = target.decode("ascii", "replace").partition("?")
    names = [parameter.partition("=")[0] for parameter in query.split("&")]
    return path + mark + "&".join(names)
