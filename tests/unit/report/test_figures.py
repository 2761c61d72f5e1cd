"""Figures: what is drawn, with units, and without one text covering another."""

import itertools

import example_cells as example
import numpy as np
import pandas as pd
import pytest
from figure_texts import assert_no_overlap, assert_one_scale, drawn, texts
from matplotlib.colors import to_rgb

from modelstress.report import boxes, grouping, lines, style, timeline


def query(name):
    cells = example.cells()
    return cells[cells["query"] == name]


def test_box_plot():
    figure = boxes.boxes(query("PosLength"), example.outliers(), example.PROJECTION)
    assert_no_overlap(figure)
    upper, _ = figure.axes
    assert [tick.get_text() for tick in upper.get_xticklabels()] == ["1", "4"]
    assert upper.get_xlabel() == "client threads"
    assert upper.get_yscale() == "log"
    assert upper.get_ylabel() == "latency (ms, log scale)"
    low, high = upper.get_ylim()
    assert low < 0.01234 * 0.5
    assert high > 123.4 * 2
    for text in ("0.0123", "5.68", "12.3", "s", "123", "iu"):
        assert text in texts(figure)
    dots = np.concatenate([np.asarray(c.get_offsets()) for c in upper.collections])
    assert 3.0 in dots[:, 1]


def test_boxes_are_the_quartiles_and_whiskers_of_the_table():
    cells = query("PosLength")
    upper = boxes.boxes(cells, example.outliers(), example.PROJECTION).axes[0]
    drawn_boxes = {
        tuple(sorted({y for _, y in box.get_path().vertices if y}))
        for container in upper.containers
        for box in container.boxes
    }
    expected = {
        tuple(sorted({row["q1_ms"], row["q3_ms"]}))
        for _, row in cells.dropna(subset=["median_ms"]).iterrows()
    }
    assert {tuple(np.round(one, 9)) for one in drawn_boxes} == {
        tuple(np.round(one, 9)) for one in expected
    }
    ends = {line.get_ydata()[1] for c in upper.containers for line in c.whiskers}
    for name in ("whisker_low_ms", "whisker_high_ms"):
        for value in cells[name].dropna():
            assert any(end == pytest.approx(value) for end in ends), (name, value)


def test_cells_without_a_median_are_named_in_the_box_plot():
    figure = boxes.boxes(query("Route_Sensor & co"), example.outliers(), example.PROJECTION)
    assert_no_overlap(figure)
    assert {"not measured", "no median"} <= set(texts(figure))
    assert ">\u00a030\u202f000 (73% t)" in texts(figure)


def test_a_notch_wider_than_the_box_is_cut():
    cells = query("PosLength").assign(notch_low_ms=-5.0, notch_high_ms=1e9)
    figure = boxes.boxes(cells, example.outliers(), example.PROJECTION)
    low, high = figure.axes[0].get_ylim()
    assert 0 < low < high < 1e4
    thick = [c.get_segments()[0] for c in figure.axes[0].collections if hasattr(c, "get_segments")]
    cut = {(bar[0][1], bar[1][1]) for bar in thick}
    shown = cells.dropna(subset=["median_ms"])
    assert cut == set(zip(shown["q1_ms"], shown["q3_ms"], strict=True))
    assert_no_overlap(figure)


def test_many_series_and_thread_counts_stay_readable():
    rows = [
        example.cell(
            "PosLength", protocol, threads, 3.0 * threads + i, 0.1, backend=backend, language=lang,
            tool="hawk",
        )
        for threads in (1, 2, 4, 8, 16, 32, 64)
        for i, (backend, lang, protocol) in enumerate(
            (b, lang, p) for b in ("neo4j", "orientdb") for lang in ("eol", "epl")
            for p in ("tcp", "http")
        )
    ]  # fmt: skip
    cells = pd.DataFrame(rows)
    assert_no_overlap(boxes.boxes(cells, example.outliers(), example.PROJECTION))
    assert_no_overlap(lines.medians(cells, example.PROJECTION))


def test_two_tools_with_factors_of_their_own_stay_readable():
    both = example.two_tools(threads=(1, 2, 4, 8, 16, 32, 64))
    outliers = example.outliers()
    for query in ("PosLength", "SemaphoreNeighbor"):
        parts = grouping.panels(both[both["query"] == query], example.MORE)
        assert len(parts) == 4
        special, cells = parts[-1]
        figure = boxes.boxes(cells, outliers, example.MORE, special)
        assert_no_overlap(figure)
        heading = figure.legends[0].get_title().get_text()
        assert heading.startswith(f"{query}, {special}")
    special, cells = grouping.panels(both, example.MORE)[0]
    figure = lines.medians(cells, example.MORE, special)
    assert_no_overlap(figure)
    assert figure.legends[0].get_title().get_text() == (special or "")


