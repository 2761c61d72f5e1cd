"""Tables, figures and sentences of a dataset held against papers."""

import papers_data
import pytest
import synthetic
from golden_files import assert_golden
from papers_data import entry, papers

from modelstress import analysis
from modelstress.analysis import replication
from modelstress.config.papers import read_papers
from modelstress.config.project import Project
from modelstress.report import against as beside
from modelstress.report import agreement, render, setting

OQ, HQ1 = {"tool": "cdo", "query": "OQ"}, {"tool": "hawk", "backend": "neo4j", "query": "HQ1"}
FIRST = {"protocol": "tcp", "threads": 1}
SLOWER = {"kind": "ratio of medians", "cells": HQ1 | FIRST, "beside": OQ | FIRST}
ENTRIES = (
    entry("agrees", {"value": 3, "direction": "slower"}, SLOWER, unit="×", note="a note"),
    entry("contradicts", {"value": 0.5, "direction": "faster"}, SLOWER, unit="×"),
    entry("number", {"value": 1000}, {"kind": "median", "cells": OQ | FIRST}, unit="ms"),
    entry(
        "missing", {"value": 1}, {"kind": "median", "cells": OQ | {"threads": 2}},
        topic="caching",
    ),
    entry(
        "counted", {"value": 22, "of": 1000, "direction": "some"},
        {
            "kind": "count of outcomes", "cells": {"query": "MQ", "protocol": "http"},
            "outcomes": ["error"],
        },
        topic="outcomes",
    ),
    entry(
        "signs", {"direction": "slower"},
        {"kind": "sign of delta", "cells": {"protocol": "http"}},
    ),
)  # fmt: skip


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    data_dir = papers_data.write(tmp_path_factory.mktemp("held") / "data")
    study = Project.find(papers_data.ROOT).study(synthetic.STUDY)
    derived = analysis.derive(data_dir, synthetic.STUDY, synthetic.PROFILE, asked=study)
    return replication.compare(derived, papers(*ENTRIES), None, data_dir)


def test_a_table_has_a_row_for_every_entry(found):
    [table, outcomes, caching] = beside.results(found).tables
    assert [row[0][0] for row in table.rows] == ["agrees", "contradicts", "number", "signs"]
    texts = {row[0][0]: [cell.text for cell in row[1]] for row in table.rows}
    assert texts["agrees"][1:3] == ["slower", "1.5"] and texts["agrees"][5:7] == ["0.5", "same"]
    assert texts["contradicts"][5:7] == ["3", "other"]
    assert texts["number"][2] == "100" and texts["number"][6] == "–"
    assert texts["signs"][2:4] == ["75% slower", "3 slower, 1 no clear difference of 4 cells"]
    assert_golden(table, "against-protocol")
    assert_golden(outcomes, "against-outcomes")
    assert_golden(caching, "against-caching")
    assert "agrees: a note." in table.remarks
    assert any("all is new" in remark.lower() for remark in table.remarks)
    [row] = outcomes.rows
    assert row[1][2].text == "2 of 42"
    [row] = caching.rows
    assert [cell.text for cell in row[1]][2:] == ["–", "–", "–", "–", "not measured", "–"]
    assert "Not measured: the cells were not measured (1)." in caching.remarks


def test_every_format_has_the_entries(found, tmp_path):
    made = beside.results(found)
    assert "contradicts" in render.csv(made.tables[0])
    assert "contradicts & 2020, 1 & so & faster & 1.5" in render.tex(made.tables[0])
    names = {path.name for path in beside.save(made, tmp_path)}
    assert {"table-P1.csv", "table-P2.tex", "table-P4.html", "figure-P1.svg"} <= names
    (tmp_path / synthetic.STUDY / "against" / "figure-P9.svg").touch()
    beside.save(made, tmp_path)
    assert not (tmp_path / synthetic.STUDY / "against" / "figure-P9.svg").exists()


def test_the_figure_has_a_line_for_each_ratio(found):
    made = beside.results(found)
    [overview] = made.of("overview")
    labels = [tick.get_text() for tick in overview.figure.axes[0].get_yticklabels()]
    assert labels == [
        "protocol", "agrees", "contradicts", "number", "failed and incorrect executions",
        "counted",
    ]  # fmt: skip
    assert "1 have no such ratio" in overview.caption
    assert len(made.of("against", "protocol")) == 1 and made.of("against", "caching") == []


def test_the_summary_counts_verdicts(found):
    said = agreement.summary(found)
    assert "Of 6 entries, 4 state a direction and were measured here" in said
    assert "3 point the same way, 1 the other way" in said
    assert "| protocol | 2 | 1 | 0 | 1 | 0 |" in said


def test_sentences_say_theirs_and_ours(found):
    said = agreement.sentences(found, "protocol")
    assert (
        "contradicts was so. (so.) Here: 1.5 times (1.29 to 1.74), 3 times theirs: **the other"
        in said
    )
    assert agreement.sentences(found, "mapping").startswith("Nothing that the papers say")
    assert agreement.sentences(found, "caching").startswith("Nothing that the papers say")


def test_what_does_not_agree_comes_with_what_was_recorded(found):
    said = agreement.disagreements(found)
    assert said.count("- **") == 1
    assert "**contradicts**. The paper: faster (so). Here: slower; 1.5 times" in said
    for part in (
        "42 executions per cell or more (theirs 1000)", "90% busy", "for 8.0% of the measured",
        "0.0413 times their size", "with fidelity improved it is 0.5 (same direction)",
        "with `fidelity: improved` the direction is the paper's",
    ):  # fmt: skip
        assert part in said, part


def test_the_setting_stands_beside_what_was_recorded(found):
    html = setting.listing(found).to_html()
    assert "python: 3.11.7" in html and "in the papers" in html


def test_the_page_on_the_setting_is_current():
    root = Project.find(papers_data.ROOT).root
    known = read_papers(root / "config" / "papers", "model-queries")
    text = (root / "docs" / "setting.md").read_text(encoding="utf-8")
    assert text == setting.page(known), "python -m modelstress.report.setting > docs/setting.md"
