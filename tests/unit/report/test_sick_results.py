"""Tables and figures of datasets in which something is wrong with every cell."""

import re
import warnings

import pytest
import sick
from figure_texts import assert_one_scale

from modelstress.analysis import timelines
from modelstress.report import Section, html, render, results

KINDS = [
    pytest.param(kind, marks=() if kind in ("mixed", "zero") else pytest.mark.long)
    for kind in sick.KINDS
]
BLANK = ("failing", "empty", "incorrect", "nothing", "unread")


@pytest.fixture(scope="module", params=KINDS)
def made(request, tmp_path_factory):
    """Kind, derived tables and results; a warning is an error from here on."""
    folder = tmp_path_factory.mktemp(request.param)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        derived = sick.derived(folder, request.param)
        return request.param, derived, results(derived, timelines(folder, derived))


@pytest.mark.filterwarnings("error")
def test_everything_can_be_printed_and_drawn(made):
    _, derived, found = made
    for table in found.tables:
        assert render.csv(table) and render.tex(table) and render.html(table)
        assert len(table.data) > 0 or table.kind in ("failures", "incorrect")
    for drawn in found.figures:
        figure = drawn.draw()
        assert figure.axes
        assert_one_scale(figure)
    if len(found.figures) < 10:
        assert html.page([Section("sick", derived, found)])


@pytest.mark.filterwarnings("error")
def test_no_number_is_made_up(made):
    kind, derived, found = made
    assert {str(n) for n in (1, 2, 5, 6, 7, 8, 9, 10)} <= {
        table.number.split("-")[1].lstrip("0") for table in found.tables
    }
    entries = [
        (table.kind, entry.text)
        for table in found.tables
        if table.kind not in ("failures", "incorrect")
        for _, row in table.rows
        for entry in row
    ]
    assert not [text for _, text in entries if re.search("nan|inf|None|<NA>", text)]
    numbers = [text for _, text in entries if re.search(r"\d", text.split("(")[0])]
    if kind in BLANK:
        assert numbers == []
        assert not {"boxes", "medians", "deltas", "ratios", "ecdf"} & {
            f.kind for f in found.figures
        }
    elif kind == "slow":  # of medians only a bound is known
        medians = [text for of, text in entries if of == "medians"]
        assert medians and {text[0] for text in medians} <= {">", "–"}
        assert not {"boxes", "medians", "ecdf"} & {f.kind for f in found.figures}
    else:
        assert len(numbers) > 0
    # A median is printed for the cells that have one, and for no other.
    shown = [text for table in found.medians() for _, row in table.rows for text in _texts(row)]
    assert sum(text[0] not in "–>" for text in shown) == derived.cells["median_ms"].notna().sum()


def _texts(row):
    return [entry.text.split("\u00a0(")[0] for entry in row[::2]]
