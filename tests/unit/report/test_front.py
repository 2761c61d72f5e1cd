"""The front page: what it shows is what the tables have, and it claims no more than they do."""

from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
import sick
from claimed import RATES, ROWS, beside, derived
from figure_texts import assert_no_overlap, texts
from matplotlib.collections import PathCollection
from matplotlib.colors import to_hex

from modelstress.analysis.projection import projection_of
from modelstress.report import claims_front, front, front_figure
from modelstress.report.front_curves import MOST, curves
from modelstress.report.front_decisions import decisions
from modelstress.report.looks import looks_of

NEAR = {"over_ratio_low": 0.99, "over_ratio_high": 1.04}
SAME = tuple(
    beside(threads, 0.05, 1.01, 0.1, tool="mogwai", query=query) | NEAR
    for threads in (1, 8)
    for query in ("PosLength", "SwitchSet")
)
"""Pairs of a tool for which the compared level makes no difference."""


def dots(figure):
    """Ratio, colour and whether filled of every dot of the left part."""
    found = []
    for collection in figure.axes[0].collections:
        if isinstance(collection, PathCollection):
            filled = len(collection.get_facecolor()) > 0
            colour = to_hex(collection.get_edgecolor()[0]) if len(collection.get_offsets()) else ""
            found += [(round(x, 6), colour, filled) for x, _ in collection.get_offsets()]
    return sorted(found)


def test_every_ratio_is_a_dot_with_the_colour_of_what_is_claimed():
    found = derived((*ROWS, *SAME))
    rows = found.estimates[found.estimates["p"].notna()]
    expected = sorted(
        (
            round(row["ratio"], 6),
            front_figure.SEEN if row["status"] == "undecided" else front_figure.CLAIMED.lower(),
            row["threads"] == 1,
        )
        for row in rows.to_dict("records")
    )
    assert {colour for _, colour, _ in expected} == {front_figure.SEEN, "#0072b2"}
    assert dots(front.front(found).drawn.draw()) == expected


def test_rows_are_sorted_by_the_size_of_their_effect_and_say_their_status():
    found = decisions(derived((*ROWS, *SAME)))
    assert [(one.row["tool"], one.status) for one in found] == [
        ("cdo", "slower"), ("hawk", "opposed"), ("mogwai", "same"),
    ]  # fmt: skip
    assert found[0].title == "http instead of tcp on cdo"
    hawk = found[1]
    by_load = {at.load: at.mean for at in hawk.at}
    assert by_load == pytest.approx({1: np.sqrt(4.0 * 1.01), 8: np.sqrt(0.5 * 1.2)})
    assert hawk.mean == pytest.approx(np.exp(np.mean(np.log([4.0, 1.01, 0.5, 1.2]))))
    words = texts(front.front(derived((*ROWS, *SAME))).drawn.draw())
    assert {"×7.36", "×2.01", "×0.77", "slower", "opposed", "same"} <= set(words)


def test_a_title_says_what_is_decided_where_the_study_does():
    found = derived(ROWS)
    [comparison] = set(found.comparisons["comparison"])
    decided = replace(found.projection, decisions={comparison: "wire", "another": "store"})
    titles = {one.title for one in decisions(replace(found, projection=decided))}
    assert titles == {"wire: http instead of tcp on cdo", "wire: http instead of tcp on hawk"}


def test_means_that_the_load_makes_are_told_with_a_but():
    [near] = claims_front.sentences(decisions(derived([*SAME])))
    assert ", 1.01 with 1 thread and 1.01 with 8 threads" in near and "but" not in near
    hawk = claims_front.sentences(decisions(derived(ROWS)))[1]
    assert ", but 2.01 with 1 thread and 0.77 with 8 threads" in hawk


