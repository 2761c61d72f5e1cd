"""A measure of cells over the levels of a factor."""

import numpy as np
import papers_data
import pytest
import synthetic
from papers_data import entry, papers

from modelstress import analysis
from modelstress.config.errors import ConfigError
from modelstress.config.project import Project
from modelstress.report.over import IDLE, Printed, over, printed

OQ = {"tool": "cdo", "query": "OQ", "threads": [1, 64]}


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


@pytest.mark.parametrize("measure", ["throughput", "share of error", IDLE])
def test_other_measures(derived, measure):
    figure = over(derived, "threads", measure, OQ | {"protocol": "tcp"})
    [points] = lines(figure).values()
    assert len(points) == 2
    assert figure.axes[0].get_ylim()[0] == 0


def test_words_are_in_the_order_of_the_selection(derived):
    figure = over(derived, "query", "latency", {"tool": "cdo", "query": ["MQ", "OQ"], "threads": 1})
    labels = [label.get_text() for label in figure.axes[0].get_xticklabels()]
    assert labels == [q for q in ("MQ", "OQ") if q in labels] and "OQ" in labels


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


def test_nothing_measured_is_no_figure_and_other_measures_are_refused(derived):
    assert over(derived, "threads", "latency", {"tool": "cdo", "query": "HQ9"}) is None
    with pytest.raises(ConfigError, match="cannot be shown over a factor"):
        over(derived, "threads", "bytes", OQ)
