"""Where things are: the files and folders of one project."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from modelstress.config.base import M, nearest, read_model
from modelstress.config.errors import ConfigError
from modelstress.config.profile import Profile
from modelstress.config.study import Study
from modelstress.config.tool import Case, MainConfig, Tool


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

    def study(self, name: str) -> Study:
        """``config/studies/<name>.yaml``."""
        return self._named(Study, "studies", "study", name)

    def profile(self, name: str) -> Profile:
        """``config/profiles/<name>.yaml``."""
        return self._named(Profile, "profiles", "profile", name)

    def tool(self, name: str) -> Tool:
        """``config/tools/<name>.yaml``."""
        return self._named(Tool, "tools", "tool", name)

    def case(self, name: str) -> Case:
        """``queries/<name>/case.yaml``."""
        return read_model(Case, self.root / "queries" / name / "case.yaml")

    def query_file(self, case: str, language: str, query: str) -> Path:
        """``queries/<case>/<language>/<query>.<ext>``; extension and language are the same word.

        Raises:
            ConfigError: there is no such file.
        """
        path = self.root / "queries" / case / language / f"{query}.{language}"
        if not path.is_file():
            raise ConfigError(f"{path}: no such query; write it or take it out of the study")
        return path

    def _named(self, model: type[M], folder: str, kind: str, name: str) -> M:
        path = self.root / "config" / folder / f"{name}.yaml"
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

    def model_file(self, model: str) -> Path:
        """The model in EMF binary form; every tool loads the same file."""
        return self.stores / "models" / f"{model}.bin"

    def oracle_file(self, model: str) -> Path:
        """Expected results of all queries on one model."""
        return self.stores / "oracle" / f"{model}.json"

    def store_folder(self, tool: str, backend: str, model: str) -> Path:
        """The populated store that all cells with these three levels share."""
        return self.stores / tool / backend / model

    def jar(self, tool: Tool) -> Path:
        """The tool's jar; its libraries lie in ``lib/`` beside it."""
        return self.root / tool.jar

    @property
    def models_jar(self) -> Path:
        """Jar of the generators and the oracle."""
        return self.root / "java-shims" / "models" / "target" / "dist" / "models.jar"
