"""A call of gRPC, frame by frame, however it arrives."""

from __future__ import annotations

import pytest
from hpack import Encoder
from hyperframe.frame import ContinuationFrame, DataFrame, HeadersFrame, SettingsFrame

from modelstress.measure.traffic.http2 import PREFACE, Http2, is_http2
from modelstress.measure.traffic.readers import OtherProtocolError, Part

SETTINGS = SettingsFrame(0, {SettingsFrame.MAX_CONCURRENT_STREAMS: 100}).serialize()
ASKED = [(":method", "POST"), (":path", "/package.Service/Find?token=secret"), ("te", "trailers")]


def headers(stream: int, encoder: Encoder, pairs: list[tuple[str, str]], *flags: str) -> bytes:
    return HeadersFrame(stream, encoder.encode(pairs), flags=["END_HEADERS", *flags]).serialize()


def call(stream: int, client: Encoder, server: Encoder) -> tuple[bytes, bytes]:
    """What both sides say for one call: a request of 30 bytes, an answer of 70."""
    request = headers(stream, client, ASKED)
    request += DataFrame(stream, b"q" * 30, flags=["END_STREAM"]).serialize()
    answer = headers(stream, server, [(":status", "200"), ("content-type", "application/grpc")])
    answer += DataFrame(stream, b"a" * 70).serialize()
    answer += headers(stream, server, [("grpc-status", "0")], "END_STREAM")
    return request, answer


@pytest.mark.parametrize("step", [1, 7, 10**6])
def test_two_calls_on_one_connection(step: int) -> None:
    client, server, reader = Encoder(), Encoder(), Http2()
    said = [(True, PREFACE + SETTINGS), (False, SETTINGS)]
    for stream in (1, 3):
        request, answer = call(stream, client, server)
        said += [(True, request), (False, answer)]
    parts: list[Part] = []
    for sent, data in said:
        for at in range(0, len(data), step):
            parts += reader.feed(sent, data[at : at + step])
    assert reader.finish() == [] and reader.fed() == {
        side: sum(len(data) for sent, data in said if sent == side) for side in (True, False)
    }
    one = ["http-request", "http2-data", "http-response", "http2-data", "http2-trailers"]
    assert [part.kind for part in parts] == ["http2-control"] * 3 + one + one
    for calls in (parts[3:8], parts[8:]):
        asked, question, answered, answer, trailers = calls
        assert (asked.http_method, asked.http_path) == ("POST", "/package.Service/Find?token")
        assert (answered.http_status, answered.http_path) == (200, asked.http_path)
        assert (question.header_bytes, question.body_bytes) == (9, 30)
        assert (answer.header_bytes, answer.body_bytes) == (9, 70)
        assert trailers.http_status is None and trailers.body_bytes == 0
    # the second time the names are in the table of both sides
    assert parts[8].header_bytes < parts[3].header_bytes
    for side in (True, False):
        ends = [(part.start, part.end) for part in parts if part.sent == side]
        assert [begin for begin, _ in ends] == [0, *(end for _, end in ends[:-1])]


def test_headers_in_several_frames_are_known_with_the_last() -> None:
    block = Encoder().encode(ASKED)
    first = HeadersFrame(1, block[:5]).serialize()
    rest = ContinuationFrame(1, block[5:], flags=["END_HEADERS"]).serialize()
    reader = Http2()
    parts = reader.feed(True, PREFACE + first + rest)
    assert [part.kind for part in parts] == ["http2-control", "http2-control", "http-request"]
    assert parts[2].http_method == "POST"


def test_what_begins_so_is_http2_and_nothing_else() -> None:
    assert is_http2(True, PREFACE) and is_http2(True, PREFACE[:8]) and is_http2(False, SETTINGS)
    for sent, data in (
        (True, b"P"), (True, b"POST / HTTP/1.1\r\n"), (True, b"\xac\xed\x00\x05"), (False, b""),
        (False, b"HTTP/1.1 200 OK\r\n"), (False, b"\x00\x00\x00\x10" + bytes(20)),
    ):  # fmt: skip
        assert not is_http2(sent, data), data


@pytest.mark.parametrize(
    "data",
    [
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\n\n" + bytes(9),
        PREFACE + b"\xff\xff\xff\x00\x00" + bytes(4),
        PREFACE + b"\x00\x00\x02\x01\x04\x00\x00\x00\x01\xff\xff",
    ],
)  # fmt: skip
def test_what_is_none_after_all_is_said(data: bytes) -> None:
    with pytest.raises(OtherProtocolError):
        Http2().feed(True, data)
