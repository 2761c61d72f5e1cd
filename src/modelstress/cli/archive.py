"""``modelstress archive`` and ``unpack``: a dataset as one citable file, and back."""

from __future__ import annotations

import json
import math
from pathlib import Path

import click

from modelstress.cli.artifact import ARTIFACT, artifact_of
from modelstress.cli.options import project_of, study_options
from modelstress.cli.progress import Counter
from modelstress.config.errors import ConfigError
from modelstress.config.project import Project
from modelstress.samples.archive import MOST_BYTES


@click.command()
@study_options
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    help="The archive; by default archives/<study>-<profile>.zip in the project.",
)
@click.option(
    "--license",
    "licence",
    default="CC-BY-4.0",
    show_default=True,
    help="Of the data; SPDX identifier.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def archive(
    ctx: click.Context,
    study: str | None,
    profile: str | None,
    out: Path | None,
    licence: str,
    as_json: bool,
) -> None:
    """Write a study's samples, derived tables and configuration as one citable archive."""
    from modelstress.analysis import archive as archiving

    project = project_of(ctx)
    name, chosen = study or project.main.studies[0], profile or project.main.profile
    path = (out or archiving.archive_path(project, name, chosen)).absolute()
    with Counter(f"archive {path.name}", "files") as counter:
        sizes = archiving.archive(
            project, name, chosen, path, counter.at, licence=licence,
            texts=lambda derived, named: {ARTIFACT: artifact_of(project, derived, named)},
        )  # fmt: skip
    if as_json:
        kinds = {
            kind: dict(zip(("files", "bytes", "packed"), numbers, strict=True))
            for kind, numbers in sizes.kinds.items()
        }
        about = {"archive": str(path), "bytes": sizes.bytes, "files": sizes.files, "kinds": kinds}
        click.echo(json.dumps(about, indent=2))
        return
    for kind, (files, size, packed) in sorted(sizes.kinds.items(), key=lambda k: -k[1][2]):
        click.echo(f"{packed / 1e6:9.2f} MB of {size / 1e6:9.2f} MB in {files:6} files  {kind}")
    click.echo(f"{path}: {sizes.files} files, {sizes.bytes / 1e6:.2f} MB")


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--to",
    "folder",
    type=click.Path(path_type=Path),
    help="New folder; by default data/archive/<name of FILE> in the project, or <name of FILE>.",
)
@click.option(
    "--most-gb",
    type=click.FloatRange(min=0, min_open=True),
    default=MOST_BYTES / 1e9,
    show_default="4.3",
    help="Refuse what is larger when unpacked.",
)
@click.pass_context
def unpack(ctx: click.Context, file: Path, folder: Path | None, most_gb: float) -> None:
    """Unpack an archive and check every file against its hash; goes on where it stopped."""
    from modelstress.samples import archive as archives

    if not math.isfinite(most_gb):
        raise ConfigError(f"--most-gb is {most_gb}; give a number of gigabytes such as 4.3")
    most_bytes = int(most_gb * 1e9)
    target = folder or _folder(ctx, file)
    with Counter(f"unpack {file.name}", "files") as counter:
        written = archives.unpack(file, target, most_bytes, counter.at)
    click.echo(f"{target}: {written} files written, all are what the archive's hashes say")


def _folder(ctx: click.Context, file: Path) -> Path:
    project: Project | None
    try:
        project = project_of(ctx)
    except ConfigError:
        return Path(file.stem)
    return project.root / "data" / "archive" / file.stem


COMMANDS = (archive, unpack)
