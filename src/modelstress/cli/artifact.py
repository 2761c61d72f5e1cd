"""``modelstress artifact``: claims of a dataset, each with the command that checks it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from modelstress.cli.options import project_of
from modelstress.cli.verify_claims import cells_here, claimed_by
from modelstress.config.project import Project
from modelstress.samples.files import write_text

if TYPE_CHECKING:  # late: pandas takes its time
    from modelstress.analysis.derived import Derived

ARTIFACT = "ARTIFACT.md"


@click.command()
@click.argument("archive", required=False, type=click.Path(path_type=Path))
@click.option("--study", help="Where the dataset has several.")
@click.option("--profile", help="Where the dataset has several.")
@click.option(
    "--out", type=click.Path(path_type=Path, dir_okay=False), help="File instead of stdout."
)
@click.pass_context
def artifact(
    ctx: click.Context,
    archive: Path | None,
    study: str | None,
    profile: str | None,
    out: Path | None,
) -> None:
    """Write each claim of ARCHIVE (by default that of config.yaml) with command and minutes."""
    project = project_of(ctx)
    path = archive or project.root / project.main.archive
    text = artifact_of(project, claimed_by(path, study, profile), path.name)
    if out is None:
        click.echo(text, nl=False)
    else:
        write_text(out, text)
        click.echo(out)


def artifact_of(project: Project, derived: Derived, archive: str) -> str:
    """The text of a dataset's ``ARTIFACT.md``.

    Args:
        project: in which its claims would be measured again.
        derived: its tables.
        archive: name of its archive.
    """
    from modelstress.analysis.verdicts import costs
    from modelstress.report import artifact as report
    from modelstress.report.claims_register import register

    _, typical = cells_here(project, derived)
    return report.artifact(register(derived), costs(derived, typical.get), archive)


COMMANDS = (artifact,)
