"""When two levels are the same, whatever a table, a command line or YAML made of them."""

import numpy as np
import pandas as pd
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from modelstress.config.levels import parsed, same, written

NONE = (None, float("nan"), np.float64("nan"), pd.NA, pd.NaT)


@pytest.mark.parametrize(
    ("level", "word"),
    [
        (4, "4"), (4.0, "4"), (np.int64(4), "4"), (np.float64(4), "4"), ("4", "4"),
        (0.5, "0.5"), (1e-3, "0.001"), (1234567.5, "1234567.5"), (2**60 + 1, str(2**60 + 1)),
        (True, "true"), (np.bool_(False), "false"), ("true", "true"), ("tcp", "tcp"), ("", ""),
        *((none, "") for none in NONE),
    ],
)  # fmt: skip
def test_how_a_level_is_written(level: object, word: str) -> None:
    assert written(level) == word


@given(st.one_of(st.booleans(), st.integers(-(2**53), 2**53), st.floats(allow_nan=False)))
def test_a_table_of_words_changes_no_level(level: object) -> None:
    assert same(written(level), level)
    assert same(pd.Series([level, None], dtype=object)[0], level)


@given(st.one_of(st.integers(-(2**31), 2**31), st.floats(allow_nan=False, allow_infinity=False)))
def test_a_column_with_blanks_changes_no_number(level: float) -> None:
    assert same(pd.Series([level, np.nan])[0], level)


@pytest.mark.parametrize("level", [4, 4.5, True, "tcp"])
def test_a_word_of_a_command_line_is_the_level(level: object) -> None:
    assert parsed(yaml.safe_dump(level).splitlines()[0]) == written(level)
    assert parsed("4.0") == written(4)
    assert parsed("a: [") == "a: ["


def test_truth_is_no_number() -> None:
    assert not same(True, 1) and not same(0, False)


@pytest.mark.parametrize("none", NONE)
def test_a_cell_without_a_factor_has_no_level_of_it(none: object) -> None:
    assert not same(none, none) and not same(none, [None, ""])


def test_one_of_several() -> None:
    assert same(4.0, [1, 4]) and same("tcp", ("tcp", "http")) and not same("t", "tcp")
