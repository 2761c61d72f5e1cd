"""Numbering, files and the HTML page, from the synthetic study."""

import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import pandas as pd
import pytest
import synthetic

from modelstress.analysis import derive, timelines
from modelstress.report import Section, html, results, save, summary_tables
from modelstress.report.results import pages
from modelstress.workloads.queries.study import QueriesStudy


@pytest.fixture(scope="module")
def derived(study_data, study_plan):
    return derive(study_data, synthetic.STUDY, synthetic.PROFILE, study_plan)


@pytest.fixture(scope="module")
def made(derived, study_data):
    return results(derived, timelines(study_data, derived))


def test_tables_are_numbered_as_in_the_paper():
    train = ["PosLength", "SwitchSet", "RouteSensor"]
    layout = QueriesStudy.LAYOUT
    assert list(pages(layout, train)) == [
        (2, ["PosLength"]),
        (3, ["RouteSensor"]),
        (4, ["SwitchSet"]),
    ]
    assert list(pages(layout, ["OQ", "New", "Newer", "Newest"])) == [
        (1, ["OQ"]), (11, ["New", "Newer"]), (12, ["Newest"]),
    ]  # fmt: skip


def test_what_is_made(made):
    assert [table.number for table in made.tables] == [
        "table-02", "table-03", "table-05", "table-06", "table-E1",
    ]  # fmt: skip
    kinds = [drawn.kind for drawn in made.figures]
    assert kinds == [
        "medians", *["boxes"] * 2, "dispersion", "throughput", *["curve"] * 2, "ecdf",
        "percentiles", "normal", *["timeline"] * 3,
    ]  # fmt: skip
    numbers = [drawn.number for drawn in made.figures]
    assert numbers == [f"figure-{n:02d}" for n in range(1, 14)]
    for item in made.tables:
        assert "executor process; 1 server CPU, 1 client CPU, network: loopback" in item.caption
    for item in made.figures:  # said once, at the head of the page
        assert "executor process" not in item.caption


def test_how_a_figure_is_read_is_said_once_by_kind(made):
    first, second = made.of("boxes")
    assert "Boxes: quartiles" in first.caption
    assert second.caption.endswith("Read as Figure 2.")
    assert max(len(drawn.caption.split()) for drawn in made.figures) <= 80


def test_settings_never_share_a_table_or_figure(derived):
    cells = derived.cells.copy()
    elsewhere = cells["query"] == "RouteSensor"
    cells.loc[elsewhere, "topology"] = "2 server CPUs, 2 client CPUs"
    split = results(replace(derived, cells=cells))
    for item in (*split.tables, *split.figures):
        assert ("2 server CPUs" in item.caption) != ("1 server CPU" in item.caption)
    for table in split.tables:
        assert table.data["topology"].nunique() <= 1
    names = [item.number for item in (*split.tables, *split.figures)]
    assert len(set(names)) == len(names)
    assert {name.rsplit("-", 1)[1] for name in names} == {"a", "b"}


def test_saved_files(made, tmp_path):
    stale = tmp_path / synthetic.STUDY / "tables" / "table-77.csv"
    stale.parent.mkdir(parents=True)
    stale.touch()
    (stale.parent / "notes.txt").touch()
    written = save(made, tmp_path)
    assert not stale.exists()
    assert (stale.parent / "notes.txt").exists()
    assert len(written) == 3 * len(made.tables) + 2 * len(made.figures)
    on_disk = set((tmp_path / synthetic.STUDY).rglob("*-*.*"))
    assert on_disk == set(written)
    for path in written:
        content = path.read_bytes()
        if path.suffix == ".png":
            assert content.startswith(b"\x89PNG")
        else:
            assert str(tmp_path) not in content.decode("utf-8")
            assert content.count(b"\r") == 0


def test_the_same_samples_give_the_same_bytes(made, derived, study_data):
    again = results(derived, timelines(study_data, derived))
    for one, other in zip(made.figures, again.figures, strict=True):
        assert one.image == other.image
    section = [Section("title", derived, again)]
    assert html.page(section) == html.page([Section("title", derived, made)])


