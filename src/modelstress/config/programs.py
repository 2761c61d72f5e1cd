"""The JSON files handed to server and client programs (docs/contracts.md)."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from modelstress.config.attributes import Attribute
from modelstress.config.base import Level, Strict
from modelstress.config.hosts import NodeName
from modelstress.config.profile import Count, Warmup


class ServerConfig(Strict):
    """``load --config F`` and ``serve --config F``; paths are absolute.

    Attributes:
        store: None: it starts empty.
        resume: ``serve`` opens what a killed server left in ``work``, instead of a fresh copy.
        node: its name among the tool's server processes.
        role: what it is among them; None: as its name says.
        peers: node that it needs, and that is ready, to protocol to address.
    """

    tool: str
    backend: str
    model: str | None = None
    store: str | None = None
    work: str | None = None
    bind: str = "127.0.0.1"
    ports: dict[str, Annotated[int, Field(ge=0, le=65535)]] = {}
    attributes: list[Attribute] = []
    options: dict[str, Level] = {}
    resume: bool = False
    node: NodeName = "server"
    role: str | None = None
    peers: dict[NodeName, dict[str, str]] = {}

    def text(self) -> str:
        """As a program gets it: without later keys that are at their defaults.

        A server program that is older than such a key refuses it.
        """
        later = {"resume", "node", "role", "peers"}
        unset = {name for name in later if getattr(self, name) == FIELDS[name].default}
        return self.model_dump_json(indent=2, exclude=unset)


FIELDS = ServerConfig.model_fields


class WorkloadOperation(Strict):
    """One operation of a workload; ``weight`` is relative to the others'."""

    name: str
    text: str | None = None
    weight: Annotated[float, Field(gt=0)] = 1.0
    arity: Count = 1
    parameters: dict[str, Any] = {}
    think_ms: Annotated[float, Field(ge=0)] = 0


class ClosedLoop(Strict):
    """Each thread starts its next execution when the last one has ended."""

    kind: Literal["closed"] = "closed"


class OpenLoop(Strict):
    """Executions have intended starts; latency counts from them."""

    kind: Literal["open"] = "open"
    rate_per_s: Annotated[float, Field(gt=0)]
    arrivals: Literal["constant", "poisson"] = "constant"


class Workload(Strict):
    """``client --workload FILE``; counts are this client process's share."""

    invocation: Annotated[int, Field(ge=0)] = 0
    client: Annotated[int, Field(ge=0)] = 0
    seed: int = 0
    operations: Annotated[list[WorkloadOperation], Field(min_length=1)]
    mode: Annotated[ClosedLoop | OpenLoop, Field(discriminator="kind")] = ClosedLoop()
    warmup: Warmup = Warmup()
    executions: Count
    timeout_ms: Count
    connection: Literal["per-execution", "reused"] = "per-execution"
    query_text: Literal["same", "unique"] = "same"
    unique_condition: str | None = None
    ids: str | None = None
    samples: Literal["rows", "histogram"] = "rows"
    options: dict[str, Level] = {}
