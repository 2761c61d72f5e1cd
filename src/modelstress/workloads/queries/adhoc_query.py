"""An ad-hoc query from a notebook: a text, a language and a model; what does the oracle find?"""

from collections.abc import Sequence
from contextlib import ExitStack
from html import escape
from pathlib import Path
from time import monotonic
from typing import Any, Protocol

import ipywidgets
import pandas as pd

from modelstress.config.errors import ConfigError, ModelstressError
from modelstress.config.project import Project
from modelstress.report import claims_words as words
from modelstress.report import summary_tables
from modelstress.report.widgets import Shown, answered, controls
from modelstress.workloads.queries import files


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
        jvm: ``modelstress.workloads.queries.jvm.Jvm``, which this room must not know.
        timeout_s: deadline of an answer.
    """

    FIRST = 10
    """Matches that are shown."""

    def __init__(self, data_dir: Path, jvm: Any, timeout_s: float = 60) -> None:
        self._jvm, self._timeout_s = jvm, timeout_s
        self._open = ExitStack()
        self._running: Any = None
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
        controls(self.widget, "nothing")
        self.shown("<p>Nothing was asked yet.</p>")

    def _prepare(self, data_dir: Path) -> str:
        """Find the models and an example; a sentence where there are none, or no JVM."""
        try:
            project = Project.find(data_dir)
            self._jar = files.models_jar(project)
            self._jvm(self._jar)
        except ModelstressError as error:
            return f"The oracle cannot be asked here: {error}."
        folder = project.stores / "models"
        made = [*sorted(folder.glob("*.bin")), *sorted(folder.glob("*/model.json"))]
        if not made:
            return (
                f"The oracle cannot be asked here: there is no model in {folder}; make one with "
                "'modelstress model build NAME'."
            )
        self.model.options = [
            (file.parent.name if file.name == "model.json" else file.stem, file) for file in made
        ]
        self.model.index = 0
        of_train = made[0].suffix == ".bin"
        case = "train" if of_train else files.models(project)[made[0].parent.name].case
        query, case_query = next(iter(files.case(project, case).queries.items()))
        written = case_query.languages or self.language.options
        self.language.value = next(
            language for language in self.language.options if language in written
        )
        self.parts.value = ", ".join(case_query.tuple)
        self.text.value = files.query_file(project, case, self.language.value, query).read_text(
            "utf-8"
        )
        return ""

    def _asked(self, _: object) -> None:
        self.ask.disabled = True
        self.shown("<p>Asking …</p>")
        try:
            self.shown(answered(self._answer))
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

    def _said(self, answer: _Answer, parts: Sequence[str], seconds: float, fresh: bool) -> str:
        with_start = ", with the start of the program and reading the model" if fresh else ""
        sentence = (
            f"<p>{words.many(answer.count, 'match', 'matches')}, digest {answer.digest}, in "
            f"{seconds:.2f}{words.SPACE}s{with_start}.</p>"
        )
        size = answer.arity
        first = [answer.indices[i * size : (i + 1) * size] for i in range(self.FIRST)]
        rows = pd.DataFrame([match for match in first if len(match)], columns=list(parts))
        if rows.empty:
            return sentence
        some = f"The first {len(rows)}, as" if answer.count > len(rows) else "As"
        table = summary_tables.shown(rows).to_html()
        return f"{sentence}<p>{some} numbers of elements in the order of containment:</p>{table}"
