"""Designs: what they choose is verified against brute force, and what cannot be made is said."""

import itertools
from collections import Counter

import covertable
import numpy as np
import pydoe
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_spaces import implies
from small_studies import HAWK, PROJECT, cells, profile, study

from modelstress.config.base import parse
from modelstress.config.designs import CoveringDesign, FractionDesign, FullDesign, SampleDesign
from modelstress.config.errors import ConfigError
from modelstress.config.profile import Profile
from modelstress.design import covering
from modelstress.design.candidates import Candidates, Space
from modelstress.design.cells import verified_of
from modelstress.design.combinations import Rule, combinations
from modelstress.design.designs import designed
from modelstress.design.fractions import forbidden, halved_factors, shortest_word, words_of
from modelstress.design.lookup import cell_named

WHERE = "p.yaml: field 'design"
SWITCHES = {
    "query": ["SwitchSet", "PosLength"],
    "threads": [1, 2],
    "connection": ["per-execution", "reused"],
    "query_text": ["same", "unique"],
    "think_ms": [0, 5],
    "pool_size": [0, 10],
}
"""Six factors of two levels."""


def levels_of(study_, **design):
    return [dict(cell.levels) for cell in cells(study_, profile(design=design))]


def refused(study_, **design) -> str:
    with pytest.raises(ConfigError) as caught:
        levels_of(study_, **design)
    message = str(caught.value)
    assert message.startswith("config/profiles/p.yaml: field 'design.") and "\n" not in message
    return message


# -- random candidates: two tools, factors that one of them does not know, conditions, constraints

NAMES = ("a", "b", "c", "d")
LEVELS = st.lists(st.sampled_from([1, 2, 3]), min_size=1, max_size=3, unique=True)
CONDITIONS = st.fixed_dictionaries(
    {
        later: st.dictionaries(st.sampled_from(NAMES[:place]), LEVELS, max_size=1)
        for place, later in enumerate(NAMES)
        if place
    }
)
FORBIDDEN = st.lists(
    st.dictionaries(
        st.sampled_from([*NAMES, "tool"]), st.sampled_from([1, 2, 3, "x"]), min_size=1, max_size=3
    ),
    max_size=4,
)


@st.composite
def candidates(draw, levels=LEVELS) -> Candidates:
    spaces = []
    for tool in "xy"[: draw(st.integers(1, 2))]:
        known = draw(st.sets(st.sampled_from(NAMES), min_size=1))
        factors = {"tool": [tool], **{name: draw(levels) for name in NAMES if name in known}}
        spaces.append(Space(factors, draw(CONDITIONS)))
    rules = []
    for pairs in draw(FORBIDDEN):

        def keeps(levels, pairs=pairs):
            return any(levels.get(name) != level for name, level in pairs.items())

        rules.append(Rule(frozenset(pairs), keeps))
    return Candidates(spaces, rules)


def meetings(levels, strength):
    """Levels of up to so many factors together, of some cells."""
    return {
        frozenset(few)
        for cell in levels
        for size in range(1, strength + 1)
        for few in itertools.combinations(cell.items(), size)
    }


@given(candidates())
def test_full_is_every_combination(some):
    every = [
        levels
        for space in some.spaces
        for levels in combinations(space.factors, space.conditions, some.rules)
    ]
    assert list(designed(FullDesign(), some, 1, WHERE)) == every


@given(candidates(), st.sampled_from([2, 3]), st.booleans())
def test_covering_has_all_possible_levels_of_few_factors_together(some, strength, small):
    with pytest.MonkeyPatch.context() as patch:
        if not small:  # as if there were too many candidates to look at each
            patch.setattr(covering, "MOST_MEETINGS", 0)
        chosen = designed(CoveringDesign(kind="covering", strength=strength), some, 1, WHERE)
    every = list(some.all())
    assert all(levels in every for levels in chosen)
    assert len({tuple(levels.items()) for levels in chosen}) == len(chosen) <= len(every)
    assert meetings(chosen, strength) == meetings(every, strength)


