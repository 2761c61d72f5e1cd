"""``modelstress follow-up``: the second half of a fraction that tells its strong effects apart."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import click
import yaml

from modelstress.cli.options import project_of, study_options
from modelstress.config.base import NAME
from modelstress.config.errors import ConfigError, MissingError
from modelstress.config.profile import Profile
from modelstress.config.project import Project
from modelstress.design.cells import fractions_of
from modelstress.design.folding import Aliased, Fold, best_fold
from modelstress.design.fractions import Part


@click.command("follow-up")
@study_options
@click.option("--name", help="Also write the profile of both halves, with this name.")
@click.option(
    "--invocations",
    type=click.IntRange(1),
    metavar="N",
    help="With --name: starts of each of its cells; by default as many as before.",
)
@click.pass_context
def follow_up(
    ctx: click.Context,
    study: str | None,
    profile: str | None,
    name: str | None,
    invocations: int | None,
) -> None:
    """Choose factors to fold a measured fraction over, so that its strong effects are apart.

    An effect that the cells of a fraction show may be that of several options or interactions. A
    second half with the levels of some factors exchanged tells them apart.
    """
    from modelstress.stats.effects import named

    project = project_of(ctx)
    main = project.main
    definition = project.study(study or main.studies[0])
    chosen = project.profile(profile or main.profile, definition.study)
    parts = fractions_of(project, definition, chosen)
    aliased = _aliased(project, definition.study, chosen.profile)
    click.echo(f"{len(aliased)} strong effects could each be that of several terms")
    for group in aliased:
        click.echo(f"  {named(group.terms)}")
    part = max(parts, key=lambda one: one.runs, default=None)
    fold = best_fold(part, aliased) if part is not None else None
    if part is None or fold is None:
        click.echo("no second half tells more" if aliased else "there is nothing to tell apart")
        return
    click.echo(_told(part, fold))
    for terms in fold.left:
        click.echo(f"  still together: {named(terms)}")
    if name is None:
        click.echo(f"design: {_design(chosen, fold)}")
    else:
        fields = _fields(project, definition.study, chosen, fold) | {"profile": name}
        if invocations is not None:
            fields["invocations"] = invocations
        click.echo(f"{_write(project, definition.study, fields)}: written")


def _aliased(project: Project, study: str, profile: str) -> list[Aliased]:
    """What the derived table of effects has of strong effects with several terms.

    Raises:
        MissingError: there is no such table; says by which command it is made.
    """
    import pandas as pd

    from modelstress.stats.effects import terms_named

    path = project.root / "data" / "derived" / study / profile / "effects.parquet"
    if not path.is_file():
        raise MissingError(
            f"{path.relative_to(project.root)}: is not there; measure the profile and run "
            f"'modelstress derive --study {study} --profile {profile}'"
        )
    rows = pd.read_parquet(path).dropna(subset=["terms"])
    strong = rows[rows["strong"].astype(bool)].drop_duplicates("terms")
    groups = (
        Aliased(tuple(terms_named(row["terms"])), tuple(terms_named(row["likely"])))
        for row in strong.to_dict("records")
    )
    return [group for group in groups if len(group.terms) > 1]


def _told(part: Part, fold: Fold) -> str:
    left = f"all but {len(fold.left)} of them are told" if fold.left else "all of them are told"
    return (
        f"a second half of {part.runs:,} cells with {', '.join(fold.factors)} exchanged: {left} "
        "from what they could be"
    )


def _design(profile: Profile, fold: Fold) -> str:
    """The design of both halves, as a profile has it."""
    fields = profile.design.model_dump(exclude_defaults=True) | {"fold": list(fold.factors)}
    text: str = yaml.safe_dump(fields, default_flow_style=True, sort_keys=False, width=10_000)
    return text.strip()


def _fields(project: Project, study: str, profile: Profile, fold: Fold) -> dict[str, Any]:
    """The measured profile, with another title and design."""
    source = project.profile_file(profile.profile, study)
    fields: dict[str, Any] = yaml.safe_load(source.read_text(encoding="utf-8"))
    return fields | {
        "title": f"{profile.title}, folded over {len(fold.factors)} of them",
        "design": yaml.safe_load(_design(profile, fold)),
    }


def _write(project: Project, study: str, fields: dict[str, Any]) -> Path:
    """Write a profile.

    Raises:
        ConfigError: its name is none, or it is taken.
    """
    name = fields["profile"]
    if not re.fullmatch(NAME, name):
        raise ConfigError(f"profile name {name!r}: use letters, digits and '-', such as 'folded'")
    path = project.root / "config" / "profiles" / study / f"{name}.yaml"
    if project.profile_file(name, study).exists():
        raise ConfigError(f"{path.relative_to(project.root)}: is there already; give another name")
    path.parent.mkdir(exist_ok=True)
    path.write_text(yaml.safe_dump(fields, sort_keys=False, width=100), encoding="utf-8")
    return path.relative_to(project.root)


COMMANDS = (follow_up,)
