"""What protocols and API styles cost on the wire: the table, the figures and their files."""

import re
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from html import escape
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from modelstress.analysis import Anatomy
from modelstress.analysis.projection import Projection
from modelstress.config.roles import OnTheWire
from modelstress.report import footnotes, grouping
from modelstress.report.artifacts import Drawn, Results
from modelstress.report.files import figure_files, images, replace_files, table_files
from modelstress.report.grouping import Setting
from modelstress.report.render import Entry, Table, milliseconds
from modelstress.report.sequence import overview, sequence
from modelstress.report.style import COLOURS, GREY, laid_out, new_figure, plain, style

METHODS = {
    "packets": "packets counted on the wire; bytes are whole frames with their Ethernet headers",
    "proxy": "messages seen by a proxy, which knows neither packets nor frames",
}


PAPER = "the paper's OQ"
"""Operation of the papers' executions, which ran on other models and machines."""

COLUMNS: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = (
    ("counted", (("packets", "packets"), ("bytes", "bytes"), ("payload", "payload"))),
    (
        "exchanged",
        (
            ("connections", "connections"), ("round_trips", "round trips"),
            ("requests", "HTTP requests"),
        ),
    ),
    ("time (ms)", (("longest_gap_ms", "longest gap"), ("duration_ms", "duration"))),
)  # fmt: skip
BARS = (
    ("packets", "packets"), ("bytes", "bytes"), ("payload", "payload (bytes)"),
    ("round_trips", "round trips"), ("requests", "HTTP requests"),
)  # fmt: skip


OF_TIME = frozenset({
    "client-busy", "client-load-unknown", "machine-changed", "no-calibration", "cpu-quota",
    "shared-cpus", "verify-cost", "windows-apart", "burst",
})  # fmt: skip
"""Flags that say something of times, nothing of what was counted."""


SEQUENCE = (
    " Times are those of a message's first byte since the start of the execution; rows are evenly "
    "spaced, long silences are written between them; sizes are payload; (1), (2) and dashes: the "
    "connection."
)
"""How a sequence is read; the first one says it."""


class Absent:
    """Stands where a notebook would show a sequence that nobody captured."""

    def __init__(self, tool: str, panel: str) -> None:
        self.tool, self.panel = tool, panel

    def _repr_html_(self) -> str:
        where = " over ".join(filter(None, [self.tool, self.panel]))
        text = f"Nothing was captured of {where} under this profile."
        return f"<p><i>{escape(text)}</i></p>"


def anatomy_results(anatomy: Anatomy) -> Results:
    """The table and figures of captured executions; `kind` of a sequence is `<tool>-<panel>`.

    Settings and methods of counting never share a table or a figure.
    """
    made: list[Table] = []
    drawn: list[Drawn] = []
    projection = anatomy.projection
    groups = list(_groups(anatomy.cells))
    for i, (setting, method, cells) in enumerate(groups):
        suffix = f"-{chr(ord('a') + i)}" if len(groups) > 1 else ""
        names = variants(cells, projection)
        where = f"{_where(cells, projection, setting)}; {METHODS[method]}"
        made.append(table(f"table-A1{suffix}", cells, names, projection, method, where))
        figures = _figures(anatomy, cells, names, method, where)
        for number, (kind, caption, draw) in enumerate(figures, start=1):
            drawn.append(Drawn(f"figure-A{number}{suffix}", kind, caption, draw))
    return Results(anatomy.study, tuple(made), tuple(drawn))


def shown_sequences(made: Results, tool: str, panel: str = "") -> list[Drawn] | list[Absent]:
    """The sequences of a tool with a level of the panel's factor, for a notebook."""
    return made.of("-".join(filter(None, [tool, panel]))) or [Absent(tool, panel)]


def save_anatomy(made: Results, anatomy: Anatomy, results_dir: Path) -> list[Path]:
    """Write tables, figures and one file of packets per variant to `<study>/anatomy/`.

    Files of an earlier run that are not made any more are removed. Returns what was written.

    Raises:
        MeasureError: a file cannot be written.
    """
    folder = results_dir / made.study / "anatomy"
    content = table_files(made, folder) | figure_files(images(made.figures), folder)
    files = replace_files(folder, ("table-*", "figure-*", "*.pcap"), content)
    for _, _, cells in _groups(anatomy.cells):
        names = variants(cells, anatomy.projection)
        for name, tool, cell in zip(names, cells["tool"], cells["cell"], strict=True):
            if packets := anatomy.captures.get((tool, cell)):
                target = folder / f"{re.sub(r'[^A-Za-z0-9]+', '-', name)}.pcap"
                shutil.copyfile(packets, target)
                files.append(target)
    return files


