"""Tables and figures of options: trees, treemaps, weighted levels, machines, subspaces."""

from __future__ import annotations

from collections.abc import Callable
from typing import get_args

import numpy as np
import option_tables as space
import pandas as pd
import pytest
from golden_files import assert_golden

from modelstress.analysis.subspace import subspace
from modelstress.analysis.trees import trees as tree_rows
from modelstress.config.figures import FigureKind
from modelstress.report import screening, subspaces, treemaps, trees, weighted
from modelstress.report.figures import KINDS
from modelstress.report.grouping import Setting
from modelstress.report.render import Table

PROJECTION, SETTING = space.PROJECTION, Setting("process", "2 CPUs")
Make = Callable[[str, pd.DataFrame | None, pd.DataFrame, object, Setting], Table | None]
MAKERS: dict[str, tuple[Make, str, list[dict[str, object]]]] = {
    "table-S1": (screening.table, "effects", space.effect_rows()),
    "table-T1": (trees.table, "trees", space.tree_rows()),
    "table-U1": (weighted.table, "weighted", space.weighted_rows()),
    "table-H1": (weighted.machines, "machines", space.machine_rows()),
}  # type: ignore[dict-item]


@pytest.mark.parametrize("number", MAKERS)
def test_rendered_table(number: str) -> None:
    make, name, rows = MAKERS[number]
    table = make(number, space.table(name, rows), space.cells(), PROJECTION, SETTING)
    assert table is not None
    assert_golden(table, number)
    assert make(number, None, space.cells(), PROJECTION, SETTING) is None


def of_share(share: float) -> pd.DataFrame:
    rows = space.table("trees", space.tree_rows())
    return rows[rows["worst_share"] == share]


def test_a_tree_in_words() -> None:
    assert trees.finding(of_share(0.25)) == (
        "Worst 25 %: 15 of 16 worst cells have pool = 0 and watch = 0 (15 of its 16 cells)."
    )
    assert trees.finding(of_share(0.1)).startswith("Worst 10 %: no combination of options")
    assert trees.rule(of_share(0.25), 0) == "all cells"
    assert "0.97 on cells" in trees.worth(of_share(0.25))


def test_a_tree_has_a_row_for_each_node_and_its_counts() -> None:
    names, bars = trees.plot(of_share(0.25)).axes
    assert [text.get_text() for text in names.texts] == [
        "all 64 cells", "pool = 1", "pool = 0", "watch = 1", "watch = 0",
    ]  # fmt: skip
    lefts = [text.get_position()[0] for text in names.texts]
    assert lefts[0] < lefts[1] == lefts[2] < lefts[3] == lefts[4]
    assert [text.get_text() for text in bars.texts][-1] == "15 of 16"
    assert [text.get_weight() for text in names.texts].count("bold") == 1


def test_boxes_are_as_large_as_their_cells_are_many() -> None:
    parts = list(treemaps.boxes(space.cells(), ("pool", "watch")))
    assert [names for names, _, _ in parts] == [("1", "1"), ("1", "0"), ("0", "1"), ("0", "0")]
    areas = [width * height for _, (_, _, width, height), _ in parts]
    assert areas == pytest.approx([areas[0]] * 4) and sum(areas) > 0.9
    # the first option from left to right, the second from top to bottom
    assert parts[0][1][0] < parts[2][1][0] and parts[0][1][1] > parts[1][1][1]
    uneven = pd.concat([space.cells(), space.cells().query("pool == 0")])
    sizes = {names: box[2] for names, box, _ in treemaps.boxes(uneven, ("pool",))}
    assert sizes[("0",)] == pytest.approx(2 * sizes[("1",)])


def test_a_level_is_on_the_same_side_in_all_parts() -> None:
    cells = space.cells()
    # in the order of cells, the first level of watch is another one in each part of pool
    slower = cells["pool"].astype(str) == cells["watch"].astype(str)
    parts = list(treemaps.boxes(cells.assign(slow=slower).sort_values("slow"), ("pool", "watch")))
    above = {names[1]: box[1] for names, box, _ in parts if names[0] == parts[0][0][0]}
    assert len(parts) == 4 and len(set(above.values())) == 2
    for names, box, there in parts:
        assert box[1] == pytest.approx(above[names[1]])
        assert set(there["watch"].map(str)) == {names[1]}


