"""Files of the kind ``queries``: cases, query texts, models, expected results and stores."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from modelstress.config.base import read_model
from modelstress.config.errors import ConfigError
from modelstress.config.project import Project
from modelstress.config.tool import Tool
from modelstress.workloads.queries.attributes import Attribute, Attributes
from modelstress.workloads.queries.case import Case
from modelstress.workloads.queries.study import Model, QueriesStudy, TrainModel


def case(project: Project, name: str) -> Case:
    """``queries/<name>/case.yaml``."""
    return read_model(Case, project.root / "queries" / name / "case.yaml")


def attributes_file(project: Project, case: str) -> Path:
    """``queries/<case>/attributes.yaml``."""
    return project.root / "queries" / case / "attributes.yaml"


def attributes(project: Project, case: str) -> list[Attribute]:
    """The derived and indexed attributes that a case declares.

    Raises:
        ConfigError: the case declares none, or the file is wrong.
    """
    return read_model(Attributes, attributes_file(project, case)).attributes


def declared(project: Project, case: str) -> list[dict[str, Any]]:
    """A case's attribute declarations as a server program gets them.

    Raises:
        ConfigError: the case has none, or their file is wrong.
    """
    return [attribute.model_dump(exclude_none=True) for attribute in attributes(project, case)]


def query_file(
    project: Project,
    case: str,
    language: str,
    query: str,
    tool: str = "",
    *,
    declared: bool = False,
    untyped: bool = False,
    backward: bool = False,
) -> Path:
    """The file of a query: ``queries/<case>/<language>[/<tool>]/<query>[.<form>].<language>``.

    A file in the tool's folder goes before the common one; a package of a tool may have either.
    With ``declared``, the form ``<query>.declared`` is taken where there is one, else the plain
    text: the attributes may serve that too. The forms ``<query>.untyped`` and
    ``<query>.backward`` must be there when they are asked for.

    Raises:
        ConfigError: there is no such file.
    """
    form = ".untyped" * untyped + ".backward" * backward
    names = [f"{query}.declared{form}.{language}"] if declared else []
    names.append(f"{query}{form}.{language}")
    folder = f"queries/{case}/{language}"
    places = (*([f"{folder}/{tool}"] if tool else []), folder)
    for name in names:
        for place in places:
            if (file := project.file(f"{place}/{name}")).is_file():
                return file
    path = project.root / folder / names[-1]
    raise ConfigError(f"{path}: no such query; write it or take it out of the study")


def models(project: Project) -> dict[str, Model]:
    """How every model is made that a study names; studies that cannot be read have none.

    Raises:
        ConfigError: two studies make models of one name differently; they share its file.
    """
    kept = vars(project)  # with the project's other cached properties
    if "_models" not in kept:
        kept["_models"] = _models(project)
    models_by_name: dict[str, Model] = kept["_models"]
    return models_by_name


def _models(project: Project) -> dict[str, Model]:
    models_by_name: dict[str, Model] = {}
    named_by: dict[str, str] = {}
    for study in project.studies:
        try:
            described_by = project.study(study)
        except ConfigError:
            continue  # it is reported where it is asked for
        if not isinstance(described_by, QueriesStudy):
            continue
        for name, described in described_by.models.items():
            if models_by_name.setdefault(name, described) != described:
                file = project.root / "config" / "studies" / f"{study}.yaml"
                raise ConfigError(
                    f"{file}: field 'models.{name}': study {named_by[name]!r} makes a model "
                    "of that name otherwise; give this one a name of its own"
                )
            named_by.setdefault(name, study)
    return models_by_name


def model_file(project: Project, model: str) -> Path:
    """The model that every tool loads: a binary file, or the ``model.json`` of a folder.

    Models of the Train Benchmark, whose metamodel every program knows, are single files.
    """
    folder = project.stores / "models"
    if isinstance(models(project).get(model), TrainModel | None):
        return folder / f"{model}.bin"
    return folder / model / "model.json"


def loaded_file(project: Project, tool: Tool, model: str) -> Path:
    """The model in the form that the tool's descriptor asks for.

    A model of several files has the forms of its files, whatever the tool asks for.
    """
    file = model_file(project, model)
    return file.with_suffix(".xmi") if tool.models == "xmi" and file.suffix == ".bin" else file


def oracle_file(project: Project, model: str) -> Path:
    """Expected results of all queries on one model."""
    return project.stores / "oracle" / f"{model}.json"


def store_folder(
    project: Project, tool: str, backend: str, model: str, attributes: str | None = None
) -> Path:
    """The populated store that all cells with these levels share.

    ``attributes`` is the level of that factor; stores with declarations have a ``+`` in their
    names, those without are called as the model.
    """
    declared = "" if attributes in (None, "none") else f"+{attributes}"
    return project.stores / tool / backend / f"{model}{declared}"


def models_jar(project: Project) -> Path:
    """Jar of the generators and the oracle."""
    return project.file("java-shims/models/target/dist/models.jar")
