"""Where things are: the files and folders of one project."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from modelstress.config.attributes import Attribute, Attributes
from modelstress.config.base import M, nearest, read_model, shown
from modelstress.config.errors import ConfigError
from modelstress.config.hosts import DockerHosts
from modelstress.config.profile import Profile
from modelstress.config.study import Model, Study, TrainModel
from modelstress.config.tool import Case, MainConfig, Tool

EXECUTOR = "MODELSTRESS_EXECUTOR"
"""Environment variable: the executor instead of that of ``config.yaml``, for all commands."""
ROOT = "MODELSTRESS_PROJECT"
"""Environment variable: the project's folder, for jobs that begin somewhere else."""
NAME = re.compile(r"\w[\w.-]{0,79}")
"""Of studies, profiles and tools, which are names of files."""
EXECUTORS = ("process", "namespace", "docker")


@dataclass(frozen=True)
class Project:
    """A folder with ``config/``, ``queries/``, ``java-shims/`` and, later, ``data/``.

    Attributes:
        root: absolute path of the folder.
    """

    root: Path

    @classmethod
    def find(cls, start: Path | None = None) -> Project:
        """The project that ``start`` (the current folder) lies in.

        Raises:
            ConfigError: no folder from there upwards has ``config/config.yaml``.
        """
        here = (start or Path.cwd()).resolve()
        for folder in (here, *here.parents):
            if (folder / "config" / "config.yaml").is_file():
                return cls(folder)
        raise ConfigError(
            f"{here}: no modelstress project here or above (no config/config.yaml); "
            "go to the project's folder or give --project"
        )

    @cached_property
    def main(self) -> MainConfig:
        """``config/config.yaml``."""
        return read_model(MainConfig, self.root / "config" / "config.yaml")

    @property
    def executor(self) -> str:
        """How hosts come to be: of the environment (``--executor``), else ``config.yaml``'s.

        Raises:
            ConfigError: the environment names an unknown one.
        """
        return self.chosen_executor or self.main.executor

    @property
    def chosen_executor(self) -> str | None:
        """That of the environment (``--executor``); None without one.

        Raises:
            ConfigError: it is unknown.
        """
        chosen = os.environ.get(EXECUTOR)
        if chosen is not None and chosen not in EXECUTORS:
            raise ConfigError(
                f"environment variable {EXECUTOR} is {chosen!r}{nearest(chosen, EXECUTORS)}"
            )
        return chosen

    def machines(self, host: object = None) -> DockerHosts:
        """The machines of executor ``docker`` for a level of the factor ``host``, or without one.

        Raises:
            ConfigError: ``config.yaml`` has no such host.
        """
        if host is None:
            return self.main.docker
        found = self.main.hosts.get(str(host))
        if found is None:
            raise ConfigError(
                f"config/config.yaml: field 'hosts' has no {host!r}{nearest(host, self.main.hosts)}"
            )
        return found

    @property
    def studies(self) -> list[str]:
        """Names of all studies in ``config/studies``."""
        return sorted(file.stem for file in (self.root / "config" / "studies").glob("*.yaml"))

    def study(self, name: str) -> Study:
        """``config/studies/<name>.yaml``."""
        return self._named(Study, "studies", "study", name)

    def notebooks(self, study: str) -> list[str]:
        """The notebooks that are executed with a study's results.

        Raises:
            ConfigError: the study names one that is not in ``notebooks``.
        """
        named = self.study(study).notebooks
        known = [file.stem for file in (self.root / "notebooks").glob("*.ipynb")]
        for name in named:
            if name not in known:
                raise ConfigError(
                    f"{self.root / 'config' / 'studies' / study}.yaml: field 'notebooks' names "
                    f"unknown notebook {name!r}{nearest(name, known)}"
                )
        return named

    def profile(self, name: str) -> Profile:
        """``config/profiles/<name>.yaml``."""
        return self._named(Profile, "profiles", "profile", name)

    def anatomy_of(self, profile: str) -> Profile | None:
        """The profile whose cells are captured beside those of ``profile``, if it names one.

        Raises:
            ConfigError: it names one that is not there, does not capture, or names one itself.
        """
        named = self.profile(profile).anatomy
        if named is None:
            return None
        where = f"{self.root / 'config' / 'profiles' / profile}.yaml: field 'anatomy'"
        try:
            found = self.profile(named)
        except ConfigError as error:
            raise ConfigError(f"{where}: {error}") from error
        if found.settings.capture is None:
            raise ConfigError(
                f"{where}: profile {named!r} captures nothing; give it 'settings.capture'"
            )
        if found.anatomy is not None:
            raise ConfigError(
                f"{where}: profile {named!r} has a field 'anatomy' itself; name one that has none"
            )
        return found

    def tool(self, name: str) -> Tool:
        """``config/tools/<name>.yaml``."""
        return self._named(Tool, "tools", "tool", name)

    @cached_property
    def tools(self) -> dict[str, Tool]:
        """All descriptors in ``config/tools`` by name."""
        files = sorted((self.root / "config" / "tools").glob("*.yaml"))
        return {file.stem: self.tool(file.stem) for file in files}

    def case(self, name: str) -> Case:
        """``queries/<name>/case.yaml``."""
        return read_model(Case, self.root / "queries" / name / "case.yaml")

    def attributes_file(self, case: str) -> Path:
        """``queries/<case>/attributes.yaml``."""
        return self.root / "queries" / case / "attributes.yaml"

    def attributes(self, case: str) -> list[Attribute]:
        """The derived and indexed attributes that a case declares.

        Raises:
            ConfigError: the case declares none, or the file is wrong.
        """
        return read_model(Attributes, self.attributes_file(case)).attributes

    def query_file(
        self,
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

        A file in the tool's folder goes before the common one. With ``declared``, the form
        ``<query>.declared`` is taken where there is one, else the plain text: the attributes may
        serve that too. The forms ``<query>.untyped`` and ``<query>.backward`` must be there when
        they are asked for.

        Raises:
            ConfigError: there is no such file.
        """
        form = ".untyped" * untyped + ".backward" * backward
        names = [f"{query}.declared{form}.{language}"] if declared else []
        names.append(f"{query}{form}.{language}")
        folder = self.root / "queries" / case / language
        places = (*([folder / tool] if tool else []), folder)
        for name in names:
            for place in places:
                if (place / name).is_file():
                    return place / name
        path = folder / names[-1]
        raise ConfigError(f"{path}: no such query; write it or take it out of the study")

    def _named(self, model: type[M], folder: str, kind: str, name: str) -> M:
        path = self.root / "config" / folder / f"{name}.yaml"
        if not NAME.fullmatch(name):
            raise ConfigError(
                f"{kind} {shown(name)} is no name: use up to 80 letters, digits, '.', '_' and '-'"
            )
        if not path.is_file():
            known = [p.stem for p in path.parent.glob("*.yaml")]
            raise ConfigError(f"unknown {kind} {name!r}: {path} is not there{nearest(name, known)}")
        read = read_model(model, path)
        if getattr(read, kind) != name:
            raise ConfigError(
                f"{path}: field '{kind}' is {getattr(read, kind)!r}; "
                f"it must be the file's name, {name!r}"
            )
        return read

    @property
    def raw(self) -> Path:
        """``data/raw``: samples, write-once."""
        return self.root / "data" / "raw"

    @property
    def derived(self) -> Path:
        """``data/derived``."""
        return self.root / "data" / "derived"

    @property
    def stores(self) -> Path:
        """``data/stores``: models, populated stores and oracles; can be made again."""
        return self.root / "data" / "stores"

    @property
    def results(self) -> Path:
        """``results``: tables, figures and the report."""
        return self.root / "results"

    @cached_property
    def models(self) -> dict[str, Model]:
        """How every model is made that a study names; studies that cannot be read have none.

        Raises:
            ConfigError: two studies make models of one name differently; they share its file.
        """
        found: dict[str, Model] = {}
        named_by: dict[str, str] = {}
        for study in self.studies:
            try:
                models = self.study(study).models
            except ConfigError:
                continue  # it is reported where it is asked for
            for name, described in models.items():
                if found.setdefault(name, described) != described:
                    file = self.root / "config" / "studies" / f"{study}.yaml"
                    raise ConfigError(
                        f"{file}: field 'models.{name}': study {named_by[name]!r} makes a model "
                        "of that name otherwise; give this one a name of its own"
                    )
                named_by.setdefault(name, study)
        return found

    def model_file(self, model: str) -> Path:
        """The model that every tool loads: a binary file, or the ``model.json`` of a folder.

        Models of the Train Benchmark, whose metamodel every program knows, are single files.
        """
        folder = self.stores / "models"
        if isinstance(self.models.get(model), TrainModel | None):
            return folder / f"{model}.bin"
        return folder / model / "model.json"

    def loaded_file(self, tool: Tool, model: str) -> Path:
        """The model in the form that the tool's descriptor asks for.

        A model of several files has the forms of its files, whatever the tool asks for.
        """
        file = self.model_file(model)
        return file.with_suffix(".xmi") if tool.models == "xmi" and file.suffix == ".bin" else file

    def oracle_file(self, model: str) -> Path:
        """Expected results of all queries on one model."""
        return self.stores / "oracle" / f"{model}.json"

    def store_folder(
        self, tool: str, backend: str, model: str, attributes: str | None = None
    ) -> Path:
        """The populated store that all cells with these levels share.

        ``attributes`` is the level of that factor; stores with declarations have a ``+`` in their
        names, those without are called as the model.
        """
        declared = "" if attributes in (None, "none") else f"+{attributes}"
        return self.stores / tool / backend / f"{model}{declared}"

    def jar(self, tool: Tool) -> Path:
        """The tool's jar; its libraries lie in ``lib/`` beside it."""
        return self.root / tool.jar

    def client(self, tool: Tool) -> Path:
        """The tool's client program: a jar or something else that can be started."""
        return self.root / (tool.client or tool.jar)

    def node_programs(self, tool: Tool) -> dict[str, Path]:
        """Programs of those nodes that have one of their own: jars or something else."""
        return {n: self.root / one.program for n, one in tool.nodes.items() if one.program}

    @property
    def models_jar(self) -> Path:
        """Jar of the generators and the oracle."""
        return self.root / "java-shims" / "models" / "target" / "dist" / "models.jar"
