"""``modelstress steer`` and ``modelstress join``: a study measured by many machines."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from modelstress.cli.options import executor_option, project_of, study_options
from modelstress.cli.progress import human
from modelstress.cli.until import Duration
from modelstress.config.base import Level
from modelstress.config.errors import ConfigError, MeasureError
from modelstress.config.project import Project
from modelstress.config.study import Study
from modelstress.measure.interrupt import Interrupt

if TYPE_CHECKING:  # late: procrastinate and psycopg take longer than most commands
    from modelstress.steering.progress_file import Progress

TOKEN = "MODELSTRESS_TOKEN"  # noqa: S105 - a name
Fixed = dict[str, Level | list[Level]]


@click.command()
@study_options
@click.option("--database", help="URL of a PostgreSQL server; by default one is started here.")
@click.option("--listen", help="With our own database: another address on which workers reach it.")
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="With our own database.")
@click.option("--fix", multiple=True, help="Measure only cells with these levels: option=level,…")
@click.option("--template", help="Likewise, as in config/templates/<TEMPLATE>.yaml.")
@click.option(
    "--again-when-rebuilt", "again", is_flag=True,
    help="Measure again what was measured with other programs or settings.",
)  # fmt: skip
@click.option(
    "--watch", type=Duration(),
    help="Stay, and look so often whether programs were built anew, such as 10min.",
)  # fmt: skip
@click.option("--status", is_flag=True, help="Only show how far the study is.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def steer(
    ctx: click.Context,
    study: str | None,
    profile: str | None,
    database: str | None,
    listen: str | None,
    port: int,
    fix: tuple[str, ...],
    template: str | None,
    again: bool,
    watch: float | None,
    status: bool,
    as_json: bool,
) -> None:
    """Hand a study's starts out to workers, and collect what they measure.

    Each start is a job of a queue in PostgreSQL; 'modelstress join' makes a machine a worker. What
    arrives is in data/raw as if 'modelstress run --all' had measured it. Killed or interrupted, the
    same command goes on where it was. It ends when every start is measured.
    """
    from modelstress.steering import progress
    from modelstress.steering.coordinator import Coordinator, Options

    project = project_of(ctx)
    name, used = study or project.main.studies[0], profile or project.main.profile
    if status:
        _show_status(progress.of_study(project, name, used), as_json)
        return
    if database and (listen or port):
        raise ConfigError("--listen and --port are of our own database; leave them or --database")
    options = Options(
        database=database, listen=listen, port=port,
        fix=_fixed(project, project.study(name), fix, template), again=again, watch_s=watch,
    )  # fmt: skip
    shown = _Shown()
    if listen:
        click.echo(f"{listen}: results travel there in the clear; a tunnel by ssh hides them")
    coordinator = Coordinator(project, name, used, options, click.echo, shown)
    with Interrupt() as interrupt:
        done = coordinator.run(interrupt)
    click.echo(_sentence(done))
    from modelstress.steering import machines

    if said := machines.sentence(machines.ratios(project.root / "data", name, used)):
        click.echo(said)
    click.echo(f"next: modelstress derive --study {name} --profile {used}, then report")
    if done.failed:
        raise MeasureError(
            f"{done.failed} of {done.planned} starts could not be measured: {done.failures[0]}"
        )


@click.command()
@click.argument("url", metavar="URL|FILE")
@executor_option
@click.option("--name", default="", help="Of this worker; by default made of the machine's.")
@click.option("--fix", multiple=True, help="Measure only cells with these levels: option=level,…")
@click.option("--template", help="Likewise, as in config/templates/<TEMPLATE>.yaml.")
@click.option("--shipped", is_flag=True, help="Run the coordinator's programs where ours differ.")
@click.option("--build", is_flag=True, help="Build programs that differ from the coordinator's.")
@click.option("--noisy", is_flag=True, help="Join although this machine's speed varies.")
@click.option(
    "--patience", type=Duration(), default="10min", show_default=True,
    help="How long the database may be away.",
)  # fmt: skip
@click.pass_context
def join(
    ctx: click.Context,
    url: str,
    name: str,
    fix: tuple[str, ...],
    template: str | None,
    shipped: bool,
    build: bool,
    noisy: bool,
    patience: float,
) -> None:
    """Make this machine a worker of a study that 'modelstress steer' hands out.

    URL is what 'steer' shows, with the token in the environment variable MODELSTRESS_TOKEN; or the
    path of a file that has it, token included. This machine needs the project with the same study
    files. Conformance and noise are checked first, then anchors are measured, then jobs.
    """
    from modelstress.steering.measuring import measurer
    from modelstress.steering.worker import Options, Worker, study_at

    project = project_of(ctx)
    address = _address(url)
    fixed: Fixed = {}
    if fix or template:
        fixed = _fixed(project, project.study(study_at(address)), fix, template)
    options = Options(
        url=address, name=name, fix=fixed, shipped=shipped, build=build, noisy=noisy,
        patience_s=patience,
    )  # fmt: skip
    worker = Worker(project, options, measurer(click.echo), click.echo)
    with Interrupt() as interrupt:
        worker.run(interrupt)


def _address(url: str) -> str:
    """The URL with its token: as given, of a file, or with the environment's token.

    Raises:
        ConfigError: there is no token, or no such file.
    """
    from modelstress.steering.connections import with_password

    if "://" not in url:
        try:
            lines = Path(url).read_text(encoding="utf-8").split()
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(
                f"{url}: cannot be read ({error}); give a URL, or the file 'join.url' that "
                "'modelstress steer' has written"
            ) from error
        if len(lines) != 1:
            raise ConfigError(f"{url}: has no URL in its one line; see 'modelstress steer'")
        return lines[0]
    token = os.environ.get(TOKEN)
    return with_password(url, token) if token else url


def _fixed(project: Project, study: Study, fix: tuple[str, ...], template: str | None) -> Fixed:
    """The levels that --fix and --template fix.

    Raises:
        ConfigError: there is no such template, option or level.
    """
    from modelstress.steering.keys import parsed_fix

    fixed: Fixed = {}
    if template is not None:
        for name, level in project.template(template).fix.items():
            if name not in study.factors:
                raise ConfigError(
                    f"config/templates/{template}.yaml: field 'fix': study {study.study!r} has no "
                    f"option {name!r}"
                )
            fixed[name] = level
    return fixed | parsed_fix(fix, study)


class _Shown:
    """Shows progress: a line whenever something was done, at most every ten seconds or so."""

    def __init__(self) -> None:
        self._before: tuple[int, ...] = ()
        self._calls = 0

    def __call__(self, now: Progress) -> None:
        counts = (now.done, now.failed, now.left_out, now.refused, len(now.workers))
        self._calls += 1
        if counts != self._before and (self._calls % 5 == 1 or not self._before):
            self._before = counts
            click.echo(_sentence(now))


def _sentence(now: Progress) -> str:
    present = [w for w in now.workers if w.state not in ("gone", "refused")]
    parts = [
        f"{now.done} of {now.planned} starts done",
        f"{now.running} running on {len(present)} workers",
        f"{now.queued} queued",
    ]
    for count, word in (
        (now.failed, "failed"), (now.left_out, "left out"), (now.refused, "workers refused"),
        (now.late, "came late"),
    ):  # fmt: skip
        if count:
            parts.append(f"{count} {word}")
    if now.seconds_left:
        parts.append(f"about {human(now.seconds_left)} left")
    return ", ".join(parts)


def _show_status(now: Progress, as_json: bool) -> None:
    if as_json:
        click.echo(now.model_dump_json(indent=2))
        return
    click.echo(_sentence(now) if now.queue else f"not steered now; {_sentence(now)}")
    for worker in now.workers:
        what = f" {worker.now}" if worker.now else f": {worker.why}" if worker.why else ""
        click.echo(f"  {worker.name}: {worker.state}{what}, {worker.done} done")
    for line in (*now.failures, *now.notes):
        click.echo(f"  {line}")


COMMANDS = (steer, join)
