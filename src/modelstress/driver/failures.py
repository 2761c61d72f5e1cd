"""Distinct failure messages, each to be told once."""

from __future__ import annotations

import errno
from collections import deque

MOST = 100
LONGEST = 2000
CLIENT_FAULT = "client: "
"""Begins messages of failures that are this side's fault: no local ports are left."""


class Failures:
    """What the controller is told."""

    def __init__(self) -> None:
        self._seen: set[tuple[str, str, str]] = set()
        self._untold: deque[tuple[str, str, str]] = deque()

    def add(self, operation: str, outcome: str, message: str | None) -> None:
        """Note a failure unless it, or too many others, have been seen."""
        text = attribute((message or "").strip() or "(the driver gave no reason)")
        text = f"{text[:LONGEST]}…" if len(text) > LONGEST else text
        detail = (operation, outcome, text)
        if len(self._seen) < MOST and detail not in self._seen:
            self._seen.add(detail)
            self._untold.append(detail)

    def poll(self) -> tuple[str, str, str] | None:
        """Operation, outcome and message of the next one to tell."""
        return self._untold.popleft() if self._untold else None


def sentence(raised: BaseException) -> str:
    """A sentence for something raised, with its causes."""
    messages: list[str] = []
    error: BaseException | None = raised
    while error is not None and len(messages) < 8:
        message = str(error) or type(error).__name__
        if isinstance(error, OSError) and error.errno == errno.EADDRNOTAVAIL:
            message = f"{CLIENT_FAULT}{message}"
        if not messages or message not in messages[-1]:
            messages.append(message)
        error = error.__cause__
    return attribute(": ".join(messages))


def attribute(message: str) -> str:
    """Mark a message as the client's fault when it says that local ports are exhausted."""
    if not message.startswith(CLIENT_FAULT) and "Cannot assign requested address" in message:
        return CLIENT_FAULT + message
    return message
