"""Which cells get more starts at the next look."""

import numpy as np
import pytest
import sick
import synthetic

from modelstress.analysis import derive
from modelstress.analysis.looks import look

BUSY = {"code": "client-busy", "kind": "invalid", "message": "the clients' CPUs were 99 % busy"}
SIDES = (["tool", "cell"], ["baseline_tool", "baseline_cell"])


@pytest.fixture
def derived(tmp_path):
    """Three starts of every cell, which scatter; clients of one tool's HTTP fill their CPUs."""
    for levels in sick.write(tmp_path, "nothing", invocations=0):
        busy = (levels["tool"], levels["protocol"]) == ("mogwai", "http")
        for start in range(3):
            rng = np.random.default_rng([start, len(str(levels))])
            values = 10 * np.exp(rng.normal(0, 0.3)) * rng.lognormal(0, 0.05, 60)
            table = synthetic.samples(values, threads=levels["threads"], number=start)
            more = {"valid": False, "reasons": [BUSY]} if busy else {}
            synthetic.write(tmp_path, levels, start, table, **more)
    return derive(tmp_path, synthetic.STUDY, synthetic.PROFILE, asked=sick.study())


def test_undecided_cells_get_more_starts_but_not_where_no_start_can_be_compared(derived):
    found = derived.estimates
    undecided = found[found["status"] == "undecided"]
    lost = undecided["blocks"] == 0
    assert 0 < lost.sum() < len(undecided)
    seen = look(derived, (3, 6))
    assert seen.counts["undecided"] == len(undecided)
    assert seen.wanted == {key for side in SIDES for key in _keys(undecided[~lost], side)}
    assert not seen.wanted & {*_keys(undecided[lost], SIDES[0])}


def _keys(rows, columns):
    return rows[columns].itertuples(index=False, name=None)
