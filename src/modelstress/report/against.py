"""Our figures beside the papers': tables, the figure of ratios, and sentences."""

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from modelstress.analysis import Derived
from modelstress.analysis.replication import (
    NOT_MEASURED,
    NUMBER,
    OTHER,
    SAME,
    UNDECIDED,
    Against,
    captured_beside,
    compare,
    has_papers,
    papers_beside,
)
from modelstress.report import footnotes, grouping, placebo_words
from modelstress.report.artifacts import Drawn, Results
from modelstress.report.files import figure_files, images, replace_files, table_files
from modelstress.report.grouping import Setting
from modelstress.report.render import Entry, Table, milliseconds
from modelstress.report.style import laid_out, new_figure, style

LOOKS = {
    SAME: ("o", "#0072B2", "the paper's direction"),
    OTHER: ("X", "#D55E00", "the other direction"),
    UNDECIDED: ("D", "#E69F00", "no clear difference here"),
    NUMBER: ("s", "#666666", "the paper states a number only"),
}
"""Marker, colour and legend of each verdict with a number."""
WORDS = {
    SAME: "same",
    OTHER: "other",
    UNDECIDED: "unclear",
    NUMBER: "–",
    NOT_MEASURED: "not measured",
}
BLANK = "–"
DATA = (
    "entry", "paper", "where", "kind", "unit", "theirs", "theirs_value", "theirs_low",
    "theirs_high", "ours", "ours_low", "ours_high", "ours_of", "detail", "ratio", "ratio_low",
    "ratio_high", "direction_theirs", "direction_ours", "verdict", "cells", "rests_on", "flags",
    "executor", "topology",
)  # fmt: skip
COLUMNS = (
    ("paper", ("number", "direction")),
    ("here", ("number", "interval or range", "direction")),
    ("beside each other", ("ours / theirs", "verdict", "cells")),
)
SPOKEN = frozenset({"sign of delta", "trend over threads", "crossover between threads"})
"""Kinds whose number says less than what was found of each cell."""
ONE_START = "within-one-start"
"""Flag of an entry whose interval is not over invocations; said in words."""
WIDTH = 7.4
Row = Mapping[Any, Any]
"""A row of ``Against.entries``."""


def results(against: Against) -> Results:
    """For each setting a table and a figure of ratios for each topic, and a figure of them all.

    The figures are of kind ``against``, about their topic; that of all topics is of kind
    ``overview``.
    """
    made: list[Table] = []
    drawn: list[Drawn] = []
    settings = _settings(against.entries)
    for i, (setting, entries) in enumerate(settings):
        suffix = f"-{chr(ord('a') + i)}" if len(settings) > 1 else ""
        for number, topic in enumerate(against.papers.topics, start=1):
            topic_entries = entries[entries["topic"] == topic]
            if not topic_entries.empty:
                made.append(
                    table(f"table-P{number}{suffix}", topic_entries, topic, against, setting)
                )
        drawn += _figures(entries, suffix, against, setting)
    return Results(against.study, tuple(made), tuple(drawn))


def _figures(
    entries: pd.DataFrame, suffix: str, against: Against, setting: Setting
) -> Iterator[Drawn]:
    """The figures of a setting; none where no entry has a ratio."""
    legend = "Bars: our interval or range; the line at 1 is the paper."
    for number, topic in enumerate(("", *against.papers.topics), start=1):
        topic_entries = entries if not topic else entries[entries["topic"] == topic]
        shown = topic_entries[topic_entries["ratio"] > 0]
        if shown.empty:
            continue
        others = int((topic_entries["verdict"] != NOT_MEASURED).sum()) - len(shown)
        of = against.papers.topics.get(topic, "all topics")
        caption = (
            f"Our numbers divided by the papers', by entry: {of} "
            f"({_where(against, setting, topic)}). {legend} Of the entries that were measured, "
            f"{others} have no such ratio and stand in the tables only. {_note(against)}"
        )
        kind = "against" if topic else "overview"
        draw = partial(ratios, shown, against.papers.topics)
        yield Drawn(f"figure-P{number}{suffix}", kind, caption, draw, topic)


