"""The table and figures of captured executions, and their files."""

import captures
import numpy as np
import pandas as pd
import pytest
import synthetic
from figure_texts import assert_no_overlap, texts
from golden_files import assert_golden

from modelstress import analysis, report
from modelstress.analysis.projection import projection_of
from modelstress.report import grouping, render
from modelstress.report.anatomy import PAPER, letters, variants

STUDY, PROFILE = synthetic.STUDY, synthetic.PROFILE


def read(data_dir):
    return analysis.anatomy(data_dir, analysis.derive(data_dir, STUDY, PROFILE))


@pytest.fixture(scope="module", params=["packets", "proxy"])
def found(request, tmp_path_factory):
    data = tmp_path_factory.mktemp("captures")
    captures.write_captures(data, request.param)
    return request.param, read(data)


def test_variants_are_named_by_what_tells_them_apart():
    base = {"tool": "cdo", "protocol": "http", "http_transport": "stock", "query": "A"}
    tcp = {"tool": "cdo", "protocol": "tcp", "http_transport": "stock", "query": "A"}
    rows = [
        base, base | {"http_transport": "long-poll"},
        tcp | {"tcp_nodelay": True}, tcp | {"tcp_nodelay": False},
        {"tool": "hawk", "protocol": "tcp", "query": "A"},
    ]  # fmt: skip
    cells = pd.DataFrame(rows).astype(object)
    factors = ("protocol", "query", "http_transport", "tcp_nodelay")
    assert variants(cells, projection_of(None, factors)) == [
        "cdo / http / stock", "cdo / http / long-poll", "cdo / tcp / tcp_nodelay on",
        "cdo / tcp / tcp_nodelay off", "hawk / tcp",
    ]  # fmt: skip


def test_what_was_asked_is_always_named_where_it_differs():
    quick = {"tool": "cdo", "protocol": "http", "query": "A", "timeout_ms": 1, "polls": "stock"}
    slow = quick | {"query": "B", "timeout_ms": 9}
    rows = [
        quick,
        slow,
        quick | {"polls": "long"},
        {"tool": "hawk", "protocol": "tcp", "query": "A"},
    ]
    cells = pd.DataFrame(rows).astype(object)
    # the deadline goes with the query: it tells nothing more
    projection = projection_of(None, ("protocol", "query", "timeout_ms", "polls"))
    assert variants(cells, projection) == [
        "cdo / http / A / stock", "cdo / http / B / stock", "cdo / http / A / long",
        "hawk / tcp / A",
    ]  # fmt: skip


def test_the_table_says_how_it_was_counted(found):
    method, anatomy = found
    made = report.anatomy_results(anatomy)
    [table] = made.tables
    assert_golden(table, f"anatomy-{method}")
    assert ("packets counted on the wire" in table.caption) == (method == "packets")
    assert ("seen by a proxy" in table.caption) == (method == "proxy")
    heads = [head for _, group in table.groups for head in group]
    rows = {labels: dict(zip(heads, entries, strict=True)) for labels, entries in table.rows}
    stock = rows["cdo", "http", "stock"]
    assert stock["HTTP requests"].text == "11"
    assert stock["connections"].text == "1"
    assert stock["executions"].text == "3"
    assert rows["hawk", "http", ""]["HTTP requests"].text == "1"
    assert rows["cdo", "tcp", ""]["HTTP requests"].text == "0"
    published = [labels for labels in rows if labels[2] == PAPER]
    if method == "proxy":
        assert stock["packets"].text == stock["bytes"].text == "–"
        assert not published
        return
    assert stock["packets"].text == "27"
    assert rows["cdo", "http", PAPER]["packets"].text == "58"
    assert rows["cdo", "http", PAPER]["bytes"].text == "10\u202f203"
    assert rows["hawk", "http", PAPER]["HTTP requests"].text == "1"
    assert rows["cdo", "http", PAPER]["payload"].text == "–"


def test_ranges_stand_where_executions_differ(found):
    [table] = report.anatomy_results(found[1]).tables
    heads = [head for _, group in table.groups for head in group]
    rows = {labels: dict(zip(heads, entries, strict=True)) for labels, entries in table.rows}
    duration = rows["hawk", "tcp", ""]["duration"].text
    assert duration.count("(") == 1 and "–" in duration
    assert "(" not in rows["hawk", "tcp", ""]["payload"].text


def test_every_format_has_the_same_rows(found):
    [table] = report.anatomy_results(found[1]).tables
    body = render.html(table).split("<tbody>")[1].split("</tbody>")[0]
    assert body.count("<tr") == len(table.rows)
    assert render.tex(table).count(r"\\") == len(table.rows) + 2
    assert len(render.csv(table).splitlines()) == 1 + 5
    assert render.csv(table).startswith("variant,tool,protocol,method,")
    assert "<b>Table A1.</b>" in render.html(table)