def test_no_two_series_look_alike():
    both = example.two_tools(attributes=("none",), fidelity=("improved",))
    cells = both[both["query"] == "RouteSensor"]
    boxed = boxes.boxes(cells, example.outliers(), example.MORE)
    assert [axes.get_title() for axes in boxed.axes[::2]] == ["tcp", "http"]
    patches = boxed.legends[0].get_patches()
    assert len({(p.get_facecolor(), p.get_hatch()) for p in patches}) == len(patches) == 5
    # Each protocol has a panel: CDO and four configurations, of which CDO has no HTTP.
    panels = lines.medians(cells, example.MORE).axes
    assert [axes.get_title() for axes in panels] == ["RouteSensor, tcp", "RouteSensor, http"]
    of_tcp, of_http = ([_look(bars[0]) for bars in axes.containers] for axes in panels)
    assert len(set(of_tcp)) == len(of_tcp) == 5
    assert len(set(of_http)) == len(of_http) == 4
    assert [look[:2] for look in of_http] == [look[:2] for look in of_tcp[1:]]  # same tools
    assert {look[2] for look in of_http} == {"white"}  # and the other protocol is hollow
    assert "white" not in {look[2] for look in of_tcp}
    assert panels[0].get_ylim() == panels[1].get_ylim()


@pytest.mark.parametrize(("others", "panels"), [(2, 9), (3, 4)])
def test_protocols_have_panels_where_most_are_filled(others, panels):
    both = example.two_tools(attributes=("none",), fidelity=("improved",))
    one = both[both["query"] == "RouteSensor"]
    cdo = one[(one["tool"] == "cdo") & (one["protocol"] == "tcp")]
    more = [cdo.assign(query=f"Query{n}") for n in range(others)]
    cells = pd.concat([one, cdo.assign(protocol="websocket"), *more], ignore_index=True)
    figure = lines.medians(cells, example.MORE)
    assert sum(axes.get_visible() for axes in figure.axes) == panels


def _look(line):
    return line.get_color(), line.get_marker(), line.get_markerfacecolor()


def test_an_interval_over_powers_of_ten_does_not_decide_the_axis():
    rows = [example.cell("PosLength", "tcp", t, 3.0 * t) for t in (1, 4, 16, 64)]
    rows[1] |= {"median_low_ms": 1e-9, "median_high_ms": 1e9}
    axes = lines.medians(pd.DataFrame(rows), example.PROJECTION).axes[0]
    low, high = axes.get_ylim()
    assert axes.get_yscale() == "log"
    assert 0.5 < low < 3 < 192 < high < 1000
    [bars] = [bar for bar in axes.containers if bar.has_yerr]
    [segments] = bars[2]
    assert segments.get_segments()[1][1][1] == pytest.approx(1e9)  # drawn, and cut by the frame


@pytest.mark.parametrize(
    ("draw", "unit"),
    [
        (lines.throughput, "per second"), (lines.medians, "(ms)"),
        (lines.dispersion, "coefficient of dispersion"),
    ],
)  # fmt: skip
def test_lines_over_threads(draw, unit):
    figure = draw(example.cells(), example.PROJECTION)
    assert_no_overlap(figure)
    first, second = (axes for axes in figure.axes if axes.get_visible())
    assert unit in first.get_ylabel().replace(", log scale", "")
    assert first.get_xlabel() == "client threads"
    assert [tick.get_text() for tick in first.get_xticklabels()] == ["1", "4"]
    # The second series of the second query has neither point: no line; the first has both.
    assert len(second.containers) == 1
    assert len(first.containers) == 2


def test_throughput_is_drawn_as_it_is():
    figure = lines.throughput(example.cells(), example.PROJECTION)
    data = figure.axes[0].containers[0].lines[0].get_ydata()
    assert data.tolist() == pytest.approx([1000 / 0.01234, 4000 / 5.678])


def test_a_missing_point_leaves_a_gap():
    cells = pd.DataFrame(
        [example.cell("PosLength", "tcp", n, 5.0 if n != 4 else None) for n in (1, 4, 16)]
    )
    data = lines.medians(cells, example.PROJECTION).axes[0].containers[0].lines[0].get_ydata()
    assert np.isnan(data).tolist() == [False, True, False]


def executions():
    return pd.DataFrame(
        {
            "start_s": [0.0, 0.5, 1.0, 1.5, 2.0, 9.0],
            "latency_ms": [100.0, 20, 30, 8000, 5, 1000],
            "end_s": [0.1, 0.52, 1.03, 9.5, 2.005, 10],
            "phase": ["warmup", "measure", "measure", "measure", "measure", "cooldown"],
            "outcome": ["ok", "ok", "ok", "timeout", "error", "ok"],
        }
    )