def save(made: Results, results_dir: Path) -> list[Path]:
    """Write tables and figures to `<study>/against` as `modelstress report` does its own.

    Raises:
        MeasureError: a file cannot be written.
    """
    folder = results_dir / made.study / "against"
    content = table_files(made, folder) | figure_files(images(made.figures), folder)
    return replace_files(folder, ("table-*", "figure-*"), content)


def found_beside(derived: Derived, data_dir: Path) -> Against | None:
    """A profile held against the papers of its study; None where it has none.

    Raises:
        ConfigError: a file of the papers, or the configuration beside the data, is wrong.
    """
    if not has_papers(data_dir, derived.study):
        return None
    papers = papers_beside(data_dir, derived.study)
    wire = captured_beside(data_dir, derived.study, derived.profile)
    return compare(derived, papers, wire, data_dir)


def tables_of(made: Results, topic: str) -> list[Table]:
    """The tables of one topic, one for each setting."""
    return made.tables_of("against", topic)


def table(
    number: str, entries: pd.DataFrame, topic: str, against: Against, setting: Setting
) -> Table:
    """The entries of one topic: what the paper states, what was found, and how they compare."""
    # a paper without a year is the only one of its study
    years = {p.paper: f"{p.year}, " if p.year else "" for p in against.papers.papers}
    rows, used = [], []
    for row in entries.to_dict("records"):
        letters = footnotes.letters(str(row["flags"]).replace(ONE_START, ""))
        used.append(letters)
        values = (
            row["theirs"], row["direction_theirs"] or BLANK, ours(row), interval(row),
            row["direction_ours"] or BLANK, _times(row), WORDS[str(row["verdict"])],
            str(row["cells"]) if row["cells"] else BLANK,
        )  # fmt: skip
        cells = [Entry(str(value)) for value in values]
        cells[2] = Entry(cells[2].text, letters)
        rows.append(
            ((str(row["title"]), f"{years[str(row['paper'])]}{row['where']}"), tuple(cells))
        )
    notes = [
        f"{row['title']}: {row['note'].rstrip('.')}."
        for row in entries.to_dict("records")
        if row["note"]
    ]
    missing = entries.loc[entries["verdict"] == NOT_MEASURED, "detail"].value_counts()
    if len(missing):
        reasons = ", ".join(f"{reason} ({count})" for reason, count in missing.items())
        notes.append(f"Not measured: {reasons}.")
    single = int(entries["flags"].str.contains(ONE_START, regex=False).sum())
    if single:
        notes.append(f"Intervals of {single} entries hold within one start: there is no second.")
    title = against.papers.topics[topic]
    caption = f"Ours beside the papers: {title} ({_where(against, setting, topic)})."
    return Table(
        number, caption, ("entry", "paper"), COLUMNS, tuple(rows), footnotes.notes(used),
        (*notes, *_placebo(entries, against), _note(against)),
        entries[list(DATA)].reset_index(drop=True), "against", topic,
    )  # fmt: skip


def _placebo(entries: pd.DataFrame, against: Against) -> Iterator[str]:
    """What directions of latencies are worth, where a table has any."""
    if entries["direction_ours"].isin(["slower", "faster"]).any():
        yield placebo_words.remark(against.placebo_rates)


def ours(row: Row) -> str:
    """Our number as it is printed; of counts also among how many."""
    value = float(row["ours"])
    if value != value:
        return BLANK
    if row["kind"] == "sign of delta":
        return f"{value:.0%} slower"
    if row["ours_of"] == row["ours_of"] and row["ours_of"] is not None:
        return f"{value:.0f} of {number(float(row['ours_of']))}"
    return number(value, str(row["unit"]))


