"""Derived and indexed attributes of a case, for tools that know declarations."""

from __future__ import annotations

from typing import Literal

from pydantic import model_validator

from modelstress.config.base import Strict

ValueType = Literal["Boolean", "Integer", "Long", "Real", "Double", "Float", "String"]


class Attribute(Strict):
    """One declaration, as it is handed to a server program (docs/contracts.md).

    Attributes:
        kind: ``derived`` (the store computes it and keeps it up to date) or ``indexed`` (an
            attribute of the metamodel, found by its value).
        metamodel: namespace URI.
        type: name of the class.
        name: of the attribute.
        value_type: of a derived attribute.
        many, ordered, unique: whether a derived attribute holds several values, in an order that
            matters, no two of them equal.
        language: of the logic.
        logic: expression or statements over ``self`` that give a derived attribute's value.
    """

    kind: Literal["derived", "indexed"]
    metamodel: str
    type: str
    name: str
    value_type: ValueType | None = None
    many: bool = False
    ordered: bool = False
    unique: bool = False
    language: str | None = None
    logic: str | None = None

    @model_validator(mode="after")
    def _consistent(self) -> Attribute:
        definition = {"value_type": self.value_type, "language": self.language, "logic": self.logic}
        for field, value in definition.items():
            if self.kind == "derived" and not value:
                raise ValueError(f"derived attribute '{self.name}' needs '{field}'")
            if self.kind == "indexed" and value is not None:
                raise ValueError(
                    f"indexed attribute '{self.name}' has '{field}', which only derived ones have"
                )
        return self

    def __str__(self) -> str:
        return f"{self.kind} {self.type}.{self.name}"


class Attributes(Strict):
    """``queries/<case>/attributes.yaml``: what the level ``declared`` of ``attributes`` means."""

    case: str
    attributes: list[Attribute]
