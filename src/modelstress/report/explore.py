"""Interactive exploration in a notebook: widgets over ``facets``, ``sides`` and an oracle.

What is shown is an ordinary output of the cell, replaced when a widget changes: where nothing
runs (an executed notebook, a page made of it) the widgets are a sentence and the rest is there.
A choice that cannot be shown is answered by a sentence.
"""

import base64
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from html import escape
from pathlib import Path
from time import monotonic
from typing import Any, Protocol

import ipywidgets
import pandas as pd
from IPython.display import HTML, display
from matplotlib.figure import Figure

from modelstress.analysis import Derived, selection
from modelstress.config.errors import ConfigError, ModelstressError
from modelstress.config.project import Project
from modelstress.report import facets, frames, listings, marks, sides
from modelstress.report import claims_words as words
from modelstress.report.drawn import svg_of
from modelstress.report.facets import Layout

NONE = "–"
MEASURES = {**{title: name for name, title in facets.UNITS.items()}, "distribution (ECDF)": "ecdf"}
FEW = 12
"""Lines of the first figure that is shown."""


class Shown:
    """HTML as an output of the cell, which can be replaced."""

    def __init__(self) -> None:
        self.html = ""
        self._handle: Any = None

    def __call__(self, html: str) -> None:
        """Show it, in the place of what was shown before."""
        self.html = html
        if self._handle is None:
            self._handle = display(HTML(html), display_id=True)  # type: ignore[no-untyped-call]
        else:
            self._handle.update(HTML(html))  # type: ignore[no-untyped-call]


class Filters:
    """One list of levels per factor that has several; nothing chosen keeps all."""

    def __init__(self, derived: Derived, heading: str, chosen: selection.Levels) -> None:
        known = selection.levels(derived.cells, ("tool", *derived.factors))
        self._lists = {
            name: ipywidgets.SelectMultiple(
                options=[(frames.words(one) or f"no {name}", one) for one in levels],
                value=tuple(chosen.get(name, ())),
                description="",
                rows=min(5, len(levels)),
                layout=ipywidgets.Layout(width="148px"),
            )
            for name, levels in known.items()
            if len(levels) > 1
        }
        boxes = [
            ipywidgets.VBox([ipywidgets.HTML(f"<b>{escape(name)}</b>"), one])
            for name, one in self._lists.items()
        ]
        row = ipywidgets.Layout(flex_flow="row wrap")
        for name, one in self._lists.items():
            one.add_class(f"levels-of-{name.replace('_', '-')}")
        self.widget = ipywidgets.VBox(
            [ipywidgets.HTML(f"<b>{escape(heading)}</b>"), ipywidgets.Box(boxes, layout=row)]
        )

    @property
    def chosen(self) -> dict[str, tuple[object, ...]]:
        """The chosen levels by factor."""
        return {name: tuple(one.value) for name, one in self._lists.items() if one.value}

    def choose(self, name: str, levels: Sequence[object]) -> None:
        """Choose the levels of a factor."""
        self._lists[name].value = tuple(levels)

    def observe(self, changed: Callable[[Any], None]) -> None:
        """Call something whenever a choice changes."""
        for one in self._lists.values():
            one.observe(changed, names="value")


