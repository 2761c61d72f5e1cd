"""Numbers, marks, escaping, series and settings."""

from html.parser import HTMLParser

import example_cells as example
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from modelstress.analysis.projection import projection_of
from modelstress.report import footnotes, grouping, render, tables
from modelstress.report.render import Entry, Table


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (np.nan, "–"), (0.01234, "0.0123"), (0.5, "0.50"), (9.876, "9.88"), (12.34, "12.3"),
        (99.96, "100.0"), (100, "100"), (1234.5, "1\u202f234"), (1e7, "10\u202f000\u202f000"),
    ],
)  # fmt: skip
def test_milliseconds(value, text):
    assert render.milliseconds(value) == text


@given(st.floats(0.1, 1e9))
def test_no_latency_loses_more_than_half_a_percent(value):
    shown = float(render.milliseconds(value).replace("\u202f", ""))
    assert shown == pytest.approx(value, rel=0.051 if value < 1 else 0.0051)


@pytest.mark.parametrize(
    ("flags", "letters"),
    [
        ("", ""), ("few-invocations;several-hosts;machine-changed", ""), ("some-invalid", "i"),
        ("stale;trend;change-point", "s"), ("burst;incomplete", "bp"), ("invalid;client-busy", "i"),
        ("client-busy", "f"), ("missing", "m"), ("new-code", "f"),
    ],
)  # fmt: skip
def test_letters(flags, letters):
    assert footnotes.letters(flags) == letters


def test_every_letter_that_can_occur_is_explained():
    for code in [*footnotes.LETTERS, "anything else"]:
        letter = footnotes.letters(code)
        assert [note[0] for note in footnotes.notes([letter])] == [letter]


