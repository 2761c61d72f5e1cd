"""Why no combination of levels is left: the few constraints that exclude one another."""

from __future__ import annotations

from collections.abc import Sequence

from modelstress.design.candidates import TOOL, Candidates, Space
from modelstress.design.tables import Table, tables, values_of

MOST_SECONDS = 10.0


def why_empty(candidates: Candidates) -> str:
    """A sentence for each tool that says what excludes all of its combinations.

    The constraints that are named cannot be kept together, and without any one of them they could.
    """
    return "; ".join(_why(space, candidates) for space in candidates.spaces)


def _why(space: Space, candidates: Candidates) -> str:
    tool = next(iter(space.factors.get(TOOL, [])), "the tool")
    empty = [name for name, levels in space.factors.items() if not levels]
    if TOOL in empty:
        return "no tool is left"
    if empty:
        return f"{tool} supports none of the levels of {' and '.join(empty)} that remain"
    found = _core(space, list(tables(space, candidates.rules)))
    if not found:
        return f"{tool}: the design chooses none of its combinations"
    if len(found) == 1:
        return f"with the levels that remain, {tool} has none that keeps {found[0]}"
    return f"for {tool}, these exclude one another: {'; '.join(found)}"


def _core(space: Space, found: Sequence[Table]) -> list[str]:
    """Names of the rules of which none can be left out, or nothing is to be explained."""
    rules = [table for table in found if table.rule is not None]
    needed = [table for table in found if table.rule is None]
    if not _contradicts(space, [*needed, *rules]):
        return []
    kept = rules
    for table in rules:  # each is tried once: what is left cannot do without any of its own
        fewer = [other for other in kept if other is not table]
        if _contradicts(space, [*needed, *fewer]):
            kept = fewer
    return [table.rule.name for table in kept if table.rule is not None]


def _contradicts(space: Space, chosen: Sequence[Table]) -> bool:
    """Whether no combination keeps all these tables."""
    from ortools.sat.python import cp_model  # takes as long to import as all the rest

    model = cp_model.CpModel()
    values = values_of(space)
    factors = {name: model.new_int_var(0, len(levels) - 1, name) for name, levels in values.items()}
    for table in chosen:
        columns = [values[name] for name in table.factors]
        numbers = [
            tuple(levels.index(level) for levels, level in zip(columns, row, strict=True))
            for row in table.rows
        ]
        model.add_forbidden_assignments([factors[name] for name in table.factors], numbers)
    solver = cp_model.CpSolver()
    solver.parameters.max_time_in_seconds = MOST_SECONDS
    solver.parameters.num_workers = 1
    return bool(solver.solve(model) == cp_model.INFEASIBLE)
