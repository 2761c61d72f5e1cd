"""Distributions, throughput–latency curves and glances: what is drawn, and what is said instead."""

import sys

import example_cells as example
import numpy as np
import pandas as pd
import pytest
from figure_texts import assert_no_overlap, assert_one_scale, texts

from modelstress.report import curves, distributions, glance, grids, grouping

NOT_TESTED = pd.DataFrame(columns=["cell", "p"])


def cells(threads=(1, 4, 16), protocols=("tcp", "http"), queries=("PosLength", "RouteSensor")):
    rows = [
        example.cell(query, protocol, t, 5.0 * t) | {"task": query}
        for query in queries
        for protocol in protocols
        for t in threads
    ]
    return pd.DataFrame(rows)


def latencies(frame, n=40):
    rng = np.random.default_rng(3)
    return {
        key: [rng.lognormal(1, 0.3, n), rng.lognormal(1, 0.3, n)] for key in grouping.keys(frame)
    }


def grid(frame, known, tested=NOT_TESTED):
    [found] = grids.grids(frame, example.PROJECTION, known, tested)
    return found


def test_panels_have_the_fewest_and_the_most_threads():
    frame = cells()
    made = grid(frame, latencies(frame))
    assert made.rows == ("PosLength", "RouteSensor")
    assert made.columns == (
        "tcp, 1 thread",
        "http, 1 thread",
        "tcp, 16 threads",
        "http, 16 threads",
    )
    assert made.labels == ("cdo / h2 / ocl",)
    assert {len(values) for one in made.panels.values() for values in one.series.values()} == {80}


def test_queries_that_ask_the_same_share_a_row():
    frame = cells(queries=("OQ", "MQ")).assign(task="singletons")
    made = grid(frame, latencies(frame))
    assert made.rows == ("singletons",)
    assert made.labels == ("OQ: cdo / h2 / ocl", "MQ: cdo / h2 / ocl")


def test_figures_have_at_most_forty_panels():
    frame = cells(queries=[f"q{i:02d}" for i in range(25)])
    pages = grids.grids(frame, example.PROJECTION, latencies(frame), NOT_TESTED)
    assert [len(page.panels) for page in pages] == [40, 40, 20]
    assert [row for page in pages for row in page.rows] == [f"q{i:02d}" for i in range(25)]


@pytest.mark.parametrize("n", [40, 3000])
@pytest.mark.parametrize(
    "draw", [distributions.ecdf, distributions.percentiles, distributions.normal_quantiles]
)
def test_no_text_covers_another(draw, n):
    frame = cells()
    assert_no_overlap(draw(grid(frame, latencies(frame, n))))


def test_ecdf_ends_at_one_and_percentiles_at_the_fifth_last():
    frame = cells(threads=(1,), protocols=("tcp",), queries=("PosLength",))
    values = np.arange(1.0, 101)
    known = {key: [values] for key in grouping.keys(frame)}
    line = distributions.ecdf(grid(frame, known)).axes[0].lines[0]
    assert line.get_xdata()[[0, 1, -1]].tolist() == [-np.inf, 1, 100]
    assert line.get_ydata()[[0, -1]].tolist() == [0, 1]
    figure = distributions.percentiles(grid(frame, known))
    line = figure.axes[0].lines[0]
    assert line.get_xdata()[-1] == pytest.approx(20)  # 5 of 100 are slower
    assert line.get_ydata()[[0, -1]].tolist() == pytest.approx(np.quantile(values, [0.5, 0.95]))
    shown = [t.get_text() for t in figure.axes[0].get_xticklabels()]
    assert shown == ["p50", "p75", "p90", "p95"]


def test_large_samples_are_thinned_with_both_ends():
    frame = cells(threads=(1,), protocols=("tcp",), queries=("PosLength",))
    values = np.random.default_rng(0).lognormal(0, 1, 5000)
    figure = distributions.ecdf(grid(frame, {key: [values] for key in grouping.keys(frame)}))
    [line] = figure.axes[0].lines
    x, share = line.get_xdata()[1:], line.get_ydata()[1:]
    assert len(x) == distributions.MOST_POINTS
    assert share == pytest.approx([np.mean(values <= one) for one in x])
    assert (x[0], x[-1]) == (values.min(), values.max())


