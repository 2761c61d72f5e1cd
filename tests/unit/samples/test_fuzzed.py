"""Damaged input never ends in a traceback, whatever reads it."""

import fuzzing
import pytest


def test_readers_of_data_end_in_a_sentence(tmp_path):
    found, told = fuzzing.run(fuzzing.targets(tmp_path), 3000, 5, tmp_path)
    assert told == []
    assert all(counts["refused"] > 30 for counts in found.values()), found


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_every_reader_ends_in_a_sentence(tmp_path):
    every = {**fuzzing.targets(tmp_path), **fuzzing.others(tmp_path)}
    found, told = fuzzing.run(every, 200_000, 1, tmp_path)
    assert told == []
    assert sum(counts.total() for counts in found.values()) >= 200_000
