"""From hand-made frames to messages and totals."""

from __future__ import annotations

import struct

import pytest
from fake_wire import ACK, FIN, RST, SERVER_PORT, SYN, Wire, frame
from hypothesis import given
from hypothesis import strategies as st

from modelstress.config.errors import MeasureError
from modelstress.measure.traffic import pcap
from modelstress.measure.traffic.decode import Decoded, Decoder, Share
from modelstress.measure.traffic.proxy import Seen
from modelstress.measure.traffic.segments import parse

ONE = [Share(0, 10**9, 10**9)]


def decoded(wire: Wire, shares=ONE, clock_ns=0) -> Decoded:
    packets = [(stamp + clock_ns, one) for stamp, one in wire.packets]
    return Decoder(shares).packets(packets, {SERVER_PORT}, clock_ns)


def said(result: Decoded) -> list[tuple[str, bool, int]]:
    return [(m.part.kind, m.part.sent, m.part.end - m.part.start) for m in result.messages]


def test_a_conversation():
    wire = Wire().open()
    wire.put(True, b"question")
    wire.put(False)
    wire.put(False, b"ans")
    wire.put(False, b"wer")
    wire.put(True)
    wire.close()
    result = decoded(wire, clock_ns=10**18)
    assert said(result) == [
        ("handshake", True, 0), ("data", True, 8), ("data", False, 6),
        ("close", True, 0), ("close", False, 0),
    ]  # fmt: skip
    [totals] = result.totals
    assert totals.packets == {True: 6, False: 5} and totals.payload == {True: 8, False: 6}
    assert sum(totals.size.values()) == sum(len(one) for _, one in wire.packets)
    assert (totals.connections, totals.round_trips, totals.retransmissions) == (1, 2, 0)
    hands, _, answer, *_ = result.messages
    assert (hands.begin, hands.end, hands.packets) == (1000, 3000, 3)
    assert (answer.begin, answer.end, answer.packets, answer.size) == (6000, 7000, 2, 120)


def test_padding_is_no_payload():
    assert len(frame(True, 1, b"a")) == 60
    segment = parse(frame(True, 1, b"a"), {SERVER_PORT})
    assert segment is not None and segment.payload == b"a"
    assert parse(frame(True, 1, b"a"), {9}) is None
    assert parse(b"\xff" * 60, {SERVER_PORT}) is None


@pytest.mark.parametrize(("again", "new"), [(b"abc", b""), (b"abcde", b"de")])
def test_what_comes_again_counts_as_retransmission_not_as_payload(again, new):
    wire = Wire().open()
    at = wire.put(True, b"abc")
    wire.put(True, again, sequence=at)
    result = decoded(wire)
    assert result.totals[0].retransmissions == 1
    assert result.totals[0].payload[True] == len(b"abc" + new)
    assert result.totals[0].packets[True] == 4
    assert said(result)[1:] == [("data", True, len(b"abc" + new))]


def test_syn_and_fin_may_come_again():
    wire = Wire()
    wire.put(True, flags=SYN)
    wire.put(True, flags=SYN, sequence=1000)
    wire.put(False, flags=SYN | ACK)
    wire.put(True)
    wire.put(True, flags=FIN | ACK)
    wire.put(True, flags=FIN | ACK, sequence=1001)
    result = decoded(wire)
    assert result.connections == 1 and result.totals[0].retransmissions == 2
    assert said(result) == [("handshake", True, 0), ("close", True, 0)]
    assert result.messages[0].packets == 4


def test_out_of_order():
    wire = Wire().open()
    wire.put(False, b"bc", sequence=2**32 - 3 + 1 + 1)  # across the wrap of sequence numbers
    wire.put(False, b"d", sequence=2**32 - 3 + 1 + 3)
    wire.put(False, b"a", sequence=2**32 - 3 + 1)
    result = decoded(wire)
    assert said(result)[1:] == [("data", False, 4)]
    message = result.messages[1]
    assert (message.begin, message.end) == (6000, 6000), "nothing can be read before it is whole"
    assert message.packets == 3 and result.totals[0].retransmissions == 0


@given(
    st.binary(min_size=1, max_size=60),
    st.lists(st.tuples(st.integers(0, 59), st.integers(1, 20)), max_size=30),
)
def test_any_segments_that_cover_a_text_give_the_text(text, more):
    """Whatever overlaps, repeats or is early, each byte is delivered once, in order."""
    wire = Wire().open()
    start = wire.at[True]
    pieces = [(at, text[at : at + size]) for at, size in more if at < len(text)]
    for at, piece in [*pieces, (0, text)]:
        wire.put(True, piece, sequence=start + at)
    result = decoded(wire)
    assert sum(m.part.end - m.part.start for m in result.messages) == len(text)
    assert result.totals[0].payload[True] == len(text)
    assert result.totals[0].packets[True] == len(pieces) + 3


