"""D-optimal designs: held against all choices, regular fractions and least squares."""

import itertools
import math
import random

import numpy as np
import pytest
from small_spaces import drawn, implies
from small_studies import PROJECT, cells, profile, study

from modelstress.config.designs import FractionDesign, OptimalDesign
from modelstress.config.errors import ConfigError
from modelstress.design import optimal as module
from modelstress.design.candidates import Candidates, Space
from modelstress.design.cells import verified_of
from modelstress.design.designs import designed
from modelstress.design.models import Coding, independent, quality, terms

WHERE = "p.yaml: field 'design"


def asked(runs, model="main"):
    return OptimalDesign(kind="d-optimal", runs=runs, model=model)


def options(count, rules=(), **more):
    factors = {f"f{number}": [0, 1] for number in range(count)}
    return Candidates([Space({"tool": ["x"], **factors, **more})], list(rules))


def chosen(candidates, runs, model="main", seed=1):
    return list(designed(asked(runs, model), candidates, seed, WHERE))


def size(combined, coding, pairs):
    """det(X'X) of some cells."""
    main, products = coding.columns(combined)
    columns = [np.ones(len(combined)), *main.values(), *(products.values() if pairs else ())]
    x = np.array(columns).T
    return np.linalg.det(x.T @ x)


RULES = [
    implies("one", {"f0": 1}, {"f1": [0]}),
    implies("two", {"f2": 1}, {"f3": [0, 1], "f0": [1]}),
]


@pytest.mark.parametrize(("count", "runs"), [(3, 4), (4, 6), (4, 7)])
@pytest.mark.parametrize("rules", [[], RULES])
def test_no_choice_with_the_first_cell_has_a_larger_determinant(count, runs, rules):
    some = options(count, rules if count > 3 else [])
    every = list(some.all())
    coding = Coding.of(every)
    best = max(
        size([every[0], *others], coding, pairs=False)
        for others in itertools.combinations(every[1:], runs - 1)
    )
    assert size(chosen(some, runs), coding, pairs=False) == pytest.approx(best)


@pytest.mark.parametrize(("count", "runs", "model"), [(7, 16, "main"), (5, 16, "pairs")])
def test_without_constraints_it_is_as_good_as_a_regular_fraction(count, runs, model):
    found = quality(chosen(options(count), runs, model), model == "pairs")
    assert found.efficiency == pytest.approx(1) and not found.confounded


def test_broken_by_constraints_a_fraction_is_worse_than_it_in_as_many_cells():
    """The fraction of 16 cells keeps 9 of them: two factors are never at their second levels."""
    some = options(7, RULES)
    broken = list(designed(FractionDesign(kind="fraction", resolution=4, runs=16), some, 1, WHERE))
    better = chosen(some, len(broken))
    assert len(broken) < 16 and len(better) == len(broken)
    assert quality(better, pairs=False).efficiency > quality(broken, pairs=False).efficiency


@pytest.mark.parametrize("seed", range(25))
def test_cells_are_possible_ones_and_tell_apart_what_candidates_tell(seed):
    """Factors of one to four levels, some of which mean something beside others only."""
    some = drawn(random.Random(seed), rules=3)
    every = list(some.all())
    if len(every) < 2:
        return
    model = "pairs" if seed % 2 else "main"
    rank = len(quality(every, model == "pairs").terms)
    runs = min(len(every), rank + seed % 4)
    if runs < 2:
        return
    found = chosen(some, runs, model)
    assert all(levels in every for levels in found) and found[0] == every[0]
    assert len({tuple(levels.items()) for levels in found}) == runs
    assert found == sorted(found, key=every.index) == chosen(some, runs, model)
    assert len(quality(found, model == "pairs").terms) == rank


def test_the_alias_matrix_is_how_least_squares_are_moved():
    """Responses of an interaction alone, fitted by main effects: what is found is its alias."""
    found = chosen(options(6, RULES, threads=[1, 2, 4]), 14)
    of_main = quality(found, pairs=False)
    main, products = Coding.of(found).columns(found)
    x = np.array([np.ones(len(found)), *main.values()]).T
    assert of_main.terms == ("mean", *main) and "threads=2" in main
    for number, name in enumerate(of_main.outside):
        fitted, *_ = np.linalg.lstsq(x, products[name], rcond=None)
        assert of_main.aliases[:, number] == pytest.approx(fitted)
    share, term, other = of_main.largest()
    row, column = of_main.terms.index(term), of_main.outside.index(other)
    assert share == abs(of_main.aliases[row, column]) == np.abs(of_main.aliases[1:]).max()


