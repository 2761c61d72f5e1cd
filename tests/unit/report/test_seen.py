"""What is seen of a figure, told from what was drawn."""

import example_cells as example
import numpy as np
import pytest
from matplotlib.figure import Figure

from modelstress.report import images, lines, seen
from modelstress.report.artifacts import Drawn


def test_a_line_figure_is_told_by_its_highest_series_and_directions():
    figure = Figure()
    left, right = figure.subplots(1, 2)
    for axes, values in ((left, (1.0, 10.0)), (right, (5.0, 20.0))):
        axes.errorbar([1, 64], [2.0, 2.1], yerr=0.1, label="calm", color="red", marker="o")
        axes.errorbar([1, 64], values, yerr=0.5, label="busy", color="blue", marker="s")
        axes.set(xlabel="threads", ylabel="latency (ms)")
    left.set_title("A")
    told = seen.seen(figure)
    assert told.finding == "busy is highest in 2 of 2 panels; of 4 lines 2 rise, 2 stay"
    assert "A: lowest 1 (busy, " in told.alt and "highest 10 (busy, " in told.alt
    assert told.alt.startswith("2 panels: latency (ms) against threads.")


def test_falling_values_fall():
    figure = Figure()
    figure.subplots().plot([1, 2], [8.0, 3.0], label="a")
    assert seen.seen(figure).finding.endswith("it falls")


def test_a_logarithmic_axis_has_numbers_whatever_its_labels_say():
    figure = Figure()
    axes = figure.subplots()
    axes.set(yscale="log", xlabel="threads", ylabel="median latency")
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:g} ms")
    axes.plot([1, 8, 64], [2.0, np.nan, 8.0], marker="o", label="one cell is missing")
    told = seen.seen(figure)
    assert "lowest 2 (one cell is missing, 1)" in told.alt
    assert "highest 8 (one cell is missing, 64)" in told.alt


@pytest.mark.parametrize("draw", [lines.medians, lines.throughput])
def test_figures_of_a_study_name_series_and_range(draw):
    told = seen.seen(draw(example.cells(), example.PROJECTION))
    assert told.finding and "lowest" in told.alt and "against" in told.alt


def test_an_empty_figure_has_no_finding():
    assert seen.seen(Figure()).finding == ""


def test_words_of_a_figure_in_a_page_are_text_and_its_ids_its_own():
    def draw() -> Figure:
        figure = Figure()
        axes = figure.subplots()
        axes.plot([1, 2], [1, 2], label='<b> id="x"', marker="o")
        axes.legend()
        return figure

    drawn = Drawn("figure-01", "medians", "caption", draw)
    html = drawn.html(images.drawn_image(draw, "caption"), "study")
    assert '&lt;b&gt; id="x"</text>' in html  # a word, untouched
    assert ' id="study-figure-01-' in html and "url(#study-figure-01-" in html
    assert 'role="img" aria-label="One panel' in html and "<metadata>" not in html
    assert "<b>Figure 1: &lt;b&gt; id=&quot;x&quot; rises" not in html
    assert '<img alt="One panel' in drawn._repr_html_()
