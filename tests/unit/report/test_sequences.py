"""Sequences of messages: every message has its arrow, every long silence its words."""

import captures
import pandas as pd
import pytest
import synthetic
from figure_texts import assert_no_overlap, texts
from matplotlib.text import Annotation

from modelstress import analysis
from modelstress.report.sequence import overview, rows_of, sequence, shortened


def messages(tmp_path, made, method="packets"):
    """The messages of one execution, through the files of a capture."""
    captures.capture(tmp_path, captures.LEVELS, lambda _: made, method=method)
    derived = analysis.derive(tmp_path, synthetic.STUDY, synthetic.PROFILE)
    return analysis.anatomy(tmp_path, derived).messages


@pytest.fixture
def polled(tmp_path):
    return messages(tmp_path, list(captures.http(captures.POLLED)))


def test_a_row_per_message_and_one_per_handshake(polled):
    rows = rows_of(polled)
    assert len(rows) == 1 + 2 * 11 + 1
    said = [row.text for row in rows[:3]]
    assert said == ["TCP handshake", "POST /net4j  240 B", "HTTP 200  180 B"]
    assert [row.sent for row in rows[:3]] == [None, True, False]
    assert rows[0].quiet and rows[-1].quiet and not rows[1].quiet
    assert sum(row.payload for row in rows) == polled["payload"].sum()


def test_connections_are_numbered_where_there_are_several(tmp_path):
    found = messages(tmp_path, list(captures.tcp([(10, 20)])))
    second = found.assign(connection=1, begin_ms=found["begin_ms"] + 20)
    assert [row.text for row in rows_of(pd.concat([found, second]))] == [
        "(1)  TCP handshake", "(1)  10 B", "(1)  20 B", "(1)  TCP end of connection",
        "(2)  TCP handshake", "(2)  10 B", "(2)  20 B", "(2)  TCP end of connection",
    ]  # fmt: skip


def test_websocket_frames_are_named(tmp_path):
    upgraded = [
        (1.0, "sent", "http-request", 300, ("GET", "/net4j")),
        (2.0, "received", "http-response", 200, 101),
        (3.0, "sent", "websocket", 70, None),
        (9.0, "received", "websocket", 5000, None),
    ]
    rows = rows_of(messages(tmp_path, upgraded))
    assert [row.text for row in rows] == [
        "GET /net4j  300 B", "HTTP 101  200 B", "WebSocket  70 B", "WebSocket  5\u202f000 B",
    ]  # fmt: skip
    said = texts(sequence(messages(tmp_path / "again", upgraded), "cdo / websocket"))
    assert "6.00 ms of silence, then the server speaks" not in said
    assert "5.99 ms of silence, then the server speaks" in said


def test_the_figure_says_when_what_and_how_long_nobody_spoke(polled):
    figure = sequence(polled, "cdo / http / stock")
    assert_no_overlap(figure)
    said = texts(figure)
    assert said.count("POST /net4j  240 B") == 9
    assert said.count("HTTP 200  180 B") == 9
    assert "5.0 s of silence, then the client asks" in said
    # not the tenths of a second in which the server lets each request wait
    assert sum("silence" in text for text in said) == 1
    arrows = [a for a in figure.findobj(Annotation) if a.arrow_patch is not None]
    assert len(arrows) == len(rows_of(polled))
    directions = [a.xy[0] - a.xyann[0] for a in arrows]
    assert directions[1:3] == [1, -1]


def test_what_follows_the_end_is_below_its_line(tmp_path):
    made = list(captures.tcp([(10, 20)]))
    found = messages(tmp_path, made)
    late = found.assign(duration_ms=found["begin_ms"].iloc[3] + 0.001)
    figure = sequence(late, "hawk / tcp")
    assert_no_overlap(figure)
    [axes] = figure.axes
    place = {text.get_text(): text.get_position()[1] for text in axes.texts}
    [end] = [line.get_ydata()[0] for line in axes.lines if line.get_linestyle() == "--"]
    assert place["20 B"] < end < place["TCP end of connection"]


def test_too_many_messages_are_taken_together(tmp_path):
    rows = rows_of(messages(tmp_path, list(captures.tcp([(10, 20)] * 100))))
    short = shortened(rows, most=21)
    assert len(short) == 21
    assert short[:10] == rows[:10] and short[-10:] == rows[-10:]
    inner = rows[10:-10]
    assert short[10].text.startswith(f"{len(inner)} further messages, ")
    assert f"{sum(r.sent is True for r in inner)} of them sent" in short[10].text
    assert sum(row.payload for row in short) == sum(row.payload for row in rows)
    assert shortened(rows[:21], most=21) == rows[:21]


def test_the_overview_has_a_line_per_variant(tmp_path, polled):
    quick = messages(tmp_path / "tcp", list(captures.tcp([(10, 20)] * 5)))
    figure = overview([("cdo / http / stock", polled), ("cdo / tcp", quick)])
    assert_no_overlap(figure)
    [axes] = figure.axes
    assert axes.get_xscale() == "log" and "(ms" in axes.get_xlabel()
    names = [label.get_text() for label in axes.get_yticklabels()]
    assert names == ["cdo / http / stock", "cdo / tcp"]
    low, high = axes.get_xlim()
    assert low < 2.0 and high > polled["duration_ms"].iloc[0]
    drawn = [line.get_xdata() for line in axes.lines if len(line.get_xdata()) == 2]
    upright = [x for x in drawn if x[0] == x[1]]
    # a stroke per message, and the end of each execution
    assert len(upright) == len(polled) + len(quick) + 2