@pytest.mark.parametrize("values", [np.zeros(30), np.full(30, 5.0), np.array([1.0, 2])])
def test_what_cannot_be_drawn_is_said(values):
    frame = cells(threads=(1,), protocols=("tcp",), queries=("PosLength",))
    figure = distributions.normal_quantiles(
        grid(frame, {key: [values] for key in grouping.keys(frame)})
    )
    assert f"not drawn:\n{distributions.WHY}" in texts(figure)


@pytest.mark.parametrize(("p", "said"), [(0.5, "p = 0.5"), (0.0012, "p < 0.01")])
def test_a_normal_plot_has_p_and_an_envelope(p, said):
    frame = cells(threads=(1, 4), protocols=("tcp", "http"), queries=("PosLength",))
    known = latencies(frame)
    figure = distributions.normal_quantiles(grid(frame, known, frame.assign(p=p)))
    [axes] = figure.axes  # the smallest load and the first protocol alone
    assert said in texts(figure)
    fitted, upper, lower = (line.get_ydata() for line in axes.lines)
    assert (lower < fitted).all() and (fitted < upper).all()
    [points] = axes.collections
    first = np.sort(np.concatenate(known[grouping.keys(frame)[0]]))
    assert np.asarray(points.get_offsets())[:, 1] == pytest.approx(
        (first - first.mean()) / first.std()
    )


def test_curves_have_a_panel_per_configuration_and_protocol():
    frame = cells(queries=("PosLength",))
    made = curves.panels(frame, example.PROJECTION, latencies(frame))
    assert list(made) == [("cdo / h2 / ocl", "tcp"), ("cdo / h2 / ocl", "http")]
    curve = made["cdo / h2 / ocl", "tcp"]
    assert curve.loads == (1, 4, 16)
    assert curve.median == (5, 20, 80)
    assert curve.rate == pytest.approx((200, 200, 200))
    figure = curves.curves(made, "PosLength")
    assert_no_overlap(figure)
    assert {"1", "4", "16"} <= set(texts(figure))
    assert figure.axes[0].get_ylim() == figure.axes[1].get_ylim()


def test_a_curve_needs_two_points():
    frame = cells(threads=(1,))
    assert curves.panels(frame, example.PROJECTION, latencies(frame)) == {}


def test_a_glance_leaves_out_what_was_not_measured():
    both = example.two_tools(attributes=("none",), fidelity=("paper",))
    both = both[~((both["tool"] == "cdo") & (both["query"] == "SemaphoreNeighbor"))]
    both = both[both["type_check"].map(grouping.words) != "off"]
    chosen = glance.chosen(both, example.MORE)
    assert set(chosen["threads"]) == {1}
    assert set(chosen["protocol"]) == {"tcp"}
    figure = glance.glance(chosen, example.MORE)
    assert_no_overlap(figure)
    [axes] = figure.axes
    dots = np.concatenate([np.asarray(c.get_offsets()) for c in axes.collections])
    assert sorted(dots[:, 0]) == pytest.approx(sorted(chosen["median_ms"]))
    names = [tick.get_text() for tick in axes.get_yticklabels()]
    assert len(names) == chosen["query"].nunique()
    row = names.index("SemaphoreNeighbor")
    assert (dots[:, 1].round() == row).sum() == (chosen["query"] == "SemaphoreNeighbor").sum()


@pytest.mark.parametrize(("fast", "scale"), [(1.0, "linear"), (1000.0, "log")])
def test_curves_share_both_axes_and_start_at_0_where_they_can(fast, scale):
    frame = cells(queries=("PosLength",))
    http = frame["protocol"] == "http"
    frame.loc[http, "throughput_per_s"] *= fast
    figure = curves.curves(curves.panels(frame, example.PROJECTION, latencies(frame)), "PosLength")
    ends = {axes.get_xlim() for axes in figure.axes}
    assert len(ends) == 1
    assert {axes.get_xscale() for axes in figure.axes} == {scale}
    assert (min(ends)[0] == 0) == (scale == "linear")
    assert_one_scale(figure)


def test_without_pingouin_a_panel_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "pingouin", None)
    frame = cells(threads=(1,), protocols=("tcp",), queries=("PosLength",))
    figure = distributions.normal_quantiles(grid(frame, latencies(frame)))
    assert f"not drawn:\n{distributions.LACKING}" in texts(figure)
