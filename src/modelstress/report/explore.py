"""Interactive exploration in a notebook: a figure and a comparison of what is chosen.

What is shown is an ordinary output of the cell, replaced when a widget changes: where nothing
runs (an executed notebook, a page made of it) a sentence stands for the widgets, and the rest is
there. A choice that cannot be shown is answered by a sentence.
"""

from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

import ipywidgets
import pandas as pd
from matplotlib.figure import Figure

from modelstress.analysis import Derived, selection
from modelstress.analysis.contrasts import records
from modelstress.analysis.projection import Projection
from modelstress.config.errors import ConfigError, ModelstressError
from modelstress.report import claims_words as words
from modelstress.report import facets, footnotes, grouping, selection_report, summary_tables
from modelstress.report.facets import Layout
from modelstress.report.images import svg_of
from modelstress.report.widgets import (
    Filters,
    Shown,
    answered,
    controls,
    itemised,
    picture,
    sentence,
)

NONE = "–"
MEASURES = {**{title: name for name, title in facets.UNITS.items()}, "distribution (ECDF)": "ecdf"}
FEW = 8
"""Lines of the figure that is shown at first."""


class Panel:
    """A figure whose factors, measure and cells are chosen."""

    def __init__(self, derived: Derived, folder: Path | None = None) -> None:
        self._derived, self._folder = derived, folder
        self._projection = derived.projection
        levels = selection.levels(derived.cells, self._projection.factors)
        several = [name for name in self._projection.factors if len(levels[name]) > 1]
        layout, chosen = first_look(derived, several)
        self.measure = _dropdown("measure", list(MEASURES.items()), "median")
        choices = [(NONE, ""), *((name, name) for name in several)]
        self.rows = _dropdown("rows", choices, layout.rows)
        self.columns = _dropdown("columns", choices, layout.columns)
        self.colour = _dropdown("colour", choices, layout.colour)
        self.along = _dropdown("along", choices, layout.along)
        self.filters = Filters(derived, "Cells (none chosen: all)", chosen)
        self._save = ipywidgets.Button(description="save figure", disabled=folder is None)
        self._saved = ipywidgets.Label()
        self.shown = Shown()
        self._figure: Figure | None = None
        chosen_widgets = (self.measure, self.rows, self.columns, self.colour, self.along)
        for widget in chosen_widgets:
            widget.observe(self._changed, names="value")
        self.filters.observe(self._changed)
        self._save.on_click(self._on_save)
        row = ipywidgets.Layout(flex_flow="row wrap")
        self.widget = ipywidgets.VBox(
            [
                ipywidgets.Box(chosen_widgets, layout=row),
                self.filters.widget,
                ipywidgets.HBox([self._save, self._saved]),
            ]
        )

    def show(self) -> None:
        """Show the widgets and the figure in the cell that is being executed."""
        controls(self.widget, "the figure of what is chosen at first")
        self._changed(None)

    def _changed(self, _: object) -> None:
        self._saved.value = ""
        self.shown(answered(self._draw))

    def _draw(self) -> str:
        self._figure = None
        chosen = selection.select(self._derived, self.filters.chosen)
        cells, left_out = _one_setting(chosen)
        layout = Layout(self.rows.value, self.columns.value, self.colour.value, self.along.value)
        if len(set(layout.names)) < len(layout.names):
            raise ConfigError("a factor is chosen twice; rows, columns, colour and along differ")
        sentences = [left_out]
        if self.measure.value == "ecdf":
            pools = [selection.pool(self._derived, row) for row in records(cells)]
            self._figure = facets.curves(cells, pools, layout, self._projection)
            absent = pd.Series(["" if pool.size else "no latencies" for pool in pools])
        else:
            measured = selection.measured(self._derived, cells, self.measure.value)
            unit = facets.UNITS[self.measure.value]
            self._figure = facets.lines(measured, layout, unit, self._projection)
            absent = measured["absent"]
            others = facets.rest(cells, self._projection, layout)
            if others:
                sentences.append(f"Lines of one colour differ in {words.listed(others, 12)}.")
        sentences += _counted(cells, absent)
        sentences.append(_not_chosen(self._derived.cells, chosen))
        return picture(self._figure, " ".join(filter(None, sentences)))

    def _on_save(self, _: object) -> None:
        """Write the figure that is shown to the results."""
        if self._figure is None or self._folder is None:
            self._saved.value = "There is no figure to be saved."
            return
        self._folder.mkdir(parents=True, exist_ok=True)
        path = self._folder / f"{self._derived.study}-{self._derived.profile}.svg"
        path.write_bytes(svg_of(self._figure, "explored"))
        self._saved.value = f"saved as {path}"