class Panel:
    """A figure whose factors, measure and cells are chosen."""

    def __init__(self, derived: Derived, folder: Path | None = None) -> None:
        self._derived, self._folder = derived, folder
        self._factors = ("tool", *derived.factors)
        known = selection.levels(derived.cells, self._factors)
        several = [name for name in self._factors if len(known[name]) > 1]
        layout, chosen = first_look(derived, several)
        self.measure = ipywidgets.Dropdown(options=MEASURES, description="measure")
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
        for one in chosen_widgets:
            one.observe(self._changed, names="value")
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
        _controls(self.widget, "the figure of what is chosen at first")
        self._changed(None)

    def _changed(self, _: object) -> None:
        self._saved.value = ""
        self.shown(_answered(self._draw))

    def _draw(self) -> str:
        self._figure = None
        cells, left_out = _one_setting(selection.select(self._derived, self.filters.chosen))
        layout = Layout(
            self.rows.value, self.columns.value, self.colour.value, self.along.value
        )
        if len(set(layout.names)) < len(layout.names):
            raise ConfigError("a factor is chosen twice; rows, columns, colour and along differ")
        said = [left_out]
        if self.measure.value == "ecdf":
            mine = [(row, selection.pool(self._derived, row)) for _, row in cells.iterrows()]
            self._figure = facets.curves(mine, cells, layout, self._factors)
            absent = pd.Series([NONE if values.size else "no latencies" for _, values in mine])
            absent = absent.replace(NONE, "")
        else:
            measured = selection.measured(self._derived, cells, self.measure.value)
            unit = facets.UNITS[self.measure.value]
            self._figure = facets.lines(measured, layout, unit, self._factors)
            absent = measured["absent"]
            others = facets.rest(cells, self._factors, layout)
            if others:
                said.append(f"Lines of one colour differ in {words.listed(others, 12)}.")
        said += _counted(cells, absent)
        return _picture(self._figure, " ".join(filter(None, said)))

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
        self.pair = ipywidgets.Dropdown(
            description="pair", layout=ipywidgets.Layout(width="640px")
        )
        self.shown = Shown()
        self._found: selection.Beside | None = None
        for one in (self.first, self.second):
            one.observe(self._changed)
        self.pair.observe(self._picked, names="value")
        self.widget = ipywidgets.VBox([self.first.widget, self.second.widget, self.pair])

    def show(self) -> None:
        """Show the widgets and the comparison in the cell that is being executed."""
        _controls(self.widget, "the comparison of what is chosen at first")
        self._changed(None)

    def _changed(self, _: object) -> None:
        self._found = None
        try:
            self._found = selection.beside(self._derived, self.first.chosen, self.second.chosen)
        except ModelstressError as error:
            self.pair.options = []
            self.shown(_sentence(error))
            return
        rows = sides.order(self._found)
        before = self.pair.index
        self.pair.options = [
            (sides.name(row, self._found), place) for place, (_, row) in enumerate(rows.iterrows())
        ]
        if before == self.pair.index:  # the first was and is chosen: nothing has told of a change
            self._picked(None)

    def _picked(self, _: object) -> None:
        if self._found is not None and self.pair.value is not None:
            self.shown(_answered(self._compare))

    def _compare(self) -> str:
        found = self._found
        assert found is not None
        row = sides.order(found).iloc[self.pair.value]
        said = sides.pair_sentences(row, found, self._derived.confidence)
        parts = [_list(sides.sentences(found))]
        parts.append(f"<p><b>{escape(sides.name(row, found))}</b></p>{_list(said)}")
        if row["n"] and row["baseline_n"]:
            caption = f"Share of executions by latency ({sides.setting(row)})."
            parts.append(_picture(sides.curves(row, found, self._derived), caption))
        if len(found.rows) > 1:
            shown = sides.table(found)
            if len(found.rows) > len(shown):
                parts.append(f"<p>The {len(shown)} pairs that differ most:</p>")
            parts.append(listings.shown(shown).to_html())
        return "".join(parts)


class _Answer(Protocol):
    @property
    def indices(self) -> Sequence[int]: ...
    @property
    def arity(self) -> int: ...
    @property
    def count(self) -> int: ...
    @property
    def digest(self) -> int: ...


