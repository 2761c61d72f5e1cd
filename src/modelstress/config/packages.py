"""Installed packages that bring tools: folders laid out like a project, found by an entry point."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path

from modelstress.config.errors import ConfigError

GROUP = "modelstress.tools"
"""Entry points of this group name the Python package whose folder has the files of a tool."""
WORKSPACE = Path(__file__).parents[1] / "workspace"
"""What ``modelstress init`` copies; only an installed wheel has it, a clone has the folders."""


@dataclass(frozen=True)
class ToolPackage:
    """An installed distribution with files of tools.

    Attributes:
        name: of the distribution.
        version: of the distribution.
        folder: absolute; its files lie where a project has them: ``config/tools/<tool>.yaml``,
            programs where the descriptor says, ``queries/``.
    """

    name: str
    version: str
    folder: Path

    @property
    def named(self) -> dict[str, str]:
        """Name and version, as a record has them."""
        return {"name": self.name, "version": self.version}


@lru_cache
def tool_packages() -> tuple[ToolPackage, ...]:
    """All of them, by name.

    Raises:
        ConfigError: an entry point names a module that is not there.
    """
    found = {_package_of(point) for point in entry_points(group=GROUP)}
    return tuple(sorted(found, key=lambda package: (package.name, package.folder)))


def _package_of(point: EntryPoint) -> ToolPackage:
    name = "?" if point.dist is None else point.dist.name
    version = "?" if point.dist is None else point.dist.version
    try:
        spec = find_spec(point.value)  # imports nothing of it but the packages around it
    except (ImportError, ValueError):
        spec = None
    if spec is None or not spec.submodule_search_locations:
        raise ConfigError(
            f"package {name} {version}: entry point {point.name!r} of {GROUP!r} names "
            f"{point.value!r}, which is no Python package; install it again or uninstall it"
        )
    return ToolPackage(name, version, Path(next(iter(spec.submodule_search_locations))).resolve())


def how_to_get(tool: str | None = None) -> str:
    """What to do about a program that is not there, for the end of a sentence."""
    if not WORKSPACE.is_dir():
        return "build it with 'make build'"
    named = f"such as 'pip install modelstress-{tool}'" if tool else "modelstress-models"
    return f"install the package that has it, {named}"
