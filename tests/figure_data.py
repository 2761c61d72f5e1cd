"""What a figure shows, as text: the same for two figures that say the same.

No picture: positions are in data, not in pixels, and numbers have six significant digits.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import Collection
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.text import Text


def text_of(figure: Figure, caption: str) -> str:
    """Caption and content of a figure, a line per thing drawn."""
    lines = [f"caption {caption}", *_words(figure.texts)]
    for legend in figure.legends:
        lines += _words(legend.get_texts())
    for number, axes in enumerate(figure.axes):
        lines += [f"axes {number}", *(f"  {line}" for line in _axes(axes))]
    return "\n".join(lines) + "\n"


def _axes(axes: Axes) -> Iterator[str]:
    yield f"title {axes.get_title()!r} {axes.get_title('left')!r} {axes.get_title('right')!r}"
    for name, axis in (("x", axes.xaxis), ("y", axes.yaxis)):
        ends = axis.get_view_interval()
        yield f"{name} {axis.get_label_text()!r} {axis.get_scale()} {_numbers(ends)}"
        yield f"{name} ticks {[tick.get_text() for tick in axis.get_ticklabels()]}"
    for child in axes.get_children():
        if child not in (axes.title, axes.patch, axes.xaxis, axes.yaxis):
            yield from _drawn(child)
    if axes.get_legend() is not None:
        yield from _words(axes.get_legend().get_texts())


def _drawn(artist: Artist) -> Iterator[str]:
    kind = type(artist).__name__
    if isinstance(artist, Line2D):
        look = (to_hex(artist.get_color()), artist.get_linestyle(), str(artist.get_marker()))
        yield f"{kind} {artist.get_label()!r} {look} {_numbers(artist.get_xydata())}"
    elif isinstance(artist, Patch):
        look = (to_hex(artist.get_facecolor(), keep_alpha=True), artist.get_hatch())
        shape = artist.get_patch_transform().transform(artist.get_path().vertices)
        yield f"{kind} {artist.get_label()!r} {look} {_numbers(shape)}"
    elif isinstance(artist, Collection):
        look = [to_hex(colour) for colour in artist.get_facecolor()]
        paths = [_numbers(path.vertices) for path in artist.get_paths()]
        yield f"{kind} {artist.get_label()!r} {look} {paths} {_numbers(artist.get_offsets())}"
    elif isinstance(artist, Text) and artist.get_text():
        yield from _words([artist])
    elif hasattr(artist, "get_array"):
        yield f"{kind} {_numbers(artist.get_array())}"


def _words(texts: list[Text]) -> Iterator[str]:
    for text in texts:
        yield f"text {text.get_text()!r} {to_hex(text.get_color())}"


def _numbers(values: object) -> str:
    flat = np.ma.filled(np.ma.asarray(values, dtype=float), np.nan).ravel()
    return " ".join(f"{value:.6g}" for value in flat)
