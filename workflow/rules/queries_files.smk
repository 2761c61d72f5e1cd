# Files of the workload kind `queries`: models, expected results, texts and declarations.

from modelstress.workloads.queries import files
from modelstress.workloads.queries.models import own_files
from modelstress.workloads.queries.study import OwnModel
from modelstress.workloads.queries.work import attributes_of, work_of

MODELS_JAR = input_path(files.models_jar(PROJECT))
if MODELS_JAR not in JARS:
    JARS.append(MODELS_JAR)


def oracles(cell):
    """The expected results on a cell's model."""
    return [f"data/stores/oracle/{cell.levels['model']}.json"] if is_query(cell) else []


def is_query(cell):
    """Whether a cell is of this kind."""
    return cell.workload == "queries"


NEEDED_BY["queries"] = oracles


def models_jar(output):
    """The generators' jar where it is needed: a newer one makes no other model.

    Nothing, and not only `ancient(...)`, where output and jar are there (see `needed`).
    """

    def find(wildcards):
        files = [PROJECT.root / output.format(**wildcards), PROJECT.root / MODELS_JAR]
        return [] if all(file.is_file() for file in files) else ancient(MODELS_JAR)

    return find


def file_of(model):
    """The file that a model is made as."""
    return str(files.model_file(PROJECT, model).relative_to(PROJECT.root))


def model_file(wildcards):
    """The same for the rules that have the model's name as a wildcard."""
    return file_of(wildcards.model)


def made_of(wildcards):
    """Somebody's own files, of which a model was made."""
    described = files.models(PROJECT)[wildcards.model]
    if not isinstance(described, OwnModel):
        return []
    own = [file for part in own_files(PROJECT, described) for file in part]
    return [str(file.relative_to(PROJECT.root)) for file in own]


def texts_of(wildcards):
    """What the expected results on a model depend on: the case with its queries."""
    folder = f"queries/{files.models(PROJECT)[wildcards.model].case}"
    patterns = [f"{folder}/*/*.*", f"{folder}/*/*/*.backward.*"]
    texts = [input_path(file) for pattern in patterns for file in PROJECT.glob(pattern)]
    return [f"{folder}/case.yaml", *sorted(texts)]


def declared(cell):
    """The file with a cell's attribute declarations."""
    return str(
        files.attributes_file(PROJECT, work_of(cell).model.case).relative_to(
            PROJECT.root
        )
    )


def declarations_of(wildcards):
    """The file with the declarations of a store that has some."""
    if not wildcards.declared:
        return []
    return next(
        [declared(cell)]
        for cell in CELLS
        if is_query(cell) and cell.levels["model"] == wildcards.model
    )


wildcard_constraints:
    backend="[A-Za-z0-9-]+",
    model="[^/+]+",
    # what stores with declarations have after the model's name, files.store_folder
    declared="([+]declared)?",
