"""The command line: thin; every command calls one function of a room."""

from __future__ import annotations

import errno
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from modelstress import __version__
from modelstress.cli.listing import Listed, listed
from modelstress.config.environment import ROOT
from modelstress.config.errors import ConfigError, MissingError, ModelstressError
from modelstress.importing import INTERRUPTED, Importing


class Group(click.Group):
    """A group whose commands end with one sentence and an exit code when something is wrong.

    A command is imported when it is called: most take a second to import.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names of all commands."""
        return sorted({*listed(), *self.commands})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command."""
        found = listed().get(cmd_name)
        return super().get_command(ctx, cmd_name) if found is None else _imported(cmd_name, found)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands without importing them."""
        longest = max(map(len, listed()))
        room = formatter.width - 6 - longest
        rows = [
            (name, click.Command(name, help=about.help).get_short_help_str(room))
            for name, about in sorted(listed().items())
        ]
        with formatter.section("Commands"):
            formatter.write_dl(rows)

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
        except ModuleNotFoundError as error:
            sentence, code = _not_installed(error), MissingError.exit_code
        except KeyboardInterrupt:
            sentence, code = "interrupted", INTERRUPTED
        click.echo(f"error: {sentence}", err=True)
        sys.exit(code)


def _imported(name: str, about: Listed) -> click.Command:
    with Importing():
        commands: tuple[click.Command, ...] = import_module(about.module).COMMANDS
    return next(command for command in commands if command.name == name)


def _not_installed(error: ModuleNotFoundError) -> str:
    """A sentence for a library that the light core does without.

    Raises:
        ModuleNotFoundError: it is a module of our own, which is a mistake.
    """
    name = str(error.name).partition(".")[0]
    if name == "modelstress":
        raise error
    return (
        f"this command needs the Python package {name!r}, which is not installed; type "
        "pip install 'modelstress[measure]'"
    )


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
