"""What a running cell tells its caller; the caller renders it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol

Phase = Literal[
    "waiting",  # for the host lock
    "recovering",  # what an earlier run left
    "server",  # starting
    "clients",  # starting
    "warmup",
    "measure",
    "stopping",
    "writing",
    "done",
]

EXECUTIONS = "executions"
UNITS = (EXECUTIONS, "seconds", "objects")
"""What clients count (docs/contracts.md, ``PROGRESS``)."""


@dataclass(frozen=True)
class Event:
    """One step of one invocation of a cell.

    Attributes:
        cell: its id.
        invocation: its number.
        phase: where it is.
        done, total: what clients count in phases ``warmup`` and ``measure``; 0 where there is none.
        message: a sentence worth showing, or empty.
        unit: what ``done`` and ``total`` count: executions, or seconds or objects of a window.
    """

    cell: str
    invocation: int
    phase: Phase
    done: int = 0
    total: int = 0
    message: str = ""
    unit: str = EXECUTIONS


Listener = Callable[[Event], None]


def ignore(event: Event) -> None:
    """The listener of a caller that does not listen."""


class Tell(Protocol):
    """Passes a step on to the caller's listener."""

    def __call__(
        self, phase: Phase, message: str = "", done: int = 0, total: int = 0, unit: str = EXECUTIONS
    ) -> None:
        """Tell one step."""
