"""What a figure shows, in words, from what was drawn: for its heading and for its alt text."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PathCollection, QuadMesh
from matplotlib.colors import to_hex
from matplotlib.container import BarContainer, ErrorbarContainer
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from numpy.typing import NDArray

from modelstress.report.style import three_digits

STEADY = 1.25
"""Last over first value of a series, or first over last, from which on it rises or falls."""
MOST_PANELS = 8
"""Panels that an alt text tells of, each."""
MOST_WORDS = 6
"""Words of a diagram without numbers that an alt text repeats."""


class Seen(NamedTuple):
    """What is seen of a figure: `finding` fits a heading, `alt` tells each panel."""

    finding: str
    alt: str


class _Series(NamedTuple):
    """Values of one series in a panel, and where each of them is."""

    name: str
    places: tuple[str, ...]
    values: tuple[float, ...]
    joined: bool


class _Panel(NamedTuple):
    title: str
    series: tuple[_Series, ...]


def seen(figure: Figure) -> Seen:
    """Tells what a figure shows: its axes, then lowest, highest and direction in each panel."""
    shown = [axes for axes in figure.axes if axes.get_visible()]
    maps = [axes for axes in shown if any(isinstance(one, QuadMesh) for one in axes.collections)]
    fields = [axes for axes in maps if axes.get_yticklabels()]
    if fields and fields[0].get_label() != "<colorbar>":
        return _fields(fields[0])
    names = _legend(figure)
    panels = [_panel(axes, names) for axes in shown]
    told = [panel for panel in panels if panel.series]
    if not told:
        return _words_only(shown)
    across, up = _titles(figure, shown)
    finding = _finding(told)
    kinds = f"{len(told)} panels" if len(told) > 1 else "One panel"
    head = f"{kinds}: {up}{f' against {across}' if across else ''}. {finding}."
    details = [_told(panel) for panel in told[:MOST_PANELS]]
    more = len(told) - MOST_PANELS
    if more > 0:
        details.append(f"{more} more {'panel' if more == 1 else 'panels'}.")
    return Seen(finding, " ".join([head, *details]))


def _titles(figure: Figure, shown: Sequence[Axes]) -> tuple[str, str]:
    """What the two axes are of."""
    across = [figure.get_supxlabel(), *(axes.get_xlabel() for axes in shown)]
    up = [figure.get_supylabel(), *(axes.get_ylabel() for axes in shown)]
    one, two = (
        next((" ".join(text.split()) for text in texts if text.strip()), "")
        for texts in (across, up)
    )
    return (one, two) if two else ("", one)


def _legend(figure: Figure) -> dict[tuple[str, ...], str]:
    """The names of series by their look, from the figure's and the panels' legends."""
    legends = [*figure.legends, *(one for axes in figure.axes if (one := axes.get_legend()))]
    return {
        key: text.get_text()
        for legend in legends
        for handle, text in zip(legend.legend_handles, legend.get_texts(), strict=True)
        if handle is not None and (key := _look(handle))
    }


def _look(artist: Artist) -> tuple[str, ...]:
    """What tells one series from another: colour, dash and marker, or face and hatch."""
    if isinstance(artist, Line2D):
        return (to_hex(artist.get_color()), str(artist.get_linestyle()), str(artist.get_marker()))
    if isinstance(artist, Patch):
        return ("box", to_hex(artist.get_facecolor()), str(artist.get_hatch()))
    return ()


def _panel(axes: Axes, names: dict[tuple[str, ...], str]) -> _Panel:
    rows = _words_of_rows(axes)
    if rows:
        found = list(_of_rows(axes, rows))
    else:
        place = _Places(axes)
        found = list(_of_boxes(axes, names, place)) or [
            *_of_lines(axes, names, place), *_of_points(axes, place), *_of_bars(axes, place),
        ]  # fmt: skip
    title = axes.get_title() or axes.get_title("left")
    if axes.get_ylabel().count("\n"):  # the row of a grid is named beside its scale
        title = ", ".join(filter(None, (axes.get_ylabel().split("\n")[0], title)))
    return _Panel(" ".join(title.split()), tuple(found))


def _words_of_rows(axes: Axes) -> dict[int, str]:
    """The words beside the rows of a panel; none where its vertical axis has numbers.

    A logarithmic one has: rows lie at whole numbers, and "2 ms" is a number with its unit.
    """
    if axes.get_yscale() != "linear":
        return {}
    ticks = dict(zip(axes.get_yticks(), axes.get_yticklabels(), strict=False))
    words = {int(at): " ".join(text.get_text().split()) for at, text in ticks.items()}
    numbers = "".join(words.values()).translate(str.maketrans("", "", "0123456789.,−-+% \u202f×"))
    return words if numbers else {}


def _in_data(artist: Line2D, axes: Axes) -> bool:
    """Whether a line is of the data, not one across the panel."""
    return artist.get_transform() is axes.transData


def _of_rows(axes: Axes, rows: dict[int, str]) -> Iterator[_Series]:
    """Points of panels that have a row per configuration: values are horizontal."""
    points: dict[str, list[float]] = {}
    for line in axes.lines:
        if _in_data(line, axes) and line.get_marker() not in ("None", "", None, "<", ">"):
            for x, y in zip(*_numbers(line.get_xydata()).T, strict=True):
                points.setdefault(rows.get(round(float(y)), ""), []).append(float(x))
    for dots in axes.collections:
        if isinstance(dots, PathCollection):
            for x, y in _numbers(dots.get_offsets()):
                points.setdefault(rows.get(round(float(y)), ""), []).append(float(x))
    for name, values in points.items():
        known = [value for value in values if np.isfinite(value)]
        if known:
            yield _Series(name, ("",) * len(known), tuple(known), joined=False)


def _of_boxes(axes: Axes, names: dict[tuple[str, ...], str], place: _Places) -> Iterator[_Series]:
    """The medians of boxes."""
    for container in axes.containers:
        medians, boxes = getattr(container, "medians", ()), getattr(container, "boxes", ())
        at = [_numbers(line.get_xydata()).mean(axis=0) for line in medians]
        if at:
            places = tuple(place(float(x)) for x, _ in at)
            name = names.get(_look(boxes[0]), "") if boxes else ""
            yield _Series(name, places, tuple(float(y) for _, y in at), joined=True)


def _of_lines(axes: Axes, names: dict[tuple[str, ...], str], place: _Places) -> Iterator[_Series]:
    """Lines of series; those that join nothing named, such as bars and limits, are left out."""
    whole = [one for one in axes.containers if isinstance(one, ErrorbarContainer)]
    labels = {one[0]: str(one.get_label()) for one in whole}
    beside = {part for one in whole for part in one.get_children() if part is not one[0]}
    for line in axes.lines:
        label = labels.get(line, str(line.get_label()))
        name = names.get(_look(line), "") if label.startswith("_") else label
        xy = _numbers(line.get_xydata())
        xy = xy[np.isfinite(xy).all(axis=1)]
        if line in beside or not (name or line in labels) or not len(xy):
            continue
        if not _in_data(line, axes):
            continue
        if _steps(line):  # shares: half of all took at most so long
            middle = xy[min(int(np.searchsorted(xy[:, 1], 0.5)), len(xy) - 1)]
            yield _Series(name, ("median",), (float(middle[0]),), joined=False)
            continue
        places = tuple(place(float(x)) for x in xy[:, 0])
        yield _Series(name, places, tuple(map(float, xy[:, 1])), joined=len(xy) > 1)


def _steps(line: Line2D) -> bool:
    """Whether a line is one of cumulated shares."""
    return line.get_drawstyle().startswith("steps")


def _of_points(axes: Axes, place: _Places) -> Iterator[_Series]:
    for dots in axes.collections:
        label = str(dots.get_label())
        if isinstance(dots, PathCollection) and not label.startswith("_"):
            xy = _numbers(dots.get_offsets())
            if len(xy):
                places = tuple(f"{label}, at {place(float(x))}" for x in xy[:, 0])
                yield _Series("", places, tuple(map(float, xy[:, 1])), joined=False)


def _of_bars(axes: Axes, place: _Places) -> Iterator[_Series]:
    for container in axes.containers:
        if isinstance(container, BarContainer) and len(container.patches):
            label = str(container.get_label())
            places = tuple(place(p.get_x() + p.get_width() / 2) for p in container.patches)
            heights = tuple(float(p.get_height()) for p in container.patches)
            yield _Series("" if label.startswith("_") else label, places, heights, joined=False)


class _Places:
    """Where values of a panel are: at a label of its axis, if it has levels, or a number."""

    def __init__(self, axes: Axes) -> None:
        self.log = axes.get_xscale() == "log"
        self.near = 0.2 if self.log else 0.5
        words = [one.get_text() for one in axes.get_xticklabels()]
        ticks = [(float(at), word) for at, word in zip(axes.get_xticks(), words, strict=False)]
        self.ticks = [
            (self._on(at), word) for at, word in ticks if word and (at > 0 or not self.log)
        ]

    def _on(self, x: float) -> float:
        return math.log(x) if self.log else x

    def __call__(self, x: float) -> str:
        """The words for a value."""
        if self.ticks and (x > 0 or not self.log):
            away, word = min((abs(at - self._on(x)), word) for at, word in self.ticks)
            if away <= self.near:
                return word
        return three_digits(x)


def _finding(panels: Sequence[_Panel]) -> str:
    """Which series is highest, in how many panels, and how many rise and fall."""
    tops = Counter(top for panel in panels if (top := _top(panel)))
    parts = []
    if tops:
        said = [f"{name} in {count}" for name, count in tops.most_common(2)]
        said[0] = f"{tops.most_common(1)[0][0]} is highest"
        if len(panels) > 1:
            said[0] += f" in {tops.most_common(1)[0][1]} of {len(panels)} panels"
        parts.append(", ".join(said))
    else:
        every = [value for panel in panels for one in panel.series for value in one.values]
        parts.append(f"Values from {three_digits(min(every))} to {three_digits(max(every))}")
    parts += _directions([one for panel in panels for one in panel.series])
    return "; ".join(parts)


def _top(panel: _Panel) -> str:
    """The series with the highest value of a panel; empty where there is no other."""
    named = [one for one in panel.series if one.name]
    if len({one.name for one in named}) < 2:
        return ""
    return max(named, key=lambda one: max(one.values)).name


def _directions(series: Sequence[_Series]) -> list[str]:
    """How many of the joined series rise, fall or stay, from their first to their last value."""
    joined = [one for one in series if one.joined]
    if not joined:
        return []
    counts = Counter(map(_direction, joined))
    said = ", ".join(f"{counts[word]} {word}" for word in ("rise", "fall", "stay") if counts[word])
    if len(counts) == 1:
        word = next(iter(counts))
        only = {"rise": "rises", "fall": "falls", "stay": "stays"}[word]
        every = "both" if len(joined) == 2 else f"all {len(joined)}"
        return [f"it {only}" if len(joined) == 1 else f"{every} lines {word}"]
    return [f"of {len(joined)} lines {said}"]


def _direction(one: _Series) -> str:
    first, last = one.values[0], one.values[-1]
    if first > 0 and last > 0:
        return "rise" if last > STEADY * first else "fall" if first > STEADY * last else "stay"
    return "rise" if last > first else "fall" if last < first else "stay"


def _told(panel: _Panel) -> str:
    """Lowest and highest value of a panel, of which series and where; how many lines rise."""
    every = [
        (value, ", ".join(filter(None, (one.name, place))))
        for one in panel.series
        for value, place in zip(one.values, one.places, strict=True)
    ]
    (low, low_at), (high, high_at) = min(every), max(every)
    parts = [f"lowest {three_digits(low)}{f' ({low_at})' if low_at else ''}"]
    parts.append(f"highest {three_digits(high)}{f' ({high_at})' if high_at else ''}")
    if len(every) == 1:
        parts = [f"{three_digits(low)}{f' ({low_at})' if low_at else ''}"]
    parts += _directions(panel.series)
    return f"{f'{panel.title}: ' if panel.title else ''}{'; '.join(parts)}."


def _fields(axes: Axes) -> Seen:
    """A heat map: its extremes and how many of its fields are above and below 0."""
    mesh = next(one for one in axes.collections if isinstance(one, QuadMesh))
    values = np.ma.filled(np.ma.masked_invalid(np.asarray(mesh.get_array())), np.nan)
    rows = [" ".join(one.get_text().split()) for one in axes.get_yticklabels()]
    columns = [one.get_text() for one in axes.get_xticklabels()]
    values = values.reshape(-1, max(1, len(columns)))
    above, below = int((values > 0).sum()), int((values < 0).sum())
    blank = int(np.isnan(values).sum())
    finding = f"{above} of {values.size} fields above 0, {below} below, {blank} without a number"
    parts = [f"Heat map of {len(rows)} rows and {len(columns)} columns. {axes.get_title()}"]
    if blank < values.size:
        for word, at in (("lowest", np.nanargmin(values)), ("highest", np.nanargmax(values))):
            row, column = np.unravel_index(int(at), values.shape)
            where = ", ".join(filter(None, (_at(rows, int(row)), _at(columns, int(column)))))
            parts.append(f"{word} {three_digits(float(values[row, column]))} ({where})")
    return Seen(finding, f"{'; '.join(parts)}; {finding}.")


def _at(words: Sequence[str], place: int) -> str:
    return words[place] if place < len(words) else ""


def _words_only(shown: Sequence[Axes]) -> Seen:
    """A diagram whose marks are no series: its first words, and how many strokes it has."""
    texts = [" ".join(text.get_text().split()) for axes in shown for text in axes.texts]
    texts = [text for text in texts if text]
    strokes = sum(
        len(one.get_segments()) for axes in shown for one in axes.collections
        if isinstance(one, LineCollection)
    )  # fmt: skip
    titles = [" ".join(axes.get_title().split()) for axes in shown if axes.get_title()]
    parts = [f"{len(shown)} panels" if len(shown) > 1 else "Diagram"]
    parts += [f": {', '.join(titles[:MOST_PANELS])}"] if titles else []
    said = "; ".join(texts[:MOST_WORDS])
    more = f" and {len(texts) - MOST_WORDS} more" if len(texts) > MOST_WORDS else ""
    parts.append(f". It says: {said}{more}." if said else ".")
    if strokes:
        parts.append(f" {strokes} strokes.")
    return Seen("", "".join(parts))


def _numbers(values: Any) -> NDArray[np.float64]:
    filled = np.ma.filled(np.ma.asarray(values, dtype=np.float64), np.nan)
    return np.asarray(filled, dtype=np.float64).reshape(-1, 2)
