"""A column of a derived table, and the columns that most tables begin with."""

from typing import NamedTuple


class Column(NamedTuple):
    """Frictionless type, unit (empty: none) and meaning of a column."""

    type: str
    unit: str
    meaning: str


SHARED = {
    "study": Column("string", "", "study"),
    "profile": Column("string", "", "profile: how much of the study was measured"),
    "tool": Column("string", "", "tool under test"),
    "cell": Column("string", "", "cell: one combination of levels"),
}
