"""``modelstress model``: make and count models; ``modelstress oracle``."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from modelstress.cli.options import project_of, project_of_data
from modelstress.config.base import nearest
from modelstress.config.errors import ConfigError
from modelstress.config.project import Project
from modelstress.config.study import JdtModel, Model, TrainModel
from modelstress.jvm import write_oracle
from modelstress.measure.models import build_model, extract, run_models, store_model
from modelstress.samples.files import read_json


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
    said = extract(project_of(ctx), described, output)
    click.echo(
        f"{said['model']}: {said['units']} compilation units, {said['nodes']} AST nodes, "
        f"{said['elements']} elements, {said['singletons']} singletons"
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
    counts = {query: said["count"] for query, said in read_json(file)["queries"].items()}
    for query, count in counts.items():
        click.echo(f"{query}: {count} match{'' if count == 1 else 'es'}")
    if empty := [query for query, count in counts.items() if not count]:
        click.echo(
            f"warning: nothing matches {', '.join(empty)}; an empty answer is right whatever a "
            "tool does, so look at the query and the model",
            err=True,
        )


def named_model(project: Project, name: str, study: str | None) -> Model:
    """How the model of that name is made.

    Raises:
        ConfigError: neither the study nor, without one, any other names it.
    """
    known = project.study(study).models if study else project.models
    if name not in known:
        raise ConfigError(f"unknown model {name!r}{nearest(name, known)}")
    return known[name]


COMMANDS = (model, oracle)
