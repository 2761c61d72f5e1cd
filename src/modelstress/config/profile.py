"""A profile: how much of a study is measured."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, model_validator

from modelstress.config.base import Name, Strict
from modelstress.config.designs import Design, FullDesign
from modelstress.config.study import Constraint, Levels

MOST = 1_000_000_000
"""Of executions, milliseconds, seconds: more than a human life of measuring."""
Count = Annotated[int, Field(ge=1, le=MOST)]


class Warmup(Strict):
    """Fixed warm-up policy of a client; the judgement comes later, in ``analysis``.

    Attributes:
        executions: at least so many per cell.
        seconds: at least so long.
        threads: at most so many threads at its beginning.
    """

    executions: Annotated[int, Field(ge=0, le=MOST)] = 10
    seconds: Annotated[float, Field(ge=0, le=MOST)] = 1.0
    threads: Count = 2


class Capture(Strict):
    """Every execution of a cell is captured on the wire (``measure/traffic``).

    Such a cell has one thread and a closed loop: what is seen belongs to one execution at a time.

    Attributes:
        pause_ms: between executions, so that what is late, such as the end of a connection, still
            belongs to its own.
    """

    pause_ms: Annotated[int, Field(ge=1, le=60_000)] = 300


class Window(Strict):
    """A window that ends otherwise than after so many executions; exactly one of the two.

    Attributes:
        seconds: what begins within them is measured.
        objects: it ends when operations with ``objects`` have brought so many.
    """

    seconds: Annotated[float, Field(gt=0, le=86_400)] | None = None
    objects: Count | None = None

    @model_validator(mode="after")
    def _one(self) -> Window:
        if (self.seconds is None) == (self.objects is None):
            raise ValueError("say one of seconds and objects")
        return self


class Settings(Strict):
    """How one cell is measured.

    Attributes:
        executions: measured executions per invocation, over all clients.
        window: another end of the measured window than after so many executions.
        warmup: before them.
        timeout_ms: deadline of one execution.
        clients: client processes, 64 at most; a cell's threads are divided among them.
        cell_timeout_s: deadline of the whole invocation.
        wedge_s: a server hangs when, for so many seconds, no execution was answered although some
            were under way, and it used less than 5 % of one CPU and hardly its disk; it is
            restarted. 0: never.
        restarts: of a server that hangs, per invocation; the next time, the invocation ends.
        repeat_unsettled: measure an invocation once more, with doubled warm-up, when its
            latencies had not settled; if they do not then either, it is marked.
        capture: how executions are captured on the wire; without it they are not.
    """

    executions: Count = 200
    window: Window | None = None
    warmup: Warmup = Warmup()
    timeout_ms: Count = 60_000
    clients: Annotated[int, Field(ge=1, le=64)] = 1
    cell_timeout_s: Count = 3600
    wedge_s: Annotated[float, Field(ge=0, le=MOST)] = 20.0
    restarts: Annotated[int, Field(ge=0, le=MOST)] = 3
    repeat_unsettled: bool = False
    capture: Capture | None = None

    @model_validator(mode="after")
    def _window_fits(self) -> Settings:
        seconds = self.window.seconds if self.window else None
        if seconds and seconds >= self.cell_timeout_s:
            raise ValueError(
                f"window.seconds is {seconds:g}, and the invocation's deadline cell_timeout_s is "
                f"{self.cell_timeout_s}; make the deadline longer than the window"
            )
        return self


class Profile(Strict):
    """``config/profiles/<profile>.yaml``.

    Attributes:
        profile: its name, the same as the file's.
        title: for people.
        invocations: fresh starts of server and clients per cell.
        settings: of every cell, unless a constraint of the study caps them.
        levels: factor to the levels measured under this profile; other factors keep all.
        constraints: applied after the study's; a factor that a study does not have is passed over.
        design: which of the combinations that remain are measured.
        anatomy: profile whose cells are captured beside this one's; the two never share a table.
    """

    profile: Name
    title: str
    invocations: Count
    settings: Settings = Settings()
    levels: dict[str, Levels] = {}
    constraints: list[Constraint] = []
    design: Design = FullDesign()
    anatomy: Name | None = None
