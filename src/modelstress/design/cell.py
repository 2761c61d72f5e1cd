"""A cell: one combination of levels, with all that is needed to measure it."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Protocol

from modelstress.config.base import Level
from modelstress.config.factors import HARNESS, THREADS, Factor
from modelstress.config.faults import Fault
from modelstress.config.profile import Settings
from modelstress.config.roles import Roles
from modelstress.config.tool import Tool

LONGEST_ID = 120
"""Characters of an id: it becomes a folder and a part of file names."""


class Work(Protocol):
    """What the clients of a cell do, and on what; its kind of workload knows more of it."""

    def identity(self) -> dict[str, object]:
        """What of it, beside the levels, makes the cell another one: it goes into the id."""


@dataclass(frozen=True)
class Cell:
    """One combination of levels, with all that is needed to measure it.

    Attributes:
        study, profile: names.
        levels: factor to level, in the order of the study's factors.
        settings: executions, warm-up and deadlines of one invocation.
        invocations: fresh starts of server and clients.
        tool: descriptor of the tool under test.
        workload: name of its kind of workload.
        work: what its clients do, and on what.
        roles: of the factors.
        factors: those of the harness and of the kind of workload, by name.
        samples: ``rows`` or ``histogram``.
        fault: what goes wrong on purpose; None: nothing.
    """

    study: str
    profile: str
    levels: Mapping[str, Level]
    settings: Settings
    invocations: int
    tool: Tool
    workload: str
    work: Work
    roles: Roles = field(default_factory=Roles)
    factors: Mapping[str, Factor] = field(default_factory=lambda: HARNESS)
    samples: str = "rows"
    fault: Fault | None = None

    @cached_property
    def id(self) -> str:
        """Readable levels and 8 hex digits over all levels, the work and a fault.

        A tool's option at its default is left out, so that a study can make it a factor later and
        keep what it measured before. The contents of programs and datasets are *not* part of it
        either: a cell whose contents changed keeps its id and becomes stale instead of being
        measured again under another name.
        """
        defaults = {**self.tool.options, **self.tool.driver_options}
        levels = {
            name: level
            for name, level in self.levels.items()
            if name not in defaults or level != defaults[name]
        }
        identity: dict[str, object] = {"levels": levels, **self.work.identity()}
        if self.fault is not None:
            identity["fault"] = self.fault.model_dump()
        digest = hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()[:8]
        named = [name for name in readable(self.roles) if name in self.levels]
        words = [word_of(self.factors, name, self.levels[name]) for name in named]
        unusual = {
            name: level
            for name, level in levels.items()
            if name not in named
            and not (name in self.factors and level == self.factors[name].usual)
        }
        bare = [f for f in unusual if f in self.factors and self.factors[f].bare]
        words += [f"{name}={level}" for name, level in unusual.items() if name not in bare]
        words += [str(unusual[name]) for name in sorted(bare, key=lambda f: self.factors[f].bare)]
        words = [_plain(word) for word in words]
        text = "_".join(words)
        while len(words) > len(named) and len(text) + 1 + len(digest) > LONGEST_ID:
            words.pop()  # the digest still tells what is not named any more
            text = "_".join(words)
        return f"{text[: LONGEST_ID - 1 - len(digest)]}_{digest}"

    @property
    def threads(self) -> int:
        """Client threads, over all client processes; one where the study has no such factor."""
        return int(self.levels.get(THREADS, 1))

    def folder(self, raw: Path, invocation: int) -> Path:
        """``data/raw/<study>/<profile>/<tool>/<cell>/i<NN>``."""
        return raw / self.study / self.profile / self.tool.tool / self.id / f"i{invocation:02d}"


def word_of(factors: Mapping[str, Factor], name: str, level: Level) -> str:
    """A level of one of the known factors, or of another one, as an id has it."""
    return _plain(f"{factors[name].short if name in factors else ''}{level}")


def readable(roles: Roles) -> tuple[str, ...]:
    """The factors whose levels begin an id: those with a role."""
    order = (*roles.series, roles.dataset, roles.operation, roles.load)
    return tuple(dict.fromkeys(name for name in order if name))


@lru_cache(maxsize=4096)
def _plain(text: str) -> str:
    """What a file's name may have; a study has few words and many cells."""
    return re.sub(r"[^A-Za-z0-9.=-]+", "-", text)
