"""Loading a model into a tool's store."""

from __future__ import annotations

from pathlib import Path

from modelstress.config.errors import ConfigError
from modelstress.config.packages import how_to_get
from modelstress.config.programs import ServerConfig
from modelstress.config.project import Project
from modelstress.config.tool import Tool
from modelstress.design.contents import hash_json
from modelstress.measure import stores
from modelstress.measure.invocation import require
from modelstress.measure.stores import Progress, StoreSpec
from modelstress.samples.provenance import sha256_file, sha256_jar
from modelstress.workloads.queries import files
from modelstress.workloads.queries.models import build_model
from modelstress.workloads.queries.study import TrainModel


def load_store(
    project: Project,
    tool: Tool,
    backend: str,
    model_name: str,
    progress: Progress = lambda done, total: None,
    *,
    case: str | None = None,
) -> tuple[Path, bool]:
    """Populate a store from a model, unless it is there with the same contents.

    Args:
        project: where files are.
        tool: descriptor of the tool.
        backend: one of its backends.
        model_name: of a model whose file is there.
        progress: told elements done and in total.
        case: whose attributes are declared to the store; None for a store without declarations.

    Returns:
        The store's folder, and whether it had to be loaded.

    Raises:
        MissingError: the tool's jar or the model file is not there, or the model is damaged.
        ConfigError: the tool knows no declarations, or the case has none.
        MeasureError: the load failed or did not end within ``load_timeout_s``.
    """
    if case is not None and not tool.attributes:
        raise ConfigError(
            f"config/tools/{tool.tool}.yaml: 'attributes' is false; load without declarations"
        )
    attributes = [] if case is None else files.declared(project, case)
    level = "none" if case is None else "declared"
    folder = files.store_folder(project, tool.tool, backend, model_name, level)
    jar, model = project.jar(tool), files.model_file(project, model_name)
    require(jar, how_to_get(tool.tool))
    require(model, f"make it with 'modelstress model build {model_name}'")
    content = {
        "model": sha256_file(model),
        "jar": sha256_jar(jar),
        "options": dict(tool.options),
        "flags": list(tool.jvm.load),
        **({"form": tool.models} if tool.models != "binary" else {}),
        **({"attributes": hash_json(attributes)} if attributes else {}),
    }
    if stores.read_marker(folder).get("content") == content:
        return folder, False  # the model need not be brought into the tool's form
    config = ServerConfig(
        tool=tool.tool,
        backend=backend,
        model=str(_in_form(project, tool, model_name)),
        store=str(folder),
        attributes=attributes,
        options=tool.options,
    )
    return stores.load_store(project, tool, StoreSpec(folder, config, content, True), progress)


def _in_form(project: Project, tool: Tool, name: str) -> Path:
    """The model as the tool reads it; made from the same seed where it is not there yet."""
    file, described = files.loaded_file(project, tool, name), files.models(project).get(name)
    if not file.is_file():
        if not isinstance(described, TrainModel):
            raise ConfigError(
                f"config/tools/{tool.tool}.yaml: field 'models': no study says how {name!r} is "
                "made; name it in one, so that it can be made as XMI"
            )
        build_model(project, described, file)
    return file
