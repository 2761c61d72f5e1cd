"""All numbered tables and kinds of figures, from a small dataset of every tool on both cases."""

import pickle

import numpy as np
import pytest
import sick
import synthetic

from modelstress.analysis import derive, timelines
from modelstress.report import results
from modelstress.report.figures import KINDS
from modelstress.report.files import images
from modelstress.report.images import image_of

QUERIES = ("PosLength", "RouteSensor", "SwitchSet")


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """Every configuration healthy; those of PosLength on further queries too."""
    folder = tmp_path_factory.mktemp("papers")
    more = [c | {"query": q} for c in sick.CONFIGURATIONS if c["query"] in QUERIES for q in QUERIES]
    first = [c for c in sick.CONFIGURATIONS if c["query"] not in QUERIES]
    for i, levels in enumerate([*first, *more]):
        for protocol in ("tcp", "http"):
            only = {"http": {"http_transport": "stock"}, "tcp": {"tcp_nodelay": False}}
            extra = only[protocol] if levels["tool"] == "cdo" else {}
            for threads in (1, 8):
                mine = levels | extra | {"protocol": protocol, "threads": threads}
                for number in range(2):
                    seed = 100 * i + 10 * number + threads
                    values = synthetic.latencies(5.0 + i + 10 * (protocol == "http"), 40, seed)
                    table = synthetic.samples(values * threads, threads=threads, number=number)
                    synthetic.write(folder, mine, number, table)
    return folder


@pytest.fixture(scope="module")
def derived(data):
    return derive(data, synthetic.STUDY, synthetic.PROFILE, asked=sick.study())


@pytest.fixture(scope="module")
def made(derived, data):
    return results(derived, timelines(data, derived))


def test_every_table_of_the_papers_is_there(made):
    for number in (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, "E1"):
        [table] = made.table(number)
        assert table.rows
    assert made.table(42) == []
    about = {number: made.table(number)[0].about for number in (7, 8, 9, 10)}
    assert about == {7: "protocol", 8: "protocol", 9: "tools", 10: "tools"}
    assert set(made.table(9)[0].data["query"]) == {"MQ", "HQ1", "HQ4"}
    assert set(made.table(10)[0].data["query"]) == set(QUERIES)
    assert not [e for n in (7, 8, 9, 10) for _, row in made.table(n)[0].rows for e in row if
                e.text == "–"]  # fmt: skip


def test_printed_effects_are_those_of_the_comparisons(made, derived):
    [table] = made.table(8)
    known = derived.comparisons
    known = known[(known["comparison"] == "protocol") & known["query"].isin(QUERIES)]
    shown = [entry.text for _, row in table.rows for entry in row]
    decided = known[known["p"] < 0.01]
    assert sum(text != "·" for text in shown) == len(decided) > 0
    expected = sorted(f"{delta:+.2f}".replace("-", "−") for delta in decided["delta"])
    assert sorted(text for text in shown if text != "·") == expected
    assert table.data["delta"].sum() == pytest.approx(known["delta"].sum())


def test_normality_counts_the_tested_cells(made, derived):
    [table] = made.tables_of("normality")
    normal = int((derived.shapes["p"] >= 0.01).sum())
    assert f"{normal} of {len(derived.shapes)} cells" in table.caption
    assert len(table.data) == len(derived.shapes)
    totals = [row[-1].text.split(" of ") for _, row in table.rows]
    assert np.sum([[int(n), int(of)] for n, of in totals], axis=0).tolist() == [
        normal, len(derived.shapes),
    ]  # fmt: skip


def test_every_kind_of_figure_is_there_and_none_is_drawn_yet(made):
    kinds = list(dict.fromkeys(drawn.kind for drawn in made.figures))
    # no other measures, nothing that went wrong, no windows, growth or effects are asked for
    absent = ("contrasts", "faults", "windows", "growth", "parts", "screening", "tree", "treemap",
              "weighted")  # fmt: skip
    assert kinds == [kind for kind in KINDS if kind not in absent]
    assert {drawn.about for drawn in made.of("deltas", "protocol")} == {"protocol"}
    assert len(made.of("deltas")) > len(made.of("deltas", "protocol")) == 2
    assert not any("figure" in vars(drawn) for drawn in made.figures)
    [one] = made.of("glance")
    assert one.figure is one.figure
    assert one.caption.endswith("without a median.")


def test_figures_can_be_drawn_by_another_process(made):
    chosen = [made.of(kind)[0] for kind in ("boxes", "deltas")]
    for drawn in chosen:
        again = pickle.loads(pickle.dumps(drawn.draw))
        assert again().get_size_inches().tolist() == drawn.draw().get_size_inches().tolist()
    for number, image in images(chosen).items():
        [drawn] = [one for one in chosen if one.number == number]
        assert image == image_of(drawn.figure, drawn.caption)