def test_the_title_is_what_matters_most_and_what_does_not():
    title = front.front(derived((*ROWS, *SAME))).finding
    assert title == (
        "Latency changes most with http instead of tcp on cdo (×7.36)",
        "It stays the same within ±10\u202f% with http instead of tcp on mogwai (×1.01)",
    )
    three = [beside(1, 0.9, 1.45 + i, 30.0, tool=f"tool{i}") for i in range(3)]
    most = (
        "Latency changes most with http instead of tcp on tool2 (×3.45) and "
        "http instead of tcp on tool1 (×2.45)"
    )
    least = "It changes least with http instead of tcp on tool0 (×1.45)"
    assert front.front(derived(three)).finding == (most, least)
    # a factor of two is nothing that does not matter
    three[0] = beside(1, 0.9, 2.0, 30.0, tool="tool0")
    assert front.front(derived(three)).finding == (most,)
    undecided = [row | {"over_ratio_low": 0.5, "over_ratio_high": 30.0} for row in ROWS[:4]]
    [title] = front.front(derived(undecided)).finding
    assert "changes" not in title and "no decision" in title


def test_sentences_claim_what_the_table_of_decisions_claims():
    found = derived((*ROWS, *SAME), rates=RATES)
    cdo, hawk, mogwai = claims_front.sentences(decisions(found))
    row = found.decisions.set_index("tool").loc["cdo"]
    assert f"{row['ratio_low']:.2f} to {row['ratio_high']:.1f}" in cdo and ": slower, 7.36" in cdo
    assert "no claim over all" in hawk and "interval" not in hawk
    assert "slower in 1 of 4, faster in 1, undecided in 2 comparisons" in hawk
    assert "the same within ±10\u202f%" in mogwai and "in all 4 comparisons" in mogwai
    [last] = claims_front.closing(decisions(found), found.placebo_rates)
    assert "a direction is found in 2 of 100 (2\u202f%" in last and "Of 9 comparisons" in last


def test_at_most_five_and_the_one_that_is_the_same_have_a_sentence():
    more = [
        beside(1, 0.9, 2.0 + i, 30.0, tool=f"tool{i}", query="PosLength") for i in range(7)
    ]  # fmt: skip
    unclear = beside(1, 0.9, 90.0, 30.0, tool="unclear") | {"over_ratio_low": 0.02}
    found = decisions(derived((*more, unclear, *SAME)))
    told = claims_front.sentences(found)
    assert len(told) == claims_front.MOST + 1 and "mogwai" in told[-1]
    assert not any("unclear" in one for one in told)  # what is decided goes before it
    rest = claims_front.closing(found, pd.DataFrame())[0]
    assert "on unclear (undecided)" in rest and "on tool0 (slower)" in rest
    assert "undecided, 90.0 times" in claims_front.sentences(decisions(derived((unclear,))))[0]


def test_one_start_claims_nothing_and_shows_what_was_seen():
    rows = [row | {"over_ratio_low": np.nan, "over_ratio_high": np.nan} for row in ROWS[:2]]
    made = front.front(derived(rows))
    assert made.sentences[0].startswith(
        "**http instead of tcp on hawk**: too few starts to tell; 1.41 times the latency was seen"
    )
    assert {colour for _, colour, _ in dots(made.drawn.draw())} == {front_figure.SEEN}


def test_only_what_was_measured_in_turns_throughout_is_marked():
    found = derived(ROWS)
    for shared, marked in ((3, True), (2, False)):
        known = found.estimates.assign(shared=3)
        known.loc[known.index[0], "shared"] = shared
        made = front.front(replace(found, estimates=known))
        hawk = {
            text
            for text in texts(made.drawn.draw())
            if text.startswith("http") and "on hawk" in text
        }
        assert hawk == {"http instead of tcp on hawk" + "\N{NO-BREAK SPACE}†" * marked}
        [said] = [text for text in made.sentences if "on hawk" in text]
        assert ("on a server that served both in turns" in said) == marked
    assert "†" not in " ".join(texts(front.front(found).drawn.draw()))