def test_timeline():
    cpu = pd.DataFrame(
        {"begin_s": [-1.0, 0, 5], "end_s": [0.0, 5, 10], "server_cpu": [0.1, 0.9, 0.8],
         "client_cpu": [0.0, 0.2, np.nan]}
    )  # fmt: skip
    figure = timeline.timeline(
        executions(), cpu, "a cell with a name of usual length, invocation 0"
    )
    assert_no_overlap(figure)
    upper, lower = figure.axes
    assert "(ms" in upper.get_ylabel()
    assert "(%)" in lower.get_ylabel()
    assert "(s)" in lower.get_xlabel()
    names = [text.get_text() for text in upper.get_legend().get_texts()]
    assert names == ["ok (2 measured)", "error (1 measured)", "timeout (1 measured)",
                     "not measured"]  # fmt: skip
    assert {"warm-up", "cool-down"} <= set(texts(figure))
    points = np.concatenate([np.asarray(c.get_offsets()) for c in upper.collections])
    assert sorted(points[:, 1]) == sorted(executions()["latency_ms"])


def test_executions_without_a_latency_are_drawn_at_the_bottom():
    lost = executions().assign(latency_ms=[100.0, 20, 30, 0, 0, 1000])
    figure = timeline.timeline(lost, pd.DataFrame(columns=["begin_s", "end_s"]), "cell")
    points = np.concatenate([np.asarray(c.get_offsets()) for c in figure.axes[0].collections])
    assert sorted(points[:, 1]) == [20, 20, 20, 30, 100, 1000]
    assert figure.axes[0].get_ylim()[0] < 20


def test_timeline_without_telemetry_says_so():
    empty = pd.DataFrame(columns=["begin_s", "end_s", "server_cpu", "client_cpu"])
    figure = timeline.timeline(executions().iloc[1:3], empty, "cell")
    assert_no_overlap(figure)
    assert "no telemetry was recorded" in texts(figure)


def test_colours_differ_in_grey_too():
    """Neighbours in the order of use differ in lightness (Rec. 709)."""
    grey = [np.dot(to_rgb(colour), (0.2126, 0.7152, 0.0722)) for colour in style.COLOURS]
    assert len(set(style.COLOURS)) == len(style.COLOURS)
    for i, (one, other) in enumerate(itertools.pairwise(grey)):
        assert abs(one - other) > 0.1, style.COLOURS[i : i + 2]


@pytest.mark.parametrize(("low", "high"), [(1, 1), (10, 14), (3, 90), (0.01, 5e5)])
def test_a_log_axis_always_has_labels(low, high):
    with style.style():
        figure = style.new_figure(4, 3)
        axes = figure.subplots()
        style.log_axis(axes, low, high)
    drawn(figure)
    bottom, top = axes.get_ylim()
    shown = [t for t in axes.get_yticks() if bottom <= t <= top]
    assert 1 <= len(shown) <= 14
    assert bottom < low <= high < top


@pytest.mark.parametrize(
    ("value", "text"),
    [(1.5, "1.5"), (2, "2"), (2.0000000000000004, "2"), (0.05, "0.05"), (12.5, "12"),
     (12345, "12\u202f345"), (0, "0"), (-1.5, "-1.5")],
)  # fmt: skip
def test_numbers_on_an_axis(value, text):
    assert style.plain(value) == text


@pytest.mark.parametrize(("far", "scale"), [(2.0, "linear"), (1000.0, "log")])
def test_one_panel_that_needs_a_log_scale_gives_it_to_all(far, scale):
    rows = [
        example.cell(name, "tcp", threads, median, 0.1)
        for name, times in (("near", 2.0), ("far", far))
        for threads, median in ((1, 5.0), (4, 5.0 * times))
    ]
    figure = lines.medians(pd.DataFrame(rows), example.PROJECTION)
    panels = [axes for axes in figure.axes if axes.get_visible()]
    assert [axes.get_title() for axes in panels] == ["near", "far"]
    assert {axes.get_yscale() for axes in panels} == {scale}
    assert panels[0].get_ylabel() == style.scaled("median latency (ms)", scale == "log")
    low, high = panels[0].get_ylim()
    assert (low == 0) if scale == "linear" else (high / low >= 10)
    assert_one_scale(figure)


def test_a_zero_keeps_a_figure_linear():
    far, zero = np.array([1.0, 1000.0]), np.array([0.0, 1.0])
    assert style.in_logs([far]) and not style.in_logs([far, zero])


def test_dollars_in_levels_and_titles_are_words(tmp_path):
    said = r"cost_$1_$2 $\foo$"
    cells = query("PosLength").assign(tool_title=said, backend=said)
    with style.style():
        for figure in (
            boxes.boxes(cells, example.outliers(), example.PROJECTION, said),
            lines.medians(cells, example.PROJECTION, said),
        ):
            assert any(said in text for text in texts(figure))
            figure.savefig(tmp_path / "figure.svg")
