"""``modelstress scoreboard``: the space of a profile on a web page, while it is measured."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path

import click

from modelstress.cli.options import chosen, project_of, study_options
from modelstress.cli.progress import Counter


@click.command()
@study_options
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, show_default=True,
    help="Port on loopback; 0: any that is free.",
)  # fmt: skip
@click.option(
    "--export", "folder", type=click.Path(path_type=Path, file_okay=False),
    help="Instead of serving: write the pages into this folder.",
)  # fmt: skip
@click.option(
    "--depth", type=click.IntRange(0, 3), default=2, show_default=True,
    help="With --export: how many settings pages have fixed at most.",
)  # fmt: skip
@click.pass_context
def scoreboard(
    ctx: click.Context,
    study: str | None,
    profile: str | None,
    port: int,
    folder: Path | None,
    depth: int,
) -> None:
    """Serve a page about a profile's cells, or write it: progress, coverage, failures, effects.

    It reads the plan and the samples below data/raw, changes nothing, and goes on until Ctrl-C.
    On another machine, open it through a tunnel: 'ssh -L 8000:127.0.0.1:PORT machine'.
    """
    project = project_of(ctx)
    names = chosen(project, study, profile)
    if folder is not None:
        from modelstress.report.scoreboard.board import reader_of  # not at every start
        from modelstress.report.scoreboard.export import export

        with Counter("scoreboard", "pages") as counter:
            pages = export(reader_of(project, *names).read(), folder, depth, counter.at)
        fewer = "" if pages.depth == depth else f"; more than {pages.depth} would be too many pages"
        fixed = f"{pages.depth} settings are fixed at most{fewer}"
        click.echo(f"{folder / 'index.html'}: {len(pages.choices)} pages, {fixed}")
        return
    from modelstress.report.scoreboard.reading import Readings
    from modelstress.report.scoreboard.server import serve

    async def until_told(readings: Readings) -> None:
        ended, loop = asyncio.Event(), asyncio.get_running_loop()
        for signum in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(signum, ended.set)
        await serve(readings, port, ended, lambda url: click.echo(f"{url} (Ctrl-C ends it)"))

    with Readings(project, *names) as readings:
        asyncio.run(until_told(readings))


COMMANDS = (scoreboard,)
