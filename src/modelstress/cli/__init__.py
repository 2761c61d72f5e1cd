"""The command line: thin; every command calls one function of a room."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import click

from modelstress import __version__
from modelstress.cli import complete
from modelstress.config.errors import ConfigError, ModelstressError
from modelstress.config.project import EXECUTOR, EXECUTORS, ROOT, Project
from modelstress.samples.archive import KEY, PACKAGE, read_package

INTERRUPTED = 130
F = TypeVar("F", bound=Callable[..., Any])


class Group(click.Group):
    """A group whose commands end with one sentence and an exit code when something is wrong."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Look at the words of the whole line before any option or command gets them."""
        for word in args:
            if why := _no_text(word):
                click.echo(f"error: argument {word!r:.300} {why}", err=True)
                ctx.exit(ConfigError.exit_code)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; turn our errors into a sentence on stderr and an exit code."""
        try:
            return super().invoke(ctx)
        except ModelstressError as error:
            sentence, code = str(error), error.exit_code
        except BrokenPipeError:
            raise  # whoever read the output has enough, which click knows
        except OSError as error:
            sentence, code = _of_system(error)
        except KeyboardInterrupt:
            sentence, code = "interrupted", INTERRUPTED
        click.echo(f"error: {sentence}", err=True)
        sys.exit(code)


def _no_text(word: str) -> str:
    """Why no file and no name can be called so; empty where they can."""
    try:
        word.encode()
    except UnicodeEncodeError:
        return "is not UTF-8; give it another name"
    return "has a NUL, which no name can have" if "\0" in word else ""


def _of_system(error: OSError) -> tuple[str, int]:
    """A sentence and an exit code for what the system refused: a file and the reason."""
    where = f"{error.filename}: " if error.filename is not None else ""
    if error.errno == errno.ENAMETOOLONG:
        return f"{where:.300}the name is too long; a name has 255 bytes at most", 2
    remedy = "free some space" if error.errno in (errno.ENOSPC, errno.EDQUOT) else "check rights"
    return f"{where}{error.strerror or error}; {remedy} and run the same command again", 4


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


def project_of_data(ctx: click.Context) -> Project:
    """The project that the command works on or, outside of any, the one this program belongs to.

    For commands that need no more of it than its programs.
    """
    try:
        return project_of(ctx)
    except ConfigError:
        try:
            return Project.find(Path(__file__))
        except ConfigError:
            pass
        raise


def chosen(project: Project, study: str | None, profile: str | None) -> tuple[str, str]:
    """Names of study and profile: those given, else an unpacked archive's, else the project's."""
    about: dict[str, Any] = {}
    if (project.root / PACKAGE).is_file():
        with suppress(ConfigError):  # it describes something else
            about = read_package(project.root)[KEY]
    main = project.main
    return study or about.get("study", main.studies[0]), profile or about.get(
        "profile", main.profile
    )


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
    results,
    run,
    tools,
)
from modelstress.design.kinds import commands as study_commands  # noqa: E402

for _module in (cells, run, data, merge, archive, compare, tools, images, results):
    for _command in _module.COMMANDS:
        main.add_command(_command)

for _module in study_commands():  # after all others: a kind may extend a command
    for _command in _module.COMMANDS:
        main.add_command(_command)
