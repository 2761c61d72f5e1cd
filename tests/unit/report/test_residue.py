"""Residue: what a table or figure does not show since another cell has its place."""

import pandas as pd
import pytest
from example_cells import PROJECTION, SETTING, cell, cells
from example_tables import COMPARED, comparison

from modelstress.analysis.projection import Projection
from modelstress.report import comparisons, figures, tables
from modelstress.report.residue import residue, with_residue
from modelstress.report.sketches import Shared


def twice(**more):
    """A cell under two ids."""
    return pd.DataFrame([
        cell("PosLength", "tcp", 1, 5.0), cell("PosLength", "tcp", 4, 6.0),
        cell("PosLength", "tcp", 4, 7.0, cell="old", flags="unplanned", **more),
    ])  # fmt: skip


def test_nothing_is_said_where_every_cell_has_its_place():
    assert residue(cells(), PROJECTION) == ""
    assert with_residue("Caption.", cells(), PROJECTION) == "Caption."
    table = tables.medians("table-01", cells(), PROJECTION, SETTING)
    assert "already taken" not in " ".join(table.remarks)


def test_a_cell_under_two_ids_is_shown_once():
    said = "1 cell at a point already taken differs in its id only and is not shown."
    table = tables.medians("table-01", twice(), PROJECTION, SETTING)
    assert said in table.remarks
    shared = Shared.of(twice(), twice(), PROJECTION, SETTING)
    drawn = list(figures._over_loads([*figures.LINES], [("", twice())], PROJECTION, shared))
    assert {sketch.kind for sketch in drawn} == {"medians", "throughput"}
    assert all(sketch.caption.endswith(said) for sketch in drawn)


@pytest.mark.parametrize("names", [("tool",), ("tool", "backend")])
def test_what_cells_of_one_place_differ_in_is_named(names):
    frame = pd.DataFrame(
        cell("PosLength", protocol, t, 5.0, language=language)
        for protocol in ("tcp", "http")
        for language in ("ocl", "eol")
        for t in (1, 4)
    )
    assert residue(frame, PROJECTION, names) == (
        "6 cells at points already taken differ in language, protocol and are not shown."
    )
    assert residue(frame, PROJECTION, (*names, "protocol", "language")) == ""


def test_pairs_of_one_entry():
    rows = pd.concat([COMPARED, COMPARED.head(2)], ignore_index=True)
    table = comparisons.deltas("table-08", comparison(rows), PROJECTION, SETTING)
    assert "2 cells at points already taken differ in their ids only" in " ".join(table.remarks)


def test_a_study_without_operations_and_load():
    frame = pd.DataFrame({"tool": ["a", "a", "b"], "task": "t", "pool": [1, 2, 1]})
    bare = Projection(("tool", "pool"))
    assert residue(frame, bare) == ""
    assert residue(frame, bare, ["tool"]) == (
        "1 cell at a point already taken differs in pool and is not shown."
    )
