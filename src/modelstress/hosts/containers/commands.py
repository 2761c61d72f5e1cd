"""Commands in running containers; none is waited for without an end."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from queue import Empty, SimpleQueue
from typing import Any

from modelstress.config.errors import MeasureError
from modelstress.hosts.containers.daemon import told

COMMAND_S = 60.0
"""Deadline of a command that should take tenths of a second."""


def executed(
    container: Any,
    what: str,
    argv: Sequence[str],
    *,
    user: str = "",
    seconds: float = COMMAND_S,
) -> tuple[int, str]:
    """Run a command in a container: its exit code, and all that it says.

    docker-py reads what it says without a deadline, so another thread does. A command that is not
    waited for any more may run on; it ends with its container.

    Args:
        container: of docker-py; runs.
        what: is done, for messages.
        argv: program and arguments.
        user: that runs it; by default the container's own.
        seconds: deadline.

    Raises:
        MeasureError: the daemon refused, or the command did not end in time.
    """
    answers: SimpleQueue[Any] = SimpleQueue()

    def ask() -> None:
        try:
            answers.put(container.exec_run(list(argv), user=user))
        except Exception as error:
            answers.put(error)

    threading.Thread(target=ask, name=f"{what}: {argv[0]}", daemon=True).start()
    try:
        answer = answers.get(timeout=seconds)
    except Empty:
        raise MeasureError(f"{what}: {argv[0]} has not ended after {seconds:g} s") from None
    with told(what):
        if isinstance(answer, Exception):
            raise answer
    code, output = answer
    return code, bytes(output or b"").decode("utf-8", errors="replace").strip()
