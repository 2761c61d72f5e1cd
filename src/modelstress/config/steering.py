"""How a study is steered: a profile's ``steering``, and templates that fix some options."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from modelstress.config.base import Level, Name, Strict
from modelstress.config.study import Levels

Seconds = Annotated[float, Field(gt=0, le=86_400)]


class Steering(Strict):
    """How ``modelstress steer`` hands out a profile's starts.

    Attributes:
        strategies: names of strategies that adapt what is measured; see ``docs/steering.md``.
        divide_by: factors by whose levels jobs are kept apart, so that a worker can fix them;
            those of all templates are added.
        lease_s: a worker that was not heard of for so long has lost its job.
        noise: coefficient of variation of a machine's own speed above which it does not join.
        anchors: configurations that every worker measures at its start and then again and again.
        anchors_every_s: how often.
        most_mib: of the files of one start, packed.
        attempts: failed measurements of a start before it is given up.
    """

    strategies: list[Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]{0,60}$")]] = []
    divide_by: list[str] = []
    lease_s: Seconds = 60.0
    noise: Annotated[float, Field(gt=0, le=1)] = 0.1
    anchors: Annotated[int, Field(ge=0, le=64)] = 8
    anchors_every_s: Seconds = 3600.0
    most_mib: Annotated[int, Field(ge=1, le=512)] = 64
    attempts: Annotated[int, Field(ge=1, le=100)] = 3


class Template(Strict):
    """``config/templates/<template>.yaml``: options that somebody's machine or interest fixes.

    Attributes:
        template: its name, the same as the file's.
        title: for people.
        fix: factor to the level, or levels, that cells must have.
    """

    template: Name
    title: str = ""
    fix: Annotated[dict[str, Level | Levels], Field(min_length=1)]
