"""What the exploring notebook shows, as its widgets change it; the browser is tested in e2e."""

import dataclasses
import re
from html import unescape
from pathlib import Path

import example_cells as example
import numpy as np
import pandas as pd
import pytest
import synthetic
from figure_texts import assert_no_overlap, texts

from modelstress import analysis
from modelstress.analysis import selection
from modelstress.analysis.projection import projection_of
from modelstress.config.errors import ConfigError, ModelstressError
from modelstress.config.project import Project
from modelstress.report import explore, facets, selection_report
from modelstress.report.explore import Comparison, Panel
from modelstress.report.facets import Layout
from modelstress.workloads.queries.adhoc_query import Question

ROOT = Project.find(Path(__file__)).root


@pytest.fixture(scope="module")
def derived(study_data, study_plan):
    return analysis.derive(study_data, synthetic.STUDY, synthetic.PROFILE, study_plan)


def text(html):
    """The words of a page, without its pictures."""
    return " ".join(unescape(re.sub(r"<style.*?</style>|<[^>]*>", " ", html, flags=re.S)).split())


def picture(html):
    return re.findall(r'<img class="modelstress-figure"[^>]* src="(data:[^"]+)"', html)


def test_every_choice_draws_anew(derived):
    panel = Panel(derived)
    panel.show()
    seen = picture(panel.shown.html)
    assert len(seen) == 1
    changes = [
        (panel.measure, "dispersion"), (panel.measure, "p95"), (panel.measure, "ecdf"),
        (panel.rows, "protocol"), (panel.columns, ""), (panel.measure, "throughput"),
    ]  # fmt: skip
    for widget, value in changes:
        panel.colour.value = "" if widget is panel.rows else panel.colour.value
        widget.value = value
        assert len(picture(panel.shown.html)) == 1, text(panel.shown.html)
        seen += picture(panel.shown.html)
    panel.filters.choose("threads", [4])
    seen += picture(panel.shown.html)
    assert len(set(seen)) == len(seen)


def test_what_has_no_value_is_said_with_its_reason(derived):
    panel = Panel(derived)
    panel.show()
    said = text(panel.shown.html)
    assert "16 cells (executor process" in said
    assert "Without a value are 3 of 16 cells (" in said
    assert "not measured: 1" in said and "too many timeouts: 1" in said and "invalid: 1" in said
    assert "invalid: invalid invocations are left out" in said


def test_a_choice_that_cannot_be_shown_is_a_sentence(derived):
    panel = Panel(derived)
    panel.show()
    panel.colour.value = "threads"
    assert text(panel.shown.html).startswith("A factor is chosen twice")
    panel.along.value = "protocol"
    assert picture(panel.shown.html)


def test_a_figure_is_saved_on_demand(derived, tmp_path):
    panel = Panel(derived, tmp_path / "explored")
    panel.show()
    panel._save.click()
    [saved] = (tmp_path / "explored").iterdir()
    assert saved.suffix == ".svg" and saved.read_bytes().startswith(b"<?xml")


def test_a_comparison_is_said_and_drawn(derived):
    comparison = Comparison(derived)
    comparison.show()
    said = text(comparison.shown.html)
    assert "The selections differ in protocol. 8 pairs of cells" in said
    assert re.search(r"(http is slower than tcp in 6 of 6|tcp is slower than http in 0 of 6)", said)
    assert "Over invocations (2 starts and 2): " in said
    assert re.search(r"Within the measured starts \(\d+ and \d+ executions\): Cliff's delta", said)
    before = picture(comparison.shown.html)
    comparison.pair.value = 1
    assert picture(comparison.shown.html) != before
    comparison.first.choose("threads", [16])
    assert "2 pairs of cells" in text(comparison.shown.html)
    assert len(comparison.pair.options) == 2
    comparison.first.choose("protocol", [])
    assert "in common; choose different levels" in text(comparison.shown.html)
    assert comparison.pair.options == ()


def test_a_pair_without_latencies_is_said_to_be_one(derived):
    comparison = Comparison(derived)
    comparison.show()
    comparison.pair.value = len(comparison.pair.options) - 1
    assert "has no latencies" in text(comparison.shown.html)
    assert picture(comparison.shown.html) == []


def test_sentences_follow_the_numbers(derived):
    found = analysis.selection.compare(derived, {"protocol": ["http"]}, {"protocol": ["tcp"]})
    row = selection_report.order(found).iloc[0].copy()
    row[["over_ratio", "over_ratio_low", "over_ratio_high"]] = 1.5, 1.2, 1.9
    said = " ".join(selection_report.pair_sentences(row, found, 0.99))
    assert "http takes 1.50 times as long as tcp" in said and "1.20 to 1.90" in said
    assert "contains 1" not in said
    row["over_ratio_low"] = 0.9
    assert "contains 1" in " ".join(selection_report.pair_sentences(row, found, 0.99))
    row["over_ratio_low"] = np.nan
    assert "no interval" in " ".join(selection_report.pair_sentences(row, found, 0.99))
    row["p"] = 0.0
    assert "p < 1e-300" in " ".join(selection_report.pair_sentences(row, found, 0.99))


