"""Cells: the combinations of levels that a study and a profile ask for."""

from __future__ import annotations

import hashlib
import itertools
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from modelstress.config.base import Level, nearest
from modelstress.config.errors import ConfigError
from modelstress.config.profile import Profile, Settings
from modelstress.config.project import Project
from modelstress.config.study import HARNESS_FACTORS, Constraint, Study, TrainModel
from modelstress.config.tool import Case, Tool

ID_ORDER = ("tool", "backend", "language", "protocol", "model", "query", "threads")
"""Factors in the readable part of a cell's id; the hash covers all of them."""


@dataclass(frozen=True)
class Cell:
    """One combination of levels, with all that is needed to measure it.

    Attributes:
        study, profile: names.
        levels: factor to level, in the order of the study's factors.
        settings: executions, warm-up and deadlines of one invocation.
        invocations: fresh starts of server and clients.
        tool: descriptor of the tool under test.
        model: how its model is made.
        samples: ``rows`` or ``histogram``.
    """

    study: str
    profile: str
    levels: Mapping[str, Level]
    settings: Settings
    invocations: int
    tool: Tool
    model: TrainModel
    samples: str = "rows"

    @cached_property
    def id(self) -> str:
        """Readable levels and 8 hex digits over all levels, the model and the tool's name.

        The contents of jars and models are *not* part of it: a cell whose contents changed keeps
        its id and becomes stale instead of being measured again under another name.
        """
        whole = {"levels": dict(self.levels), "model": self.model.model_dump()}
        digest = hashlib.sha256(json.dumps(whole, sort_keys=True).encode()).hexdigest()[:8]
        words = [
            f"t{self.levels[name]}" if name == "threads" else str(self.levels[name])
            for name in ID_ORDER
        ]
        defaults = {**self.tool.options, **self.tool.driver_options}
        words += [
            f"{name}={level}"
            for name, level in self.levels.items()
            if name not in (*ID_ORDER, "connection", "query_text", "mode")
            and level != defaults.get(name)
        ]
        words += [
            str(self.levels[name])
            for name, usual in (
                ("connection", "per-execution"), ("query_text", "same"), ("mode", "closed"),
            )
            if self.levels.get(name, usual) != usual
        ]  # fmt: skip
        return "_".join(re.sub(r"[^A-Za-z0-9.=-]+", "-", word) for word in (*words, digest))

    def folder(self, raw: Path, invocation: int) -> Path:
        """``data/raw/<study>/<profile>/<tool>/<cell>/i<NN>``."""
        return raw / self.study / self.profile / self.tool.tool / self.id / f"i{invocation:02d}"


def cells_of(project: Project, study: Study, profile: Profile) -> list[Cell]:
    """All cells of a study under a profile, in the order of its factors.

    Combinations that a tool does not support, or that a constraint takes away, are left out.

    Raises:
        ConfigError: an unknown factor, level, tool or query; names file, field and nearest name.
    """
    where = f"config/studies/{study.study}.yaml"
    factors = _restricted(study, profile)
    tools = {str(name): project.tool(str(name)) for name in factors["tool"]}
    _check_factors(where, factors, tools)
    case_names = {study.models[str(m)].case for m in factors["model"]}
    cases: dict[str, Case] = {name: project.case(name) for name in case_names}
    _check_queries(where, study, cases)
    cells = []
    for values in itertools.product(*factors.values()):
        levels = dict(zip(factors, values, strict=True))
        tool = tools[str(levels["tool"])]
        foreign = [name for name in factors if not _knows(tool, name)]
        if any(levels[name] != factors[name][0] for name in foreign):
            continue  # the same cell again: this tool has no such option
        levels = {name: level for name, level in levels.items() if name not in foreign}
        model = study.models[str(levels["model"])]
        if str(levels["query"]) not in cases[model.case].queries or not _supported(tool, levels):
            continue
        if not all(_allowed(c, levels) for c in study.constraints):
            continue
        applying = [c for c in study.constraints if _applies(c, levels)]
        settings, invocations = _capped(profile, applying)
        settings = _with_clients(settings, levels)
        cells.append(
            Cell(
                study.study, profile.profile, levels, settings, invocations, tool, model,
                study.samples,
            )
        )  # fmt: skip
    if not cells:
        raise ConfigError(
            f"{where}: no cell is left under profile '{profile.profile}'; "
            "its levels, the constraints and the tools' supported levels exclude one another"
        )
    return cells