def test_http_in_segments():
    wire = Wire().open()
    wire.put(True, b"POST /a?k=v HTTP/1.1\r\nHost: h\r\nContent-Le")
    wire.put(True, b"ngth: 3\r\n\r\nabcGET /b HTTP/1.1\r\nHost: h\r\n\r\n")
    wire.put(False, b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 404 No\r\n")
    wire.put(False, b"Content-Length: 0\r\n\r\n")
    result = decoded(wire)
    http = [m for m in result.messages if m.part.kind.startswith("http")]
    assert [(m.part.http_path, m.part.http_status) for m in http] == [
        ("/a?k", None), ("/b", None), ("/a?k", 200), ("/b", 404),
    ]  # fmt: skip
    assert [(m.begin, m.end) for m in http] == [(4000, 5000), (5000, 5000), (6000, 6000),
                                                (6000, 7000)]  # fmt: skip
    assert [m.packets for m in http] == [2, 0, 1, 1], "a packet counts where its first byte does"
    assert result.totals[0].round_trips == 2


def test_what_is_no_http_after_all_is_data():
    wire = Wire().open()
    wire.put(True, b"GET \x00\x01\r\n\r\n")
    wire.put(False, b"\x07")
    wire.put(True, b"more")
    assert said(decoded(wire))[1:] == [("data", True, 10), ("data", False, 1), ("data", True, 4)]


def test_a_refused_connection():
    wire = Wire()
    wire.put(True, flags=SYN)
    wire.put(False, flags=RST | ACK)
    assert said(decoded(wire)) == [("handshake", True, 0), ("close", False, 0)]


def test_a_port_is_used_again():
    wire = Wire().open().close()
    wire.at = {True: 5, False: 6}
    wire.open()
    assert decoded(wire).connections == 2
    assert decoded(wire).totals[0].retransmissions == 0


def test_everything_belongs_to_the_execution_that_began_before_it():
    wire = Wire().open()  # 1000 … 3000: before all
    shares = [Share(3500, 4200, 5500), Share(5500, 7000, 8500)]
    wire.put(True, b"1")  # 4000
    wire.put(False, b"1")  # 5000: late, but the first's
    wire.put(False, b"2")  # 6000: no message of the first goes on
    wire.put(True, b"22")  # 7000
    wire.put(False, b"222")  # 8000
    wire.put(True, b"x")  # 9000: after all
    result = decoded(wire, shares)
    assert [t.payload for t in result.totals] == [{True: 1, False: 1}, {True: 2, False: 4}]
    assert [t.round_trips for t in result.totals] == [1, 1]
    assert [m.execution for m in result.messages] == [-1, 0, 0, 1, 1, 1, -1]
    assert result.outside.packets == {True: 3, False: 1} and result.outside.connections == 1
    assert [t.longest_gap for t in result.totals] == [0, 1000]


def test_a_silence_is_one_while_somebody_waits():
    wire = Wire().open()
    wire.put(True, b"q")
    wire.time_ns += 5_000_000
    wire.put(False, b"a")
    wire.time_ns += 50_000_000
    wire.close()
    assert decoded(wire, [Share(0, wire.time_ns - 9_000_000, 10**9)]).totals[
        0
    ].longest_gap == pytest.approx(5_000_000, abs=2000)


def test_what_passed_the_proxy():
    events = [
        Seen(10, 0, "open", True), Seen(20, 0, "payload", True, b"qq"),
        Seen(50, 0, "payload", False, b"a"), Seen(60, 0, "close", True),
        Seen(70, 0, "close", False),
    ]  # fmt: skip
    result = Decoder(ONE).seen(events)
    assert said(result) == [
        ("handshake", True, 0), ("data", True, 2), ("data", False, 1), ("close", True, 0),
        ("close", False, 0),
    ]  # fmt: skip
    totals = result.totals[0]
    assert (totals.connections, totals.round_trips, totals.longest_gap) == (1, 2, 30)


def test_golden_bytes_of_a_capture_file(tmp_path):
    file = tmp_path / "c.pcap"
    file.write_bytes(pcap.HEADER + pcap.record(1_700_000_000_123_456_789, b"frame"))
    assert file.read_bytes().hex() == (
        "4d3cb2a1" "0200" "0400" "00000000" "00000000" "00000400" "01000000"
        "00f15365" "15cd5b07" "05000000" "05000000" "6672616d65"
    )  # fmt: skip
    assert list(pcap.read(file)) == [(1_700_000_000_123_456_789, b"frame")]


def test_a_capture_file_may_end_anywhere(tmp_path):
    file = tmp_path / "c.pcap"
    whole = pcap.HEADER + pcap.record(5, b"first") + pcap.record(6, b"second")
    for length in range(24, len(whole)):
        file.write_bytes(whole[:length])
        assert list(pcap.read(file)) == [(5, b"first")][: length >= 24 + 16 + 5]
    file.write_bytes(struct.pack("<I", 0xA1B2C3D4) + bytes(20))
    with pytest.raises(MeasureError, match="not a pcap file"):
        list(pcap.read(file))
