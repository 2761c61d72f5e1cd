"""Commands of the kind ``queries``: ``model``, ``oracle``, ``ids``, and ``load`` without a cell."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from modelstress.cli import complete
from modelstress.cli.cells import named
from modelstress.cli.data import load_cell, say_loaded
from modelstress.cli.options import project_of, project_of_data, study_options
from modelstress.cli.progress import Counter
from modelstress.config.base import nearest
from modelstress.config.errors import ConfigError
from modelstress.config.project import Project
from modelstress.samples.files import read_json
from modelstress.workloads.queries import files
from modelstress.workloads.queries.jvm import write_oracle
from modelstress.workloads.queries.models import build_model, extract, run_models, store_model
from modelstress.workloads.queries.study import JdtModel, Model, QueriesStudy, TrainModel


@click.group()
def model() -> None:
    """Make models and count what is in them."""


@model.command()
@click.option("--line", type=click.Choice(["2016", "2017"]), required=True, help="Generator line.")
@click.option("--scenario", type=click.Choice(["batch", "inject", "repair"]), required=True)
@click.option("--size", type=click.IntRange(min=1), required=True, help="Scale factor.")
@click.option("--seed", type=int, default=19871053, show_default=True)
@click.option("--output", type=click.Path(path_type=Path), required=True, help=".xmi or .bin file.")
@click.pass_context
def train(ctx: click.Context, line: str, scenario: str, size: int, seed: int, output: Path) -> None:
    """Generate a model of the Train Benchmark."""
    made = TrainModel.model_validate(
        {"case": "train", "line": line, "scenario": scenario, "size": size, "seed": seed}
    )
    build_model(project_of(ctx), made, output)


@model.command()
@click.option("--step", type=click.IntRange(0, 4), required=True, help="Of the ladder: 0 to 4.")
@click.option(
    "--split", type=click.Choice(["single", "package", "unit"]), default="single",
    show_default=True, help="What has a file of its own.",
)  # fmt: skip
@click.option("--output", type=click.Path(path_type=Path), required=True, help="New folder.")
@click.pass_context
def jdt(ctx: click.Context, step: int, split: str, output: Path) -> None:
    """Extract a model from Java sources (GraBaTs'09); they are downloaded by Maven."""
    described = JdtModel.model_validate({"case": "grabats", "step": step, "split": split})
    summary = extract(project_of(ctx), described, output)
    click.echo(
        f"{summary['model']}: {summary['units']} compilation units, {summary['nodes']} AST nodes, "
        f"{summary['elements']} elements, {summary['singletons']} singletons"
    )


@model.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def count(ctx: click.Context, file: Path, as_json: bool) -> None:
    """Count elements per class, links per reference and matches per query of a model FILE.

    FILE is a model file or a ``model.json``.
    """
    project = project_of_data(ctx)
    sys.exit(run_models(project, "count", str(file), *(["--json"] if as_json else [])))


@model.command()
@click.argument("name")
@click.option("--study", help="Study that names the model; by default any.")
@click.pass_context
def build(ctx: click.Context, name: str, study: str | None) -> None:
    """Make the model NAME of a study, unless it is there.

    A model of your own is made again when its files have changed.
    """
    project = project_of(ctx)
    target, fresh = store_model(project, name, named_model(project, name, study))
    click.echo(target if fresh else f"{target}: is there already")


@click.command()
@click.argument("name")
@click.option("--study", help="Study that names the model; by default any.")
@click.pass_context
def oracle(ctx: click.Context, name: str, study: str | None) -> None:
    """Compute the expected results of all queries on the model NAME, in every language."""
    project = project_of(ctx)
    file = write_oracle(project, name, named_model(project, name, study).case)
    click.echo(file)
    counts = {query: result["count"] for query, result in read_json(file)["queries"].items()}
    for query, count in counts.items():
        click.echo(f"{query}: {count} match{'' if count == 1 else 'es'}")
    if empty := [query for query, count in counts.items() if not count]:
        click.echo(
            f"warning: nothing matches {', '.join(empty)}; an empty answer is right whatever a "
            "tool does, so look at the query and the model",
            err=True,
        )


@click.command()
@click.argument("tool")
@click.argument("model")
@click.option("--protocol", help="Of the endpoint; by default the descriptor's first.")
@click.option("--attribute", help="Tells elements apart; by default one that does is found.")
@click.option("--timeout-s", type=click.IntRange(min=1), default=300, show_default=True)
@click.pass_context
def ids(
    ctx: click.Context,
    tool: str,
    model: str,
    protocol: str | None,
    attribute: str | None,
    timeout_s: int,
) -> None:
    """Write the id map of TOOL, a running server that has indexed MODEL.

    MODEL is the name of a study's model, a model file or a ``model.json``. The map is the
    descriptor's ``ids``.
    """
    from modelstress.workloads.queries.ids import write_ids

    project = project_of(ctx)
    file = Path(model) if Path(model).is_file() else files.model_file(project, model)
    click.echo(write_ids(project, project.tool(tool), file, protocol, attribute, timeout_s))


@click.command()
@click.argument("cell", required=False, shell_complete=complete.cells)
@click.option("--tool", help="Instead of CELL, with --backend and --model.")
@click.option("--backend")
@click.option("--model")
@click.option(
    "--attributes",
    type=click.Choice(["none", "declared"]),
    default="none",
    show_default=True,
    help="Which derived and indexed attributes are declared to the store.",
)
@study_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def load(
    ctx: click.Context,
    cell: str | None,
    tool: str | None,
    backend: str | None,
    model: str | None,
    attributes: str,
    study: str | None,
    profile: str | None,
    as_json: bool,
) -> None:
    """Populate the store that CELL needs, unless it is there with the same contents."""
    from modelstress.workloads.queries.stores import load_store

    project = project_of(ctx)
    if cell is not None:
        load_cell(project, named(project, study, profile, cell), as_json)
        return
    if tool is None or backend is None or model is None:
        raise ConfigError("give a CELL, or --tool, --backend and --model")
    descriptor = project.tool(tool)
    if backend not in descriptor.backends:
        raise ConfigError(
            f"tool {tool!r} has no backend {backend!r}{nearest(backend, descriptor.backends)}"
        )
    if descriptor.endpoint is not None:
        click.echo(f"{tool}: its server is somebody else's; nothing to load")
        return
    case = named_model(project, model, study).case if attributes == "declared" else None
    with Counter(f"load {model} into {tool}", "elements") as counter:
        folder, fresh = load_store(project, descriptor, backend, model, counter.at, case=case)
    say_loaded(folder, fresh, as_json)


def named_model(project: Project, name: str, study: str | None) -> Model:
    """How the model of that name is made.

    Raises:
        ConfigError: neither the study nor, without one, any other names it.
    """
    models = files.models(project)
    if study:
        queries_study = project.study(study)
        models = queries_study.models if isinstance(queries_study, QueriesStudy) else {}
    if name not in models:
        raise ConfigError(f"unknown model {name!r}{nearest(name, models)}")
    return models[name]


COMMANDS = (model, oracle, ids, load)
