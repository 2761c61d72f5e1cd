"""The substitutions between today's words and those of the golden digests change no number."""

from __future__ import annotations

import pytest

from tools.since_golden import as_before

NEW = 'cell,ok,timeout,unfinished,rejected,aborted,median_ms\na,5,0,1,0,0,1.25\n"b,c",7,0,0,0,0,\n'
OLD = 'cell,ok,timeout,aborted,rejected,median_ms\na,5,0,1,0,1.25\n"b,c",7,0,0,0,\n'


def test_a_new_column_and_a_renamed_one() -> None:
    assert as_before("derived/cells.csv", NEW) == OLD


def test_words_of_captions_but_no_parts_of_words() -> None:
    text = "Failed (unfinished); 1 unfinished_2 of 10"
    assert as_before("reduced/table.tex", text) == "Failed (aborted); 1 unfinished_2 of 10"


def test_other_texts_stay_byte_for_byte() -> None:
    text = 'cell,remarks\na,"3,5 ""x"""\n'
    assert as_before("derived/messages.csv", text) == text
    assert as_before("reduced/table.csv", "aborted,1\n") == "aborted,1\n"


def test_a_new_column_that_says_something_is_no_substitution() -> None:
    with pytest.raises(ValueError, match="column aborted has 2"):
        as_before("derived/cells.csv", NEW.replace("a,5,0,1,0,0", "a,5,0,1,0,2"))
