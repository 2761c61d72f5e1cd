"""The JSON files handed to server and client programs (docs/contracts.md)."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from modelstress.config.base import Level, Strict
from modelstress.config.profile import Count, Warmup


class ServerConfig(Strict):
    """``load --config F`` and ``serve --config F``; paths are absolute.

    Attributes:
        resume: ``serve`` opens what a killed server left in ``work``, instead of a fresh copy.
    """

    tool: str
    backend: str
    model: str | None = None
    store: str
    work: str | None = None
    bind: str = "127.0.0.1"
    ports: dict[str, Annotated[int, Field(ge=0, le=65535)]] = {}
    attributes: list[dict[str, Any]] = []
    options: dict[str, Level] = {}
    resume: bool = False

    def text(self) -> str:
        """As a program gets it: without ``resume`` where nothing is resumed.

        A server program that is older than that key refuses it.
        """
        return self.model_dump_json(indent=2, exclude=None if self.resume else {"resume"})


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
    unique_condition: str | None = None
    ids: str | None = None
    samples: Literal["rows", "histogram"] = "rows"
    options: dict[str, Level] = {}
