"""Completion of names in a shell: cells, studies and profiles of the project."""

from __future__ import annotations

from pathlib import Path

import click

from modelstress.config.errors import ModelstressError
from modelstress.config.project import Project


def cells(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Ids of the cells of the study and profile that are given, or of the defaults."""
    from modelstress.design.cells import cells_of

    try:
        project = _project(ctx)
        study = ctx.params.get("study") or project.main.studies[0]
        profile = ctx.params.get("profile") or project.main.profile
        chosen = project.profile(str(profile), str(study))
        all_cells = cells_of(project, project.study(str(study)), chosen)
    except ModelstressError:
        return []  # nothing can be said in the middle of a line
    return [cell.id for cell in all_cells if cell.id.startswith(incomplete)]


def studies(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Names of studies."""
    return _files(ctx, "studies", incomplete)


def profiles(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Names of profiles, the study's own among them."""
    own = f"profiles/{ctx.params.get('study')}"
    return sorted({*_files(ctx, "profiles", incomplete), *_files(ctx, own, incomplete)})


def _files(ctx: click.Context, folder: str, incomplete: str) -> list[str]:
    try:
        files = (_project(ctx).root / "config" / folder).glob("*.yaml")
    except ModelstressError:
        return []
    return sorted(file.stem for file in files if file.stem.startswith(incomplete))


def _project(ctx: click.Context) -> Project:
    folder = ctx.find_root().params.get("project")
    return Project.find(Path(folder) if folder else None)
