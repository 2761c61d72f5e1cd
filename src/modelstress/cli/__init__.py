"""The command line: thin; every command calls one function of a room."""

from __future__ import annotations

import errno
import sys
from pathlib import Path
from typing import Any

import click

from modelstress import __version__
from modelstress.cli import (
    archive,
    artifact,
    cells,
    compare,
    data,
    doctor,
    follow_up,
    images,
    merge,
    results,
    run,
    scoreboard,
    steer,
    tools,
    verify_claims,
)
from modelstress.config.errors import ConfigError, ModelstressError
from modelstress.config.project import ROOT
from modelstress.design.kinds import commands

INTERRUPTED = 130


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


_OWN = (cells, follow_up, run, steer, data, merge, archive, artifact, compare, doctor, tools,
        images, results, scoreboard, verify_claims)  # fmt: skip
for _module in (*_OWN, *commands()):  # those of kinds last: they may extend a command
    for _command in _module.COMMANDS:
        main.add_command(_command)