def _groups(cells: pd.DataFrame) -> Iterator[tuple[Setting, str, pd.DataFrame]]:
    """The cells of every setting and method; what is missing stands with the first method."""
    for setting, setting_cells in grouping.settings(cells):
        measured_methods = setting_cells.loc[setting_cells["method"] != "", "method"]
        methods = measured_methods.value_counts().index if len(measured_methods) else ["packets"]
        for i, method in enumerate(methods):
            mask = setting_cells["method"] == method
            yield (
                setting,
                str(method),
                setting_cells[mask | (setting_cells["method"] == "") if i == 0 else mask],
            )


def variants(cells: pd.DataFrame, projection: Projection) -> list[str]:
    """A name for each cell: tool, panel and what tells it from the others with these two.

    An operation, dataset or load that is not everywhere the same is always named.
    """
    factors = [name for name in (projection.dataset, *projection.position) if name in cells]
    named = [name for name in factors if cells[name].map(grouping.words).nunique() > 1]
    names: dict[object, str] = {}
    for place, place_cells in cells.groupby([*_place(projection)], sort=False):
        words = place_cells[_others(projection)].map(grouping.words)
        told = list(named)
        apart = len(words[told].drop_duplicates()) if told else 1
        for factor in _others(projection):
            if (more := len(words[[*told, factor]].drop_duplicates())) > apart:
                told.append(factor)
                apart = more
        for index, row in place_cells.iterrows():
            levels = [_level(factor, row[factor]) for factor in told]
            names[index] = " / ".join([*map(str, place), *filter(None, levels)])
    return [names[index] for index in cells.index]


def _place(projection: Projection) -> tuple[str, ...]:
    """The factors that always name a variant."""
    return tuple(filter(None, ("tool", projection.panel)))


def _others(projection: Projection) -> list[str]:
    return [factor for factor in projection.factors if factor not in _place(projection)]


def _level(factor: str, level: object) -> str:
    """A level for readers; numbers and truth values say nothing without their factor."""
    words = grouping.words(level)
    return words if isinstance(level, str) or not words else f"{factor} {words}"


def _where(cells: pd.DataFrame, projection: Projection, setting: Setting) -> str:
    """What all of these executions have in common."""
    same = {}
    for factor in _others(projection):
        levels = {words for words in cells[factor].map(grouping.words) if words}
        if len(levels) == 1 and factor != projection.load:
            same[factor] = levels.pop()
    conditions = ", ".join(f"{factor} {level}" for factor, level in same.items())
    return f"{setting}; {conditions}" if conditions else str(setting)


def table(
    number: str,
    cells: pd.DataFrame,
    names: Sequence[str],
    projection: Projection,
    method: str,
    where: str,
) -> Table:
    """Counts and times of every variant, and beside them what the papers published."""
    rows: list[tuple[tuple[str, ...], tuple[Entry, ...]]] = []
    used = []
    for name, cell in zip(names, cells.to_dict("records"), strict=True):
        used.append(letters(cell["flags"]))
        entries = [Entry(str(int(cell["captured"])), used[-1])]
        entries += [Entry(_range(cell, measure)) for _, group in COLUMNS for measure, _ in group]
        rows.append((_labels(name, projection), tuple(entries)))
    published = _published(projection, method)
    rows += [_row(execution, projection) for execution in published]
    groups = (
        ("", ("executions",)),
        *((title, tuple(head for _, head in group)) for title, group in COLUMNS),
    )
    caption = (
        "One execution on the wire: packets, bytes, TCP connections, round trips, HTTP requests "
        f"and times, as median (smallest–largest) over executions; {where}."
    )
    remarks = [
        f"Tools: {grouping.titles(cells)}." if grouping.titles(cells) else "",
        f"{PAPER[0].upper()}{PAPER[1:]}: ecmfa2016 and sosym2017, another query on other models."
        if published else "",
    ]  # fmt: skip
    data = cells.assign(variant=names)
    front = ["variant", *_place(projection), "method"]
    data = data[[*front, *(column for column in data if column not in front)]]
    return Table(
        number, caption, (*_place(projection), "variant"), groups, tuple(rows),
        footnotes.notes(used),
        tuple(filter(None, remarks)), data.reset_index(drop=True),
    )  # fmt: skip


def letters(flags: str) -> str:
    """The marks of a cell's counts; what only says something of times has none."""
    codes = [code for code in flags.split(";") if code]
    return footnotes.letters(";".join(code for code in codes if code not in OF_TIME))


def remarkable(anatomy: Anatomy) -> pd.DataFrame:
    """The cells whose counts are missing or must be read with care, and why."""
    rows = []
    for cell in anatomy.cells.to_dict("records"):
        remarks = [text for _, text in footnotes.notes(letters(cell["flags"]))]
        if remarks:
            rows.append({"cell": cell["cell"], "state": cell["state"], "why": "; ".join(remarks)})
    return pd.DataFrame(rows, columns=["cell", "state", "why"])


def _labels(name: str, projection: Projection) -> tuple[str, ...]:
    levels, places = name.split(" / "), len(_place(projection))
    return *levels[:places], ", ".join(levels[places:])


