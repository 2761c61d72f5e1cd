"""A profile: how much of a study is measured."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, PrivateAttr, model_validator

from modelstress.config.base import Name, Strict
from modelstress.config.designs import Design, FullDesign
from modelstress.config.steering import Steering
from modelstress.config.study import Constraint, Levels
from modelstress.config.window import MOST, Count, Window


class Steady(Strict):
    """The rule by which a warm-up ends (docs/measuring.md, "Warm-up").

    Attributes:
        within: change of latency, as a fraction, that is none.
        most_s: seconds after which the warm-up ends all the same, and is flagged ``unsteady``.
    """

    within: Annotated[float, Field(gt=0, lt=1)] = 0.05
    most_s: Annotated[float, Field(gt=0, le=86_400)] = 60.0


class Warmup(Strict):
    """Warm-up of a client.

    Attributes:
        executions: at least so many per cell.
        seconds: at least so long.
        threads: at most so many threads at its beginning.
        steady: it then lasts until latencies are steady; without it, it ends at once.
    """

    executions: Annotated[int, Field(ge=0, le=MOST)] = 10
    seconds: Annotated[float, Field(ge=0, le=MOST)] = 1.0
    threads: Count = 2
    steady: Steady | None = None


class Capture(Strict):
    """Every execution of a cell is captured on the wire (``measure/traffic``).

    Such a cell has one thread and a closed loop: what is seen belongs to one execution at a time.

    Attributes:
        pause_ms: between executions, so that what is late, such as the end of a connection, still
            belongs to its own.
        node: whose connections are captured, by clients and by other nodes; by default the main
            one. Where packets cannot be counted, it must be one that clients talk to.
    """

    pause_ms: Annotated[int, Field(ge=1, le=60_000)] = 300
    node: str | None = None


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
        capture: how executions are captured on the wire; without it they are not.
        slices: in how many parts a cell warms up and is measured where cells share a start; by
            default 4.
    """

    executions: Count = 200
    window: Window | None = None
    warmup: Warmup = Warmup()
    timeout_ms: Count = 60_000
    clients: Annotated[int, Field(ge=1, le=64)] = 1
    cell_timeout_s: Count = 3600
    wedge_s: Annotated[float, Field(ge=0, le=MOST)] = 20.0
    restarts: Annotated[int, Field(ge=0, le=MOST)] = 3
    capture: Capture | None = None
    slices: Annotated[int, Field(ge=2, le=100)] | None = None

    @model_validator(mode="after")
    def _window_fits(self) -> Settings:
        seconds = self.window.longest_s if self.window else None
        if seconds and seconds >= self.cell_timeout_s:
            name = "seconds" if seconds == (self.window and self.window.seconds) else "most_s"
            raise ValueError(
                f"window.{name} is {seconds:g}, and the invocation's deadline cell_timeout_s is "
                f"{self.cell_timeout_s}; make the deadline longer than the window"
            )
        if self.capture is not None and self.warmup.steady is not None:
            raise ValueError(
                "capture needs a warm-up that ends by its count, so that the wire is quiet before "
                "the window; leave warmup.steady out"
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
        placebos: starts of servers that are copied: what two of the same say is the placebo of
            what comparisons say (docs/statistics.md, "Placebos").
        looks: invocations of a cell after which comparisons are looked at, the first of them
            ``invocations``; at most five, fixed beforehand. ``modelstress run --until decided``
            goes on from one to the next for what is undecided then.
        samples: ``rows`` or ``histogram``, whatever the study's are; None: as they are.
        steering: how ``modelstress steer`` hands its starts out to workers.
    """

    profile: Name
    title: str
    invocations: Count
    settings: Settings = Settings()
    levels: dict[str, Levels] = {}
    constraints: list[Constraint] = []
    design: Design = FullDesign()
    anatomy: Name | None = None
    placebos: Annotated[int, Field(ge=0, le=1000)] = 0
    looks: Annotated[list[Count], Field(min_length=1, max_length=5)] | None = None
    samples: Literal["rows", "histogram"] | None = None
    steering: Steering = Steering()
    _folder: str = PrivateAttr("profiles")

    @property
    def file(self) -> str:
        """The file that it was read from, as messages name it, from the project's root."""
        return f"config/{self._folder}/{self.profile}.yaml"

    def read_from(self, folder: str) -> Profile:
        """The profile itself; `folder`, below ``config``, is where it was read."""
        self._folder = folder
        return self

    @model_validator(mode="after")
    def _ascending_looks(self) -> Profile:
        looks = self.looks
        if looks and (looks[0] != self.invocations or sorted({*looks}) != looks):
            raise ValueError(
                f"looks must ascend from the profile's invocations, {self.invocations}; they are "
                f"{looks}"
            )
        return self