@pytest.mark.parametrize("count", [1, 7, 64, 300])
def test_tiles_fill_a_box_and_do_not_overlap(count: int) -> None:
    box = (0.2, 0.1, 0.5, 0.8)
    placed = np.array(treemaps.tiles(box, count))
    assert len(placed) == count
    assert (placed[:, 2] * placed[:, 3]).sum() == pytest.approx(0.4)
    assert placed[:, 2] * placed[:, 3] == pytest.approx(0.4 / count)
    left, bottom = placed[:, 0], placed[:, 1]
    assert left.min() == pytest.approx(0.2) and (left + placed[:, 2]).max() == pytest.approx(0.7)
    assert bottom.min() == pytest.approx(0.1)
    assert (bottom + placed[:, 3]).max() == pytest.approx(0.9)


def test_a_treemap_has_a_tile_for_each_cell_and_one_scale() -> None:
    cells = space.cells(noise=0.02)
    cells.loc[0, "median_ms"] = np.nan  # timed out
    figure = treemaps.plot(cells, ("pool", "watch"), cutoff_ms=1.9)
    axes = figure.axes[0]
    tiles, frames = axes.collections[:2]
    values = tiles.get_array()
    assert values is not None and len(values) == 32 and int(np.ma.count_masked(values)) == 1
    worst = int((cells["median_ms"] >= 1.9).sum()) + 1
    assert len(frames.get_paths()) == worst
    low, high = tiles.get_clim()
    assert low == pytest.approx(cells["median_ms"].min()) and high > low
    assert {text.get_text() for text in axes.texts} == {"1 / 1", "1 / 0", "0 / 1", "0 / 0"}


def test_the_options_of_a_treemap_are_those_of_the_tree() -> None:
    rows = tree_rows(space.cells(noise=0.02), PROJECTION, [0.25], 0.05)
    found = space.table("trees", rows)
    assert set(treemaps.nested_by(found)) == {"pool", "watch"}
    assert found.iloc[0]["told"]


def test_weighted_levels_have_points_and_intervals() -> None:
    rows = space.table("weighted", space.weighted_rows())
    assert weighted.differs(rows).tolist() == [True, True, False, False]
    axes = weighted.plot(rows).axes[0]
    assert [text.get_text() for text in axes.get_yticklabels()] == [
        "lock = 1", "pool = 0", "pool = 1",
    ]  # fmt: skip
    drawn = {line.get_label(): len(line.get_xdata()) for line in axes.lines}
    assert drawn["differs from the others"] == 2 and drawn["not told from them"] == 1


def test_a_subspace_beside_the_whole() -> None:
    cells = space.cells(noise=0.02)
    found = subspace(
        cells, {"pool": 0, "watch": 0}, invocations=space.starts(cells), projection=PROJECTION
    )
    assert "too few of them" in subspaces.options_left(found)
    half = subspace(cells, {"pool": 0}, invocations=space.starts(cells), projection=PROJECTION)
    assert "protocol" in subspaces.options_left(half) and "watch" in subspaces.options_left(half)
    assert "8 of 32 cells have pool = 0, watch = 0: 2." in subspaces.finding(found)
    assert "slower" in subspaces.finding(found)
    curves, below = subspaces.plot(found).axes
    assert [text.get_text() for text in curves.get_legend().get_texts()] == [
        "all cells (32)", "inside (8)",
    ]  # fmt: skip
    assert len(below.patches) == 2
    whole = subspace(cells, {})
    assert "not held against" in subspaces.finding(whole)
    assert len(subspaces.plot(whole).axes[1].patches) == 1


def test_kinds_that_a_study_can_choose_are_those_of_the_report() -> None:
    assert set(get_args(FigureKind)) == set(KINDS)
