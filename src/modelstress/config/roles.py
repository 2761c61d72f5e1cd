"""Roles: which factor of a study is the operation, the load, the dataset and the series."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated

from pydantic import Field, model_validator

from modelstress.config.base import Level, Strict, nearest


class Roles(Strict):
    """What the factors of a study are in tables, figures and sentences; empty: no factor is that.

    Attributes:
        operation: what is executed: the rows of tables, the panels of figures.
        load: how much is asked at once: the columns of tables, the x axis of figures.
        dataset: on what; numbers on different datasets never share a figure.
        series: factors that always name a line or row, however many levels they have.
        panel: one of ``series`` whose levels get panels of their own where lines are many.
    """

    operation: str = ""
    load: str = ""
    dataset: str = ""
    series: list[str] = ["tool"]
    panel: str = ""

    def named(self) -> Iterator[tuple[str, str]]:
        """Every factor that has a role, with the field that names it."""
        for field in ("operation", "load", "dataset", "panel"):
            if name := getattr(self, field):
                yield field, name
        for place, name in enumerate(self.series):
            yield f"series.{place}", name

    def check(self, factors: Iterable[str]) -> None:
        """Refuse roles of factors that the study does not have, and factors with two of them.

        Raises:
            ValueError: names the field and the nearest factor.
        """
        factor_names = set(factors)
        seen: dict[str, str] = {}
        for field, name in self.named():
            if name not in factor_names:
                raise ValueError(
                    f"roles.{field} names unknown factor {name!r}{nearest(name, factor_names)}"
                )
            if name in seen and field != "panel" and seen[name] != "panel":
                raise ValueError(
                    f"roles.{field} is {name!r}, which is roles.{seen[name]} already; give each "
                    "factor one role"
                )
            seen.setdefault(name, field)
        if self.panel and self.panel not in self.series:
            raise ValueError(
                f"roles.panel is {self.panel!r}; name one of roles.series "
                f"({', '.join(self.series)})"
            )


class Noun(Strict):
    """What one thing of a factor is called, for sentences.

    Attributes:
        one: of a single one, ``thread``.
        many: of several, ``threads``.
        title: of an axis or column, ``client threads``; by default ``many``.
    """

    one: str
    many: str
    title: str = ""


def noun_of(factor: str, known: Mapping[str, Noun]) -> Noun:
    """The noun of a factor; one that has none is called by its name."""
    if factor in known:
        return known[factor]
    word = factor.replace("_", " ")
    return Noun(one=word, many=f"{word}s")


class OnTheWire(Strict):
    """What a paper reports of one execution on the wire.

    Attributes:
        levels: factor to level of the executions that it is about.
        packets, bytes, requests: counted; bytes are those of the paper's own method.
        gap: the longest silence in ms, as it is printed; empty where it is not.
    """

    levels: dict[str, Level]
    packets: int
    bytes: int
    requests: int
    gap: str = ""


class TableLayout(Strict):
    """The numbers that a paper's tables have, so that ours have the same.

    Attributes:
        medians: table of medians to its operations; operations of no table follow in pairs.
        cases: the cases of the paper, each the tables of medians that belong to it.
        failures, incorrect: tables of executions without an answer and with a wrong one; 0: the
            paper has none.
        comparisons: comparison to its tables, one per case.
        wire: what the paper reports of single executions.
    """

    medians: dict[int, Annotated[list[str], Field(min_length=1)]] = {}
    cases: list[list[int]] = []
    failures: int = 0
    incorrect: int = 0
    comparisons: dict[str, list[int]] = {}
    wire: list[OnTheWire] = []

    @property
    def first_free(self) -> int:
        """The first number after those of the paper."""
        of_comparisons = (number for numbers in self.comparisons.values() for number in numbers)
        return 1 + max(0, *self.medians, self.failures, self.incorrect, *of_comparisons)

    @model_validator(mode="after")
    def _consistent(self) -> TableLayout:
        for place, tables in enumerate(self.cases):
            for number in tables:
                if number not in self.medians:
                    raise ValueError(
                        f"tables.cases.{place} names table {number}{nearest(number, self.medians)}"
                    )
        for name, numbers in self.comparisons.items():
            if len(numbers) != len(self.cases):
                raise ValueError(
                    f"tables.comparisons.{name} has {len(numbers)} tables; give one for each of "
                    f"the {len(self.cases)} cases in tables.cases"
                )
        return self
