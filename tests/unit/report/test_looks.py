"""The look of a series: the same in every figure, and no other series of a figure has it."""

import itertools

import example_cells as example
import numpy as np
import pytest
from matplotlib import colormaps
from matplotlib.colors import to_rgb

from modelstress.report import effects, grouping, style
from modelstress.report.looks import looks_of


@pytest.fixture
def both():
    return example.two_tools()


def test_a_series_looks_the_same_in_every_figure(both):
    looks = looks_of(both, example.MORE)
    names = ("tool", "backend", "language", "protocol")
    whole = looks.of(names, grouping.series(both, names))
    for _, part in both.groupby("query"):
        for levels, look in looks.of(names, grouping.series(part, names)).items():
            assert look == whole[levels]


def test_no_two_series_of_a_figure_look_alike(both):
    looks = looks_of(both, example.MORE)
    for _, part in both.groupby("query"):
        names = grouping.series_factors(part, example.MORE)
        found = list(looks.of(names, grouping.series(part, names)).values())
        told = {(look.colour, look.marker, look.dash, look.filled) for look in found}
        assert len(told) == len(found) > 3
        boxes = {(look.colour, look.hatch) for look in found}
        assert len(boxes) == len(found)


def test_a_tool_is_a_hue_and_a_protocol_a_dash(both):
    looks = looks_of(both, example.MORE)
    hawk = {"tool": "hawk", "backend": "neo4j", "language": "eol"}
    tcp, http = (looks.one(hawk | {"protocol": name}) for name in ("tcp", "http"))
    assert (tcp.colour, tcp.marker) == (http.colour, http.marker)
    assert tcp.dash != http.dash and tcp.filled and not http.filled
    other = looks.one(hawk | {"backend": "orientdb", "protocol": "tcp"})
    assert other.colour != tcp.colour and other.marker != tcp.marker and other.dash == tcp.dash


def test_numbers_on_a_heat_map_can_be_read():
    """WCAG 2: at least 4.5 to 1, on every colour of the map."""
    for colour in colormaps[effects.DIVERGING](np.linspace(0, 1, 101)):
        pair = [_luminance(colour[:3]), _luminance(to_rgb(style.readable(colour)))]
        low, high = sorted(pair)
        assert (high + 0.05) / (low + 0.05) >= 4.5


def _luminance(colour):
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour]
    return float(np.dot(linear, (0.2126, 0.7152, 0.0722)))


def test_every_log_axis_has_ticks_between_its_labels():
    for horizontal, ends in itertools.product((False, True), ((1, 9e4), (3, 90), (10, 14))):
        with style.style():
            axes = style.new_figure(4, 3).subplots()
            style.log_axis(axes, *ends, horizontal=horizontal)
        axis = axes.xaxis if horizontal else axes.yaxis
        low, high = axis.get_view_interval()
        ticks = [*axis.get_majorticklocs(), *axis.get_minorticklocs()]
        assert len({tick for tick in ticks if low <= tick <= high}) >= 4
