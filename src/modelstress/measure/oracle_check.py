"""Every execution against the oracle."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from modelstress.config.outcomes import OUTCOMES
from modelstress.design.kinds import Expected
from modelstress.samples.schema import SCHEMA

_CODE = {word: code for code, word in enumerate(OUTCOMES)}


def verify(table: pa.Table, oracle: Mapping[str, Expected]) -> tuple[pa.Table, list[str]]:
    """Turn ``ok`` into ``incorrect`` where count or digest differ from the oracle's.

    Args:
        table: samples with ``SCHEMA``, of any phase.
        oracle: operation to expected result.

    Returns:
        The table with the outcomes corrected, and the names of the operations that have ``ok``
        executions and no expected result, in alphabetical order.
    """
    outcome = codes(table, "outcome", OUTCOMES)
    ok = outcome == _CODE["ok"]
    names = table["operation"].cast(pa.string()).to_numpy(zero_copy_only=False)
    counts = table["result_count"].to_numpy()
    digests = table["result_digest"].to_numpy()
    unverified = []
    for name in sorted(set(names[ok])):
        rows = ok & (names == name)
        expected = oracle.get(name)
        if expected is None:
            unverified.append(str(name))
            continue
        same = (counts == expected.count) & (digests == np.uint64(expected.digest))
        outcome[rows & ~same] = _CODE["incorrect"]
    return with_outcomes(table, outcome), unverified


def codes(
    table: pa.Table, column: str, words: tuple[str, ...]
) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    """A dictionary column as positions in ``words``; a fresh array."""
    values = table[column].cast(pa.string())
    positions = pc.index_in(values, value_set=pa.array(words, pa.string()))
    return np.array(positions.to_numpy(), dtype=np.int32)


def with_outcomes(table: pa.Table, outcome: np.ndarray[tuple[int], np.dtype[np.int32]]) -> pa.Table:
    """The table with these outcomes, given as positions in ``OUTCOMES``."""
    words = pa.array(OUTCOMES, pa.string())
    column = pa.DictionaryArray.from_arrays(pa.array(outcome, pa.int32()), words)
    place = SCHEMA.get_field_index("outcome")
    return table.set_column(place, SCHEMA.field(place), column)


def outcome_counts(table: pa.Table, phase: str = "measure") -> dict[str, int]:
    """How many executions of a phase had which outcome; absent outcomes are left out."""
    chosen = table.filter(pc.equal(table["phase"].cast(pa.string()), phase))
    counted = chosen["outcome"].cast(pa.string()).value_counts()
    return {str(item["values"]): int(item["counts"].as_py()) for item in counted}
