"""Studies of operations: what clients do, on which datasets, and how it is checked."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Literal

from pydantic import Field, model_validator

from modelstress.config.base import Level, Strict, nearest
from modelstress.config.factors import Factor
from modelstress.config.study import Study, Weight

Parameter = Level | list[Level]
WordOf = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_.-]{0,79}$")]


class Unchecked(Strict):
    """Nothing checks an operation.

    Attributes:
        unchecked: the reason, for the reader of the results.
    """

    unchecked: Annotated[str, Field(min_length=1)]


class Digest(Strict):
    """Every result has the same count and digest (docs/contracts.md).

    Attributes:
        count: items, or matches, of a result.
        digest: of its identifiers; 0 for results that are counts or nothing.
    """

    count: Annotated[int, Field(ge=0, lt=2**31)]
    digest: Annotated[int, Field(ge=0, lt=2**64)] = 0


class Operation(Strict):
    """One operation of a driver.

    Attributes:
        weight: how often it is drawn, relative to the others; means nothing beside ``order``.
        text: given to the driver.
        parameters: likewise.
        arity: identifiers that make one match of its result.
        think_ms: pause of the session after it; in a closed loop only. The factor ``think_ms``
            goes before it.
        objects: whether the count of its result is of objects, as windows of objects count them.
        check: how its answers are judged: by the driver (``verdict``), by a ``digest``, or not.
    """

    weight: Weight = 1.0
    text: str | None = None
    parameters: dict[str, Parameter] = {}
    arity: Annotated[int, Field(ge=1, le=1000)] = 1
    think_ms: Annotated[float, Field(ge=0, le=3_600_000)] = 0
    objects: bool = False
    check: Literal["verdict"] | Digest | Unchecked


class Invariant(Strict):
    """What must hold after the window, whatever the clients did.

    Attributes:
        program: that checks it, relative to the project (docs/contracts.md).
        title: for people.
        timeout_s: its deadline.
    """

    program: Annotated[str, Field(min_length=1)]
    title: str
    timeout_s: Annotated[float, Field(gt=0, le=3600)] = 60.0


Mix = Annotated[dict[str, Weight], Field(min_length=2)] | Annotated[list[str], Field(min_length=2)]


class OperationsStudy(Study):
    """``config/studies/<study>.yaml`` of the kind ``operations``.

    Attributes:
        operations: name to what it is.
        order: operations that each session executes one after the other, again and again; without
            it they are drawn by weight.
        mixes: name to operations with their weights, or to a list of operations that each session
            executes one after the other, again and again; a level of the factor with the role
            ``operation`` is an operation or a mix. A study without such a factor executes all.
        datasets: name to parameters; levels of the factor with the role ``dataset``. They go to
            the tool's ``load``, or to its servers where it starts empty.
        invariants: name to what must hold after the window.
    """

    workload: Literal["operations"]
    operations: Annotated[dict[WordOf, Operation], Field(min_length=1)]
    order: Annotated[list[str], Field(min_length=1)] | None = None
    mixes: dict[WordOf, Mix] = {}
    datasets: dict[WordOf, dict[str, Parameter]] = {}
    invariants: dict[WordOf, Invariant] = {}

    def defined(self) -> dict[str, Factor]:
        """Factors of the harness, and those that choose operations and datasets."""
        roles = self.projected
        factors = {
            roles.operation: Factor("operations that clients execute"),
            roles.dataset: Factor("what the store is populated with"),
        }
        return {**super().defined(), **{name: factor for name, factor in factors.items() if name}}

    def chosen(self, level: object) -> dict[str, float]:
        """The operations of a level of the operation's factor, with their weights; None: all."""
        if level is None:
            return {name: operation.weight for name, operation in self.operations.items()}
        word = str(level)
        mix = self.mixes.get(word, [word] if word in self.operations else [])
        if isinstance(mix, list):
            return {name: self.operations[name].weight for name in mix}
        return mix

    def ordered(self, level: object) -> tuple[str, ...]:
        """The order in which sessions execute the operations of a level; empty: as drawn."""
        mix = self.mixes.get(str(level))
        return tuple(mix) if isinstance(mix, list) else tuple(self.order or ())

    @model_validator(mode="after")
    def _known_operations(self) -> OperationsStudy:
        operations = self.operations
        _all_known("order", self.order or (), operations)
        for name, mix in self.mixes.items():
            _all_known(f"mixes.{name}", mix, operations)
            if name in operations:
                raise ValueError(f"mixes.{name} has the name of an operation; give it another")
        factor = self.projected.operation
        if factor:
            _all_known(
                f"factors.{factor}", self.factors.get(factor, ()), {*operations, *self.mixes}
            )
            if self.order is not None:
                raise ValueError(
                    f"order is of all operations, and roles.operation is {factor!r}, which chooses "
                    "some; leave one of them out"
                )
        return self

    @model_validator(mode="after")
    def _known_datasets(self) -> OperationsStudy:
        factor = self.projected.dataset
        if factor:
            _all_known(f"factors.{factor}", self.factors.get(factor, ()), self.datasets)
        elif self.datasets:
            raise ValueError("datasets are levels of no factor; name it in roles.dataset")
        return self

    @model_validator(mode="after")
    def _think_in_closed_loops(self) -> OperationsStudy:
        if "open" in self.factors.get("mode", []):
            for name, operation in self.operations.items():
                if operation.think_ms:
                    raise ValueError(
                        f"operations.{name}.think_ms is a pause of a closed loop, and factors.mode "
                        "has 'open', where arrivals set the pace; leave one of them out"
                    )
        return self


def _all_known(where: str, names: Iterable[object], vocabulary: Iterable[str]) -> None:
    words = list(vocabulary)
    for name in names:
        if name not in words:
            raise ValueError(f"{where} names unknown {name!r}{nearest(name, words)}")
