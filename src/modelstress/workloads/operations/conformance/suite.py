"""The conformance suite of the kind ``operations``: what is asked of a tool."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from modelstress.config.project import Project
from modelstress.config.tool import Tool
from modelstress.design.cell import Cell
from modelstress.measure.conformance import (
    Result,
    driving,
    leaking,
    place_of,
    run_checks,
    serving,
    slicing,
)
from modelstress.workloads.operations.conformance import holding, operating
from modelstress.workloads.operations.conformance.bench import OperationsBench, cell_with

Check = Callable[[OperationsBench], str]


def check_tool(project: Project, tool: Tool) -> Iterator[Result]:
    """Check a tool's programs as a study's cell has them, with its operations; yields as it goes.

    Where the cell has a level that the tool given here does not support, the tool's first one is
    taken: so another build of it can be checked.

    Raises:
        ConfigError: the tool's server is run by somebody else, or no study has a cell of it.
        MissingError: a program is not there.
    """
    cell = _with_levels_of(tool, cell_with(project, tool.tool), project.tool(tool.tool))
    with place_of(tool) as (folder, host):
        bench = OperationsBench(project, _as_of(cell), folder, host, cell)
        yield from run_checks(bench, checks_of(bench))


def _with_levels_of(tool: Tool, cell: Cell, described: Tool) -> Cell:
    """The cell with levels that the tool supports."""
    other = {
        factor: levels[0]
        for factor, levels in tool.supports.items()
        if factor in cell.levels and cell.levels[factor] not in levels
    }
    if not other:
        return cell
    levels = {**cell.levels, **other}
    return replace(cell, levels=levels, tool=described.at(levels))


def _as_of(cell: Cell) -> Tool:
    """The cell's tool, which serves the cell's protocol only."""
    tool, protocol = cell.tool, cell.levels.get("protocol")
    if protocol is None:
        return tool
    return tool.model_copy(update={"supports": {**tool.supports, "protocol": [protocol]}})


def checks_of(bench: OperationsBench) -> tuple[tuple[str, Check], ...]:
    """All checks of a tool, by name, in their order: a store is loaded first, if there is one."""
    loaded = bench.loaded
    return (
        *(holding.LOADED if loaded else ()),
        *(serving.CHECKS if loaded else serving.WITHOUT_STORE),
        *operating.CHECKS,
        *(holding.INVARIANTS if bench.work.invariants else ()),
        *driving.CHECKS,
        *slicing.CHECKS,
        *leaking.CHECKS,
    )
