"""What jobs name: starts of the plan by their first cell and number, and digests to agree on."""

from __future__ import annotations

import hashlib
import itertools
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from modelstress.config.base import Level
from modelstress.config.errors import ConfigError
from modelstress.config.project import Project
from modelstress.config.study import Study, has_levels
from modelstress.design.contents import contents_of, hash_json
from modelstress.design.plan import Run, starts
from modelstress.design.plan_file import Plan

MOST_QUEUES = 1024
Fix = Mapping[str, Level | list[Level]]


@dataclass(frozen=True, order=True)
class Key:
    """A start of the servers: the id of the first of its cells in the plan, and its number."""

    cell: str
    number: int

    def __str__(self) -> str:
        return f"{self.cell} i{self.number:02d}"


def key_of(start: Sequence[Run]) -> Key:
    """The key of a start; it does not depend on what else is in the plan."""
    return Key(start[0].cell.id, start[0].invocation)


def starts_of(plan: Plan) -> dict[Key, list[Run]]:
    """All starts of a plan by their keys, in its order."""
    return {key_of(start): start for start in starts(plan.runs)}


def plan_digest(plan: Plan) -> str:
    """Hex digest (sha256) of what is measured, with which seeds and settings, in which starts.

    Programs are not part of it: they are compared for themselves.
    """
    digest = hashlib.sha256()
    settings = {
        cell.id: hash_json([cell.settings.model_dump(mode="json"), dict(cell.work.identity())])
        for cell in plan.cells
    }
    for key, start in starts_of(plan).items():
        for run in start:
            line = f"{key} {run.cell.tool.tool} {run.cell.id} {run.invocation} {run.seed} "
            digest.update(f"{line}{settings[run.cell.id]}\n".encode())
    return digest.hexdigest()


def contents_digest(project: Project, start: Sequence[Run]) -> str:
    """Hex digest of all contents that the numbers of a start depend on."""
    return hash_json([contents_of(project, run.cell) for run in start])


def queue_name(levels: Mapping[str, Level], divide_by: Sequence[str]) -> str:
    """The queue of a cell: cells with the same levels of these factors share one."""
    if not divide_by:
        return "all"
    own = {name: levels.get(name) for name in sorted(divide_by)}
    return f"q-{hashlib.sha256(json.dumps(own).encode()).hexdigest()[:16]}"


def queue_names(study: Study, divide_by: Sequence[str], fix: Fix) -> list[str]:
    """The queues whose cells have some levels.

    Raises:
        ConfigError: jobs are not divided by one of the factors, or into too many queues.
    """
    if other := sorted({*fix} - {*divide_by}):
        by = ", ".join(sorted(divide_by)) or "nothing"
        raise ConfigError(
            f"option {other[0]!r} cannot be fixed here: jobs are divided by {by}; add it to "
            "'steering.divide_by' of the profile, or to a template in config/templates"
        )
    factors = sorted(divide_by)
    # a cell that does not have a factor has no level of it
    choices: list[list[Level | None]] = [[*study.factors.get(name, []), None] for name in factors]
    count = 1
    for choice in choices:
        count *= len(choice)
    if count > MOST_QUEUES:
        raise ConfigError(
            f"jobs divided by {', '.join(factors)} are {count} queues; divide by fewer factors"
        )
    names = []
    for combined in itertools.product(*choices):
        levels = {n: v for n, v in zip(factors, combined, strict=True) if v is not None}
        if fits(levels, fix):
            names.append(queue_name(levels, divide_by))
    return names


def fits(levels: Mapping[str, Level], fix: Fix) -> bool:
    """Whether a cell has the levels that a template fixes; one without the factor has not."""
    return has_levels(levels, dict(fix))


def parsed_fix(texts: Iterable[str], study: Study) -> dict[str, Level | list[Level]]:
    """``option=level,option=level`` as levels of a study; an option twice allows both levels.

    Raises:
        ConfigError: no such option or level; names what there is.
    """
    found: dict[str, list[Level]] = {}
    for part in (part.strip() for text in texts for part in text.split(",")):
        name, equals, word = part.partition("=")
        if not equals or name not in study.factors:
            raise ConfigError(
                f"--fix is {part[:60]!r}; give option=level with an option of the study "
                f"({', '.join(study.factors)})"
            )
        levels = [level for level in study.factors[name] if str(level) == word]
        if not levels:
            known = ", ".join(map(str, study.factors[name]))
            raise ConfigError(f"--fix: {name} has no level {word[:60]!r} ({known})")
        found.setdefault(name, []).extend(levels)
    return dict(found)


SCHEMA = re.compile(r"[^a-z0-9]+")


def schema_name(study: str, profile: str) -> str:
    """Schema of a study's queue under a profile: readable, and never that of another one."""
    digest = hashlib.sha256(f"{study}/{profile}".encode()).hexdigest()[:8]
    return f"steer_{SCHEMA.sub('_', f'{study}_{profile}'.lower())[:36]}_{digest}"
