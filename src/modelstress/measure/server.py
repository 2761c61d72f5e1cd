"""The server of a cell: from start to READY, and the reasons why it may never get there."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass

from modelstress.config.errors import (
    BusyError,
    ConfigError,
    MeasureError,
    MissingError,
    ModelstressError,
)
from modelstress.hosts import Program
from modelstress.measure.interrupt import TICK_S, Interrupt

EXITS: dict[int, tuple[type[ModelstressError], str]] = {
    2: (ConfigError, "does not accept its configuration"),
    3: (MissingError, "has no usable model"),
    4: (MissingError, "has no usable store; load it again"),
    5: (BusyError, "cannot bind its address or port; free it or use port 0"),
}
"""Exit code of a server program (docs/contracts.md) to what it means for a person."""


@dataclass(frozen=True)
class Ready:
    """What a READY line says.

    Attributes:
        endpoints: protocol to address.
        pid: as the server sees it.
    """

    endpoints: dict[str, str]
    pid: int | None


def await_ready(program: Program, seconds: float, interrupt: Interrupt) -> Ready:
    """Wait for the READY line of a server that was just started.

    Raises:
        ModelstressError: it ended or said nothing in time; the class tells why (``EXITS``) and the
            message has its last ``error:`` sentence.
        InterruptedRunError: the controller was told to end.
    """
    deadline = time.monotonic() + seconds
    while (left := deadline - time.monotonic()) > 0:
        interrupt.check()
        line = program.lines.read(min(left, TICK_S))
        if line is not None:
            if line.startswith("READY"):
                return parse_ready(program.name, line)
        elif program.exit_code() is not None or program.lines.ended:
            raise ended_early(program)
    last_error = program.last_error()
    raise MeasureError(
        f"{program.name}: not ready after {seconds:g} s"
        + (f"; its last error: {last_error}" if last_error else "; look at its log")
        + "; raise 'ready_timeout_s' of the tool if it only needs longer"
    )


def parse_ready(name: str, line: str) -> Ready:
    """Read a READY line.

    Raises:
        MeasureError: it is not as in docs/contracts.md.
    """
    try:
        word, _, rest = line.partition(" ")
        message = json.loads(rest)
        endpoints = {str(k): str(v) for k, v in message["endpoints"].items()}
        if word != "READY":
            raise ValueError(word)
        return Ready(endpoints, int(message["pid"]) if "pid" in message else None)
    except (
        ValueError,
        LookupError,
        TypeError,
        AttributeError,
        ArithmeticError,
        RecursionError,
    ) as error:
        raise MeasureError(
            f"{name}: its READY line is not as in docs/contracts.md: {line[:200]!r}"
        ) from error


def ended_early(program: Program) -> ModelstressError:
    """Return the error for a server that ended by itself; it has been waited for."""
    code = program.wait(1.0)
    kind, meaning = EXITS.get(code if code is not None else -1, (MeasureError, "ended"))
    cause = program.last_error() or "no 'error:' line in its log"
    return kind(f"{program.name}: {meaning} (exit code {code}): {cause}")


def death_of(program: Program) -> str | None:
    """Say how a program ended, when it did; None while it runs."""
    code = program.exit_code()
    if code is None:
        return None
    how = f"killed by signal {code - 128}" if code > 128 else f"exit code {code}"
    cause = program.last_error()
    return f"{program.name} died: {how}" + (f": {cause}" if cause else "")
