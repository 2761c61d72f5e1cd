"""Names that no factor can have, because tables have columns of these names."""

import pytest

from modelstress.analysis import columns
from modelstress.config.factors import PLACEBO, RESERVED
from modelstress.workloads.operations import OperationsStudy

BOTH = {"tool", "executor"}
"""Factors that are columns of every table."""


def study(**factors):
    return OperationsStudy.model_validate(
        {
            "study": "s",
            "title": "t",
            "workload": "operations",
            "operations": {"add": {"check": "verdict"}},
            "factors": {"tool": ["x"], **factors},
        }
    )


def test_they_are_the_columns_of_cells_and_invocations():
    assert {*columns.CELLS, *columns.INVOCATIONS, PLACEBO} - BOTH == RESERVED


@pytest.mark.parametrize("name", ["ok", "task", "median_ms"])
def test_a_factor_of_such_a_name_is_one_sentence(name):
    with pytest.raises(ValueError, match=rf"factors\.{name} has the name of a column"):
        study(**{name: [1, 2]})


def test_a_factor_may_be_called_operation():
    assert study(operation=["add"]).factors["operation"] == ["add"]
