"""The tables of options of a derived dataset: made where asked for, written and read back."""

from __future__ import annotations

import numpy as np
import pytest
import synthetic
from small_studies import study

from modelstress.analysis.derive import derive
from modelstress.analysis.load import _has_asked
from modelstress.analysis.write import write
from modelstress.config.figures import Shown
from modelstress.config.screening import Screening
from modelstress.report.results import results

PLACE = (synthetic.STUDY, synthetic.PROFILE)
OPTIONS = ("alpha", "beta", "gamma", "delta")


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """Sixteen cells of four options; one corner of two of them takes twice as long."""
    folder = tmp_path_factory.mktemp("options")
    for place in range(16):
        bits = [place >> i & 1 for i in range(4)]
        levels = synthetic.LEVELS | dict(zip(OPTIONS, bits, strict=True))
        slow = 2.0 if bits[0] and bits[1] else 1.0
        for number in range(2):
            values = synthetic.latencies(5.0 * slow, 30, 100 * place + number)
            synthetic.write(folder, levels, number, synthetic.samples(values, number=number))
    return folder


def asked(**more):
    effects = Screening(worst=[0.25], chance=0.05, weights=more.pop("weights", {}))
    factors = {name: [0, 1] for name in OPTIONS}
    return study(factors=factors).model_copy(update={"effects": effects, **more})


@pytest.fixture(scope="module")
def derived(data):
    return derive(data, *PLACE, asked=asked(weights={"gamma": {0: 9.0, 1: 1.0}}))


def test_the_corner_is_the_tree(derived):
    rows = derived.trees
    assert rows["told"].all()
    [leaf] = rows[rows["bad"].astype(bool) & (rows["split"] == "")].to_dict("records")
    assert leaf["node_cells"] == leaf["node_worst"] == 4
    assert set(rows["option"]) == {"", "alpha", "beta"}


def test_levels_are_weighted(derived):
    by_level = derived.weighted.set_index(["option", "level"])
    assert set(derived.weighted["option"]) == set(OPTIONS)
    assert by_level.loc[("alpha", "1"), "ratio"] == pytest.approx(1.5, rel=0.1)


def test_one_machine_has_no_rows(derived):
    assert derived.machines.empty


def test_tables_are_written_and_asked_for(derived, tmp_path):
    folder = write(derived, tmp_path)
    for name in ("effects", "trees", "weighted", "machines"):
        assert (folder / f"{name}.csv").is_file()
    with_weights = asked(weights={"gamma": {0: 9.0, 1: 1.0}})
    assert _has_asked(derived, with_weights)
    assert not _has_asked(derived, asked()) and not _has_asked(derived, study())


def test_a_study_chooses_its_figures_and_tables(data):
    shown = Shown(figures=["tree", "treemap"], tables=["tree"])
    made = results(derive(data, *PLACE, asked=asked(shown=shown)))
    assert {drawn.kind for drawn in made.figures} == {"tree", "treemap"}
    assert {table.kind for table in made.tables} == {"tree", "failures", "incorrect"}
    assert [drawn.number for drawn in made.figures] == ["figure-01", "figure-02"]
    everything = results(derive(data, *PLACE, asked=asked()))
    assert {"boxes", "ecdf", "screening", "tree"} <= {drawn.kind for drawn in everything.figures}
    assert np.all([drawn.caption.endswith(".") for drawn in everything.figures])


@pytest.mark.parametrize(
    ("weights", "told"),
    [
        ({"gama": {0: 1}}, "unknown factor 'gama'"),
        ({"gamma": {0: 1}}, "lacks level '1'"),
        ({"gamma": {0: 1, 1: 1, 2: 1}}, "has level '2'"),
    ],
)
def test_weights_of_what_a_study_does_not_have_are_refused(weights, told):
    factors = {name: [0, 1] for name in OPTIONS}
    with pytest.raises(ValueError, match=told):
        study(factors=factors, effects={"weights": weights})


def test_weights_of_nothing_and_large_shares_are_refused():
    with pytest.raises(ValueError, match="no level that is used"):
        Screening(weights={"gamma": {0: 0, 1: 0}})
    with pytest.raises(ValueError, match="less than or equal"):
        Screening(worst=[0.9])