class Question:
    """A query text, a language and a model: what does the oracle find?

    Args:
        data_dir: folder of the samples; its project has the models.
        jvm: ``modelstress.jvm.Jvm``, which this room must not know.
        timeout_s: deadline of an answer.
    """

    FIRST = 10
    """Matches that are shown."""

    def __init__(self, data_dir: Path, jvm: Any, timeout_s: float = 60) -> None:
        self._jvm, self._timeout_s = jvm, timeout_s
        self._open, self._running = ExitStack(), None
        self.shown = Shown()
        self.model = ipywidgets.Dropdown(description="model")
        self.language = ipywidgets.Dropdown(options=["ocl", "eol", "epl"], description="language")
        self.text = ipywidgets.Textarea(
            layout=ipywidgets.Layout(width="640px", height="110px"), description="query"
        )
        self.parts = ipywidgets.Text(description="a match is")
        self.ask = ipywidgets.Button(description="ask the oracle", button_style="primary")
        self.ask.on_click(self._asked)
        self.widget = ipywidgets.VBox(
            [
                ipywidgets.HBox([self.model, self.language, self.parts]),
                self.text,
                self.ask,
            ]
        )
        self._why_not = self._prepare(data_dir)

    def show(self) -> None:
        """Show the widgets, or why nothing can be asked."""
        if self._why_not:
            self.shown(f"<p>{escape(self._why_not)}</p>")
            return
        _controls(self.widget, "nothing")
        self.shown("<p>Nothing was asked yet.</p>")

    def _prepare(self, data_dir: Path) -> str:
        """Find the models and an example; a sentence where there are none, or no JVM."""
        try:
            project = Project.find(data_dir)
            self._jar = project.models_jar
            self._jvm(self._jar)
        except ModelstressError as error:
            return f"The oracle cannot be asked here: {error}."
        folder = project.stores / "models"
        files = [*sorted(folder.glob("*.bin")), *sorted(folder.glob("*/model.json"))]
        if not files:
            return (
                f"The oracle cannot be asked here: there is no model in {folder}; make one with "
                "'modelstress model build NAME'."
            )
        self.model.options = [
            (file.parent.name if file.name == "model.json" else file.stem, file) for file in files
        ]
        case = "train" if files[0].suffix == ".bin" else project.models[files[0].parent.name].case
        query, said = next(iter(project.case(case).queries.items()))
        written = said.languages or self.language.options
        self.language.value = next(one for one in self.language.options if one in written)
        self.parts.value = ", ".join(said.tuple)
        self.text.value = project.query_file(case, self.language.value, query).read_text("utf-8")
        return ""

    def _asked(self, _: object) -> None:
        self.ask.disabled = True
        self.shown("<p>Asking …</p>")
        try:
            self.shown(_answered(self._answer))
        finally:
            self.ask.disabled = False

    def _answer(self) -> str:
        parts = [part.strip() for part in self.parts.value.split(",") if part.strip()]
        if not parts:
            raise ConfigError("a match has no parts; name them, separated by commas")
        began = monotonic()
        fresh = self._running is None
        if self._running is None:
            self._running = self._open.enter_context(self._jvm(self._jar))
        try:
            answer: _Answer = self._running.evaluate(
                self.model.value, self.language.value, self.text.value, parts, self._timeout_s
            )
        except ConfigError:  # the query's own fault: the program is there for the next one
            raise
        except ModelstressError:
            self._running = None
            self._open.close()
            raise
        return self._said(answer, parts, monotonic() - began, fresh)

    def _said(
        self, answer: _Answer, parts: Sequence[str], seconds: float, fresh: bool
    ) -> str:
        with_start = ", with the start of the program and reading the model" if fresh else ""
        said = (
            f"<p>{words.many(answer.count, 'match', 'matches')}, digest {answer.digest}, in "
            f"{seconds:.2f}{words.SPACE}s{with_start}.</p>"
        )
        size = answer.arity
        first = [answer.indices[i * size : (i + 1) * size] for i in range(self.FIRST)]
        rows = pd.DataFrame([one for one in first if len(one)], columns=list(parts))
        if rows.empty:
            return said
        some = f"The first {len(rows)}, as" if answer.count > len(rows) else "As"
        table = listings.shown(rows).to_html()
        return f"{said}<p>{some} numbers of elements in the order of containment:</p>{table}"