def test_curves_are_of_one_task_at_most_five_and_have_the_largest_decision():
    found = derived(ROWS)
    looks = looks_of(found.cells, found.projection)
    shown = curves(found.cells, found.projection, decisions(found), looks)
    assert shown.task == "PosLength"
    assert [one.label for one in shown.curves] == ["hawk / http", "hawk / tcp"]
    for one in shown.curves:
        rows = found.cells[(found.cells["query"] == "PosLength") & (found.cells["tool"] == "hawk")]
        rows = rows[rows["protocol"] == one.label.split()[-1]].set_index("threads")
        assert one.points["median_ms"].to_dict() == rows["median_ms"].to_dict()
    many = [beside(t, 0.9, 2.0, 30.0, tool=f"tool{i}") for i in range(9) for t in (1, 8)]
    found = derived(many)
    looks = looks_of(found.cells, found.projection)
    shown = curves(found.cells, found.projection, decisions(found), looks)
    assert len(shown.curves) == MOST


def test_parts_that_a_study_does_not_have_are_left_out():
    found = derived(ROWS)
    nothing = replace(
        found, comparisons=found.comparisons.iloc[:0], estimates=found.estimates.iloc[:0],
        decisions=found.decisions.iloc[:0],
    )  # fmt: skip
    only_curves = front.front(nothing)
    assert not only_curves.sentences and "fastest" in only_curves.drawn.caption
    assert [axes.get_title("left") for axes in only_curves.drawn.draw().axes] == [
        "What happens under load"
    ]
    names = tuple(name for name in found.factors if name != "threads")
    no_load = projection_of(None, names)
    assert not no_load.load
    only_decisions = front.front(replace(found, projection=no_load))
    [axes] = only_decisions.drawn.draw().axes
    assert axes.get_title("left") == "Which decision matters"
    neither = front.front(replace(nothing, projection=no_load))
    assert neither.drawn is None and neither.closing == (claims_front.NOTHING,)


def test_the_files_are_written_and_those_of_a_figure_that_is_gone_are_removed(tmp_path):
    found = derived(ROWS)
    made = front.front(found)
    front.save(made, tmp_path, front.images(made))
    folder = tmp_path / found.study
    assert {path.name for path in folder.iterdir()} == {"front.md", "front.svg", "front.png"}
    text = (folder / "front.md").read_text(encoding="utf-8")
    assert text.startswith(f"# {made.finding[0]}") and "](front.png)" in text
    assert all(one in text for one in made.sentences)
    front.save(replace(made, drawn=None), tmp_path, None)
    assert {path.name for path in folder.iterdir()} == {"front.md"}


class Tags(HTMLParser):
    """The names of all tags."""

    def __init__(self):
        super().__init__()
        self.seen = set()
        self.links = ""

    def handle_starttag(self, tag, attrs):
        self.seen.add(tag)
        self.links += "".join(value or "" for name, value in attrs if "href" in name)


def test_names_of_a_dataset_are_text():
    bad = "<script>x</script> *a* [b](javascript:c)"
    made = front.front(derived([row | {"tool": bad, "baseline_tool": bad} for row in ROWS[:2]]))
    tags = Tags()
    shown = made.html(front.images(made))
    tags.feed(shown)
    words = {"figure", "div", "figcaption", "ul", "li", "strong", "p"}
    drawn = {"svg", "g", "defs", "style", "path", "use", "text", "clippath", "rect", "tspan"}
    assert tags.seen <= words | drawn and {"svg", "text"} <= tags.seen
    assert "&lt;script" in shown and "javascript" not in tags.links
    assert "<script" not in made.page() and "](javascript" not in made.page()


@pytest.mark.parametrize("kind", sick.KINDS)
def test_whatever_the_data_are_there_is_a_front_page(tmp_path, kind):
    made = front.front(sick.derived(tmp_path, kind))
    assert made.page()
    if made.drawn is not None:
        assert_no_overlap(made.drawn.draw())


def test_no_text_covers_another_with_many_decisions():
    many = [
        beside(t, 0.9, 1.5**i, 30.0, tool=f"tool-{i}", query=query)
        for i in range(12) for t in (1, 64) for query in ("PosLength", "SwitchSet")
    ]  # fmt: skip
    assert_no_overlap(front.front(derived((*many, *SAME))).drawn.draw())