class Comparison:
    """Two selections of cells, compared pair by pair."""

    def __init__(self, derived: Derived) -> None:
        self._derived = derived
        first, second = first_sides(derived)
        self.first = Filters(derived, "First selection", first)
        self.second = Filters(derived, "Second selection", second)
        wide = ipywidgets.Layout(width="640px")
        self.pair = ipywidgets.Dropdown(description="pair", layout=wide)
        self.shown = Shown()
        self._found: tuple[selection.SelectionComparison, pd.DataFrame] | None = None
        for filters in (self.first, self.second):
            filters.observe(self._changed)
        self.pair.observe(self._picked, names="value")
        self.widget = ipywidgets.VBox([self.first.widget, self.second.widget, self.pair])

    def show(self) -> None:
        """Show the widgets and the comparison in the cell that is being executed."""
        controls(self.widget, "the comparison of what is chosen at first")
        self._changed(None)

    def _changed(self, _: object) -> None:
        self._found = None  # so that the new choice of pairs does not draw by itself
        try:
            comparison = selection.compare(self._derived, self.first.chosen, self.second.chosen)
        except ModelstressError as error:
            self.pair.options = []
            self.shown(sentence(error))
            return
        rows = selection_report.order(comparison)
        self.pair.options = [
            (selection_report.name(row, comparison), place)
            for place, (_, row) in enumerate(rows.iterrows())
        ]
        self.pair.index = 0
        self._found = comparison, rows
        self._picked(None)

    def _picked(self, _: object) -> None:
        if self._found is not None:
            self.shown(self._said(*self._found))

    def _said(self, comparison: selection.SelectionComparison, rows: pd.DataFrame) -> str:
        """All pairs in sentences, the chosen one in more of them and as curves, then a table."""
        row = rows.iloc[self.pair.value]
        sentences = selection_report.pair_sentences(row, comparison, self._derived.confidence)
        parts = [itemised(selection_report.sentences(comparison, self._derived.placebo_rates))]
        parts.append(
            f"<p><b>{escape(selection_report.name(row, comparison))}</b></p>{itemised(sentences)}"
        )
        if row["n"] and row["baseline_n"]:
            caption = f"Share of executions by latency ({selection_report.setting(row)})."
            parts.append(picture(selection_report.curves(row, comparison, self._derived), caption))
        if len(rows) > 1:
            shown = selection_report.table(comparison)
            if len(rows) > len(shown):
                parts.append(f"<p>The {len(shown)} pairs that differ most:</p>")
            parts.append(summary_tables.shown(shown).to_html())
            parts += [
                f"<p>{letter}: {escape(text)}</p>"
                for letter, text in footnotes.notes(shown["marks"])
            ]
        return "".join(parts)


def first_look(derived: Derived, several: Sequence[str]) -> tuple[Layout, selection.Levels]:
    """What is shown at first: operations as columns, loads along, and as many cells as can be read.

    From the last factor on, the first level is chosen until the lines are few enough, and beside
    it those without which a tool would have no cell of an operation any more.
    """
    projection = derived.projection
    named = [name for name in (*projection.series, *several) if name in several]
    colour = next((name for name in named if name not in projection.position), "")
    columns, along = (
        name if name in several else "" for name in (projection.operation, projection.load)
    )
    layout = Layout("", columns, colour, along)
    chosen: dict[str, tuple[object, ...]] = {}
    for name in reversed([factor for factor in several if factor not in layout.names]):
        cells = selection.select(derived, chosen)
        others = facets.rest(cells, projection.only(several), layout)
        told = [name for name in (colour, *others) if name]
        if len(cells[told].map(grouping.words).drop_duplicates()) <= FEW:
            break
        levels = [selection.level(value) for value in cells[name]]
        if len(set(levels)) > 1:
            chosen[name] = _usual(cells, levels, projection)
    return layout, chosen


