"""The outcomes of an execution: the one list, in the order in which they are stored."""

from __future__ import annotations

from typing import Literal, get_args

Unsuccessful = Literal["incorrect", "error", "timeout", "unfinished", "rejected", "aborted"]
Outcome = Literal["ok", Unsuccessful]

OUTCOMES: tuple[str, ...] = get_args(Outcome)
UNSUCCESSFUL: tuple[str, ...] = get_args(Unsuccessful)
"""Whatever is no right answer in time."""
FAILURES = ("timeout", "error", "rejected", "unfinished")
"""Executions without an answer that could be right, in the order of the tables."""
ABORTED = "aborted"
"""What the tool ended by its own rules, as after a conflict: no failure, and counted apart."""
ANSWERED = ("ok", "incorrect", "rejected", ABORTED)
"""Executions in which the server said something: a refusal is an answer, too."""
