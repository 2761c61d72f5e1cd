"""Neighbours of cells, held against comparing each candidate with the cell."""

import random

import pytest
from small_spaces import drawn
from small_studies import PROJECT, cells, profile, study

from modelstress.config.errors import ConfigError
from modelstress.design.candidates import Candidates, Space
from modelstress.design.neighbours import neighbours


def differing(one, other):
    """Factors in which two cells differ that both have."""
    return [name for name in one.keys() & other.keys() if one[name] != other[name]]


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("distance", [1, 2, 3])
def test_neighbours_are_the_candidates_that_differ_in_few_factors(seed, distance):
    """Without conditions they are all of these; with them, at least one for each change."""
    chance = random.Random(seed)
    some = drawn(chance, rules=3)
    if seed % 2:
        some = Candidates([Space(some.spaces[0].factors)], some.rules)
    every = list(some.all())
    if not every:
        return
    cell = chance.choice(every)
    planned = chance.sample(every, min(2, len(every)))
    found = neighbours(some, cell, distance, planned)
    assert all(levels in every and levels not in planned for levels in found)
    assert all(1 <= len(differing(cell, levels)) <= distance for levels in found)
    sizes = [len(differing(cell, levels)) for levels in found]
    assert sizes == sorted(sizes) and len({tuple(levels.items()) for levels in found}) == len(found)
    near = [levels for levels in every if 1 <= len(differing(cell, levels)) <= distance]
    if seed % 2:
        assert sorted(found, key=every.index) == [cell for cell in near if cell not in planned]
    else:

        def changes(combined):
            return {
                tuple((name, levels[name]) for name in sorted(differing(cell, levels)))
                for levels in combined
            }

        assert changes(neighbours(some, cell, distance)) == changes(near)


def test_a_cell_that_is_no_candidate_has_neighbours():
    some = Candidates([Space({"tool": ["x"], "a": [1, 2], "b": [1, 2, 3]})], [])
    assert neighbours(some, {"tool": "x", "a": 9, "b": 1, "placebo": "same start"}) == [
        {"tool": "x", "a": 1, "b": 1},
        {"tool": "x", "a": 2, "b": 1},
    ]
    assert neighbours(some, {"tool": "x", "a": 9, "b": 9}) == []
    assert len(neighbours(some, {"tool": "x", "a": 9, "b": 9}, 2)) == 6


def test_another_tool_is_one_change_and_its_own_factors_take_their_first_levels():
    spaces = [
        Space({"tool": ["x"], "a": [1, 2], "only_x": [1, 2]}),
        Space({"tool": ["y"], "a": [2, 3], "only_y": [5, 6]}),
    ]
    some = Candidates(spaces, [])
    assert neighbours(some, {"tool": "x", "a": 2, "only_x": 2}) == [
        {"tool": "x", "a": 1, "only_x": 2},
        {"tool": "x", "a": 2, "only_x": 1},
        {"tool": "y", "a": 2, "only_y": 5},
    ]


def test_a_factor_that_comes_to_mean_something_takes_its_first_possible_level():
    space = Space({"mode": ["closed", "open"], "rate": [10, 20]}, {"rate": {"mode": ["open"]}})
    some = Candidates([space], [])
    assert neighbours(some, {"mode": "closed"}) == [{"mode": "open", "rate": 10}]
    assert neighbours(some, {"mode": "open", "rate": 20}) == [
        {"mode": "closed"},
        {"mode": "open", "rate": 10},
    ]


def test_a_distance_is_one_at_least():
    with pytest.raises(ValueError, match="at least, not in 0"):
        neighbours(Candidates([Space({"a": [1]})], []), {"a": 1}, 0)


def test_a_profile_measures_cells_and_their_neighbours():
    limit = {"when": {"query": "PosLength"}, "only": {"threads": [1, 2]}}
    factors = {"connection": ["per-execution", "reused"]}
    limited = study(factors=factors, constraints=[limit])
    around = [{"query": "PosLength", "threads": 2}, {"query": "PosLength", "threads": 1}]
    found = [
        tuple(cell.levels[name] for name in ("query", "threads", "connection"))
        for cell in cells(limited, profile(design={"kind": "neighbours", "of": around}))
    ]
    assert found == [
        ("PosLength", 2, "per-execution"),
        ("SwitchSet", 2, "per-execution"),
        ("PosLength", 2, "reused"),
        ("PosLength", 1, "per-execution"),
        ("SwitchSet", 1, "per-execution"),
        ("PosLength", 1, "reused"),
    ]
    everything = {"kind": "neighbours", "of": around, "distance": 3}
    assert {cell.id for cell in cells(limited, profile(design=everything))} == {
        cell.id for cell in cells(limited, profile())
    }
    wrong = {"kind": "neighbours", "of": [{"threads": 2}, {"thread": 2}]}
    with pytest.raises(ConfigError, match=r"design.of.1' names unknown factor 'thread' \(did you"):
        cells(limited, profile(design=wrong))
    assert PROJECT.study("configuration-space")
