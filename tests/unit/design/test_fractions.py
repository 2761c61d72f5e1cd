"""Regular fractions with so many runs: their resolution is computed from the cells themselves."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modelstress.config.designs import FractionDesign
from modelstress.config.errors import ConfigError
from modelstress.design.candidates import Candidates, Space
from modelstress.design.designs import designed
from modelstress.design.fractions import Part, parts, shortest_word, word_lengths, words_of
from modelstress.design.generators import columns_of, highest

WHERE = "p.yaml: field 'design"

DISTANCES = {
    5: [5, 3, 2], 6: [6, 4, 3, 2], 7: [7, 4, 4, 3, 2], 8: [8, 5, 4, 4, 2],
    9: [9, 6, 4, 4, 3, 2], 10: [10, 6, 5, 4, 4, 3, 2], 11: [11, 7, 6, 5, 4, 4, 3, 2],
    12: [12, 8, 6, 6, 4, 4, 4, 3, 2], 13: [13, 8, 7, 6, 5, 4, 4, 4, 3, 2],
    14: [14, 9, 8, 7, 6, 5, 4, 4, 4, 3, 2], 15: [15, 10, 8, 8, 7, 6, 5, 4, 4, 4, 3, 2],
    16: [16, 10, 8, 8, 8, 6, 6, 5, 4, 4, 4, 2],
}  # fmt: skip
"""Factors to the largest distance of a binary linear code of that length and dimension 1, 2, …