@given(candidates(), st.dictionaries(st.sampled_from(NAMES), st.sampled_from([1, 2, 3])))
def test_possible_is_what_some_combination_has(some, wanted):
    some = some.inhabited()
    every = [levels.items() for levels in some.all()]
    if every and wanted:
        assert some.possible(wanted) == any(wanted.items() <= levels for levels in every)


@pytest.mark.parametrize("strength", [2, 3])
@pytest.mark.parametrize("levels", [2, 3])
def test_covering_is_much_smaller_than_full(strength, levels):
    factors = {f"f{number}": list(range(levels)) for number in range(8)}
    some = Candidates([Space({"tool": ["x"], **factors})], [])
    chosen = designed(CoveringDesign(kind="covering", strength=strength), some, 1, WHERE)
    assert levels**strength <= len(chosen) <= 2.2 * levels**strength


def test_a_library_that_loses_levels_or_keeps_no_constraint_is_refused(monkeypatch):
    two = {name: [1, 2] for name in NAMES}
    rule = Rule(frozenset({"a", "b"}), lambda levels: levels["a"] != 1 or levels["b"] != 1)
    some = Candidates([Space({"tool": ["x"], **two})], [rule])
    design = CoveringDesign(kind="covering", strength=2)
    monkeypatch.setattr(covering, "MOST_MEETINGS", 0)
    make = covertable.make
    monkeypatch.setattr(covertable, "make", lambda *given, **more: make(*given, **more)[:-2])
    with pytest.raises(ConfigError, match=r"design.kind': covertable's cells leave out .*: \d"):
        designed(design, some, 1, WHERE)
    monkeypatch.setattr(covertable, "make", lambda *given, **more: [[1, 1, 1, 1]])
    with pytest.raises(ConfigError, match="made a cell that .* a constraint forbids"):
        designed(design, some, 1, WHERE)


# -- fractions


@pytest.mark.parametrize("resolution", [3, 4, 5])
@pytest.mark.parametrize("count", [2, 3, 5, 8, 11, 14])
def test_a_fraction_has_the_resolution(count, resolution):
    """Any factors fewer than the resolution have all products of signs equally often."""
    names = [f"f{number}" for number in range(count)]
    some = Candidates([Space({"tool": ["x"], **{name: ["off", "on"] for name in names}})], [])
    design = FractionDesign(kind="fraction", resolution=resolution)
    chosen = list(designed(design, some, 1, WHERE))
    signs = np.array([[1 if levels[name] == "on" else -1 for name in names] for levels in chosen])
    for size in range(1, min(resolution, count + 1)):
        for few in itertools.combinations(range(count), size):
            assert signs[:, few].prod(axis=1).sum() == 0
    assert chosen[0] == {"tool": "x", **dict.fromkeys(names, "off")}
    published = {(5, 3): 8, (8, 3): 16, (8, 4): 16, (8, 5): 64, (11, 5): 128, (14, 5): 256}
    assert len(chosen) == published.get((count, resolution), len(chosen)) <= 2**count


@given(st.integers(1, 5).flatmap(lambda k: st.lists(st.integers(0, 2**k - 1), max_size=7)))
def test_the_shortest_word_is_that_of_all_products(columns):
    def total(chosen):
        value = 0
        for column in chosen:
            value ^= column
        return value

    words = [
        size
        for size in range(1, len(columns) + 1)
        for chosen in itertools.combinations(columns, size)
        if total(chosen) == 0
    ]
    assert shortest_word(columns, 6) == min([*words, 6])


@given(candidates(), st.sampled_from([3, 4, 5]))
def test_a_fraction_is_made_of_possible_cells_and_tells_what_is_left_out(some, resolution):
    design = FractionDesign(kind="fraction", resolution=resolution)
    chosen = list(designed(design, some, 1, WHERE))
    every = list(some.all())
    assert all(levels in every for levels in chosen)
    free = Candidates(some.spaces, [])
    lost = len(list(designed(design, free, 1, WHERE))) - len(chosen)
    assert 0 <= forbidden(some, design, WHERE) <= lost