def _usual(
    cells: pd.DataFrame, cell_levels: Sequence[object], projection: Projection
) -> tuple[object, ...]:
    """The first level, which is the usual one, no level, and what is the first of a panel."""
    usual = next(level for level in cell_levels if level is not None)
    kept: dict[object, None] = {usual: None}
    if None in cell_levels:
        kept[None] = None
    panels: dict[tuple[object, ...], list[object]] = {}
    keys = ["tool", *filter(None, [projection.dataset, projection.operation])]
    for key, level in zip(cells[keys].itertuples(index=False, name=None), cell_levels, strict=True):
        panels.setdefault(tuple(key), []).append(level)
    for levels in panels.values():
        if not kept.keys() & set(levels):
            kept[levels[0]] = None
    return tuple(kept)


def _not_chosen(cells: pd.DataFrame, chosen: pd.DataFrame) -> str:
    """A sentence about the cells that the lists of levels leave out."""
    others = cells.loc[cells.index.difference(chosen.index), "tool"]
    if others.empty:
        return ""
    counts = {str(tool): int(count) for tool, count in others.value_counts(sort=False).items()}
    return (
        f"The lists of levels leave out {words.many(len(others), 'cell')} of {len(cells)} "
        f"({selection_report.by_tool(counts)})."
    )


def first_sides(derived: Derived) -> tuple[selection.Levels, selection.Levels]:
    """Two levels of a factor whose cells can be compared: those of the panels, if it has two.

    Where these are too many cells, those with the least load.
    """
    projection = derived.projection
    by_factor = selection.levels(derived.cells, projection.factors)
    load = projection.load
    for name in dict.fromkeys((projection.panel, *reversed(by_factor))):
        levels = [level for level in by_factor.get(name, ()) if level is not None]
        if len(levels) < 2 or name in projection.position:
            continue
        few: selection.Levels = {load: by_factor[load][:1]} if load in by_factor else {}
        for also in ({}, few):
            first, second = {**also, name: (levels[1],)}, {**also, name: (levels[0],)}
            try:
                selection.compare(derived, first, second)
            except ConfigError:
                continue
            return first, second
    return {}, {}


def _dropdown(name: str, choices: Sequence[tuple[str, str]], value: str) -> Any:
    widget = ipywidgets.Dropdown(options=choices, value=value, description=name)
    widget.add_class(f"choice-of-{name}")
    return widget


def _one_setting(cells: pd.DataFrame) -> tuple[pd.DataFrame, str]:
    """The cells of the setting that most of them have, and a sentence about the others."""
    setting, setting_cells = next(grouping.settings(cells))
    text = f"{words.many(len(setting_cells), 'cell')} ({setting})."
    if len(setting_cells) < len(cells):
        others = words.many(len(cells) - len(setting_cells), "cell")
        text += f" {others} of another setting, or of none that is known, are not shown."
    return setting_cells, text


def _counted(cells: pd.DataFrame, absent: "pd.Series[str]") -> list[str]:
    """Sentences about the cells that have no value, and those that carry marks."""
    counts = absent[absent != ""].value_counts()
    sentences = []
    if len(counts):
        reasons = "; ".join(f"{reason}: {count}" for reason, count in counts.items())
        sentences.append(f"Without a value are {counts.sum()} of {len(cells)} cells ({reasons}).")
    letters = "".join(cells["flags"].map(footnotes.letters))
    flagged = int((cells["flags"].map(footnotes.letters) != "").sum())
    if flagged:
        meanings = "; ".join(text for _, text in footnotes.notes(letters))
        sentences.append(f"{words.many(flagged, 'cell')} to be careful with ({meanings}).")
    return sentences
