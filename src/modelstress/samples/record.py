"""``cell.json`` as far as this package reads it: a damaged one is refused in one sentence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from modelstress.config.errors import MeasureError, first_line
from modelstress.config.outcomes import Outcome

Count = Annotated[int, Field(ge=0, lt=2**63)]
Ns = Annotated[int, Field(ge=-(2**63), lt=2**63)]
Seconds = Annotated[float, Field(ge=0, lt=1e12)]
Number = Annotated[int, Field(ge=-(2**63), lt=2**63)] | Annotated[float, Field(le=1e300, ge=-1e300)]
Level = bool | Number | str
Phase = Literal["warmup", "measure", "cooldown"]


class _Part(BaseModel):
    """What is named must be of its type; what else there is stays as it is."""

    model_config = ConfigDict(extra="allow", strict=True)


class Client(_Part):
    """A client process."""

    client: Annotated[int, Field(ge=0, le=63)]
    threads: Count | None = None
    executions: Count | None = None
    offset_ns: Ns | None = None


class Window(_Part):
    """First start and last end of the measured executions, on the controller's clock."""

    begin_ns: Ns
    end_ns: Ns


class Start(_Part):
    """The start of the servers, and the cells that shared it."""

    id: str = ""
    cells: list[str] = []
    slices: list[Window] | None = None
    disturbed_by: str | None = None


class Reason(_Part):
    """Why an invocation is invalid or flagged."""

    code: str
    kind: str = "flag"
    message: str = ""


class Validity(_Part):
    """Whether the numbers may be used."""

    valid: bool = True
    reasons: list[Reason] = []


class Telemetry(_Part):
    """What was read of the machine once a second."""

    columns: dict[str, list[Number | None]] = {}
    cpu_busy: dict[str, Number | None] = {}

    @field_validator("columns")
    @classmethod
    def _of_one_length(
        cls, columns: dict[str, list[Number | None]]
    ) -> dict[str, list[Number | None]]:
        if len({len(values) for values in columns.values()}) > 1:
            raise ValueError("columns of different lengths")
        return columns


class Machine(_Part):
    """The machine that measured."""

    name: str | None = None
    cpu_model: str | None = None
    kernel: str | None = None
    boot: str | None = None
    settings: dict[str, str | Number] = {}


class Provenance(_Part):
    """Where the numbers come from."""

    title: str | None = None
    executor: str | None = None
    topology: str | dict[str, Any] | None = None
    machine: Machine | None = None
    contents: dict[str, str | None] = {}
    git: dict[str, str | bool | None] | None = None


class Fault(_Part):
    """What was done to the invocation on purpose."""

    kind: str = ""
    begun_ns: Ns | None = None
    in_effect_ns: Ns | None = None
    ended_ns: Ns | None = None
    ready_ns: Ns | None = None
    helped_ns: Ns | None = None
    notes: list[str] | None = None


class Restart(_Part):
    """A server that hung, and was started again or not."""

    phase: str = ""
    at_ns: Ns = 0
    ready_s: Seconds | None = None


class Pauses(_Part):
    """Garbage collection of a server in the window."""

    total_ms: Number | None = None


class Server(_Part):
    """A server of the invocation."""

    restarts: list[Restart] | None = None
    gc_window: Pauses | None = None


class Hosts(_Part):
    """Machines of hosts that are not this one."""

    machines: list[str | None] | None = None
    kernels: list[str | None] | None = None


class Record(_Part):
    """The record of an invocation; every field is optional, as in records of aborted ones."""

    format: Count = 1
    state: str = "complete"
    study: str | None = None
    profile: str | None = None
    cell: str | None = None
    invocation: Count | None = None
    levels: dict[str, Level] = {}
    samples: Literal["rows", "histogram"] = "rows"
    seconds: Seconds = 0.0
    outcomes: dict[Phase, dict[Outcome, Count]] = {}
    details: list[dict[str, Any]] = []
    window: Window | None = None
    start: Start | None = None
    clients: list[Client] = []
    hosts: Hosts | None = None
    server: Server | None = None
    nodes: dict[str, Server] | None = None
    fault: Fault | None = None
    telemetry: Telemetry | None = None
    validity: Validity = Validity()
    provenance: Provenance | None = None


def read_record(path: Path) -> dict[str, Any]:
    """The content of a ``cell.json``.

    Raises:
        FileNotFoundError: it is not there.
        MeasureError: it cannot be read, or a field has a value that no program of ours writes.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(data, dict):
            raise ValueError("not an object")
        Record.model_validate(data)
    except FileNotFoundError:
        raise
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise MeasureError(f"{path.name} is damaged: '{where}': {first['msg']}") from error
    except (OSError, ValueError, RecursionError) as error:
        raise MeasureError(f"{path.name} is damaged ({first_line(error)})") from error
    return data