@settings(max_examples=30)
@given(st.integers(3, 7), st.data())
def test_where_a_factor_means_something_its_fraction_has_the_resolution(count, data):
    """Factors of a random half are dropped beside closed loops; every part is a fraction."""
    names = [f"f{number}" for number in range(count)]
    conditional = data.draw(st.sets(st.sampled_from(names), min_size=1))
    factors = {"tool": ["x"], **{name: [0, 1] for name in names}, "mode": ["closed", "open"]}
    space = Space(factors, {name: {"mode": ["open"]} for name in conditional})
    assert halved_factors(space) == names
    design = FractionDesign(kind="fraction", resolution=3)
    chosen = list(designed(design, Candidates([space], []), 1, WHERE))
    for mode in ("closed", "open"):
        part = [levels for levels in chosen if levels["mode"] == mode]
        meant = [name for name in names if mode == "open" or name not in conditional]
        assert all(set(levels) == {"tool", "mode", *meant} for levels in part)
        signs = np.array([[2 * levels[name] - 1 for name in meant] for levels in part])
        for first, second in itertools.combinations(range(len(meant)), 2):
            assert (signs[:, first] * signs[:, second]).sum() == 0


@pytest.mark.parametrize(("last", "fault"), [(2, "resolution 2"), (3, "resolution 3")])
def test_a_library_that_returns_a_lower_resolution_is_refused(last, fault, monkeypatch):
    matrix = pydoe.fracfact("a b c ab")[:, [0, 1, 2, last]]
    monkeypatch.setattr(pydoe, "fracfact_by_res", lambda count, resolution: matrix)
    with pytest.raises(ConfigError, match=rf"design.resolution': pyDOE's .* {fault} instead of"):
        words_of(["f1", "f2", "f3", "f4"], FractionDesign(kind="fraction", resolution=4), WHERE)


def test_a_matrix_that_is_no_fraction_is_refused(monkeypatch):
    matrix = pydoe.fracfact("a b c abc")[:-1]
    monkeypatch.setattr(pydoe, "fracfact_by_res", lambda count, resolution: matrix)
    with pytest.raises(ConfigError, match="no defining relation instead of resolution 4"):
        words_of(["f1", "f2", "f3", "f4"], FractionDesign(kind="fraction", resolution=4), WHERE)


def test_a_study_is_halved_by_its_factors_of_two_levels_and_crossed_with_the_others():
    many = study(factors={**SWITCHES, "threads": [1, 2, 4]})
    chosen = levels_of(many, kind="fraction", resolution=3)
    assert len(chosen) == 3 * 8
    assert Counter(levels["threads"] for levels in chosen) == {1: 8, 2: 8, 4: 8}
    assert len(levels_of(study(factors=SWITCHES), kind="fraction", resolution=5)) == 32


def test_factors_have_the_levels_that_their_tool_supports():
    """Hawk has two backends, cdo one: only hawk's are halved."""
    factors = {**HAWK, "query": ["SwitchSet"], "connection": ["per-execution", "reused"]}
    chosen = levels_of(study(factors={**factors, "threads": [1, 2]}), kind="fraction", resolution=3)
    count = Counter((levels["tool"], levels["language"]) for levels in chosen)
    assert count["cdo", "ocl"] == 4  # protocol, connection, threads: a half of 8
    assert sum(count[tool, language] for tool, language in count if tool == "hawk") == 8


def test_cells_that_a_constraint_takes_out_of_a_fraction_are_counted():
    limit = {"when": {"query": "PosLength"}, "only": {"threads": [1]}}
    limited = study(factors=SWITCHES, constraints=[limit])
    asked = profile(design={"kind": "fraction", "resolution": 4})
    whole = cells(study(factors=SWITCHES), asked)
    kept = cells(limited, asked)
    assert (len(whole), len(kept)) == (16, 12)
    found = verified_of(PROJECT, limited, asked, kept)
    assert found.left_out == 4 and "4 cells of the fraction are left out" in found.sentences[1]
    assert found.quality.efficiency < 1
    assert verified_of(PROJECT, study(factors=SWITCHES), asked, whole).left_out == 0
    assert verified_of(PROJECT, limited, profile(), cells(limited, profile())).sentences == ()


# -- samples


