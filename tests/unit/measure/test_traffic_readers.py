"""HTTP, WebSocket and other payload, cut into messages however it arrives."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from modelstress.measure.traffic.readers import (
    Http,
    OtherProtocolError,
    Part,
    Runs,
    WebSocket,
    is_http,
)

POST = b"POST /q?token=secret&x HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello"
GET = b"GET /list HTTP/1.1\r\nHost: h\r\n\r\n"
CHUNKED = (
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    b"3\r\nabc\r\n4;x=y\r\ndefg\r\n0\r\nTrailer: t\r\n\r\n"
)
EMPTY = b"HTTP/1.1 204 No Content\r\n\r\n"
UPGRADE = (
    b"GET /ws HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: x\r\nSec-WebSocket-Version: 13\r\n\r\n"
)
SWITCH = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n"


@dataclass
class Fed:
    """Feeds a reader and keeps what it says."""

    reader: Http | Runs | WebSocket

    def all(self, *said: tuple[bool, bytes], step: int = 10**6) -> list[Part]:
        parts = []
        for sent, data in said:
            for at in range(0, len(data), step):
                parts += self.reader.feed(sent, data[at : at + step])
        return parts


def http(*said: tuple[bool, bytes], step: int = 10**6) -> list[Part]:
    return Fed(Http()).all(*said, step=step)


def test_request_and_response():
    request, response = http((True, POST), (False, CHUNKED))
    header = POST.index(b"hello")
    assert request == Part(
        "http-request", True, 0, len(POST), header, 5, "POST", "/q?token&x", None
    )
    assert response.end == len(CHUNKED) and response.http_status == 200
    assert response.header_bytes == CHUNKED.index(b"3\r\n") and response.body_bytes == 7
    assert response.http_method == "POST" and response.http_path == "/q?token&x"


@given(step=st.integers(1, 200))
def test_however_the_bytes_arrive(step):
    said = [(True, POST), (False, CHUNKED), (True, GET), (False, EMPTY)]
    assert http(*said, step=step) == http(*said)
    assert [part.kind for part in http(*said, step=step)] == [
        "http-request", "http-response", "http-request", "http-response",
    ]  # fmt: skip


def test_pipelined_requests_are_told_apart():
    parts = http((True, POST + GET + GET), (False, CHUNKED + EMPTY), (False, EMPTY))
    asked = [part for part in parts if part.sent]
    assert [part.http_path for part in asked] == ["/q?token&x", "/list", "/list"]
    assert [(part.start, part.end) for part in asked] == [
        (0, len(POST)), (len(POST), len(POST + GET)), (len(POST + GET), len(POST + GET + GET)),
    ]  # fmt: skip
    assert [part.http_status for part in parts if not part.sent] == [200, 204, 204]


def test_continue_comes_between():
    expecting = POST.replace(b"Host: h\r\n", b"Host: h\r\nExpect: 100-continue\r\n")
    header, body = expecting[: -len(b"hello")], b"hello"
    go_on = b"HTTP/1.1 100 Continue\r\n\r\n"
    parts = http((True, header), (False, go_on), (True, body), (False, EMPTY))
    assert [(p.kind, p.http_status) for p in parts] == [
        ("http-response", 100), ("http-request", None), ("http-response", 204),
    ]  # fmt: skip
    assert parts[1].body_bytes == 5 and parts[1].end == len(expecting)


def test_a_response_may_end_with_its_connection():
    reader = Http()
    answer = b"HTTP/1.0 200 OK\r\n\r\nuntil the end"
    assert len(Fed(reader).all((True, GET), (False, answer))) == 1
    [response] = reader.end(False)
    assert response.end == len(answer) and response.body_bytes == len("until the end")


def test_a_request_without_answer_is_told_in_the_end():
    reader = Http()
    assert Fed(reader).all((True, POST[:-2])) == []
    [request] = reader.finish()
    assert (request.start, request.end, request.body_bytes) == (0, len(POST) - 2, 3)
    assert request.kind == "http-request" and request.http_method == "POST"


def test_what_only_looks_like_http():
    assert is_http(b"POST /") and is_http(b"GE") and not is_http(b"\x00\x01")
    with pytest.raises(OtherProtocolError):
        http((True, b"GET \x00\x01\r\n\r\n"))


def websocket_frame(payload: bytes, *, mask: bool = False, code: int = 2) -> bytes:
    bit = 0x80 if mask else 0
    size = len(payload)
    if size < 126:
        head = bytes([0x80 | code, bit | size])
    elif size < 1 << 16:
        head = bytes([0x80 | code, bit | 126]) + size.to_bytes(2)
    else:
        head = bytes([0x80 | code, bit | 127]) + size.to_bytes(8)
    return head + (bytes(4) if mask else b"") + payload


@given(step=st.integers(1, 5000), sizes=st.lists(st.sampled_from([0, 1, 125, 126, 70_000])))
def test_websocket_frames_across_segments(step, sizes):
    frames = [websocket_frame(b"x" * size, mask=True) for size in sizes]
    parts = Fed(WebSocket({True: 7, False: 0})).all((True, b"".join(frames)), step=step)
    assert [part.body_bytes for part in parts] == sizes
    assert [part.end - part.start for part in parts] == [len(one) for one in frames]
    assert all(p.header_bytes + p.body_bytes == p.end - p.start for p in parts)
    assert not parts or parts[0].start == 7


@given(step=st.integers(1, 300))
def test_an_upgraded_connection_goes_on_with_frames(step):
    up, down = websocket_frame(b"question", mask=True), websocket_frame(b"answer" * 40)
    reader = Http()
    parts = Fed(reader).all(
        (True, UPGRADE), (False, SWITCH + down), (True, up), (False, down), step=step
    )
    kinds = ["http-request", "http-response", "websocket", "websocket", "websocket"]
    assert [part.kind for part in parts] == kinds
    assert [p.http_status for p in parts[:2]] == [None, 101]
    assert (parts[2].start, parts[2].end) == (len(SWITCH), len(SWITCH + down))
    assert (parts[3].sent, parts[3].start, parts[3].body_bytes) == (True, len(UPGRADE), 8)
    assert reader.finish() == []


def test_runs_end_when_the_other_side_speaks():
    reader = Runs()
    parts = Fed(reader).all((True, b"ab"), (True, b"c"), (False, b"xyz"), (True, b"d"))
    assert [(p.sent, p.start, p.end) for p in parts] == [(True, 0, 3), (False, 0, 3)]
    assert [(p.sent, p.start, p.end) for p in reader.finish()] == [(True, 3, 4)]
