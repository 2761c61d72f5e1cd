"""The JSON files handed to server and client programs (docs/contracts.md)."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from modelstress.config.base import Level, Strict, nearest
from modelstress.config.hosts import NodeName
from modelstress.config.profile import Warmup
from modelstress.config.window import Count, Window


class Dataset(Strict):
    """What a store is populated with, where no model is loaded.

    Attributes:
        name: level of the factor with the role ``dataset``.
        parameters: as the study has them.
    """

    name: str
    parameters: dict[str, Level | list[Level]] = {}


class ServerConfig(Strict):
    """``load --config F`` and ``serve --config F``; paths are absolute.

    Attributes:
        store: None: it starts empty.
        resume: ``serve`` opens what a killed server left in ``work``, instead of a fresh copy.
        node: its name among the tool's server processes.
        role: what it is among them; None: as its name says.
        dataset: what the store is populated with, where no model is loaded.
        peers: node that it needs, and that is ready, to protocol to address.
    """

    tool: str
    backend: str = ""
    model: str | None = None
    store: str | None = None
    work: str | None = None
    bind: str = "127.0.0.1"
    ports: dict[str, Annotated[int, Field(ge=0, le=65535)]] = {}
    attributes: list[dict[str, Any]] = []
    options: dict[str, Level] = {}
    resume: bool = False
    node: NodeName = "server"
    role: str | None = None
    peers: dict[NodeName, dict[str, str]] = {}
    dataset: Dataset | None = None

    def text(self) -> str:
        """As a program gets it: without later keys that are at their defaults.

        A server program that is older than such a key refuses it.
        """
        later = {"resume", "node", "role", "peers", "dataset"}
        unset = {name for name in later if getattr(self, name) == FIELDS[name].default}
        return self.model_dump_json(indent=2, exclude=unset)


FIELDS = ServerConfig.model_fields


class WorkloadOperation(Strict):
    """One operation of a workload; ``weight`` is relative to the others'.

    Attributes:
        objects: whether its items count for a window that ends after so many objects.
    """

    name: str
    text: str | None = None
    weight: Annotated[float, Field(gt=0)] = 1.0
    arity: Count = 1
    parameters: dict[str, Any] = {}
    think_ms: Annotated[float, Field(ge=0)] = 0
    objects: bool = False


class ClosedLoop(Strict):
    """Each thread starts its next execution when the last one has ended."""

    kind: Literal["closed"] = "closed"


class OpenLoop(Strict):
    """Executions have intended starts; latency counts from them."""

    kind: Literal["open"] = "open"
    rate_per_s: Annotated[float, Field(gt=0)]
    arrivals: Literal["constant", "poisson"] = "constant"


class Workload(Strict):
    """``client --workload FILE``; counts are this client process's share.

    Attributes:
        order: operations that every thread executes one after the other, instead of by weight.
        slices: parts of the warm-up, each of which WARM begins, and of the window, each of which
            GO begins; without it, each is one.
    """

    invocation: Annotated[int, Field(ge=0)] = 0
    client: Annotated[int, Field(ge=0)] = 0
    seed: int = 0
    operations: Annotated[list[WorkloadOperation], Field(min_length=1)]
    mode: Annotated[ClosedLoop | OpenLoop, Field(discriminator="kind")] = ClosedLoop()
    warmup: Warmup = Warmup()
    order: Annotated[list[str], Field(min_length=1)] | None = None
    executions: Count | None = None
    window: Window | None = None
    slices: Annotated[int, Field(ge=1, le=1000)] | None = None
    timeout_ms: Count
    connection: Literal["per-execution", "reused"] = "per-execution"
    unique_condition: str | None = None
    ids: str | None = None
    samples: Literal["rows", "histogram"] = "rows"
    options: dict[str, Level] = {}

    @model_validator(mode="after")
    def _one_end(self) -> Workload:
        if (self.executions is None) == (self.window is None):
            raise ValueError("say one of executions and window")
        counted = self.executions if self.window is None else self.window.objects
        if counted is not None and counted < (self.slices or 1):
            raise ValueError(f"slices is {self.slices}, and there are {counted} to divide")
        return self

    @model_validator(mode="after")
    def _known_order(self) -> Workload:
        names = {operation.name for operation in self.operations}
        for name in self.order or ():
            if name not in names:
                raise ValueError(f"order names unknown operation {name!r}{nearest(name, names)}")
        return self

    @model_validator(mode="after")
    def _open_pace(self) -> Workload:
        if isinstance(self.mode, OpenLoop) and any(
            operation.think_ms for operation in self.operations
        ):
            raise ValueError("think_ms belongs to a closed loop: arrivals set the pace")
        return self