@given(candidates(), st.integers(0, 3), st.data())
def test_a_sample_is_without_replacement_and_stays_for_a_seed(some, seed, data):
    every = list(some.all())
    if not every:
        return
    design = SampleDesign(kind="sample", cells=data.draw(st.integers(1, len(every))))
    drawn = list(designed(design, some, seed, WHERE))
    assert drawn == list(designed(design, some, seed, WHERE))
    places = [every.index(levels) for levels in drawn]
    assert places == sorted(set(places)) and len(places) == design.cells


@given(candidates(st.just([1, 2])), st.integers(1, 6))
def test_with_a_level_more_only_its_own_cells_replace_drawn_ones(some, size):
    every = list(some.all())
    if len(every) < size:
        return
    design = SampleDesign(kind="sample", cells=size)
    before = list(designed(design, some, 1, WHERE))
    spaces = []
    for space in some.spaces:
        more = {"a": [1, 2, 3]} if "a" in space.factors else {}
        spaces.append(Space({**space.factors, **more}, space.conditions))
    after = list(designed(design, Candidates(spaces, some.rules), 1, WHERE))
    assert len(after) == size
    assert all(levels in before or levels not in every for levels in after)


def test_samples_are_uniform_over_the_cells():
    some = Candidates([Space({"tool": ["x"], "a": [1, 2, 3, 4, 5]})], [])
    design = SampleDesign(kind="sample", cells=2)
    count = Counter(
        levels["a"] for seed in range(2000) for levels in designed(design, some, seed, WHERE)
    )
    assert all(abs(count[level] - 800) < 110 for level in range(1, 6))  # 5 standard deviations


def test_a_sample_keeps_constraints_in_large_spaces_too():
    """Of 3^40 combinations fewer cells than one can make are drawn; rules are asked one by one."""
    factors = {"tool": ["x"], **{f"f{number}": [0, 1, 2] for number in range(40)}}
    rules = [
        implies(str(n), {f"f{n}": 1}, {f"f{n + 1}": [0], f"f{n + 3}": [1, 2]}) for n in range(30)
    ]
    some = Candidates([Space(factors)], rules)
    design = SampleDesign(kind="sample", cells=60)
    drawn = list(designed(design, some, 1, WHERE))
    assert len({tuple(levels.items()) for levels in drawn}) == 60
    assert all(rule.keeps(levels) for rule in rules for levels in drawn)
    assert drawn == list(designed(design, some, 1, WHERE)) != list(designed(design, some, 2, WHERE))
    assert drawn == sorted(drawn, key=lambda levels: tuple(levels.values()))


def test_a_full_design_of_too_many_cells_is_refused_at_once():
    """As where a study is asked for under another one's profile: levels of all factors are left."""
    some = Candidates([Space({"tool": ["x"], **{f"f{n}": [0, 1, 2, 3] for n in range(9)}})], [])
    with pytest.raises(ConfigError, match=r"full, and these would be 262,144 cells, more than 200"):
        designed(FullDesign(), some, 1, WHERE)
    kept = Candidates(some.spaces, [implies(str(n), {}, {f"f{n}": [0]}) for n in range(3)])
    assert len(list(designed(FullDesign(), kept, 1, WHERE))) == 4**6


