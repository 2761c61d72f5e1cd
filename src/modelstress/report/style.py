"""One look for all figures: colours that the colour-blind can tell apart, readable in grey."""

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal, cast

import matplotlib as mpl
import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, NullLocator
from numpy.typing import NDArray

from modelstress.config.base import Level

# Okabe and Ito, Color Universal Design (2008), without yellow, which fades on white; ordered
# so that neighbours differ in lightness too.
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#56B4E9", "#D55E00", "#CC79A7", "#000000", "#999999")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
OUTCOMES = {
    "ok": ("#0072B2", "o"), "incorrect": ("#CC79A7", "D"), "error": ("#D55E00", "X"),
    "timeout": ("#E69F00", "^"), "unfinished": ("#999999", "s"), "rejected": ("#000000", "P"),
    "aborted": ("#009E73", "v"),
}  # fmt: skip
SIDES = {"server": ("#009E73", "-"), "client": ("#000000", "--")}
GREY = "#666666"
WIDE = 20
"""Largest over smallest value of a panel from which on a figure is on a log scale."""

MOST_LABELS = 3
"""Labels of a narrow horizontal axis; the other powers of ten have a line only."""

FONTS = ["DejaVu Sans", "Verdana", "Liberation Sans", "Arial", "Helvetica", "sans-serif"]
"""Figures are laid out with the first one, which matplotlib brings; no other is much wider."""

RC = {
    "figure.dpi": 100, "savefig.dpi": 160, "figure.facecolor": "white", "font.size": 9,
    "axes.titlesize": 9, "axes.labelsize": 9, "xtick.labelsize": 8, "ytick.labelsize": 8,
    "legend.fontsize": 8, "legend.title_fontsize": 8, "legend.frameon": False,
    "axes.spines.top": False,
    "axes.spines.right": False, "axes.grid": True, "axes.grid.axis": "y", "grid.color": "#dddddd",
    "grid.linewidth": 0.6, "axes.axisbelow": True, "hatch.linewidth": 0.5,
    "svg.hashsalt": "modelstress", "svg.fonttype": "none",  # words can be selected and found
    "font.family": ["sans-serif"], "font.sans-serif": FONTS,
    "text.parse_math": False,  # levels and titles are words, whatever dollars they have
}  # fmt: skip


@contextmanager
def style() -> Iterator[None]:
    """Within it, figures look alike whatever the user's matplotlib configuration is."""
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(cast(Any, RC))  # the keys are checked by matplotlib
        yield


def new_figure(width: float, height: float) -> Figure:
    """An empty figure (inches) that belongs to no window and is freed with its last reference."""
    return Figure(figsize=(width, height), layout="constrained")


def laid_out(figure: Figure) -> Figure:
    """The figure with its layout computed and frozen.

    The layout moves a little with every drawing; files would depend on how often one was shown.
    """
    # Neither a dry drawing here, nor one for every file, as `draw_without_rendering` and the engine
    # "none" would cause.
    if engine := figure.get_layout_engine():
        engine.execute(figure)
    figure.set_layout_engine(None)
    return figure


def legend_columns(width: float, labels: Sequence[str]) -> int:
    """As many columns of a legend as fit a figure's width (inches), four at most."""
    # About 0.058 inch per character at the size of legends, and the sample beside it.
    widest = 0.55 + 0.058 * max(len(label) for label in labels)
    return max(1, min(4, len(labels), int(width / widest)))


def legend_of_lines(figure: Figure, all_axes: Iterable[Axes], columns: int, title: str) -> None:
    """Put a legend of the lines of some axes above the figure, each label once."""
    handles: dict[str, Artist] = {}
    for axes in all_axes:
        for handle in axes.get_legend_handles_labels()[0]:
            handles.setdefault(str(handle.get_label()), handle)
    figure.legend(
        list(handles.values()), list(handles), loc="outside upper center", ncols=columns,
        title=title or None,
    )  # fmt: skip


def wrapped(text: str, width: float) -> str:
    """A text of several parts, each on lines that fit a figure's width (inches)."""
    most = int(width / 0.062)
    parts = (textwrap.fill(part, most) for part in text.split("; "))
    return "\n".join(parts)


def plain(value: float, _: object = None) -> str:
    """A number on an axis, without exponent, thousands apart."""
    integer = abs(value) >= 10 or value == round(value)
    text = f"{value:,.0f}" if integer else f"{value:.6f}".rstrip("0").rstrip(".")
    return text.replace(",", "\u202f")


def three_digits(value: float) -> str:
    """A number in a sentence or a listing: as on an axis, with three digits that matter."""
    return "–" if np.isnan(value) else plain(float(f"{value:.3g}")).replace("-", "−")