MANY = projection_of(None, example.MORE_FACTORS[1:])


def drawn(cells, layout):
    frame = cells.assign(
        value=cells["median_ms"], low=cells["median_low_ms"], high=cells["median_high_ms"]
    )
    return facets.lines(frame, layout, "median latency (ms)", MANY)


def test_cells_are_drawn_one_by_one():
    cells = example.two_tools(threads=(1, 4, 16))
    layout = Layout("tool", "query", "language", "threads")
    others = facets.rest(cells, MANY, layout)
    assert {"backend", "protocol", "fidelity", "attributes"} <= set(others)
    with pytest.raises(ConfigError, match="different lines, at most 24"):
        drawn(cells, layout)
    few = cells[(cells["fidelity"] != "paper") & (cells["attributes"] != "declared")]
    figure = drawn(few, layout)
    assert_no_overlap(figure)
    points = sum(
        np.isfinite(container.lines[0].get_ydata()).sum()
        for axes in figure.axes for container in axes.containers
    )  # fmt: skip
    assert points == few["median_ms"].notna().sum()


def test_columns_alone_are_wrapped_and_categories_have_no_lines():
    cells = example.two_tools(threads=(1,), attributes=("none",), fidelity=("improved",))
    cells = cells[cells["protocol"] == "tcp"]
    figure = drawn(cells, Layout("", "query", "backend", "language"))
    titles = [axes.get_title() for axes in figure.axes if axes.get_visible()]
    assert titles == list(example.QUERIES)
    assert {"ocl", "eol", "epl"} <= set(texts(figure))
    assert {c.lines[0].get_linestyle() for a in figure.axes for c in a.containers} == {"None"}


class Asked:
    """An oracle that has counted before it is asked."""

    def __init__(self, jar):
        self.asked = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        Asked.closed += 1

    closed = 0

    def evaluate(self, model, language, query, names, timeout_s):
        assert model.is_file() and language == "ocl"
        if "wrong" in query:
            raise ConfigError("line 1: no such thing")
        if "endless" in query:
            raise ModelstressError("no answer from the JVM within 60 s")
        answer = type("Answer", (), {})()
        answer.indices, answer.arity = tuple(range(2 * 25)), len(names)
        answer.count, answer.digest = 50 // len(names), 77
        return answer


@pytest.fixture
def project(tmp_path):
    for part in ("config", "queries"):
        (tmp_path / part).symlink_to(ROOT / part)
    model = tmp_path / "data/stores/models/train-2016-repair-1.bin"
    model.parent.mkdir(parents=True)
    model.touch()
    return tmp_path


def test_an_answer_is_shown_and_the_program_kept(project):
    question = Question(project / "data", Asked)
    question.show()
    assert text(question.shown.html) == "Nothing was asked yet."
    assert "Segments whose length" in question.text.value
    question.parts.value = "a, b"
    question.ask.click()
    said = text(question.shown.html)
    assert said.startswith("25 matches, digest 77, in ") and "with the start" in said
    assert "The first 10, as numbers of elements" in said and said.endswith("18 19")
    question.ask.click()
    assert "with the start" not in text(question.shown.html)
    question.text.value = "wrong"
    question.ask.click()
    assert text(question.shown.html) == "Line 1: no such thing."
    question.parts.value = " , "
    question.ask.click()
    assert "name them, separated by commas" in text(question.shown.html)
    assert Asked.closed == 0 and not question.ask.disabled
    question.text.value, question.parts.value = "endless", "a"
    question.ask.click()
    assert Asked.closed == 1
    question.text.value = "again"
    question.ask.click()
    assert "with the start" in text(question.shown.html)


def test_without_a_model_or_a_project_a_sentence_says_so(project, tmp_path):
    question = Question(tmp_path.parent / "nowhere", Asked)
    question.show()
    assert "no modelstress project here or above" in text(question.shown.html)
    next((project / "data/stores/models").iterdir()).unlink()
    question = Question(project / "data", Asked)
    question.show()
    assert "make one with 'modelstress model build NAME'" in text(question.shown.html)


def test_no_tool_loses_a_query_in_what_is_chosen_at_first(derived):
    """RouteSensor was measured without declared attributes only, the usual level is another."""
    copies = [derived.cells.assign(option=f"o{i}") for i in range(12)]
    cells = pd.concat(copies, ignore_index=True)
    cells["attributes"] = np.where(cells["query"] == "RouteSensor", "none", "declared")
    factors = (*derived.factors, "option", "attributes")
    many = dataclasses.replace(
        derived, cells=cells, factors=factors, projection=projection_of(None, factors)
    )
    several = [n for n in ("tool", *many.factors) if cells[n].nunique() > 1]
    _, chosen = explore.first_look(many, several)
    kept = selection.select(many, chosen)
    assert set(kept["query"]) == set(cells["query"])
    assert 0 < len(kept) < len(cells)
    said = explore._not_chosen(cells, kept)
    assert f"leave out {len(cells) - len(kept)} cells of {len(cells)} (cdo: " in said