class Balance(HTMLParser):
    """Fails on tags that are not closed in order; collects the text."""

    def __init__(self):
        super().__init__()
        self.open, self.text = [], ""

    def handle_starttag(self, tag, attrs):
        if tag not in ("meta", "img", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


NASTY = "<script>a & b_c% $x {y} #1 ~ ^ \\ |</script>"


def nasty():
    return Table(
        "table-99", NASTY, (NASTY,), ((NASTY, (NASTY,)),), (((NASTY,), (Entry(NASTY),)),),
        (("f", NASTY),), (NASTY,), pd.DataFrame({NASTY: [NASTY]}),
    )  # fmt: skip


def test_html_escapes_and_closes_everything():
    for text in (render.html(nasty()), render.document(nasty())):
        parser = Balance()
        parser.feed(text)
        parser.close()
        assert parser.open == []
        assert "<script>" not in text
        assert parser.text.count(NASTY) >= 6


def test_tex_escapes_everything():
    body = render.tex(nasty())
    for raw, escaped in {"b_c": r"b\_c", "% $x": r"\% \$x", "#1": r"\#1", "{y}": r"\{y\}"}.items():
        assert escaped in body
        assert raw not in body.replace(escaped, "")
    assert body.count(r"\begin{") == body.count(r"\end{")


def test_tex_rows_have_as_many_columns_as_the_header():
    table = tables.medians("table-02", example.cells(), example.PROJECTION, example.SETTING)
    body = render.tex(table).split(r"\midrule")[1].split(r"\bottomrule")[0]
    rows = [line for line in body.splitlines() if line.endswith(r"\\")]
    assert len(rows) == 4
    for row in rows:
        assert row.replace(r"\&", "").count("&") == 5 + 2 * 2 - 1


def test_factors_that_vary_tell_series_apart():
    cells = example.cells()
    assert grouping.series_factors(cells, example.PROJECTION) == example.SERIES
    cells["fidelity"] = ["paper", "improved"] * 4
    more = projection_of(None, (*example.FACTORS[1:], "fidelity"))
    assert grouping.series_factors(cells, more)[-1] == "fidelity"
    assert grouping.constants(cells, more) == {"model": "small"}


def test_a_factor_of_one_tool_names_series_only_where_it_varies():
    both = example.two_tools()
    projection = example.MORE
    assert grouping.series_factors(both, projection)[4:] == ("attributes", "type_check", "fidelity")
    few = both[(both["query"] == "RouteSensor") & (both["fidelity"] != "paper")]
    assert grouping.series_factors(few, projection) == example.SERIES
    fixed = grouping.constants(few, projection)
    assert fixed["signal_timeout_ms"] == "120000 (cdo)"
    assert (fixed["fidelity"], fixed["type_check"]) == ("improved (hawk)", "on (hawk)")
    labels = [
        grouping.label(example.SERIES, one, projection)
        for one in grouping.series(few, example.SERIES)
    ]
    assert labels[0] == "cdo / h2 / ocl / tcp" and len(labels) == 9
    names = grouping.series_factors(both, projection)
    assert (
        grouping.label(names, grouping.series(both, names)[0], projection) == "cdo / h2 / ocl / tcp"
    )
    page = grouping.constants(both, projection)["signal_timeout_ms"]
    assert page == "120000 or 600000 (cdo)"


def two_cases():
    """One tool with two queries on one model, another tool with a query on another model."""
    rows = [
        example.cell(query, "tcp", threads, 5.0 + threads, 0.1)
        for query in ("PosLength", "RouteSensor")
        for threads in (1, 4)
    ]
    rows.append(
        example.cell("HQ1", "tcp", 1, 700.0, 0.1, tool="hawk", tool_title="Hawk", model="jdt0")
    )
    rows.append(example.cell("OQ", "tcp", 1, 900.0, 0.1, model="jdt0"))
    return pd.DataFrame(rows)


def test_a_model_is_named_as_soon_as_there_is_more_than_one():
    cells = two_cases()
    assert "model" in grouping.series_factors(cells, example.PROJECTION)
    [railways, java] = grouping.by_datasets(cells, example.PROJECTION)
    assert [set(part["query"]) for part in (railways, java)] == [
        {"PosLength", "RouteSensor"}, {"HQ1", "OQ"},
    ]  # fmt: skip
    for part, model in ((railways, "small"), (java, "jdt0")):
        assert "model" not in grouping.series_factors(part, example.PROJECTION)
        assert grouping.constants(part, example.PROJECTION) == {"model": model}


@pytest.mark.parametrize("make", [tables.medians, tables.failures, tables.incorrect])
def test_no_row_of_a_table_mixes_models(make):
    cells = two_cases()
    # a tool that asks the same query of another model, where nothing else tells them apart
    other = example.cell("PosLength", "tcp", 4, 3.0, 0.1, model="jdt0", tool="hawk")
    cells = pd.concat([cells, pd.DataFrame([other])], ignore_index=True)
    cells[["timeout", "incorrect"]] = 1
    table = make("table-02", cells, example.PROJECTION, example.SETTING)
    place = table.labels.index("model")
    assert {labels[place] for labels, _ in table.rows} == {"small", "jdt0"}
    for query in ("HQ1", "OQ"):
        assert {labels[place] for labels, _ in table.rows if labels[0] == query} == {"jdt0"}
    assert "small or jdt0" not in table.caption and "model" in table.caption


def test_queries_with_a_model_in_common_stay_together():
    cells = two_cases()
    link = example.cell("OQ", "tcp", 4, 3.0, 0.1, model="small")
    linked = pd.concat([cells, pd.DataFrame([link])], ignore_index=True)
    [together] = grouping.by_datasets(linked, example.PROJECTION)
    assert len(together) == len(cells) + 1
    assert "model" in grouping.series_factors(together, example.PROJECTION)


def test_too_many_series_become_figures_named_by_what_is_special():
    both = example.two_tools()
    parts = dict(grouping.panels(both, example.MORE))
    assert list(parts) == [
        "", "attributes declared", "fidelity paper", "attributes declared, fidelity paper",
        "type_check off", "type_check off, fidelity paper",
    ]  # fmt: skip
    seen = set()
    for name, part in parts.items():
        seen |= set(part.index)
        # eight of hawk beside eight are too many; the other tool stands for comparison
        assert set(part["tool"]) == ({"hawk"} if "type_check" in name else {"cdo", "hawk"})
        names = grouping.series_factors(part, example.MORE)
        assert len(grouping.series(part, names)) <= grouping.MOST_SERIES
    assert seen == set(both.index)
    declared = parts["attributes declared, fidelity paper"]
    assert set(declared["query"]) == {"PosLength"}
    assert set(declared.loc[declared["tool"] == "hawk", "fidelity"]) == {"paper"}
    unchecked = parts["type_check off"]
    assert set(unchecked["type_check"].map(grouping.words)) == {"on", "off", ""}
    assert set(unchecked["fidelity"]) == {"improved"}
    few = both[both["query"] == "RouteSensor"]
    [(special, whole)] = grouping.panels(few[few["fidelity"] != "paper"], example.MORE)
    assert special == "" and len(whole) == 27


def test_tools_that_divide_by_different_factors_stand_in_one_figure():
    cells = example.three_tools()
    parts = dict(grouping.panels(cells, example.NAVIGATION))
    assert set(parts) == {
        *dict(grouping.panels(example.two_tools(), example.MORE)), "navigation backward"
    }  # fmt: skip
    seen = set()
    for name, part in parts.items():
        seen |= set(part.index)
        beside = "type_check" in name or "navigation" in name
        assert beside or set(part["tool"]) == {"cdo", "hawk", "mogwai"}
        ways = set(part.loc[part["tool"] == "mogwai", "navigation"])
        assert "backward" not in ways or name == "navigation backward"
        names = grouping.series_factors(part, example.NAVIGATION)
        assert len(grouping.series(part, names)) <= grouping.MOST_SERIES
    assert seen == set(cells.index)
    backward = parts["navigation backward"]
    assert set(backward["tool"]) == {"mogwai"} and set(backward["query"]) == {"SemaphoreNeighbor"}
    assert set(backward["navigation"]) == {"forward", "backward"}


def test_navigation_tells_series_apart():
    cells = example.three_tools()
    mine = cells[(cells["tool"] == "mogwai") & (cells["query"] == "SemaphoreNeighbor")]
    names = grouping.series_factors(mine, example.NAVIGATION)
    labels = [
        grouping.label(names, one, example.NAVIGATION) for one in grouping.series(mine, names)
    ]
    assert "mogwai / neoemf / ocl / tcp / navigation = backward" in labels
    assert len(labels) == len(set(labels)) == 4
    table = tables.medians("table-02", mine, example.NAVIGATION, example.SETTING)
    assert "backward" in render.html(table) and "forward" in render.csv(table)


@pytest.mark.parametrize("kind", [render.html, render.tex, render.csv])
def test_a_stand_in_is_never_taken_for_the_original(kind):
    both = example.two_tools()
    for make in (tables.medians, tables.failures, tables.incorrect):
        table = make("table-02", both, example.MORE, example.SETTING)
        if kind is not render.csv or len(table.data):
            assert "Hawk design, this project" in kind(table)


def test_settings_are_kept_apart_and_missing_cells_follow_the_only_one():
    cells = example.cells()
    cells.loc[6, ["executor", "topology"]] = "unknown"
    [(setting, together)] = grouping.settings(cells)
    assert (setting, len(together)) == (example.SETTING, 8)
    cells.loc[[4, 5], "topology"] = "2 server CPUs, 2 client CPUs"
    parts = list(grouping.settings(cells))
    assert [len(part) for _, part in parts] == [5, 2]
    for setting, part in parts:
        assert set(part["topology"]) == {setting.topology}


def test_the_number_of_client_processes_divides_no_table():
    cells = example.cells().assign(client_processes=[1, 2] * 4)
    assert len(list(grouping.settings(cells))) == 1
    table = tables.medians("table-02", cells, example.PROJECTION, example.SETTING)
    assert "client processes: 1–2" in render.html(table)


def test_the_cell_of_the_plan_is_preferred_to_its_predecessor():
    old = example.cell("PosLength", "tcp", 1, 7.0, flags="unplanned")
    new = example.cell("PosLength", "tcp", 1, 9.0)
    for rows in ([old, new], [new, old]):
        assert grouping.at(pd.DataFrame(rows), example.PROJECTION, 1)["median_ms"] == 9
    assert grouping.at(pd.DataFrame([old]), example.PROJECTION, 64) is None


def test_flags_of_nearly_every_cell_are_one_sentence_and_stay_in_the_file():
    cells = example.cells().iloc[:4].copy()
    cells["flags"] = ["several-hosts;few-invocations", "several-hosts;trend", "change-point", ""]
    table = tables.medians("table-02", cells, example.PROJECTION, example.SETTING)
    assert {entry.marks for _, entries in table.rows for entry in entries} == {""}
    assert table.remarks[-1] == (
        "Of 4 measured cells, 2 have starts from several machines; 1 have too few starts for an "
        "interval without assumptions; 2 were not steady."
    )
    assert table.data["flags"].tolist() == cells["flags"].tolist()


def test_captions_say_how_many_cells_are_bursts_and_how_many_invocations_are_left_out():
    cells = example.cells().iloc[:4].copy()
    cells["flags"] = ["burst", "burst;stale", "", "some-invalid"]
    cells["invocations_invalid"] = [0, 0, 0, 1]
    table = tables.medians("table-02", cells, example.PROJECTION, example.SETTING)
    assert "1 of 9 invocations are invalid and left out." in table.caption
    assert "2 of 4 cells are bursts" in table.caption
    assert [letter for letter, _ in table.notes] == ["b", "i", "s"]
