"""A kind of figure is not drawn below a minimum of data: one sentence says so instead."""

import example_cells as example
import pandas as pd
import pytest
from example_tables import comparison

from modelstress.report import figures
from modelstress.report.results import _not_drawn
from modelstress.report.sketches import Shared, Sketch, TooFew

PROJECTION = example.PROJECTION


def shared(cells):
    return Shared.of(cells, cells, PROJECTION, example.SETTING)


def lone(loads=(1,), protocols=("tcp",)):
    return pd.DataFrame(
        example.cell("PosLength", protocol, t, 5.0 * t) for protocol in protocols for t in loads
    )


@pytest.mark.parametrize(
    ("cells", "kind"),
    [(lone(), TooFew), (lone(protocols=("tcp", "http")), TooFew), (lone(loads=(1, 4)), Sketch)],
)
def test_a_line_needs_two_points_of_one_series(cells, kind):
    [made] = figures._over_loads(["medians"], [("", cells)], PROJECTION, shared(cells))
    assert type(made) is kind


@pytest.mark.parametrize(("cells", "kind"), [(lone(), TooFew), (lone(loads=(1, 4)), Sketch)])
def test_one_box_is_no_box_plot(cells, kind):
    outliers = example.outliers()
    [made] = figures._boxes(cells, ["PosLength"], outliers, PROJECTION, shared(cells))
    assert type(made) is kind


def test_a_heat_map_needs_three_fields():
    compared = comparison()
    cells = example.cells()
    [drawn] = figures._comparisons([compared], PROJECTION, shared(cells))
    assert isinstance(drawn, Sketch)
    few = comparison(compared.rows.iloc[:2])
    [left] = figures._comparisons([few], PROJECTION, shared(cells))
    assert isinstance(left, TooFew) and left.about == compared.name


def test_what_is_not_drawn_is_one_sentence_of_a_kind():
    left = [
        TooFew("boxes", "OQ", "cells with a median"),
        TooFew("boxes", "MQ", "cells with a median"),
        TooFew("deltas", "http against tcp", "comparisons with a number", "protocol"),
    ]
    assert _not_drawn(left, "boxes", "").sentence == (
        "Not drawn: OQ, MQ (too few cells with a median); the tables have the numbers."
    )
    assert "http against tcp" in _not_drawn(left, "deltas", "protocol").sentence
