"""The measured window of a cell, where it ends otherwise than after so many executions."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, model_validator

from modelstress.config.base import Strict

MOST = 1_000_000_000
"""Of executions, milliseconds, seconds: more than a human life of measuring."""
Count = Annotated[int, Field(ge=1, le=MOST)]


class Window(Strict):
    """A window that ends otherwise than after so many executions: seconds or objects.

    Attributes:
        seconds: what begins within them is measured.
        per_thread: a window of seconds lasts longer until so many executions of each thread have
            begun.
        most_s: but no longer than so many seconds.
        objects: it ends when operations with ``objects`` have brought so many.
    """

    seconds: Annotated[float, Field(gt=0, le=86_400)] | None = None
    per_thread: Count | None = None
    most_s: Annotated[float, Field(gt=0, le=86_400)] | None = None
    objects: Count | None = None

    @model_validator(mode="after")
    def _one(self) -> Window:
        if (self.seconds is None) == (self.objects is None):
            raise ValueError("say one of seconds and objects")
        if (self.per_thread is None) != (self.most_s is None):
            raise ValueError("per_thread and most_s belong together: say both")
        if self.most_s is not None and (self.seconds is None or self.most_s < self.seconds):
            raise ValueError("most_s must be at least the seconds of the window")
        return self

    @property
    def longest_s(self) -> float | None:
        """Seconds after which no further execution is measured; None: no clock tells."""
        return self.most_s if self.most_s is not None else self.seconds
