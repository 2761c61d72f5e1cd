"""Cells by their ids."""

from __future__ import annotations

from collections.abc import Iterable

from modelstress.config.base import nearest
from modelstress.config.errors import ConfigError
from modelstress.config.profile import Profile
from modelstress.config.project import Project
from modelstress.config.study import Study
from modelstress.design.cell import Cell, readable, word_of
from modelstress.design.cells import cells_of
from modelstress.design.sharing import sharing


def cell_named(project: Project, study: Study, profile: Profile, name: str) -> Cell | None:
    """The cell with exactly this id; None where there is none, or where it takes the whole plan.

    An id tells its main levels, so that only cells with these are looked at: a job that measures
    one cell of thousands need not make all of them. Copies are drawn from all.

    Raises:
        ConfigError: as ``cells_of``.
    """
    if profile.design.kind != "full":
        return None  # fewer levels would make another design
    levels, defined = dict(profile.levels), study.defined()
    for factor, word in zip(readable(study.projected), name.split("_"), strict=False):
        kept = levels.get(factor, study.factors[factor])
        levels[factor] = [level for level in kept if word_of(defined, factor, level) == word]
    try:
        changed = profile.model_copy(update={"levels": levels, "placebos": 0})
        cells = cells_of(project, study, changed)
    except ConfigError:
        return None  # what is wrong is said of the whole study
    return next((cell for cell in cells if cell.id == name), None)


def start_mates(project: Project, study: Study, profile: Profile, cell: Cell) -> list[Cell]:
    """The cells that share a cell's starts, itself among them.

    Raises:
        ConfigError: as ``cells_of``.
    """
    key = sharing(study)
    if key is None:
        return [cell]
    levels = dict(profile.levels)
    if profile.design.kind == "full" and not profile.placebos:  # which are drawn from all
        fixed = [name for name in readable(study.projected) if name not in study.interleave]
        levels |= {name: [cell.levels[name]] for name in fixed if name in cell.levels}
    cells = cells_of(project, study, profile.model_copy(update={"levels": levels}))
    return [other for other in cells if key(other) == key(cell)]


def find_cell(cells: Iterable[Cell], name: str) -> Cell:
    """The cell whose id is ``name`` or begins or ends with it, when there is only one.

    Raises:
        ConfigError: no cell, or more than one.
    """
    all_cells = list(cells)
    matches = [c for c in all_cells if c.id == name] or [
        c for c in all_cells if c.id.startswith(name) or c.id.endswith(name)
    ]
    if len(matches) == 1:
        return matches[0]
    if matches:
        raise ConfigError(f"cell {name!r} is not unique: {', '.join(c.id for c in matches[:5])}")
    raise ConfigError(f"unknown cell {name!r}{nearest(name, (c.id for c in all_cells))}")
