"""A measure of cells over the levels of a factor."""

import numpy as np
import papers_data
import pytest
import synthetic
from papers_data import entry, papers

from modelstress import analysis
from modelstress.config.base import parse
from modelstress.config.errors import ConfigError
from modelstress.config.figures import IDLE, OverFactor
from modelstress.config.project import Project
from modelstress.report.over import Printed, asked, over, printed
from modelstress.report.style import WIDE

OQ = {"tool": "cdo", "query": "OQ", "threads": [1, 64]}
HQ9 = {"tool": "cdo", "query": "HQ9"}


@pytest.fixture(scope="module")
def derived(tmp_path_factory):
    data = papers_data.write(tmp_path_factory.mktemp("papers") / "data")
    study = Project.find(papers_data.ROOT).study(synthetic.STUDY)
    return analysis.derive(data, synthetic.STUDY, synthetic.PROFILE, asked=study)


def lines(figure):
    """Points of each line with markers, by its label."""
    return {
        container.get_label(): container.lines[0].get_xydata()
        for container in figure.axes[0].containers
    }


def test_numbers_have_their_place_and_values_are_those_of_the_cells(derived):
    shown = lines(over(derived, "threads", "latency", OQ, "protocol", title="OQ takes"))
    cells = derived.cells[(derived.cells["tool"] == "cdo") & (derived.cells["query"] == "OQ")]
    assert shown.keys() == {"tcp", "http"}
    for protocol, points in shown.items():
        known = cells[cells["protocol"] == protocol].sort_values("threads")
        assert points[:, 0].tolist() == [1, 64]
        np.testing.assert_allclose(points[:, 1], known["median_ms"])


@pytest.mark.parametrize("threads", [[1], [1, 64]])
def test_ticks_are_the_levels_where_they_have_room(derived, threads):
    [axes] = over(derived, "threads", "latency", OQ | {"threads": threads}).axes
    assert axes.get_xticks().tolist() == threads
    assert [label.get_text() for label in axes.get_xticklabels()] == [str(n) for n in threads]


@pytest.mark.parametrize("measure", ["throughput", "share of error", IDLE])
def test_other_measures(derived, measure):
    figure = over(derived, "threads", measure, OQ | {"protocol": "tcp"})
    [points] = lines(figure).values()
    assert len(points) == 2
    far_apart = figure.axes[0].get_yscale() == "log"
    assert far_apart == (points[:, 1].min() > 0 and points[:, 1].max() / points[:, 1].min() > WIDE)
    assert far_apart or figure.axes[0].get_ylim()[0] == 0
    assert ("log scale" in figure.axes[0].get_ylabel()) == far_apart


def test_words_are_in_the_order_of_the_selection(derived):
    figure = over(derived, "query", "latency", {"tool": "cdo", "query": ["MQ", "OQ"], "threads": 1})
    labels = [label.get_text() for label in figure.axes[0].get_xticklabels()]
    assert labels == [q for q in ("MQ", "OQ") if q in labels] and "OQ" in labels


def test_printed_values_far_away_make_a_log_scale_and_a_legend_above(derived):
    far = [Printed(1, 1e6)]
    figure = over(derived, "threads", "latency", OQ | {"protocol": "tcp"}, printed=far)
    [axes] = figure.axes
    assert axes.get_yscale() == "log" and axes.get_ylabel().endswith("log scale)")
    assert axes.get_ylim()[1] > 1e6 and axes.get_legend() is None
    [legend] = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["printed"]


def test_printed_values_are_crosses(derived):
    figure = over(derived, "threads", "latency", OQ, "protocol", [Printed(1, 5.0), Printed(3, 9.0)])
    [crosses] = [line for line in figure.axes[0].lines if line.get_label() == "printed"]
    assert crosses.get_xydata().tolist() == [[1, 5.0]], (
        "levels that were not measured are not shown"
    )


def test_printed_values_of_papers():
    of = papers(
        entry("it", {"value": 7}, {"kind": "median", "cells": {"tool": "cdo", "threads": 64}}),
        entry("other", {"value": 8}, {"kind": "median", "cells": {"tool": "hawk", "threads": 1}}),
        entry("rate", {"value": 9}, {"kind": "throughput", "cells": {"tool": "cdo", "threads": 1}}),
    )
    assert printed(of, "latency", "threads", {"tool": "cdo"}) == (Printed(64, 7.0),)
    assert printed(of, "throughput", "threads", {"tool": ["cdo"]}) == (Printed(1, 9.0),)


def test_figures_of_a_study_are_those_of_a_topic(derived):
    figures = [
        OverFactor(topic="load", title="OQ takes", over="threads", measure="latency", only=OQ),
        OverFactor(topic="tiers", title="HQ1 takes", over="threads", measure="latency", only={}),
        OverFactor(
            topic="load",
            title="HQ9",
            over="threads",
            measure="latency",
            only={"query": "HQ9"},
        ),
    ]
    of = papers(entry("it", {"value": 7}, {"kind": "count of cells"}))
    shown, missing = asked(derived, figures, of, "load")
    assert shown.number == "figure-V1"
    assert shown.caption == "OQ takes. Points: medians, bars their intervals."
    assert len(shown.figure.axes[0].containers) == 1
    assert missing.sentence.startswith("HQ9: such cells were not measured in profile ")


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"measure": "latencies"}, "'latencies' cannot be shown over a factor .did you mean"),
        ({"measure": "bytes"}, "cannot be shown over a factor"),
        ({"topic": "Two words"}, "topic"),
    ],
)
def test_figures_that_cannot_be_are_refused(wrong, said):
    figure = {"topic": "load", "title": "x", "over": "threads", "measure": "latency", "only": {}}
    with pytest.raises(ConfigError, match=said):
        parse(OverFactor, figure | wrong, "study.yaml")


def test_nothing_measured_and_other_measures_are_refused(derived):
    with pytest.raises(ConfigError, match="no such cell was measured"):
        over(derived, "threads", "latency", HQ9)
    with pytest.raises(ConfigError, match="cannot be shown over a factor"):
        over(derived, "threads", "bytes", OQ)