@given(candidates(), st.integers(0, 3))
def test_a_sample_has_only_what_rules_allow(some, seed):
    """Every rule is asked of what is drawn, not of what is made by the same loops."""
    count = sum(1 for _ in some.all())
    if count:
        drawn = designed(SampleDesign(kind="sample", cells=(count + 1) // 2), some, seed, WHERE)
        assert all(rule.keeps(levels) for rule in some.rules for levels in drawn)


def test_a_sample_of_a_study():
    assert len(levels_of(study(factors=SWITCHES), kind="sample", cells=9)) == 9
    message = refused(study(), kind="sample", cells=7)
    assert "design.cells' is 7, but only 6 cells are possible; ask for at most" in message


# -- lists


def test_a_list_has_its_entries_and_the_first_levels_of_other_factors():
    chosen = levels_of(study(), kind="list", cells=[{"threads": 64}, {}, {"query": "SwitchSet"}])
    assert [(levels["query"], levels["threads"]) for levels in chosen] == [
        ("PosLength", 64), ("PosLength", 1), ("SwitchSet", 1),
    ]  # fmt: skip


def test_the_first_level_is_one_that_remains():
    limit = {"when": {"query": "PosLength"}, "only": {"threads": [1]}}
    [levels] = levels_of(study(constraints=[limit]), kind="list", cells=[{"threads": 64}])
    assert levels["query"] == "SwitchSet"
    [levels] = levels_of(study(factors=HAWK), kind="list", cells=[{"language": "epl"}])
    assert levels["tool"] == "hawk"


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"qeury": "PosLength"}, "cells.1' names unknown factor 'qeury' (did you mean 'query'?)"),
        ({"query": "PosLenght"}, "cells.1.query': no cell has level 'PosLenght' (did you mean"),
        ({"threads": 3}, "cells.1.threads': no cell has level 3 (valid: 1, 2, 64)"),
        (
            {"query": "SwitchSet", "threads": 64},
            "cells.1.threads': no cell has level 64 beside query: SwitchSet (valid: 1)",
        ),
        ({"query": "PosLength", "threads": 1}, "cells.1' is the same cell as entry 0"),
    ],
)
def test_an_entry_that_is_no_cell_is_refused(entry, said):
    limit = {"when": {"query": "SwitchSet"}, "only": {"threads": [1]}}
    assert said in refused(study(constraints=[limit]), kind="list", cells=[{}, entry])


# -- profiles


@pytest.mark.parametrize(
    ("design", "said"),
    [
        ({"kind": "fracton"}, "'design.kind': unknown design 'fracton' (did you mean 'fraction'?)"),
        ({"kind": "fraction"}, "'design.resolution' is missing"),
        ({"kind": "fraction", "resolution": 6}, "'design.resolution' is 6 (valid: 3, 4, 5)"),
        ({"kind": "fraction", "resolutoin": 3}, "(did you mean 'resolution'?)"),
        ({"kind": "covering", "strength": 4}, "'design.strength' is 4 (valid: 2, 3)"),
        ({"kind": "sample", "cells": 0}, "'design.cells' is 0"),
        ({"kind": "list", "cells": []}, "'design.cells' is []"),
        (
            {"kind": "fraction", "resolution": 4, "runs": 100},
            "'design.runs': 100 is no power of two; take 64 or 128",
        ),
        ({"kind": "d-optimal"}, "'design.runs' is missing"),
        ({"kind": "d-optimal", "runs": 8, "model": "pair"}, "(did you mean 'pairs'?)"),
        ({"kind": "d-optimal", "runs": 100_000}, "'design.runs' is 100000"),
        ({"kind": "neighbours", "of": []}, "'design.of' is []"),
        ({"kind": "neighbours", "of": [{}], "distance": 4}, "'design.distance' is 4"),
        ({"kind": "full", "cells": 3}, "unknown field 'design.cells'"),
    ],
)
def test_a_wrong_design_is_refused(design, said):
    data = {"profile": "p", "title": "t", "invocations": 1, "design": design}
    with pytest.raises(ConfigError) as caught:
        parse(Profile, data, "p.yaml")
    assert said in str(caught.value) and "\n" not in str(caught.value)


def test_a_profile_without_a_design_is_full():
    assert profile().design == FullDesign()
    assert cells(study(), profile(design={"kind": "full"})) == cells(study(), profile())


def test_nothing_left_is_said_of_every_design():
    nothing = study(factors={"backend": ["memory"]})
    for design in (
        {"kind": "fraction", "resolution": 3},
        {"kind": "covering", "strength": 2},
        {"kind": "sample", "cells": 1},
        {"kind": "list", "cells": [{}]},
        {"kind": "d-optimal", "runs": 4},
        {"kind": "neighbours", "of": [{}]},
    ):
        with pytest.raises(ConfigError, match="no cell is left"):
            cells(nothing, profile(design=design))


def test_a_cell_is_known_by_its_id_only_where_the_design_has_it():
    many = study(factors=SWITCHES)
    every = cells(many, profile())
    assert cell_named(PROJECT, many, profile(), every[1].id) == every[1]
    sampled = profile(design={"kind": "sample", "cells": 3})
    assert all(cell_named(PROJECT, many, sampled, cell.id) is None for cell in every)