def first_look(
    derived: Derived, several: Sequence[str]
) -> tuple[Layout, dict[str, tuple[object, ...]]]:
    """What is shown at first: queries as columns, threads along, and so many cells as can be read.

    From the last factor on, the first level is chosen until the lines are few enough.
    """
    named = [name for name in (*frames.IDENTITY, *several) if name in several]
    colour = next((name for name in named if name not in frames.POSITION), "")
    columns = "query" if "query" in several else ""
    layout = Layout("", columns, colour, "threads" if "threads" in several else "")
    chosen: dict[str, tuple[object, ...]] = {}
    for name in reversed([one for one in several if one not in layout.names]):
        cells = selection.select(derived, chosen)
        told = [name for name in (colour, *facets.rest(cells, several, layout)) if name]
        if len(cells[told].map(frames.words).drop_duplicates()) <= FEW:
            break
        if len(known := selection.levels(cells, [name])[name]) > 1:
            blank = (None,) if None in known else ()
            chosen[name] = (known[0], *blank)
    return layout, chosen


def first_sides(
    derived: Derived,
) -> tuple[dict[str, tuple[object, ...]], dict[str, tuple[object, ...]]]:
    """Two levels of a factor whose cells can be compared: the protocol's, if it has two."""
    known = selection.levels(derived.cells, ("tool", *derived.factors))
    for name in dict.fromkeys(("protocol", *reversed(known))):
        levels = [one for one in known.get(name, ()) if one is not None]
        if len(levels) > 1 and name not in frames.POSITION:
            first, second = {name: (levels[1],)}, {name: (levels[0],)}
            try:
                selection.beside(derived, first, second)
            except ConfigError:
                continue
            return first, second
    return {}, {}


def _dropdown(name: str, choices: Sequence[tuple[str, str]], value: str) -> Any:
    one = ipywidgets.Dropdown(options=choices, value=value, description=name)
    one.add_class(f"choice-of-{name}")
    return one


def _controls(widget: Any, instead: str) -> None:
    """Show widgets; where they cannot be, a sentence says what is seen instead."""
    bundle: Mapping[str, Any] = widget._repr_mimebundle_()
    text = f"(Controls: they need a running notebook. Below is {instead}.)"
    display({**bundle, "text/plain": text}, raw=True)  # type: ignore[no-untyped-call]


def _answered(make: Callable[[], str]) -> str:
    """What is made, or the sentence of the error that came of it."""
    try:
        return make()
    except ModelstressError as error:
        return _sentence(error)


def _sentence(error: Exception) -> str:
    text = str(error)
    return f'<p class="modelstress-no">{escape(text[:1].upper() + text[1:])}.</p>'


def _one_setting(cells: pd.DataFrame) -> tuple[pd.DataFrame, str]:
    """The cells of the setting that most of them have, and a sentence about the others."""
    setting, mine = next(frames.settings(cells))
    said = f"{words.many(len(mine), 'cell')} ({setting})."
    if len(mine) < len(cells):
        others = words.many(len(cells) - len(mine), "cell")
        said += f" {others} of another setting, or of none that is known, are not shown."
    return mine, said


def _counted(cells: pd.DataFrame, absent: "pd.Series[str]") -> list[str]:
    """Sentences about the cells that have no value, and those that carry marks."""
    counts = absent[absent != ""].value_counts()
    said = []
    if len(counts):
        reasons = "; ".join(f"{reason}: {count}" for reason, count in counts.items())
        said.append(f"Without a value are {counts.sum()} of {len(cells)} cells ({reasons}).")
    letters = "".join(cells["flags"].map(marks.letters))
    flagged = int((cells["flags"].map(marks.letters) != "").sum())
    if flagged:
        meanings = "; ".join(text for _, text in marks.notes(letters))
        said.append(f"{words.many(flagged, 'cell')} to be careful with ({meanings}).")
    return said


def _picture(figure: Figure, caption: str) -> str:
    data = base64.b64encode(svg_of(figure, caption)).decode("ascii")
    return (
        f'<figure><img class="modelstress-figure" alt="{escape(caption)}" style="max-width:100%" '
        f'src="data:image/svg+xml;base64,{data}">'
        f"<figcaption>{escape(caption)}</figcaption></figure>"
    )


def _list(sentences: Sequence[str]) -> str:
    return "<ul>" + "".join(f"<li>{escape(one)}</li>" for one in sentences) + "</ul>"