def interval(row: Row) -> str:
    """Our interval or range as it is printed; where several cells decide, what they say."""
    if row["kind"] in SPOKEN and row["verdict"] != NOT_MEASURED:
        return str(row["detail"])
    low, high = float(row["ours_low"]), float(row["ours_high"])
    if low != low or high != high:
        return BLANK
    if row["ours_of"] == row["ours_of"] and row["ours_of"] is not None:
        of = float(row["ours_of"])
        return f"{low / of:.1%} to {high / of:.1%}"
    unit = str(row["unit"])
    return f"{number(low, unit)} to {number(high, unit)}"


def number(value: float, unit: str = "") -> str:
    """A number of a unit with the digits that matter."""
    sign = "−" if value < 0 else ""
    if unit == "ms":
        return sign + milliseconds(abs(value))
    integer = abs(value) >= 100 or value == round(value)
    text = f"{abs(value):,.0f}" if integer else f"{abs(value):.3g}"
    return sign + text.replace(",", "\u202f")


def ratios(entries: pd.DataFrame, topics: Mapping[str, str]) -> Figure:
    """Ours divided by theirs on a log axis: a line per entry, grouped by topic."""
    rows: list[tuple[str, Row | None]] = []
    for topic, topic_title in topics.items():
        topic_entries = entries[entries["topic"] == topic]
        if not topic_entries.empty:
            rows.append((topic_title, None))
            rows += [(str(row["title"]), row) for row in topic_entries.to_dict("records")]
    with style():
        figure = new_figure(WIDTH, 0.9 + 0.19 * len(rows))
        axes = figure.subplots()
        axes.set_xscale("log")
        axes.axvline(1, color="black", linewidth=1)
        for place, (_, row) in enumerate(rows):
            if row is not None:
                _point(axes, place, row)
        axes.set_yticks(range(len(rows)), [label for label, _ in rows])
        for tick, (_, row) in zip(axes.get_yticklabels(), rows, strict=True):
            if row is None:
                tick.set_fontweight("bold")
        axes.tick_params(axis="y", length=0)
        axes.set_ylim(len(rows) - 0.4, -0.6)
        _decades(axes)
        axes.set_xlabel("ours / the paper's (log scale)")
        axes.grid(visible=True, axis="x")
        there = [verdict for verdict in LOOKS if (entries["verdict"] == verdict).any()]
        handles = [
            Line2D([], [], linestyle="", marker=LOOKS[v][0], color=LOOKS[v][1]) for v in there
        ]
        figure.legend(handles, [LOOKS[v][2] for v in there], loc="outside upper center", ncols=2)
        return laid_out(figure)


def _point(axes: Axes, place: int, row: Row) -> None:
    marker, colour, _ = LOOKS[str(row["verdict"])]
    low, high = float(row["ratio_low"]), float(row["ratio_high"])
    if high == high:
        begin = low if low > 0 else float(row["ratio"])  # an interval that goes below the axis
        axes.plot([begin, high], [place, place], color=colour, linewidth=1.2)
    axes.plot([row["ratio"]], [place], marker=marker, color=colour, markersize=5, linestyle="")


def _decades(axes: Axes) -> None:
    low, high = axes.get_xlim()
    low, high = min(low, 0.5), max(high, 2.0)
    axes.set_xlim(low, high)
    axes.xaxis.set_major_locator(LogLocator(subs=[1.0] if high / low > 100 else [1.0, 2.0, 5.0]))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.xaxis.set_minor_locator(LogLocator(subs=range(2, 10), numticks=20))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.grid(visible=True, axis="x", which="minor", color="#eeeeee", linewidth=0.4)


def _times(row: Row) -> str:
    value = float(row["ratio"])
    return BLANK if value != value else number(value)


def _settings(entries: pd.DataFrame) -> list[tuple[Setting, pd.DataFrame]]:
    groups = entries.groupby(["executor", "topology"], sort=False)
    return [(Setting(str(key[0]), str(key[1])), rows) for key, rows in groups]


def _where(against: Against, setting: Setting, topic: str) -> str:
    if topic == "wire":  # in another network, one execution at a time
        return f"captured beside profile {against.profile}"
    return f"profile {against.profile}; {setting}"


def _note(against: Against) -> str:
    return grouping.unlike(against.papers.setting.note)
