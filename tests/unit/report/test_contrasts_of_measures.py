"""Table, figure and sentences of comparisons of other measures than latency."""

from types import SimpleNamespace

import pytest
import sick
import synthetic
from figure_texts import assert_no_overlap, texts

from modelstress.analysis import derive
from modelstress.config.study import Comparison
from modelstress.report import claims, html, render, results

SIDES = {"title": "t", "level": {"protocol": "http"}, "baseline": {"protocol": "tcp"}}
ASKED = {
    "rate": Comparison(**SIDES, measure="throughput"),
    "wrong": Comparison(**SIDES, measure="share of incorrect"),
    "slow": Comparison(**SIDES),
}
LOADS = {1: 20.0, 4: 40.0, 16: 5.0}
"""Threads to ms of an execution over HTTP; over TCP all take 10."""


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Cells of two protocols: three steady starts each, and half of one's answers are wrong."""
    data = tmp_path_factory.mktemp("data")
    for threads, slow in LOADS.items():
        for protocol in ("tcp", "http"):
            levels = synthetic.LEVELS | {"protocol": protocol, "threads": threads}
            base = slow if protocol == "http" else 10.0
            outcomes = ["ok", "incorrect"] * 80 if (protocol, threads) == ("http", 4) else None
            for start in range(3):
                values = [base * (1 + start / 100)] * 160
                table = synthetic.samples(values, outcomes, threads=threads, number=start)
                synthetic.write(data, levels, start, table)
    study = sick.study().model_copy(update={"comparisons": ASKED})
    derived = derive(data, synthetic.STUDY, synthetic.PROFILE, asked=study)
    return SimpleNamespace(derived=derived, results=results(derived))


def test_a_table_per_comparison_after_the_others(made):
    numbers = {table.about: table.number for table in made.results.tables if table.about}
    assert numbers == {"slow": "table-E2", "rate": "table-E3", "wrong": "table-E4"}
    [table] = made.results.tables_of("contrasts", "rate")
    assert "Ratio of throughput, protocol, http / tcp, by query" in table.caption
    [(_, entries)] = table.rows
    # half as much, an eighth (a quarter, of which half is right), twice as much
    found = [entry.text for entry in entries]
    assert found == ["0.5\u00a0worse", "0.125\u00a0worse", "2\u00a0better"]
    assert "better in 1, worse in 2 of 3 comparisons" in " ".join(table.remarks)
    assert {"ratio_low", "better", "baseline_cell"} <= set(table.data)
    assert "Table E3" in render.html(table) and r"\begin{table}" in render.tex(table)


def test_shares_have_differences(made):
    [table] = made.results.tables_of("contrasts", "wrong")
    assert "Difference in share of incorrect (0 to 1), protocol, http − tcp" in table.caption
    [(_, entries)] = table.rows
    assert [(e.text, e.marks) for e in entries] == [
        ("0", ""), ("+0.5\u00a0worse", ""), ("0", ""),
    ]  # fmt: skip
    assert "Fisher's p < 0.01" in " ".join(table.remarks)


def test_a_figure_has_both_sides_over_the_load(made):
    [drawn] = made.results.of("contrasts", "rate")
    assert drawn.caption.startswith("Throughput against client threads, http and tcp")
    assert "Higher is better. Points: median of the invocations" in drawn.caption
    figure = drawn.draw()
    assert_no_overlap(figure)
    assert {"ok executions per second (log scale)", "client threads", "PosLength"} <= set(
        texts(figure)
    )
    lines = {bars.get_label(): bars.lines[0].get_ydata() for bars in figure.axes[0].containers}
    tcp, http = (lines[f"cdo / h2 / ocl / {name}"] for name in ("tcp", "http"))
    assert list(tcp) == pytest.approx([n * 1000 / 10.1 for n in LOADS])
    assert list(http / tcp) == pytest.approx([0.5, 0.125, 2])


def test_a_figure_of_zeros_has_an_axis(made):
    [drawn] = made.results.of("contrasts", "wrong")
    assert drawn.draw().axes[0].get_ylim()[1] >= 0.5


def test_the_page_shows_both(made):
    text = html.page([html.Section("t", made.derived, made.results)])
    assert "Other measures over client threads" in text
    assert "Table E3" in text


def test_sentences_say_higher_and_lower(made):
    text = claims.directions(made.derived, "rate")
    assert "**http against tcp**, 3 pairs of cells that differ in protocol" in text
    assert (
        "the throughput of http was higher than that of tcp in 1 of 3, lower in 2 (higher is "
        "better); in 0 there is no clear difference"
    ) in text
    assert "Furthest lower: PosLength on cdo / h2 / ocl with 4 threads" in text
    assert "(0.12 times; 99\u202f% interval over invocations" in text
    lost = claims.directions(made.derived, "wrong")
    assert "share of incorrect of http was higher than that of tcp in 1 of 3" in lost
    assert "(lower is better)" in lost and "0.5 against 0 (+0.5;" in lost
    assert "slower than" in claims.directions(made.derived, "slow")
    assert "no two cells" in claims.directions(made.derived, "another")
