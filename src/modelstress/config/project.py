"""Where things are: the files and folders of one project."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from modelstress.config.base import M, nearest, read_model, read_yaml, shown
from modelstress.config.environment import EXECUTOR
from modelstress.config.errors import ConfigError
from modelstress.config.hosts import DockerHosts
from modelstress.config.packages import WORKSPACE, ToolPackage, tool_packages
from modelstress.config.profile import Profile
from modelstress.config.steering import Template
from modelstress.config.study import DEFAULT_KIND, Study, study_class
from modelstress.config.tool import MainConfig, Tool

NAME = re.compile(r"\w[\w.-]{0,79}")
"""Of studies, profiles and tools, which are names of files."""
EXECUTORS = ("process", "namespace", "docker")
TOOLS = "config/tools"


@dataclass(frozen=True)
class Project:
    """A folder with ``config/`` and, later, ``data/``; programs are where descriptors say.

    What the folder does not have is looked for in installed packages with tools: its own files go
    before theirs.

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
        start_folder = (start or Path.cwd()).resolve()
        for folder in (start_folder, *start_folder.parents):
            if (folder / "config" / "config.yaml").is_file():
                return cls(folder)
        raise ConfigError(
            f"{start_folder}: no modelstress project here or above (no config/config.yaml); "
            "go to the project's folder, give --project, or make one with 'modelstress init'"
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
        docker_hosts = self.main.hosts.get(str(host))
        if docker_hosts is None:
            raise ConfigError(
                f"config/config.yaml: field 'hosts' has no {host!r}{nearest(host, self.main.hosts)}"
            )
        return docker_hosts

    @property
    def studies(self) -> list[str]:
        """Names of all studies in ``config/studies``."""
        return sorted(file.stem for file in (self.root / "config" / "studies").glob("*.yaml"))

    def study(self, name: str) -> Study:
        """``config/studies/<name>.yaml``, as the class of its kind of workload.

        Raises:
            ConfigError: there is no such study, or it is wrong.
        """
        kind = self.workload(name)
        try:
            described = study_class(kind) if isinstance(kind, str) else Study
        except ConfigError as error:
            path = self._path_of("studies", "study", name)
            raise ConfigError(f"{path}: field 'workload': {error}") from error
        return self._named(described, "studies", "study", name)

    def workload(self, study: str) -> object:
        """The kind of workload that a study's file names, there or not.

        Raises:
            ConfigError: there is no such study, or its file is damaged.
        """
        document = read_yaml(self._path_of("studies", "study", study))
        return (
            document.get("workload", DEFAULT_KIND) if isinstance(document, dict) else DEFAULT_KIND
        )

    def notebooks(self, study: str) -> list[str]:
        """The notebooks that are executed with a study's results.

        Raises:
            ConfigError: the study names one that is not in ``notebooks``.
        """
        named = self.study(study).notebooks
        stems = [file.stem for file in (self.root / "notebooks").glob("*.ipynb")]
        for name in named:
            if name not in stems:
                raise ConfigError(
                    f"{self.root / 'config' / 'studies' / study}.yaml: field 'notebooks' names "
                    f"unknown notebook {name!r}{nearest(name, stems)}"
                )
        return named

    def profile_file(self, name: str, study: str | None = None) -> Path:
        """The file of a profile: a study may have one of its own, in a folder of its name."""
        folder = self.root / "config" / "profiles"
        own = folder / str(study) / f"{name}.yaml"
        return own if study is not None and own.is_file() else folder / f"{name}.yaml"

    def profile(self, name: str, study: str | None = None) -> Profile:
        """``config/profiles/<study>/<name>.yaml`` if it is there, else ``profiles/<name>.yaml``."""
        path = self.profile_file(name, study)
        folder = path.parent.relative_to(self.root / "config").as_posix()
        return self._named(Profile, folder, "profile", name).read_from(folder)

    def template(self, name: str) -> Template:
        """``config/templates/<name>.yaml``."""
        return self._named(Template, "templates", "template", name)

    @property
    def templates(self) -> list[str]:
        """Names of all templates in ``config/templates``."""
        return sorted(file.stem for file in (self.root / "config" / "templates").glob("*.yaml"))

    def anatomy_of(self, profile: str, study: str | None = None) -> Profile | None:
        """The profile whose cells are captured beside those of ``profile``, if it names one.

        Raises:
            ConfigError: it names one that is not there, does not capture, or names one itself.
        """
        named = self.profile(profile, study).anatomy
        if named is None:
            return None
        where = f"{self.profile_file(profile, study)}: field 'anatomy'"
        try:
            anatomy = self.profile(named, study)
        except ConfigError as error:
            raise ConfigError(f"{where}: {error}") from error
        if anatomy.settings.capture is None:
            raise ConfigError(
                f"{where}: profile {named!r} captures nothing; give it 'settings.capture'"
            )
        if anatomy.anatomy is not None:
            raise ConfigError(
                f"{where}: profile {named!r} has a field 'anatomy' itself; name one that has none"
            )
        return anatomy

    def tool(self, name: str) -> Tool:
        """The tool of ``config/tools/<name>.yaml``, here or in a package.

        Raises:
            ConfigError: there is no such tool, its file is wrong, or two packages have it.
        """
        file = self.descriptor(name)
        if file == self._own("tools", name):
            return self._named(Tool, "tools", "tool", name)
        return self._read(Tool, file, "tool", name)

    def descriptor(self, tool: str) -> Path:
        """The file that describes a tool; the project's own goes before that of a package.

        Raises:
            ConfigError: two packages have it.
        """
        own = self._own("tools", tool)
        packaged = self._packaged(tool)
        if not packaged or own.is_file():
            return own
        if len(packaged) > 1:
            names = " and ".join(package.name for _, package in packaged)
            raise ConfigError(
                f"tool {tool!r} is in the packages {names}; uninstall one of them, or copy the "
                f"descriptor that you mean to {own}"
            )
        return packaged[0][0]

    def package_of(self, tool: str) -> ToolPackage | None:
        """The package that describes a tool; None for a tool of the project's own.

        Raises:
            ConfigError: two packages have it.
        """
        file = self.descriptor(tool)
        return next((p for described, p in self._packaged(tool) if described == file), None)

    @property
    def tool_names(self) -> list[str]:
        """Names of all tools: those of ``config/tools``, and those of packages."""
        return sorted({file.stem for file in self.glob(f"{TOOLS}/*.yaml")})

    @cached_property
    def tools(self) -> dict[str, Tool]:
        """All tools by name."""
        return {name: self.tool(name) for name in self.tool_names}

    def file(self, place: str, tool: str | None = None) -> Path:
        """A file or folder that the project has, or else a package.

        Args:
            place: relative to the project.
            tool: whose package is asked first.

        Returns:
            Absolute path; that in the project where nobody has it.
        """
        own = self.root / place
        if own.exists():
            return own
        first = None if tool is None else self.package_of(tool)
        packages = (*([first] if first else []), *tool_packages())
        found = (package.folder / place for package in packages)
        return next((path for path in found if path.exists()), own)

    def glob(self, pattern: str) -> list[Path]:
        """Files and folders of a pattern, those of the project first, then those of packages."""
        folders = (self.root, *(package.folder for package in tool_packages()))
        return [path for folder in folders for path in sorted(folder.glob(pattern))]

    def place(self, file: Path) -> str:
        """Where a project has a file: relative to the project, or to the package that it is in."""
        folders = [package.folder for package in tool_packages()]  # may lie below the project
        inside = next((folder for folder in folders if file.is_relative_to(folder)), self.root)
        return file.relative_to(inside).as_posix()

    def _packaged(self, tool: str) -> list[tuple[Path, ToolPackage]]:
        """Descriptors of a tool in packages."""
        if not NAME.fullmatch(tool):
            return []
        files = [(package.folder / TOOLS / f"{tool}.yaml", package) for package in tool_packages()]
        return [(file, package) for file, package in files if file.is_file()]

    def _own(self, folder: str, name: str) -> Path:
        return self.root / "config" / folder / f"{name}.yaml"

    def _path_of(self, folder: str, kind: str, name: str) -> Path:
        """The file of a study, profile or tool, which is there."""
        path = self._own(folder, name)
        if not NAME.fullmatch(name):
            raise ConfigError(
                f"{kind} {shown(name)} is no name: use up to 80 letters, digits, '.', '_' and '-'"
            )
        if not path.is_file():
            stems = [p.stem for p in path.parent.glob("*.yaml")]
            known = self.tool_names if kind == "tool" else stems
            found = f"unknown {kind} {name!r}: {path} is not there{nearest(name, known)}"
            if kind == "tool" and WORKSPACE.is_dir():
                found += f"; its package may be installed by 'pip install modelstress-{name}'"
            raise ConfigError(found)
        return path

    def _named(self, model: type[M], folder: str, kind: str, name: str) -> M:
        return self._read(model, self._path_of(folder, kind, name), kind, name)

    def _read(self, model: type[M], path: Path, kind: str, name: str) -> M:
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

    def jar(self, tool: Tool) -> Path:
        """The tool's jar; its libraries lie in ``lib/`` beside it."""
        return self.file(tool.jar, tool.tool)

    def client(self, tool: Tool) -> Path:
        """The tool's client program: a jar or something else that can be started."""
        return self.file(tool.client or tool.jar, tool.tool)

    def node_programs(self, tool: Tool) -> dict[str, Path]:
        """Programs of those nodes that have one of their own: jars or something else."""
        nodes = tool.nodes.items()
        return {n: self.file(node.program, tool.tool) for n, node in nodes if node.program}

    def texts(self, files: Mapping[str, Sequence[str]]) -> dict[str, str]:
        """Options of a tool that are the text of files, by their names.

        Raises:
            ConfigError: one cannot be read.
        """
        texts = {}
        folder = (self.root / "config").resolve()
        for option, names in files.items():
            for name in names:  # a level of a factor is a part of it
                if not (self.root / name).resolve().is_relative_to(folder):
                    raise ConfigError(f"option {option} is the text of {name}, outside of config/")
            try:
                texts[option] = "".join((self.root / name).read_text("utf-8") for name in names)
            except (OSError, UnicodeDecodeError) as error:
                raise ConfigError(f"option {option} is the text of {names}: {error}") from error
        return texts
