"""The tree of the worst runs: found where there is one, and told of noise as rarely as said."""

from __future__ import annotations

import numpy as np
import pytest

from modelstress.stats.results import Values
from modelstress.stats.trees import tree, worst_of

OPTIONS = 7
RUNS = 128


def space(rng: np.random.Generator) -> tuple[dict[str, list[str]], Values]:
    """All combinations of seven options, and noise."""
    bits = (np.arange(RUNS)[:, np.newaxis] >> np.arange(OPTIONS)) & 1
    levels = {f"o{i}": [str(bit) for bit in bits[:, i]] for i in range(OPTIONS)}
    return levels, rng.normal(0, 0.05, RUNS)


def corner(levels: dict[str, list[str]]) -> Values:
    """1 where o2 and o4 have their second levels."""
    return np.array([float(a == b == "1") for a, b in zip(levels["o2"], levels["o4"], strict=True)])


def test_the_corner_of_two_options_is_found_with_its_counts() -> None:
    levels, noise = space(np.random.default_rng(1))
    found = tree(levels, noise + corner(levels), 0.25)
    assert found.told and found.quality > 0.95 > found.placebos.max()
    bad = [node for node in found.nodes if node.bad and not node.split]
    [leaf] = bad
    assert {(node.option, node.levels) for node in found.path(leaf)} == {
        ("o2", ("1",)), ("o4", ("1",)),
    }  # fmt: skip
    assert (leaf.runs, leaf.worst, leaf.share) == (32, 32, 1.0)
    assert (found.nodes[0].runs, found.nodes[0].worst) == (128, 32)
    assert found.cutoff == np.sort(noise + corner(levels))[-32]


def test_parts_add_up_and_a_split_says_something() -> None:
    levels, noise = space(np.random.default_rng(2))
    found = tree(levels, noise + corner(levels), 0.1)
    for node in found.nodes:
        parts = [one for one in found.nodes if one.parent == node.number]
        assert len(parts) == (2 if node.split else 0)
        if parts:
            assert sum(part.runs for part in parts) == node.runs
            assert sum(part.worst for part in parts) == node.worst
            assert {part.option for part in parts} == {node.split}


def test_an_option_of_three_levels_has_edges_of_its_levels() -> None:
    rng = np.random.default_rng(3)
    shape = [str(i % 3) for i in range(90)]
    other = [str(i % 2) for i in range(90)]
    values = np.array([float(level == "1") for level in shape]) + rng.normal(0, 0.05, 90)
    found = tree({"shape": shape, "other": other}, values, 1 / 3)
    edges = {node.levels: node.bad for node in found.nodes[1:]}
    assert edges == {("0", "2"): False, ("1",): True}


def test_noise_has_no_tree() -> None:
    told = []
    for seed in range(20):
        levels, noise = space(np.random.default_rng(100 + seed))
        found = tree(levels, noise, 0.1, chance=0.05)
        told.append(found.told)
        assert found.told or [node.number for node in found.nodes] == [0]
        assert found.placebos.size == 19
    # of 20 at 5 %, more than 4 have a probability of 0.3 %
    assert sum(told) <= 4


def test_timeouts_are_the_worst() -> None:
    levels, noise = space(np.random.default_rng(4))
    values = np.where(corner(levels) > 0, np.inf, noise)
    assert tree(levels, values, 0.1).worst == 32, "all that are tied count"


@pytest.mark.parametrize(("runs", "share"), [(16, 0.1), (30, 0.1), (6, 0.5)])
def test_few_worst_runs_are_no_tree(runs: int, share: float) -> None:
    values = np.arange(runs, dtype=float)
    found = tree({"a": [str(i % 2) for i in range(runs)]}, values, share)
    assert not found.told and found.caveats[0].code == "too-few" and np.isnan(found.quality)


def test_what_does_not_vary_is_no_option() -> None:
    found = tree({"a": ["1"] * 40}, np.arange(40, dtype=float), 0.25)
    assert found.caveats[0].message == "no option varies"


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match="share"):
        worst_of(np.arange(4.0), 0.6)
    with pytest.raises(ValueError, match="number"):
        worst_of(np.array([np.nan]), 0.1)
    with pytest.raises(ValueError, match="chance"):
        tree({}, np.arange(4.0), 0.1, chance=1)
    with pytest.raises(ValueError, match="each option"):
        tree({"a": ["1"]}, np.arange(4.0), 0.1)
