"""``modelstress merge``: datasets of several hosts as one."""

from __future__ import annotations

from pathlib import Path

import click

from modelstress.cli.progress import Counter


@click.command()
@click.argument("datasets", nargs=-1, required=True, metavar="[NAME=]FOLDER...")
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    required=True,
    help="Folder of the merged dataset: a project of its own, to be reported and archived.",
)
def merge(datasets: tuple[str, ...], out: Path) -> None:
    """Merge what was measured on several hosts; NAME becomes the level of the factor `host`.

    FOLDER is a project or an unpacked archive. Without NAME it is the host's name that the samples
    recorded.
    """
    from modelstress.analysis import merging

    parts = [merging.part_of(argument) for argument in datasets]
    with Counter(f"merge into {out}", "invocations") as counter:
        merged = merging.merge(parts, out, counter.at)
    click.echo(
        f"{out}: {merged.copied} invocations copied, {merged.kept} were there; {merged.cells} "
        "cells are planned on more than one host"
    )
    for name, count in merged.differ.items():
        click.echo(
            f"{count} of these cells were measured with another {name} on another host: they "
            "differ by more than the host"
        )
    click.echo(f"next: modelstress --project {out} derive, then report")


COMMANDS = (merge,)
