"""The calibration dataset of placebos is what the first example dataset makes."""

from __future__ import annotations

import pandas as pd
import pytest

from modelstress.analysis import placebos
from tools import calibration


@pytest.mark.long  # two minutes, and what it guards changes with the rules of statistics only
@pytest.mark.timeout(600)
def test_the_committed_pairs_are_those_of_the_archive() -> None:
    derived = calibration.derived()
    committed = placebos.CALIBRATION.read_text(encoding="utf-8")
    assert calibration.text(derived) == committed
    assert committed.count("\n") > 2000
    # its own pairs do not stand beside themselves
    assert not derived.placebo_rates["calibration_pairs"].any()
    # the finding that the rule over starts is the cure for (statistics, 3.1)
    rate = derived.placebo_rates.set_index(["rule", "kind", "tool"])
    two = rate.loc[[("within starts", "two starts", ""), ("over starts", "two starts", "")]]
    assert isinstance(two, pd.DataFrame)
    assert two["rate"].iloc[0] > 0.5 and two["rate"].iloc[1] <= 0.03
