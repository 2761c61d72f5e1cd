"""Sequences of messages: one execution in detail, and all side by side on one time axis."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from modelstress.report.render import milliseconds
from modelstress.report.style import GREY, laid_out, new_figure, plain, style

SENT, RECEIVED = "#0072B2", "#D55E00"
"""Colours of what the client sends and receives; arrows say the same by their direction."""
KEY = (
    (SENT, "sent by the client (above)"), (RECEIVED, "received (below)"),
    ("#aaaaaa", "TCP's own, until the end"), ("black", "end of the execution"),
)  # fmt: skip
CONNECTIONS = ("-", (0, (5, 2)), (0, (1, 1)))
"""Dashes of the arrows of the first, second, third connection; their texts have the number."""
QUIET = ("handshake", "close")
"""Kinds of messages that belong to TCP, not to the tool; drawn lighter."""
MOST_ROWS = 56
"""Arrows of a figure; more are taken together in the middle."""
LONG_GAP = 0.08
"""Silences of at least this share of the duration are written into the sequence."""
FEWEST_MS = 1.0
"""No shorter silence is."""


@dataclass(frozen=True)
class Row:
    """One arrow: times in ms since the start of the execution; `text` stands on it.

    `sent` is None where both sides took part (a handshake). A message that took long, with silence
    inside it, says so in its text.
    """

    begin: float
    end: float
    sent: bool | None
    payload: int
    text: str
    quiet: bool
    connection: int = 0


def sequence(messages: pd.DataFrame, title: str) -> Figure:
    """Draw the messages of one execution from top to bottom, client left, server right.

    `messages` has the columns of `analysis.columns.ANATOMY_MESSAGES`. Rows are evenly spaced and
    say when they began: a time axis to scale would hide all messages behind the longest silence.
    """
    duration = float(messages["duration_ms"].iloc[0])
    long = max(LONG_GAP * duration, FEWEST_MS)
    rows = shortened(rows_of(messages, long))
    with style():
        places, end, depth = _places(rows, duration, long)
        figure = new_figure(6.6, 0.85 + 0.2 * (depth + 1.2))
        axes = figure.subplots()
        _frame(axes, depth + 1.0)
        _arrows(axes, rows, places)
        _silences(axes, rows, places, long)
        _end(axes, end, duration)
        axes.set_title(title, loc="left")
        return laid_out(figure)


def _places(rows: Sequence[Row], duration: float, long: float) -> tuple[list[float], float, float]:
    """The place of every row from top to bottom, that of the end, and the depth of all."""
    depth, before, places = 1.0, 0.0, []
    end = None
    for row in rows:
        if end is None and row.begin > duration:
            end = depth
            depth += 1.3
        depth += 1.7 if row.begin - before >= long else 0.0
        places.append(depth)
        depth += 1.0
        before = max(before, row.end)
    return places, depth if end is None else end, depth


def rows_of(messages: pd.DataFrame, long: float = math.inf) -> list[Row]:
    """An arrow per message; one for all packets of a handshake, and of the end of a connection.

    A message that took at least `long` (ms) from its first packet to its last says how long.
    """
    rows: list[Row] = []
    quiet: dict[tuple[str, int], int] = {}
    several = messages["connection"].nunique() > 1
    for message in messages.to_dict("records"):
        kind, connection = str(message["kind"]), int(message["connection"])
        row = Row(
            float(message["begin_ms"]), float(message["end_ms"]), message["direction"] == "sent",
            int(message["payload"]), _text(message), kind in QUIET, connection,
        )  # fmt: skip
        if kind not in QUIET:
            if row.end - row.begin >= long:
                row = replace(row, text=f"{row.text}, over {_duration(row.end - row.begin)}")
            if several:
                row = replace(row, text=f"({connection + 1})  {row.text}")
            rows.append(row)
            continue
        at = quiet.get((kind, connection))
        if at is None:
            named = "TCP handshake" if kind == "handshake" else "TCP end of connection"
            named = f"({connection + 1})  {named}" if several else named
            quiet[kind, connection] = len(rows)
            rows.append(replace(row, text=named, sent=None if kind == "handshake" else row.sent))
        else:
            rows[at] = replace(rows[at], sent=None, end=max(rows[at].end, row.end))
    return rows


HTTP2 = "http2-"
"""Begins the kinds of frames that are neither requests nor responses."""


def shortened(rows: list[Row], most: int = MOST_ROWS) -> list[Row]:
    """The first and last arrows, and one for all between them, where there are too many."""
    if len(rows) <= most:
        return rows
    half = (most - 1) // 2
    inner = rows[half:-half]
    sent = sum(row.sent is True for row in inner)
    payload = sum(row.payload for row in inner)
    text = f"{len(inner)} further messages, {sent} of them sent ({_bytes(payload)} in all)"
    begin, end = inner[0].begin, max(row.end for row in inner)
    return [*rows[:half], Row(begin, end, None, payload, text, False), *rows[-half:]]


def _text(message: Mapping[Any, Any]) -> str:
    """What stands on an arrow: what HTTP says, and bytes of payload."""
    size = _bytes(int(message["payload"]))
    kind = message["kind"]
    if kind == "http-request":
        request = f"{message['http_method']} {message['http_path']}"
        return f"{request if len(request) <= 44 else request[:43] + '…'}  {size}"
    if kind == "http-response":
        return f"HTTP {_status(message['http_status'])}  {size}"
    if str(kind).startswith(HTTP2):
        return f"{kind.removeprefix(HTTP2)} of HTTP/2  {size}"
    return f"WebSocket  {size}" if kind == "websocket" else size


def _status(code: object) -> str:
    """A status; of one that refuses, with its reason, such as `410 Gone`."""
    reasons = {str(status.value): status.phrase for status in HTTPStatus if status.value >= 400}
    return f"{code} {reasons.get(str(code), '')}".strip()


def _bytes(count: int) -> str:
    return f"{plain(count)} B"


def _frame(axes: Axes, depth: float) -> None:
    axes.set_xlim(-0.34, 1.06)
    axes.set_ylim(depth, -0.9)
    axes.axis("off")
    for x, name in ((0, "client"), (1, "server")):
        axes.plot([x, x], [0, depth], color="black", linewidth=1.0, zorder=1)
        axes.text(x, -0.25, name, ha="center", va="bottom", fontsize=9, weight="bold")
    axes.text(-0.08, -0.25, "time (ms)", ha="right", va="bottom", fontsize=8, color=GREY)


def _arrows(axes: Axes, rows: Sequence[Row], places: Sequence[float]) -> None:
    for row, y in zip(rows, places, strict=True):
        colour = "#aaaaaa" if row.quiet or row.sent is None else SENT if row.sent else RECEIVED
        both = row.sent is None
        shape = "<|-|>" if both else "-|>"
        width = 0.8 if row.quiet else 0.7 + 0.35 * math.log10(1 + row.payload)
        start, stop = (1, 0) if row.sent is False else (0, 1)
        axes.annotate(
            "", xy=(stop, y), xytext=(start, y), zorder=2,
            arrowprops={"arrowstyle": shape, "color": colour, "linewidth": width,
                        "linestyle": CONNECTIONS[row.connection % len(CONNECTIONS)],
                        "shrinkA": 1, "shrinkB": 1, "mutation_scale": 8},
        )  # fmt: skip
        axes.text(
            0.5, y - 0.02, row.text, ha="center", va="center", fontsize=7.5, zorder=3,
            color=GREY if row.quiet else "black",
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.8},
        )  # fmt: skip
        axes.text(-0.03, y, milliseconds(row.begin), ha="right", va="center", fontsize=7.5)


def _silences(axes: Axes, rows: Sequence[Row], places: Sequence[float], long: float) -> None:
    """Bands where nobody spoke for long, with who spoke next."""
    before = 0.0
    for i, (row, y) in enumerate(zip(rows, places, strict=True)):
        gap = row.begin - before
        if gap >= long:
            label = f"{_duration(gap)} of silence, then {_next(row)}"
            if i == 0:
                label = f"{_duration(gap)} before the first message"
            _band(axes, y - 1.35, label)
        before = max(before, row.end)


def _end(axes: Axes, y: float, duration: float) -> None:
    """A line where the clock stopped: above it is all that began before."""
    axes.plot([-0.02, 1.02], [y, y], color="black", linewidth=0.8, linestyle=(0, (4, 2)), zorder=1)
    axes.text(-0.03, y, milliseconds(duration), ha="right", va="center", fontsize=7.5,
              weight="bold")  # fmt: skip
    axes.text(
        0.5, y, "end of the execution", ha="center", va="center", fontsize=7.5, zorder=3,
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.8},
    )  # fmt: skip


def _next(row: Row) -> str:
    if row.quiet or row.sent is None:
        return "TCP" if row.quiet else "both"
    asks = "asks" if row.text[:1].isalpha() and not row.text.startswith("WebSocket") else "speaks"
    return f"the client {asks}" if row.sent else "the server speaks"


def _band(axes: Axes, y: float, text: str) -> None:
    axes.axhspan(y, y + 0.85, xmin=0.245, xmax=0.96, color="#eeeeee", zorder=0, linewidth=0)
    axes.text(0.5, y + 0.42, text, ha="center", va="center", fontsize=8, style="italic")


def _duration(value: float) -> str:
    return f"{value / 1e3:.1f} s" if value >= 1000 else f"{milliseconds(value)} ms"


def overview(variants: Sequence[tuple[str, pd.DataFrame]]) -> Figure:
    """All executions one below the other, on one log axis of time.

    Each pair of a variant's name and its messages is a line: strokes above it are sent, strokes
    below received, the longer the more bytes; a bar marks the end of the execution.
    """
    with style():
        figure = new_figure(9.0, 1.1 + 0.46 * len(variants))
        axes = figure.subplots()
        ends = [float(messages["duration_ms"].iloc[0]) for _, messages in variants]
        firsts = [float(messages["begin_ms"].clip(lower=0.05).min()) for _, messages in variants]
        low, high = min(firsts) / 1.5, max(ends) * 1.2
        for y, ((_, messages), end) in enumerate(zip(variants, ends, strict=True)):
            _line(axes, messages, end, y, low)
        axes.set_xscale("log")
        axes.set_xlim(low, high)
        axes.set_ylim(len(variants) - 0.4, -0.6)
        axes.set_yticks(range(len(variants)), [name for name, _ in variants])
        axes.grid(visible=True, axis="x")
        axes.grid(visible=False, axis="y")
        axes.xaxis.set_major_locator(LogLocator(numticks=12))
        axes.xaxis.set_major_formatter(FuncFormatter(plain))
        axes.xaxis.set_minor_locator(LogLocator(subs=range(2, 10), numticks=20))
        axes.xaxis.set_minor_formatter(NullFormatter())
        axes.grid(visible=True, axis="x", which="minor", color="#eeeeee", linewidth=0.4)
        axes.set_xlabel("time since the start of the execution (ms, log scale)")
        axes.spines["left"].set_visible(False)
        axes.tick_params(axis="y", length=0)
        for colour, what in KEY:
            axes.plot([], [], color=colour, linewidth=2, label=what)
        figure.legend(loc="outside upper center", ncols=len(KEY))
        return laid_out(figure)


def _line(axes: Axes, messages: pd.DataFrame, end: float, y: int, low: float) -> None:
    axes.plot([low, end], [y, y], color="black", linewidth=0.7, zorder=1)
    axes.plot([end, end], [y - 0.36, y + 0.36], color="black", linewidth=2.2, zorder=1)
    # A client may close its connection long after the answer: that is no part of the execution.
    told = messages[~messages["kind"].isin(QUIET) | (messages["begin_ms"] <= end)]
    for begin, height, colour in _strokes(told):
        axes.plot([max(begin, low)] * 2, [y, y + height], color=colour, linewidth=1.3, zorder=2)


def _strokes(messages: pd.DataFrame) -> Iterator[tuple[float, float, str]]:
    for message in messages.to_dict("records"):
        sent = message["direction"] == "sent"
        if message["kind"] in QUIET:
            yield float(message["begin_ms"]), -0.1 if sent else 0.1, "#aaaaaa"
            continue
        # up to 100,000 bytes and more
        height = 0.12 + 0.06 * min(math.log10(1 + int(message["payload"])), 5)
        yield float(message["begin_ms"]), -height if sent else height, SENT if sent else RECEIVED
