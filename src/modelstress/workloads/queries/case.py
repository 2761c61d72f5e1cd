"""Cases: the queries that can be asked of a model, with the elements of their matches."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, model_validator

from modelstress.config.base import Strict

Names = Annotated[list[str], Field(min_length=1)]


class CaseQuery(Strict):
    """One query of a case.

    Attributes:
        tuple: names of the elements of a match, in order.
        languages: that it is written in; without them, all that the case has.
        equals: query with the same result, for one that cannot be evaluated on a plain model
            because it needs declared attributes.
    """

    tuple: Names
    languages: Names | None = None
    equals: str | None = None


class Case(Strict):
    """``queries/<case>/case.yaml``."""

    case: str
    queries: dict[str, CaseQuery]

    @model_validator(mode="after")
    def _equals_known(self) -> Case:
        for name, query in self.queries.items():
            if query.equals is None:
                continue
            other = self.queries.get(query.equals)
            if other is None or other.equals is not None or len(other.tuple) != len(query.tuple):
                raise ValueError(
                    f"queries.{name}.equals is {query.equals!r}; name a query with as many "
                    "elements in a match that equals no other itself"
                )
        return self
