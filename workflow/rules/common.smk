# What the rules share: the plan of every chosen study.

from pathlib import Path

from modelstress.config import base
from modelstress.config.project import Project
from modelstress.config.tool import MainConfig
from modelstress.design.cells import cells_of
from modelstress.design.plan import plan_of

PROJECT = Project(Path(workflow.basedir).parent)
MAIN = base.parse(MainConfig, config, "config/config.yaml")
PLANS = {
    study: plan_of(
        cells_of(PROJECT, PROJECT.study(study), PROJECT.profile(MAIN.profile)),
        MAIN.seed,
    )
    for study in MAIN.studies
}
RUNS = {
    (study, run.cell.id, run.invocation): run
    for study, plan in PLANS.items()
    for run in plan
}
JARS = sorted(
    {run.cell.tool.jar for plan in PLANS.values() for run in plan}
    | {"java-shims/models/target/dist/models.jar"}
)
PROFILE = MAIN.profile


def prepared(study):
    """Flags of all stores and oracles of a study.

    Every cell waits for all of them: a tool whose store is ready would otherwise run ahead of the
    plan's order.
    """
    folders = {run.cell.store(PROJECT) for run in PLANS[study]} - {None}
    stores = {f"{folder.relative_to(PROJECT.root)}.ready" for folder in folders}
    models = {run.cell.levels["model"] for run in PLANS[study]}
    return sorted(stores | {f"data/stores/oracle/{model}.json" for model in models})


def done_flags(study):
    """The flags of all invocations of a study, in the order of the plan."""
    return [
        f"data/raw/{study}/{PROFILE}/{run.cell.tool.tool}/{run.cell.id}/i{run.invocation:02d}.done"
        for run in PLANS[study]
    ]


def contents(study):
    """Models, queries, declarations and configuration that a study's numbers depend on."""
    runs = [run.cell for run in PLANS[study]]
    models = {f"data/stores/models/{cell.levels['model']}.bin" for cell in runs}
    queries = {str(cell.query_file(PROJECT).relative_to(PROJECT.root)) for cell in runs}
    declarations = {declared(cell) for cell in runs if cell.attributes == "declared"}
    tools = {f"config/tools/{cell.tool.tool}.yaml" for cell in runs}
    chosen = {f"config/studies/{study}.yaml", f"config/profiles/{PROFILE}.yaml"}
    return sorted(models | queries | declarations | tools | chosen)


def declared(cell):
    """The file with a cell's attribute declarations."""
    return str(PROJECT.attributes_file(cell.model.case).relative_to(PROJECT.root))


def declarations_of(wildcards):
    """The file with the declarations of a store that has some."""
    if not wildcards.declared:
        return []
    cells = (run.cell for plan in PLANS.values() for run in plan)
    return next(
        [declared(cell)] for cell in cells if cell.levels["model"] == wildcards.model
    )


def run_of(wildcards):
    """The run that an invocation's wildcards name."""
    return RUNS[wildcards.study, wildcards.cell, int(wildcards.number)]


wildcard_constraints:
    study="[A-Za-z0-9-]+",
    profile="[A-Za-z0-9-]+",
    tool="[A-Za-z0-9-]+",
    backend="[A-Za-z0-9-]+",
    model="[^/+]+",
    # what stores with declarations have after the model's name, Project.store_folder
    declared="([+]declared)?",
    number="[0-9]+",
