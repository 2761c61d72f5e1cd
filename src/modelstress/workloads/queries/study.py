"""Studies of queries: the models that are asked, mixes of queries, and the kind's factors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Discriminator, Field, Tag, model_validator

from modelstress.config.base import TAG, Strict, nearest
from modelstress.config.factors import Factor
from modelstress.config.roles import Noun, OnTheWire, Roles, TableLayout
from modelstress.config.study import Study, Weight

FACTORS: Mapping[str, Factor] = {
    "backend": Factor("where the tool stores its data", of_tools=True),
    "language": Factor("of the query's text", of_tools=True),
    "protocol": Factor("between client and server", of_tools=True),
    "model": Factor("that is asked"),
    "query": Factor("that is asked", noun=Noun(one="query", many="queries")),
    "query_text": Factor(
        "whether every execution has a text that was not asked before",
        levels=("same", "unique"), usual="same", bare=2,
    ),
    "attributes": Factor(
        "derived and indexed attributes that the store has computed",
        levels=("none", "declared"), usual="none", of_tools=True,
    ),
    "type_check": Factor(
        "whether a pattern's candidates are checked for their types", levels=(True, False),
        usual=True, beside={"language": ["epl"]},
    ),
    "navigation": Factor(
        "whether a query follows references backward too", levels=("forward", "backward"),
        usual="forward", of_tools=True,
    ),
}  # fmt: skip


class TrainModel(Strict):
    """A model of the Train Benchmark (TRAIN-BENCHMARK.md)."""

    case: Literal["train"]
    line: Literal["2016", "2017"]
    scenario: Literal["batch", "inject", "repair"]
    size: Annotated[int, Field(ge=1)]
    seed: int = 19871053


class JdtModel(Strict):
    """Java sources as a model of Eclipse JDT's own metamodel (GRABATS.md).

    Attributes:
        step: of the ladder of pinned sources, each with those of the steps before it
            (``config/jdt-ladder.yaml``).
        split: what has a file of its own: nothing, every package or every compilation unit. The
            elements and their order are the same.
    """

    case: Literal["grabats"]
    step: Annotated[int, Field(ge=0, le=4)]
    split: Literal["single", "package", "unit"] = "single"


class OwnModel(Strict):
    """Somebody's own model: any metamodel in Ecore, any number of model files.

    Attributes:
        case: name of the folder in ``queries/`` with its queries.
        metamodels: Ecore files, relative to the project; may have wildcards.
        files: XMI or binary files, likewise; their order is that of the elements, files of one
            wildcard come in alphabetical order. They may refer to one another.
    """

    case: Annotated[str, Field(min_length=1)]
    metamodels: Annotated[list[str], Field(min_length=1)]
    files: Annotated[list[str], Field(min_length=1)]


def _kind(model: Any) -> str:
    """Which of the kinds of models a mapping or model is meant to be."""
    case = model.get("case") if isinstance(model, dict) else getattr(model, "case", None)
    kinds = {"train": TrainModel, "grabats": JdtModel}
    return TAG + kinds.get(str(case), OwnModel).__name__


Model = Annotated[
    Annotated[TrainModel, Tag(TAG + "TrainModel")]
    | Annotated[JdtModel, Tag(TAG + "JdtModel")]
    | Annotated[OwnModel, Tag(TAG + "OwnModel")],
    Discriminator(_kind),
]
"""How a model is made; ``case`` tells the kind."""


class QueriesStudy(Study):
    """``config/studies/<study>.yaml`` of the kind ``queries``.

    Attributes:
        models: model name to how it is made.
        mixes: name to queries with their weights; a level of the factor ``query`` may be a mix, and
            every execution is then one of its queries, drawn by weight.
    """

    FACTORS: ClassVar[Mapping[str, Factor]] = FACTORS
    REQUIRED: ClassVar[tuple[str, ...]] = (
        "backend", "language", "protocol", "model", "query", "threads",
    )  # fmt: skip
    # for studies and archives from before roles, nouns and layouts could be given
    ROLES: ClassVar[Roles] = Roles(
        operation="query", load="threads", dataset="model",
        series=["tool", "backend", "language", "protocol"], panel="protocol",
    )  # fmt: skip
    NOUNS: ClassVar[Mapping[str, Noun]] = {"query": Noun(one="query", many="queries")}
    LAYOUT: ClassVar[TableLayout] = TableLayout(
        medians={
            1: ["OQ", "MQ", "HQ1", "HQ2", "HQ3", "HQ4"],
            2: ["ConnectedSegments", "PosLength"],
            3: ["RouteSensor", "SwitchMonitored"],
            4: ["SemaphoreNeighbor", "SwitchSet"],
        },
        cases=[[1], [2, 3, 4]], failures=5, incorrect=6,
        comparisons={"protocol": [7, 8], "tools": [9, 10]},
        wire=[
            OnTheWire(
                levels={"tool": "cdo", "protocol": "http"},
                packets=58, bytes=10_203, requests=11, gap="about 6\u202f000",
            ),
            OnTheWire(
                levels={"tool": "hawk", "protocol": "http"},
                packets=14, bytes=2_804, requests=1,
            ),
        ],
    )  # fmt: skip

    models: dict[Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")], Model]
    mixes: dict[str, Annotated[dict[str, Weight], Field(min_length=2)]] = {}

    def queries(self, level: object) -> dict[str, float]:
        """The queries that a level of the factor ``query`` stands for, with their weights."""
        return self.mixes.get(str(level), {str(level): 1.0})

    @model_validator(mode="after")
    def _known_models(self) -> QueriesStudy:
        for name in self.factors.get("model", []):
            if name not in self.models:
                raise ValueError(
                    f"factors.model names unknown model {name!r}{nearest(name, self.models)}"
                )
        return self
