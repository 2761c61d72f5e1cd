"""Every column of the samples is described."""

from modelstress.samples.schema import COLUMNS, SCHEMA


def test_columns_are_those_of_the_schema():
    assert list(COLUMNS) == SCHEMA.names
    assert all(COLUMNS[name][0] == "ns" for name in SCHEMA.names if name.endswith("_ns"))
