"""``modelstress images``: what executor ``docker`` starts."""

from __future__ import annotations

import click

from modelstress.cli.options import project_of
from modelstress.config.errors import ConfigError, MissingError
from modelstress.config.packages import how_to_get
from modelstress.config.tool import Tool


@click.command()
@click.argument("tools", nargs=-1)
@click.pass_context
def images(ctx: click.Context, tools: tuple[str, ...]) -> None:
    """Make the images of TOOLS on every machine of executor 'docker'.

    By default of all, but those of which there are several builds: they run as they are built.
    """
    from modelstress.hosts.containers import daemon, images  # docker-py takes its time

    project = project_of(ctx)
    folder = project.root / "docker"
    chosen: list[Tool] = [project.tool(name) for name in tools or project.tool_names]
    for tool in chosen:
        if tool.has_builds and tools:
            raise ConfigError(
                f"config/tools/{tool.tool}.yaml: jar has several builds ({tool.jar}), and an image "
                "has one; measure it with executor 'process'"
            )
    wanted = [tool for tool in chosen if tool.endpoint is None and not tool.has_builds]
    for tool in wanted:
        if not project.jar(tool).is_file():
            raise MissingError(f"{project.jar(tool)} is not there; {how_to_get(tool.tool)}")
    first = None
    for context in project.main.contexts:
        client, base = daemon.connect(context), project.main.base_on(context)
        if base is None and first is not None:  # made once, so that it is the same everywhere
            images.copied(images.base_tag(folder), first, client)
        for tool in wanted:
            tag = images.build_tool(client, tool.tool, project.jar(tool), folder, base, click.echo)
            click.echo(f"{context}: {tag}")
        if base is None and images.has(client, images.base_tag(folder)):
            first = first or client


COMMANDS = (images,)