class Links(HTMLParser):
    def __init__(self):
        super().__init__()
        self.ids, self.anchors, self.sources, self.open = [], [], [], []
        self.in_figures, self.drawn, self.scripts = [], 0, 0

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        if "id" in found:
            (self.in_figures if "svg" in self.open else self.ids).append(found["id"])
        if tag == "a":
            self.anchors.append(found["href"])
        self.sources += [found[name] for name in ("src", "data") if name in found]
        self.drawn += tag == "svg" or tag == "img"
        self.scripts += tag == "script"
        assert tag not in ("link", "iframe")
        if tag not in ("meta", "img", "wbr", "input"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_the_page_stands_alone_and_shows_everything(made, derived):
    text = html.page([Section("A <study> & more", derived, made)])
    links = Links()
    links.feed(text)
    assert links.open == []
    every = [*links.ids, *links.in_figures]
    assert len(set(every)) == len(every)
    sections = {name for name in links.ids if "-figure-" not in name}  # their kinds are linked
    assert {anchor.removeprefix("#") for anchor in links.anchors} == sections
    assert links.drawn == len(made.figures) and links.scripts == 1, "the listings' own script"
    assert all(source.startswith("data:image/png;base64,") for source in links.sources)
    assert not re.search(r"(src|href)=\"(?!#|data:)", text)
    assert not re.search(r"url\((?!#)", text)
    assert "A &lt;study&gt; &amp; more" in text
    flagged = summary_tables.flagged(derived)
    assert len(flagged) >= 5
    states = " ".join(flagged["flags"])
    for flag in ("stale", "invalid", "unverified", "missing", "burst"):
        assert flag in states
    for cell in flagged["cell"]:
        assert f"<td>{cell}</td>" in text.replace("<wbr>", "")
    for fact in ("machine.cpu_model", "Example CPU", "0123abcd", "contents.jar"):
        assert fact in text


@pytest.mark.parametrize(("rows", "boxed"), [(3, False), (summary_tables.LONG + 1, True)])
def test_a_long_listing_scrolls_in_itself(rows, boxed):
    text = summary_tables.shown(
        pd.DataFrame({"cell": [f"cell-{n}" for n in range(rows)]})
    ).to_html()
    assert text.count("cell-") == rows, "nothing is left out"
    assert ("overflow: auto" in text) is boxed


def test_nothing_but_missing_cells(derived):
    cells = derived.cells[derived.cells["state"] == "missing"].reset_index(drop=True)
    empty = replace(
        derived, cells=cells, invocations=derived.invocations.iloc[:0],
        outliers=derived.outliers.iloc[:0], provenance=derived.provenance.iloc[:0],
    )  # fmt: skip
    made = results(empty)
    assert made.figures == ()
    text = html.page([Section("nothing", empty, made)])
    assert "0 / 1" in text
    assert "Nothing was measured." in text
    assert "Nothing was recorded." in text


def test_invocations_that_are_not_complete_are_listed(tmp_path):
    table = synthetic.samples([5.0] * 30)
    synthetic.write(tmp_path, synthetic.LEVELS, 0, table)
    synthetic.write(tmp_path, synthetic.LEVELS, 1, table, rest=".aborted-0")
    derived = derive(tmp_path, synthetic.STUDY, synthetic.PROFILE)
    unfinished = summary_tables.unfinished(derived)
    assert unfinished["state"].tolist() == ["aborted"]
    text = html.page([Section("t", derived, results(derived))])
    assert "Invocations that are not complete" in text
    assert "i01.aborted-0: stopped before its end" in text


def test_failure_messages_are_shown(tmp_path):
    details = [{"operation": "q", "outcome": "error", "message": "<closed> & gone"}]
    for number in (0, 1):
        table = synthetic.samples([5.0] * 3, ["error"] * 3)
        synthetic.write(tmp_path, synthetic.LEVELS, number, table, details=details)
    derived = derive(tmp_path, synthetic.STUDY, synthetic.PROFILE)
    assert summary_tables.failures(derived)["invocations"].tolist() == ["2"]
    text = html.page([Section("t", derived, results(derived, timelines(tmp_path, derived)))])
    assert "&lt;closed&gt; &amp; gone" in text


def test_numbers_of_the_page_add_up(derived):
    shown = {what: number for number, what in summary_tables.numbers(derived)}
    # of one cell more than the missing one both starts are invalid
    assert shown["cells measured"] == "14 / 16" and shown["invalid invocations, left out"] == "2"
    assert int(shown["measured executions"].replace("\u202f", "")) == 14 * 2 * 60
    overview = summary_tables.overview(derived)
    assert overview["executions"].sum() == 14 * 2 * 60
    assert overview["planned"].tolist() == [8, 8]
    assert json.loads(overview.to_json())["query"] == {"0": "PosLength", "1": "RouteSensor"}