def test_contrasts_have_mean_0_and_variance_1_and_stand_at_right_angles():
    every = list(options(2, a=[1, 2, 3], b=["x", "y", "z", "w"]).all())
    main, products = Coding.of(every).columns(every)
    x = np.array([np.ones(len(every)), *main.values(), *products.values()])
    assert np.allclose(x @ x.T / len(every), np.eye(len(x)))
    assert len(x) == terms(Coding.of(every).levels, pairs=True)
    assert quality(every, pairs=True).efficiency == pytest.approx(1)


def test_columns_that_depend_on_others_are_told():
    drawn_from = np.random.default_rng(1)
    for _ in range(50):
        x = drawn_from.integers(-1, 2, (12, 9)).astype(float)
        x[:, 4] = x[:, 1] - x[:, 2]
        kept = independent(x.T @ x)
        assert len(kept) == np.linalg.matrix_rank(x) == np.linalg.matrix_rank(x[:, kept])


def test_what_constraints_confound_is_left_out_and_told():
    """Options that are never both on have an interaction that their main effects tell."""
    found = quality(chosen(options(4, [implies("one", {"f0": 1}, {"f1": [0]})]), 10, "pairs"), True)
    assert found.confounded == ("f0 × f1",)
    moved = dict(zip(found.terms, found.aliases[:, 0], strict=True))
    assert {name: share for name, share in moved.items() if abs(share) > 1e-6} == pytest.approx(
        {"mean": -1, "f0": -1, "f1": -1}
    )


def test_of_many_candidates_some_are_drawn(monkeypatch):
    some = options(14, RULES)
    monkeypatch.setattr(module, "MOST_CANDIDATES", 1000)
    monkeypatch.setattr(module, "DRAWN", 300)
    found = chosen(some, 24)
    assert found == chosen(some, 24) and len(found) == 24
    assert all(rule.keeps(levels) for rule in RULES for levels in found)
    assert set(found[0].values()) == {"x", 0}
    assert quality(found, pairs=False).efficiency > 0.6


def test_forty_options_are_chosen_from_without_making_all_combinations(monkeypatch):
    monkeypatch.setattr(module, "DRAWN", 200)
    some = options(40, RULES)
    found = chosen(some, 48)
    assert len(quality(found, pairs=False).terms) == 41


@pytest.mark.parametrize(
    ("runs", "model", "said"),
    [
        (7, "main", "design.runs' is 7, but model: main has 8 terms; ask for at least as many"),
        (28, "pairs", "design.runs' is 28, but model: pairs has 29 terms"),
        (200, "main", "design.runs' is 200, but only 128 cells are possible"),
    ],
)
def test_too_few_or_too_many_runs_are_refused(runs, model, said):
    with pytest.raises(ConfigError) as caught:
        chosen(options(7), runs, model)
    assert said in str(caught.value) and "\n" not in str(caught.value)


def test_a_model_with_too_many_terms_is_refused():
    with pytest.raises(ConfigError, match=r"design.model': pairs of these factors has 821 terms"):
        chosen(options(40), 900, "pairs")


def test_a_profile_has_a_d_optimal_design_with_its_aliases():
    limit = {"when": {"query": "PosLength"}, "only": {"threads": [1, 2]}}
    limited = study(
        factors={"connection": ["per-execution", "reused"], "think_ms": [0, 5]}, constraints=[limit]
    )
    some = profile(design={"kind": "d-optimal", "runs": 10})
    found = cells(limited, some)
    assert len(found) == 10 and all(
        cell.levels["query"] != "PosLength" or cell.levels["threads"] != 64 for cell in found
    )
    told = verified_of(PROJECT, limited, some, found)
    assert [sentence.split()[0] for sentence in told.sentences] == ["D-efficiency", "largest"]
    data = told.as_json()
    assert data["terms"][0] == "mean" and len(data["terms"]) == 6
    assert 0 < data["efficiency"] <= 1 and data["aliases"]
    assert math.isclose(
        data["efficiency"], quality([dict(c.levels) for c in found], False).efficiency
    )