def find_cell(cells: Iterable[Cell], name: str) -> Cell:
    """The cell whose id is ``name`` or begins or ends with it, when there is only one.

    Raises:
        ConfigError: no cell, or more than one.
    """
    known = list(cells)
    found = [c for c in known if c.id == name] or [
        c for c in known if c.id.startswith(name) or c.id.endswith(name)
    ]
    if len(found) == 1:
        return found[0]
    if found:
        raise ConfigError(f"cell {name!r} is not unique: {', '.join(c.id for c in found[:5])}")
    raise ConfigError(f"unknown cell {name!r}{nearest(name, (c.id for c in known))}")


def _restricted(study: Study, profile: Profile) -> dict[str, list[Level]]:
    """The study's factors with the levels that the profile keeps.

    A profile serves several studies and tools: a factor or level that this study does not have is
    passed over, but a factor must keep at least one level.
    """
    factors: dict[str, list[Level]] = {}
    for name, levels in study.factors.items():
        wanted = profile.levels.get(name)
        kept = levels if wanted is None else [level for level in levels if level in wanted]
        if not kept:
            raise ConfigError(
                f"config/profiles/{profile.profile}.yaml: field 'levels.{name}' keeps none of the "
                f"levels of study '{study.study}' (it has {', '.join(map(str, levels))})"
            )
        factors[name] = kept
    return factors


def _check_factors(where: str, factors: Iterable[str], tools: Mapping[str, Tool]) -> None:
    options = {o for tool in tools.values() for o in (*tool.options, *tool.driver_options)}
    for name in factors:
        if name not in HARNESS_FACTORS and name not in options:
            raise ConfigError(
                f"{where}: field 'factors.{name}': unknown factor {name!r}"
                f"{nearest(name, HARNESS_FACTORS | options)}; "
                "it is neither the harness's nor an option of a tool"
            )


def _check_queries(where: str, study: Study, cases: Mapping[str, Case]) -> None:
    known = {q for case in cases.values() for q in case.queries}
    for query in study.factors["query"]:
        if query not in known:
            raise ConfigError(
                f"{where}: field 'factors.query': unknown query {query!r}{nearest(query, known)}"
            )


def _knows(tool: Tool, factor: str) -> bool:
    return factor in HARNESS_FACTORS or factor in tool.options or factor in tool.driver_options


def _supported(tool: Tool, levels: Mapping[str, Level]) -> bool:
    return (
        levels["backend"] in tool.backends
        and levels["language"] in tool.languages
        and levels["protocol"] in tool.protocols
    )


def _applies(constraint: Constraint, levels: Mapping[str, Level]) -> bool:
    return all(
        levels.get(factor) in (wanted if isinstance(wanted, list) else [wanted])
        for factor, wanted in constraint.when.items()
    )


def _allowed(constraint: Constraint, levels: Mapping[str, Level]) -> bool:
    return not _applies(constraint, levels) or all(
        factor not in levels or levels[factor] in kept for factor, kept in constraint.only.items()
    )


def _capped(profile: Profile, constraints: Iterable[Constraint]) -> tuple[Settings, int]:
    executions = profile.settings.executions
    warmup = profile.settings.warmup.executions
    invocations = profile.invocations
    for constraint in constraints:
        executions = min(executions, constraint.at_most.get("executions", executions))
        warmup = min(warmup, constraint.at_most.get("warmup_executions", warmup))
        invocations = min(invocations, constraint.at_most.get("invocations", invocations))
    settings = profile.settings.model_copy(
        update={
            "executions": executions,
            "warmup": profile.settings.warmup.model_copy(update={"executions": warmup}),
        }
    )
    return settings, invocations


def _with_clients(settings: Settings, levels: Mapping[str, Level]) -> Settings:
    """Never more client processes than threads: one thread means one client, as in the paper."""
    clients = int(levels.get("clients", settings.clients))
    return settings.model_copy(update={"clients": min(clients, int(levels["threads"]))})