def _range(cell: Mapping[Any, Any], measure: str) -> str:
    """A median, and the range where executions differ; blank where it is not known."""
    values = [cell[f"{measure}{end}"] for end in ("", "_low", "_high")]
    if pd.isna(values[0]):
        return "–"
    shown = milliseconds if measure.endswith("_ms") else plain
    median, low, high = (shown(float(value)) for value in values)
    # nowhere broken into lines: notebooks let columns be narrow
    return median if low == high else f"{median}\u00a0({low}\u2060–\u2060{high})"


def _published(projection: Projection, method: str) -> list[OnTheWire]:
    """The papers' executions, where they were counted in the same way."""
    return projection.layout.wire if method == "packets" else []


def _paper(execution: OnTheWire, projection: Projection) -> tuple[str, ...]:
    """The levels of a paper's execution that name a variant."""
    return tuple(grouping.words(execution.levels.get(name)) for name in _place(projection))


def _row(execution: OnTheWire, projection: Projection) -> tuple[tuple[str, ...], tuple[Entry, ...]]:
    texts = {
        "packets": plain(execution.packets), "bytes": plain(execution.bytes),
        "requests": plain(execution.requests), "longest_gap_ms": execution.gap,
    }  # fmt: skip
    entries = [Entry(texts.get(m) or "–") for _, group in COLUMNS for m, _ in group]
    return (*_paper(execution, projection), PAPER), (Entry("1"), *entries)


def _figures(
    anatomy: Anatomy, cells: pd.DataFrame, names: Sequence[str], method: str, where: str
) -> Iterator[tuple[str, str, Callable[[], Figure]]]:
    """Kind, caption and renderer of all figures of a setting and method."""
    if not cells["captured"].sum():
        return
    yield (
        "counts", f"What one execution costs on the wire, medians ({where}).",
        partial(counts, cells, names, anatomy.projection, method),
    )  # fmt: skip
    told = []
    for name, cell in zip(names, cells.to_dict("records"), strict=True):
        all_messages = anatomy.messages
        cell_messages = all_messages[
            (all_messages["tool"] == cell["tool"]) & (all_messages["cell"] == cell["cell"])
        ]
        if len(cell_messages):
            kind = "-".join(str(cell[factor]) for factor in _place(anatomy.projection))
            told.append((name, kind, cell_messages))
    yield (
        "overview",
        "When client and server spoke in one execution of each variant. Strokes above a line: sent "
        "by the client; below: received; longer strokes: more bytes, on a log scale; grey: TCP's "
        "own; bar: end of the execution.",
        partial(overview, [(name, messages) for name, _, messages in told]),
    )
    for number, (name, kind, messages) in enumerate(told):
        caption = (
            f"{name}: the messages of one execution, the one of median duration."
            f"{'' if number else SEQUENCE}"
        )
        yield kind, caption, partial(sequence, messages, name)


def counts(
    cells: pd.DataFrame, names: Sequence[str], projection: Projection, method: str
) -> Figure:
    """Bars of what was counted, a panel per measure; hatched bars are the papers' numbers."""
    shown = [bar for bar in BARS if not cells[bar[0]].isna().all()]
    bars = [(name, row, False) for name, (_, row) in zip(names, cells.iterrows(), strict=True)]
    bars += [
        (
            f"{' / '.join(_paper(execution, projection))} ({PAPER})",
            pd.Series(execution.model_dump()),
            True,
        )
        for execution in _published(projection, method)
    ]
    with style():
        figure = new_figure(11.0, 0.9 + 0.25 * len(bars))
        panels = figure.subplots(1, len(shown), sharey=True, squeeze=False)[0]
        for axes, (measure, head) in zip(panels, shown, strict=True):
            _bars(axes, measure, bars)
            axes.set_title(head)
        panels[0].set_yticks(range(len(bars)), [name for name, _, _ in bars])
        panels[0].set_ylim(len(bars) - 0.4, -0.6)
        return laid_out(figure)


def _bars(axes: Axes, measure: str, bars: Sequence[tuple[str, pd.Series, bool]]) -> None:
    values = [float(row[measure]) if measure in row else float("nan") for _, row, _ in bars]
    most = max((value for value in values if value == value), default=1.0) or 1.0
    for y, ((_, _, published), value) in enumerate(zip(bars, values, strict=True)):
        if value != value:
            axes.text(0, y, " –", va="center", fontsize=8, color=GREY)
            continue
        bar = axes.barh(y, value, height=0.62, color=COLOURS[0])
        if published:
            bar[0].set(facecolor="white", edgecolor=GREY, hatch="////")
        axes.text(value + 0.02 * most, y, plain(value), va="center", fontsize=8)
    axes.set_xlim(0, 1.38 * most)
    axes.xaxis.set_major_locator(MaxNLocator(3))
    axes.xaxis.set_major_formatter(FuncFormatter(plain))
    axes.grid(visible=True, axis="x")
    axes.grid(visible=False, axis="y")
    axes.tick_params(axis="y", length=0)