def log_axis(axes: Axes, low: float, high: float, horizontal: bool = False) -> None:
    """A log axis from `low` to `high` with enough labels however narrow the range is."""
    (axes.set_xscale if horizontal else axes.set_yscale)("log")
    low, high = low / 1.15, high * 1.15
    (axes.set_xlim if horizontal else axes.set_ylim)(low, high)
    ratio = high / low
    # Labels of a horizontal axis need more room.
    steps = [1.0] if ratio >= (30 if horizontal else 1000) else [1.0, 2.0, 5.0]
    if ratio < 6:
        steps = [1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0]
    axis = axes.xaxis if horizontal else axes.yaxis
    axis.set_major_locator(LogLocator(subs=steps, numticks=6 if horizontal and ratio >= 30 else 20))
    axis.set_major_formatter(FuncFormatter(plain))
    between = [float(n) for n in np.arange(1, 10, 0.5 if ratio < 6 else 1)]
    axis.set_minor_locator(LogLocator(subs=between, numticks=20))
    axis.set_minor_formatter(NullFormatter())
    fine_grid(axes, horizontal)


def fine_grid(axes: Axes, horizontal: bool = False) -> None:
    """Lines at the labels of a log axis, and faint ones between, so that values can be read.

    ``log_axis`` draws them in its own panel; panels that share its axis need theirs.
    """
    which: Literal["x", "y"] = "x" if horizontal else "y"
    axes.grid(visible=True, axis=which, which="major")
    axes.grid(visible=True, axis=which, which="minor", color="#eeeeee", linewidth=0.4)


def readable(behind: NDArray[np.float64]) -> str:
    """Black or white, whichever has more contrast on a colour (RGB); at least 4.5 to 1 (WCAG 2)."""
    channels = behind[:3]
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    luminance = float(linear @ np.array([0.2126, 0.7152, 0.0722]))
    return "black" if (luminance + 0.05) ** 2 > 0.05 * 1.05 else "white"


def inward(axes: Axes) -> None:
    """Keep the labels of a narrow horizontal log axis off one another and off its neighbours'."""
    low, high = (np.log10(end) for end in axes.get_xlim())
    ticks = [tick for tick in axes.get_xticks() if low <= np.log10(tick) <= high]
    step = -(-len(ticks) // MOST_LABELS)
    axes.set_xticks(ticks, [plain(t) if i % step == 0 else "" for i, t in enumerate(ticks)])
    for tick, label in zip(ticks, axes.get_xticklabels(), strict=True):
        place = (np.log10(tick) - low) / (high - low)
        label.set_horizontalalignment(
            "left" if place < 0.08 else "right" if place > 0.92 else "center"
        )


def in_logs(panels: Iterable[NDArray[np.float64]]) -> bool:
    """Whether all panels of a figure are on a log scale: the values of one are far apart.

    A figure has one scale, and says so (``scaled``). Where there is a 0 anywhere, all are linear:
    it has no place on the other one.
    """
    finite_values = [values[np.isfinite(values)] for values in panels]
    finite_values = [values for values in finite_values if values.size]
    return all((values > 0).all() for values in finite_values) and any(
        values.max() / values.min() > WIDE for values in finite_values
    )


def decade(low: float, high: float) -> tuple[float, float]:
    """The ends of a log axis, a power of ten apart at least: less would make much of noise."""
    aside = max(0.0, 0.5 - np.log10(high / low) / 2)
    return float(low / 10**aside), float(high * 10**aside)


def scaled(title: str, log: bool) -> str:
    """The title of an axis with its scale, where that is a log scale."""
    if not log:
        return title
    unit = title.endswith(")")
    return f"{title[:-1]}, log scale)" if unit else f"{title} (log scale)"


def reach(points: NDArray[np.float64], bars: NDArray[np.float64]) -> tuple[float, float]:
    """Lowest and highest value of a log axis that shows all points (> 0), and bars near them.

    With few starts an interval can span powers of ten; the frame cuts it at three times the
    highest point, or a third of the lowest, so that the points can still be told apart.
    """
    points = points[points > 0]
    bars = bars[bars > 0]
    low, high = float(points.min()), float(points.max())
    lowest, highest = (
        min(low, float(bars.min(initial=low))),
        max(high, float(bars.max(initial=high))),
    )
    return max(lowest, low / 3), min(highest, high * 3)


def load_axis(axes: Axes, loads: Sequence[Level], title: str) -> None:
    """An x axis with a tick at every load: log2 where all are positive numbers, else even."""
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlabel(title)
    if in_numbers(loads):
        numbers = [float(load) for load in loads]
        axes.set_xscale("log", base=2)
        axes.set_xticks(numbers, [str(load) for load in loads])
        axes.xaxis.set_minor_locator(NullLocator())
        axes.set_xlim(min(numbers) / 1.3, max(numbers) * 1.3)
    else:
        axes.set_xticks(range(len(loads)), [str(load) for load in loads])
        axes.set_xlim(-0.5, len(loads) - 0.5)


def in_numbers(loads: Sequence[Level]) -> bool:
    """Whether loads have places on a logarithmic axis."""
    return all(isinstance(load, int | float) and load > 0 for load in loads)


def beside(loads: Sequence[Level], index: int) -> NDArray[np.float64]:
    """Places of a series: beside one another where they would cover each other's bars."""
    aside = (index + 1) // 2 * (-1) ** index
    if in_numbers(loads):
        return np.asarray(np.array(loads, dtype=np.float64) * 1.03**aside, dtype=np.float64)
    return np.asarray(np.arange(len(loads)) + 0.03 * aside, dtype=np.float64)