These are published (Brouwer's tables of linear codes) and are the largest resolutions of fractions
with as many words.
"""


def fraction(resolution, runs=None):
    return FractionDesign(kind="fraction", resolution=resolution, runs=runs)


def named(count):
    return [f"f{number}" for number in range(count)]


def space_of(count, **more):
    return Space({"tool": ["x"], **{name: ["off", "on"] for name in named(count)}, **more})


def lengths_of(words):
    """Lengths of all products of some words, counted one by one."""
    found: dict[int, int] = {}
    for size in range(1, len(words) + 1):
        for some in itertools.combinations(words, size):
            product = frozenset()
            for word in some:
                product ^= word
            found[len(product)] = found.get(len(product), 0) + 1
    return dict(sorted(found.items()))


@pytest.mark.parametrize("resolution", [3, 4, 5])
@pytest.mark.parametrize("count", range(5, 17))
def test_the_smallest_fraction_has_the_resolution_and_none_of_half_as_many_runs(count, resolution):
    words = words_of(named(count), fraction(resolution), WHERE)
    part = Part(tuple(named(count)), frozenset(), tuple(words))
    assert not words or min(word_lengths(part)) >= resolution
    half = count - len(words) - 1
    assert half < 2 or 2**half <= count or DISTANCES[count][len(words)] < resolution


@pytest.mark.parametrize("count", range(5, 17))
def test_a_fraction_of_so_many_runs_has_the_highest_resolution_that_is_possible(count):
    """Checked by the sums of any few columns, by all products of words, and against tables."""
    for basic in range(math.ceil(math.log2(count + 1)), count):
        best = DISTANCES[count][count - basic - 1]
        columns = columns_of(count, basic)
        assert shortest_word(columns, count + 1) == best <= highest(count, basic)
        words = words_of(named(count), fraction(3, 2**basic), WHERE)
        part = Part(tuple(named(count)), frozenset(), tuple(words))
        assert part.runs == 2**basic and min(word_lengths(part)) == best
        if len(words) <= 8:
            assert word_lengths(part) == lengths_of(words)
        if 3 <= best <= 5:
            assert words_of(named(count), fraction(best, 2**basic), WHERE) == words
        if best < 5:
            with pytest.raises(ConfigError, match=rf"resolution {best}, not {best + 1}; take runs"):
                words_of(named(count), fraction(best + 1, 2**basic), WHERE)


@pytest.mark.parametrize(
    ("runs", "lengths"),
    [(32, {4: 77}), (64, {4: 22, 5: 40}), (128, {4: 3, 5: 24, 6: 36}), (256, {5: 9, 6: 18})],
)
def test_fourteen_factors_have_few_words_of_the_shortest_length(runs, lengths):
    """As few as the fractions of minimum aberration that are published (Chen, Sun and Wu, 1993)."""
    words = words_of(named(14), fraction(4, runs), WHERE)
    found = word_lengths(Part(tuple(named(14)), frozenset(), tuple(words)))
    assert dict(itertools.islice(found.items(), len(lengths))) == lengths


@pytest.mark.parametrize(("runs", "resolution"), [(16, 3), (64, 4), (128, 4), (256, 5), (1024, 7)])
def test_cells_of_fourteen_factors_have_the_resolution(runs, resolution):
    """Products of the signs of fewer factors than the resolution are + as often as −."""
    names = named(14)
    some = Candidates([space_of(14)], [])
    chosen = list(designed(fraction(3, runs), some, 1, WHERE))
    assert len(chosen) == runs == len({tuple(levels.items()) for levels in chosen})
    assert chosen[0] == {"tool": "x", **dict.fromkeys(names, "off")}
    signs = np.array([[1 if levels[name] == "on" else -1 for name in names] for levels in chosen])
    whole = 0
    for size in range(1, resolution + 1):
        for few in itertools.combinations(range(14), size):
            total = abs(signs[:, few].prod(axis=1).sum())
            assert total in ((0,) if size < resolution else (0, runs))
            whole += total == runs
    assert whole > 0, "the resolution is not higher either"


def test_all_combinations_are_a_fraction_and_more_are_refused():
    some = Candidates([space_of(4)], [])
    assert len(list(designed(fraction(5, 16), some, 1, WHERE))) == 16
    with pytest.raises(ConfigError, match=r"design.runs' is 32, but the 4 factors .* have 16"):
        list(designed(fraction(4, 32), some, 1, WHERE))


@pytest.mark.parametrize(
    ("runs", "resolution", "said"),
    [
        (16, 4, "resolution 3, not 4; take runs: 32 or resolution: 3"),
        (128, 5, "resolution 4, not 5; take runs: 256 or resolution: 4"),
        (8, 3, "resolution 2, not 3; take runs: 16"),
    ],
)
def test_what_is_possible_is_said(runs, resolution, said):
    with pytest.raises(ConfigError) as caught:
        list(designed(fraction(resolution, runs), Candidates([space_of(14)], []), 1, WHERE))
    assert str(caught.value).startswith(f"p.yaml: field 'design.runs' is {runs}: so few")
    assert str(caught.value).endswith(said)


def test_other_factors_are_crossed_and_other_halves_have_their_own_runs():
    """Of eight options two mean something in an open loop only: 64 of 256 there, 64 of 64 else."""
    space = space_of(8, mode=["closed", "open"], threads=[1, 2, 4])
    space = Space(space.factors, {"f6": {"mode": ["open"]}, "f7": {"mode": ["open"]}})
    chosen = list(designed(fraction(4, 64), Candidates([space], []), 1, WHERE))
    assert len(chosen) == 3 * (64 + 64)
    found = {part.factors: part for part in parts(space, fraction(4, 64), WHERE)}
    assert {len(names): part.runs for names, part in found.items()} == {6: 64, 8: 64}
    assert min(word_lengths(found[tuple(named(8))])) == 5


@settings(max_examples=40)
@given(st.integers(2, 12), st.data())
def test_words_are_counted_as_all_their_products(count, data):
    """Words whose last factors differ are independent, as those of a fraction are."""
    names = named(count)
    last = data.draw(st.sets(st.integers(1, count - 1), min_size=1, max_size=7))
    free = [place for place in range(count) if place not in last]
    words = [
        frozenset(
            {names[place], *(names[p] for p in free if p < place and data.draw(st.booleans()))}
        )
        for place in sorted(last)
    ]
    part = Part(tuple(names), frozenset(), tuple(words))
    assert word_lengths(part) == lengths_of(words)


def test_a_search_is_the_same_each_time():
    assert columns_of(14, 7) == columns_of(14, 7)
    assert columns_of(40, 12) is not None
