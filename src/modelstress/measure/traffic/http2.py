"""HTTP/2, as gRPC speaks it: every frame is a message (RFC 9113, sections 3.4 and 4)."""

from __future__ import annotations

from dataclasses import dataclass, field

from hpack import Decoder, HPACKError
from hyperframe.exceptions import HyperframeError
from hyperframe.frame import ContinuationFrame, DataFrame, Frame, HeadersFrame

from modelstress.measure.traffic.readers import OtherProtocolError, Part, path_of

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
"""What a client says first."""
FRAME_HEADER = 9
SETTINGS = 4
"""Type of the frame that a server says first."""
LONGEST_FRAME = 1 << 20
"""What servers and clients of gRPC allow by far; a longer one is none."""


def is_http2(sent: bool, data: bytes) -> bool:
    """Whether a connection on which a side begins with these bytes speaks HTTP/2.

    Args:
        sent: by the client.
        data: the first bytes of a connection; either side may be the first.
    """
    if sent:
        return data.startswith(PREFACE[: len(data)]) and len(data) >= len(b"PRI * ")
    if len(data) < FRAME_HEADER:
        return False
    short, of_connection = data[:2] == bytes(2), data[5:FRAME_HEADER] == bytes(4)
    return short and data[3] == SETTINGS and of_connection


@dataclass
class _Side:
    """One direction: bytes of the frame that is not complete, and where it began."""

    start: int = 0
    open: bytearray = field(default_factory=bytearray)
    headers: bytearray = field(default_factory=bytearray)
    decoder: Decoder = field(default_factory=Decoder)


class Http2:
    """Frames of HTTP/2.

    A request's first frame of headers is ``http-request``, a response's ``http-response``; frames
    of data are ``http2-data``, trailers ``http2-trailers``, all others, and what a client says
    first, ``http2-control``.
    """

    def __init__(self) -> None:
        self._sides = {True: _Side(), False: _Side()}
        self._requests: dict[int, tuple[str, str]] = {}
        self._preface = False

    def feed(self, sent: bool, data: bytes) -> list[Part]:
        """See ``Reader.feed``."""
        side, parts = self._sides[sent], []
        side.open += data
        if sent and not self._preface:
            if len(side.open) < len(PREFACE):
                return []
            if not side.open.startswith(PREFACE):
                raise OtherProtocolError("it does not begin as HTTP/2")
            self._preface = True
            parts.append(self._part(sent, "http2-control", len(PREFACE), 0))
        try:
            while (part := self._frame(sent)) is not None:
                parts.append(part)
        except (HyperframeError, HPACKError) as error:
            raise OtherProtocolError(str(error)) from error
        return parts

    def cut(self) -> list[Part]:
        """See ``Reader.cut``; a frame under way goes on in the next execution."""
        return []

    def end(self, sent: bool) -> list[Part]:
        """See ``Reader.end``."""
        return []

    def finish(self) -> list[Part]:
        """See ``Reader.finish``."""
        return [
            Part("data", sent, side.start, side.start + len(side.open))
            for sent, side in self._sides.items()
            if side.open
        ]

    def fed(self) -> dict[bool, int]:
        """Bytes of each direction so far."""
        return {sent: side.start + len(side.open) for sent, side in self._sides.items()}

    def _frame(self, sent: bool) -> Part | None:
        """The next frame, if it is complete."""
        side = self._sides[sent]
        if len(side.open) < FRAME_HEADER:
            return None
        frame, length = Frame.parse_frame_header(memoryview(bytes(side.open[:FRAME_HEADER])))
        if length > LONGEST_FRAME:
            raise OtherProtocolError(f"a frame of {length} bytes")
        if len(side.open) < FRAME_HEADER + length:
            return None
        frame.parse_body(memoryview(bytes(side.open[FRAME_HEADER : FRAME_HEADER + length])))
        if isinstance(frame, HeadersFrame | ContinuationFrame):
            return self._of_headers(sent, frame, length)
        kind = "http2-data" if isinstance(frame, DataFrame) else "http2-control"
        return self._part(sent, kind, FRAME_HEADER, length)

    def _of_headers(self, sent: bool, frame: HeadersFrame | ContinuationFrame, length: int) -> Part:
        """A frame of headers; which ones they are is known with the last one of several."""
        side = self._sides[sent]
        side.headers += frame.data
        whole = FRAME_HEADER + length
        if "END_HEADERS" not in frame.flags:
            return self._part(sent, "http2-control", whole, 0)
        pairs = side.decoder.decode(bytes(side.headers))
        headers = {str(name): str(value) for name, value in pairs}
        side.headers.clear()
        if sent and ":method" in headers:
            path = path_of(headers.get(":path", "").encode())
            self._requests[frame.stream_id] = headers[":method"], path
        asked_by, asked_for = self._requests.get(frame.stream_id, (None, None))
        if ":method" in headers or ":status" in headers:
            kind = "http-request" if sent else "http-response"
        else:
            kind = "http2-trailers"
            self._requests.pop(frame.stream_id, None)
        said = headers.get(":status", "")
        status = int(said) if said.isdecimal() else None
        return self._part(sent, kind, whole, 0, asked_by, asked_for, status)

    def _part(
        self,
        sent: bool,
        kind: str,
        header: int,
        body: int,
        method: str | None = None,
        path: str | None = None,
        status: int | None = None,
    ) -> Part:
        """The next bytes of a direction as a message."""
        side, size = self._sides[sent], header + body
        start, side.start = side.start, side.start + size
        del side.open[:size]
        return Part(kind, sent, start, side.start, header, body, method, path, status)
