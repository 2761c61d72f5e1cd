"""What notebooks show with widgets: outputs that are replaced, and sentences where none can be."""

import base64
from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any

import ipywidgets
from IPython.display import HTML, display
from matplotlib.figure import Figure

from modelstress.analysis import Derived, selection
from modelstress.config.errors import ModelstressError
from modelstress.report import grouping
from modelstress.report.images import svg_of
from modelstress.report.seen import seen


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
        by_factor = selection.levels(derived.cells, ("tool", *derived.factors))
        self._lists = {
            name: ipywidgets.SelectMultiple(
                options=[(grouping.words(level) or f"no {name}", level) for level in levels],
                value=tuple(chosen.get(name, ())),
                description="",
                rows=min(5, len(levels)),
                layout=ipywidgets.Layout(width="148px"),
            )
            for name, levels in by_factor.items()
            if len(levels) > 1
        }
        boxes = [
            ipywidgets.VBox([ipywidgets.HTML(f"<b>{escape(name)}</b>"), widget])
            for name, widget in self._lists.items()
        ]
        row = ipywidgets.Layout(flex_flow="row wrap")
        for name, widget in self._lists.items():
            widget.add_class(f"levels-of-{name.replace('_', '-')}")
        self.widget = ipywidgets.VBox(
            [ipywidgets.HTML(f"<b>{escape(heading)}</b>"), ipywidgets.Box(boxes, layout=row)]
        )

    @property
    def chosen(self) -> dict[str, tuple[object, ...]]:
        """The chosen levels by factor."""
        return {name: tuple(widget.value) for name, widget in self._lists.items() if widget.value}

    def choose(self, name: str, levels: Sequence[object]) -> None:
        """Choose the levels of a factor."""
        self._lists[name].value = tuple(levels)

    def observe(self, changed: Callable[[Any], None]) -> None:
        """Call something whenever a choice changes."""
        for widget in self._lists.values():
            widget.observe(changed, names="value")


def controls(widget: Any, instead: str) -> None:
    """Show widgets; where they cannot be, a sentence says what is seen instead."""
    bundle: Mapping[str, Any] = widget._repr_mimebundle_()
    text = f"(Controls: they need a running notebook. Below is {instead}.)"
    display({**bundle, "text/plain": text}, raw=True)  # type: ignore[no-untyped-call]


def answered(make: Callable[[], str]) -> str:
    """What is made, or the sentence of the error that came of it."""
    try:
        return make()
    except ModelstressError as error:
        return sentence(error)


def sentence(error: Exception) -> str:
    """An error as a sentence."""
    text = str(error).rstrip(".")
    return f'<p class="modelstress-no">{escape(text[:1].upper() + text[1:])}.</p>'


def picture(figure: Figure, caption: str) -> str:
    """A figure with its caption."""
    told = seen(figure)
    data = base64.b64encode(svg_of(figure, caption, told.alt)).decode("ascii")
    return (
        f'<figure><img class="modelstress-figure" alt="{escape(told.alt)}" style="max-width:100%" '
        f'src="data:image/svg+xml;base64,{data}">'
        f"<figcaption>{escape(caption)}</figcaption></figure>"
    )


def itemised(sentences: Sequence[str]) -> str:
    """Sentences as a list."""
    return "<ul>" + "".join(f"<li>{escape(item)}</li>" for item in sentences) + "</ul>"
