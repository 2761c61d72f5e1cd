"""The project, study and profile that a command is about, and the options that name them."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import click

from modelstress.cli import complete
from modelstress.config.environment import EXECUTOR
from modelstress.config.errors import ConfigError
from modelstress.config.packages import WORKSPACE
from modelstress.config.project import EXECUTORS, Project
from modelstress.samples.archive import KEY, PACKAGE, read_package

F = TypeVar("F", bound=Callable[..., Any])


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
            return Project.find(WORKSPACE if WORKSPACE.is_dir() else Path(__file__))
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
    command = executor_option(command)
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


def executor_option(command: F) -> F:
    """Option ``--executor``, by default as in ``config.yaml``."""
    return click.option(
        "--executor",
        type=click.Choice(EXECUTORS),
        expose_value=False,
        callback=_choose_executor,
        help="How hosts come to be; by default as in config/config.yaml.",
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
