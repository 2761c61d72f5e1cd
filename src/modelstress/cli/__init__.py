"""The command line: thin; every command calls one function of a room."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from modelstress import __version__
from modelstress.cli import complete
from modelstress.config.errors import ModelstressError
from modelstress.config.project import EXECUTOR, EXECUTORS, ROOT, Project

F = TypeVar("F", bound=Callable[..., Any])


class Group(click.Group):
    """A group whose commands end with one sentence and an exit code when something is wrong."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; turn our errors into a sentence on stderr and an exit code."""
        try:
            return super().invoke(ctx)
        except ModelstressError as error:
            click.echo(f"error: {error}", err=True)
            sys.exit(error.exit_code)


@click.group(cls=Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__)
@click.option(
    "--project",
    type=click.Path(path_type=Path, file_okay=False),
    envvar=ROOT,
    show_envvar=True,
    help="Folder of the project; by default the current one or one above it.",
)
@click.pass_context
def main(ctx: click.Context, project: Path | None) -> None:
    """Stress tests of remote model and data stores, from a study to figures."""
    ctx.obj = project


def project_of(ctx: click.Context) -> Project:
    """The project that the command works on."""
    return Project.find(ctx.obj)


def study_options(command: F) -> F:
    """Options ``--study``, ``--profile`` and ``--executor``, by default as in ``config.yaml``."""
    command = click.option(
        "--executor",
        type=click.Choice(EXECUTORS),
        expose_value=False,
        callback=_choose_executor,
        help="How hosts come to be; by default as in config/config.yaml.",
    )(command)
    command = click.option(
        "--profile",
        shell_complete=complete.profiles,
        help="Profile; by default that of config/config.yaml.",
    )(command)
    return click.option(
        "--study",
        shell_complete=complete.studies,
        help="Study; by default the first of config/config.yaml.",
    )(command)


def _choose_executor(ctx: click.Context, param: click.Parameter, value: str | None) -> None:
    """Let the whole command, wherever it opens the project, plan for this executor."""
    if value is None:
        return
    before = os.environ.get(EXECUTOR)
    os.environ[EXECUTOR] = value

    def restore() -> None:
        os.environ.pop(EXECUTOR, None)
        if before is not None:
            os.environ[EXECUTOR] = before

    ctx.call_on_close(restore)


from modelstress.cli import (  # noqa: E402
    archive,
    cells,
    compare,
    data,
    images,
    merge,
    model,
    results,
    run,
    tools,
)

for _module in (model, cells, run, data, merge, archive, compare, tools, images, results):
    for _command in _module.COMMANDS:
        main.add_command(_command)
