"""Puts what `modelstress init` copies into the wheel: folders of the repository, no second copy.

Run by hatchling. An editable installation has the repository itself.
"""

import ast
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

LISTED = "src/modelstress/cli/workspace.py"
INTO = "modelstress/workspace"


class WorkspaceHook(BuildHookInterface):
    """Adds each file of `FOLDERS`, but descriptors of tools, which have packages of their own."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called by hatchling before it builds."""
        if version != "editable":
            root = Path(self.root)
            for file in packaged(root):
                build_data["force_include"][str(root / file)] = f"{INTO}/{file}"


def packaged(root: Path) -> list[str]:
    """Files of a workspace, relative to the repository."""
    tree = ast.parse((root / LISTED).read_text(encoding="utf-8"))
    named = next(
        ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "FOLDERS"
    )
    files: list[Path] = []
    for name in named:
        found = root / name
        files += [found] if found.is_file() else sorted(p for p in found.rglob("*") if p.is_file())
    places = [file.relative_to(root) for file in files]
    return [
        place.as_posix()
        for place in places
        if not any(part.startswith(".") or part == "__pycache__" for part in place.parts)
        and place.parts[:2] != ("config", "tools")
    ]
