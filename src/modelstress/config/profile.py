"""A profile: how much of a study is measured."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from modelstress.config.base import Strict
from modelstress.config.study import Constraint, Levels

Count = Annotated[int, Field(ge=1)]


class Warmup(Strict):
    """Fixed warm-up policy of a client; the judgement comes later, in ``analysis``.

    Attributes:
        executions: at least so many per cell.
        seconds: at least so long.
        threads: at most so many threads at its beginning.
    """

    executions: Annotated[int, Field(ge=0)] = 10
    seconds: Annotated[float, Field(ge=0)] = 1.0
    threads: Count = 2


class Settings(Strict):
    """How one cell is measured.

    Attributes:
        executions: measured executions per invocation, over all clients.
        warmup: before them.
        timeout_ms: deadline of one execution.
        clients: client processes; a cell's threads are divided among them.
        cell_timeout_s: deadline of the whole invocation.
        repeat_unsettled: measure an invocation once more, with doubled warm-up, when its
            latencies had not settled; if they do not then either, it is marked.
    """

    executions: Count = 200
    warmup: Warmup = Warmup()
    timeout_ms: Count = 60_000
    clients: Count = 1
    cell_timeout_s: Count = 3600
    repeat_unsettled: bool = False


class Profile(Strict):
    """``config/profiles/<profile>.yaml``.

    Attributes:
        profile: its name, the same as the file's.
        title: for people.
        invocations: fresh starts of server and clients per cell.
        settings: of every cell, unless a constraint of the study caps them.
        levels: factor to the levels measured under this profile; other factors keep all.
        constraints: applied after the study's; a factor that a study does not have is passed over.
    """

    profile: str
    title: str
    invocations: Count
    settings: Settings = Settings()
    levels: dict[str, Levels] = {}
    constraints: list[Constraint] = []