def test_figures_and_their_kinds(found):
    method, anatomy = found
    made = report.anatomy_results(anatomy)
    assert [drawn.kind for drawn in made.figures[:2]] == ["counts", "overview"]
    assert sorted(drawn.kind for drawn in made.figures[2:]) == [
        "cdo-http", "cdo-http", "cdo-tcp", "hawk-http", "hawk-tcp",
    ]  # fmt: skip
    for drawn in made.figures:
        assert_no_overlap(drawn.figure)
    counts = texts(made.figures[0].figure)
    assert ("packets" in counts) == ("bytes" in counts) == (method == "packets")
    assert any(PAPER in text for text in counts) == (method == "packets")
    assert {"HTTP requests", "round trips", "payload (bytes)"} <= set(counts)


def test_a_sequence_that_is_not_there_is_a_sentence(found):
    made = report.anatomy_results(found[1])
    assert len(report.shown_sequences(made, "cdo", "http")) == 2
    [absent] = report.shown_sequences(made, "cdo", "websocket")
    assert "Nothing was captured of cdo over websocket" in absent._repr_html_()


def test_methods_never_share_a_table(tmp_path):
    captures.write_captures(tmp_path)
    other = captures.LEVELS | {"protocol": "websocket"}
    captures.capture(tmp_path, other, lambda _: captures.tcp([(1, 2)]), method="proxy")
    made = report.anatomy_results(read(tmp_path))
    assert [table.number for table in made.tables] == ["table-A1-a", "table-A1-b"]
    for table in made.tables:
        assert table.data["method"].nunique() == 1
        assert ("seen by a proxy" in table.caption) == (table.data["method"][0] == "proxy")
    assert len({drawn.number for drawn in made.figures}) == len(made.figures)


def test_files(found, tmp_path):
    method, anatomy = found
    made = report.anatomy_results(anatomy)
    folder = tmp_path / STUDY / "anatomy"
    folder.mkdir(parents=True)
    for name in ("figure-A77.png", "old.pcap", "notes.txt"):
        (folder / name).touch()
    files = report.save_anatomy(made, anatomy, tmp_path)
    there = {path.name for path in folder.iterdir()}
    assert {path.name for path in files} | {"notes.txt"} == there
    suffixes = {"figure": ("svg", "png"), "table": ("csv", "tex", "html")}
    assert {f"{kind}-A1.{end}" for kind, ends in suffixes.items() for end in ends} <= there
    packets = {path.stem for path in folder.glob("*.pcap")}
    wanted = {"cdo-tcp", "cdo-http-stock", "cdo-http-long-poll", "hawk-tcp", "hawk-http"}
    assert packets == (wanted if method == "packets" else set())


@pytest.mark.parametrize(
    ("flags", "counted"),
    [
        ("", ""),
        ("machine-changed;verify-cost;burst;too-few", ""),
        ("invalid;client-busy;machine-changed;too-few", "i"),
        ("stale;some-invalid", "is"),
        ("missing", "m"),
    ],
)
def test_what_spoils_a_time_does_not_mark_a_count(flags, counted):
    assert letters(flags) == counted


def test_invalid_captures_are_in_no_count(tmp_path):
    reason = {"code": "client-busy", "kind": "invalid", "message": "the clients were 93 % busy"}
    captures.capture(
        tmp_path, captures.LEVELS, lambda _: captures.tcp([(1, 2)]), valid=False, reasons=[reason]
    )
    anatomy = read(tmp_path)
    [table] = report.anatomy_results(anatomy).tables
    captured, *counts = table.rows[0][1]
    assert (captured.text, captured.marks) == ("0", "i")
    assert {entry.text for entry in counts} == {"–"}
    assert table.notes[0][0] == "i"
    assert report.remarkable(anatomy)["state"].tolist() == ["invalid"]


def test_missing_counts_are_listed(tmp_path):
    captures.capture(tmp_path, captures.LEVELS, lambda _: captures.tcp([(1, 2)]))
    other = captures.LEVELS | {"protocol": "http"}
    planned = [
        analysis.PlannedCell("cdo", synthetic.cell_id(levels), "CDO", levels, 1)
        for levels in (captures.LEVELS, other)
    ]
    derived = analysis.derive(tmp_path, STUDY, PROFILE, planned)
    [row] = report.remarkable(analysis.anatomy(tmp_path, derived)).to_dict("records")
    assert row["cell"] == synthetic.cell_id(other) and "missing" in row["why"]


def test_cells_that_failed_have_a_row_and_no_sequence(tmp_path):
    captures.capture(
        tmp_path, captures.LEVELS, lambda _: captures.tcp([(1, 2)]), outcomes=("error",) * 2
    )
    made = report.anatomy_results(read(tmp_path))
    [table] = made.tables
    labels, entries = table.rows[0]
    assert labels[:2] == ("cdo", "tcp")
    assert [entry.text for entry in entries] == ["0", *["–"] * 8]
    assert made.figures == ()


@pytest.mark.parametrize("blank", [None, np.nan, pd.NA])
def test_a_level_that_a_cell_does_not_have_is_blank_whatever_stands_for_it(blank):
    """Parquet gives back whole numbers with a blank of their own."""
    assert grouping.words(blank) == ""
    assert grouping.words(pd.array([5000, blank], dtype="Int64")[0]) == "5000"
