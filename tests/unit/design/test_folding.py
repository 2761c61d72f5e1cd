"""Second halves of fractions: their cells, their words, and what they tell apart."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modelstress.config.designs import FractionDesign
from modelstress.config.errors import ConfigError
from modelstress.design.candidates import Candidates, Space
from modelstress.design.designs import designed
from modelstress.design.folding import Aliased, best_fold
from modelstress.design.fractions import Part, folded, parts, word_lengths

WHERE = "p.yaml: field 'design"


def fraction(runs, fold=(), resolution=4):
    return FractionDesign(kind="fraction", resolution=resolution, runs=runs, fold=list(fold))


def space_of(count):
    return Space({"tool": ["x"], **{f"f{number}": ["off", "on"] for number in range(count)}})


def cells_of(count, design):
    return list(designed(design, Candidates([space_of(count)], []), 1, WHERE))


def part_of(count, design):
    (part,) = parts(space_of(count), design, WHERE)
    return part


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_both_halves_are_cells_and_their_words_are_those_that_all_of_them_keep(data):
    count = data.draw(st.integers(6, 9))
    runs = 2 ** data.draw(st.integers(count - 2, count - 1))
    first = fraction(runs, resolution=3)
    names = [f"f{number}" for number in range(count)]
    fold = data.draw(st.sets(st.sampled_from(names), min_size=1))
    part = part_of(count, first)
    if not any(len(word & fold) % 2 for word in part.words):
        with pytest.raises(ConfigError, match="gives the same cells again"):
            cells_of(count, fraction(runs, fold, 3))
        return
    design = fraction(runs, fold, 3)
    cells, before = cells_of(count, design), cells_of(count, first)
    assert len(cells) == 2 * len(before) and all(cell in cells for cell in before)
    exchanged = [
        {n: ({"off": "on", "on": "off"}[v] if n in fold else v) for n, v in cell.items()}
        for cell in before
    ]
    assert all(cell in cells for cell in exchanged)
    words = part_of(count, design).words
    assert len(words) == len(part.words) - 1
    for size in range(1, count + 1):
        for some in itertools.combinations(names, size):
            kept = all(sum(cell[name] == "on" for name in some) % 2 == 0 for cell in cells)
            assert kept == (frozenset(some) in products(words))


def products(words):
    found = {frozenset()}
    for word in words:
        found |= {other ^ word for other in found}
    return found - {frozenset()}


def test_words_with_an_even_number_of_exchanged_factors_stay():
    words = [frozenset("abcd"), frozenset("abef"), frozenset("acfg")]
    assert folded(words, []) == tuple(words)
    assert folded(words, "a") == (frozenset("cdef"), frozenset("bdfg"))
    assert folded(words, "ab") == tuple(words[:2])


def aliases(part, names):
    """Interactions of two factors that a fraction does not tell from this one."""
    relation = products(part.words)
    pairs = itertools.combinations(part.factors, 2)
    return tuple(pair for pair in pairs if frozenset(pair) ^ frozenset(names) in relation)


def test_no_other_second_half_tells_more_apart():
    part = part_of(14, fraction(32))
    strong = [("f3", "f9"), ("f0", "f13"), ("f2", "f5")]
    aliased = [Aliased((pair, *aliases(part, pair)), (pair,)) for pair in strong]
    words = [frozenset(pair) ^ frozenset(other) for pair in strong for other in aliases(part, pair)]
    assert len(words) > 10
    bits = {name: 1 << place for place, name in enumerate(part.factors)}
    numbers = [sum(bits[name] for name in word) for word in words]
    most = max(sum((number & fold).bit_count() % 2 for number in numbers) for fold in range(2**14))
    fold = best_fold(part, aliased)
    assert fold is not None and fold.part.runs == 64
    assert min(word_lengths(fold.part)) >= 4
    left = sum(len(aliases(fold.part, pair)) for pair in strong)
    assert len(words) - left == most
    assert sorted(map(len, fold.left)) == sorted(
        1 + len(aliases(fold.part, pair)) for pair in strong if aliases(fold.part, pair)
    )
    assert part_of(14, fraction(32, fold.factors)).words == fold.part.words


def test_what_no_second_half_tells_apart_is_said():
    word = frozenset({"a", "b", "c", "d"})
    other = frozenset({"a", "b", "e", "f"})
    part = Part(tuple("abcdef"), frozenset(), (word, other))
    group = Aliased((("a", "b"), ("c", "d"), ("e", "f")), (("a", "b"),))
    fold = best_fold(part, [group])
    assert fold is not None and fold.left == ()
    unlikely = Aliased(group.terms, group.terms)
    kept = best_fold(part, [unlikely])
    assert kept is not None and kept.left and len(kept.left[0]) == 2
    assert best_fold(part, []) is None
    assert best_fold(Part(tuple("ab"), frozenset(), ()), [group]) is None


def test_a_fold_of_unknown_factors_is_refused_with_the_nearest_name():
    with pytest.raises(ConfigError, match=r"design\.fold' names 'f33', which is no factor.*'f3'"):
        cells_of(6, fraction(16, ["f33"]))
