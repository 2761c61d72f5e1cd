"""``modelstress new`` and ``conformance``."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence

import click

from modelstress.cli.options import project_of
from modelstress.config.base import nearest
from modelstress.config.errors import ConfigError
from modelstress.config.packages import how_to_get
from modelstress.config.tool import Tool


@click.command("tools")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def list_tools(ctx: click.Context, as_json: bool) -> None:
    """List all tools, and where each comes from: the project or an installed package."""
    project = project_of(ctx)
    rows = []
    for name, tool in project.tools.items():
        package = project.package_of(name)
        source = f"{package.name} {package.version}" if package else "config/tools"
        there = tool.has_builds or project.jar(tool).is_file()
        rows.append({"tool": name, "title": tool.title, "from": source, "programs": there})
        if not as_json:
            missing = "" if there else f"; its program is not there: {how_to_get(name)}"
            click.echo(f"{name}: {tool.title} ({source}{missing})")
    if as_json:
        click.echo(json.dumps(rows, indent=2))


@click.group()
def new() -> None:
    """Write skeletons."""


@new.command("tool")
@click.argument("name")
@click.pass_context
def new_tool(ctx: click.Context, name: str) -> None:
    """Write descriptor, driver and server of a new tool NAME; they work as they are."""
    from modelstress.cli.skeleton import write_tool

    project = project_of(ctx)
    for path in write_tool(project, name):
        click.echo(path.relative_to(project.root))
    click.echo(f"next: make build && modelstress conformance {name}")


@click.command()
@click.argument("tool")
@click.option(
    "--level", "levels", multiple=True, metavar="FACTOR=LEVEL",
    help="Check the tool at this level, such as another build: compiler=clang++.",
)  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def conformance(ctx: click.Context, tool: str, levels: tuple[str, ...], as_json: bool) -> None:
    """Say whether TOOL's programs keep the contracts (docs/contracts.md)."""
    from modelstress.design.kinds import kind_named

    project = project_of(ctx)
    results = []
    described = _at_levels(project.tool(tool), levels)
    for result in kind_named(described.workload).conformance(project, described):
        results.append(result)
        if not as_json:
            mark = "pass" if result.passed else "FAIL"
            click.echo(f"{mark}  {result.name}: {result.detail}")
    failed = [result.name for result in results if not result.passed]
    if as_json:
        click.echo(json.dumps([result.__dict__ for result in results], indent=2))
    else:
        click.echo(f"{len(results) - len(failed)} passed, {len(failed)} failed")
    sys.exit(1 if failed else 0)


def _at_levels(tool: Tool, chosen: Sequence[str]) -> Tool:
    """The tool with one level of some factors.

    Args:
        tool: as its descriptor says.
        chosen: ``factor=level``.

    Raises:
        ConfigError: the tool does not have such a factor or level.
    """
    supports = dict(tool.supports)
    for words in chosen:
        factor, _, word = words.partition("=")
        if factor not in supports:
            raise ConfigError(
                f"--level {words}: {tool.tool} has no factor {factor!r}{nearest(factor, supports)}"
            )
        levels = {str(level): level for level in tool.supports[factor]}
        if word not in levels:
            raise ConfigError(
                f"--level {words}: {tool.tool} has no such level{nearest(word, levels)}"
            )
        supports[factor] = [levels[word]]
    return tool.model_copy(update={"supports": supports})


COMMANDS = (list_tools, new, conformance)
