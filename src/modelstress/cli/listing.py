"""Names of all commands, and what each says of itself, read from the sources without importing."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

PACKAGE = Path(__file__).parents[1]
KINDS = "workloads"
"""The room whose kinds may have a module ``commands``."""


@dataclass(frozen=True)
class Listed:
    """A command that is not imported yet.

    Attributes:
        module: that has it in ``COMMANDS``.
        help: docstring of its function.
    """

    module: str
    help: str


@lru_cache
def listed() -> dict[str, Listed]:
    """All commands by name; those of kinds last: they may extend a command."""
    files = [
        *sorted((PACKAGE / "cli").glob("*.py")),
        *sorted((PACKAGE / KINDS).glob("*/commands.py")),
    ]
    return {name: about for file in files for name, about in _commands_of(file)}


def _commands_of(file: Path) -> Iterator[tuple[str, Listed]]:
    text = file.read_text(encoding="utf-8")
    if "\nCOMMANDS = (" not in text:
        return
    module = ".".join(("modelstress", *file.relative_to(PACKAGE).with_suffix("").parts))
    tree = ast.parse(text)
    wanted = next(
        _names(node) for node in tree.body if isinstance(node, ast.Assign) and _names(node)
    )
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name in wanted:
            yield _name_of(node), Listed(module, ast.get_docstring(node) or "")


def _names(node: ast.Assign) -> list[str]:
    """The functions in ``COMMANDS = (...)``; none of another assignment."""
    named = any(isinstance(target, ast.Name) and target.id == "COMMANDS" for target in node.targets)
    if not named or not isinstance(node.value, ast.Tuple):
        return []
    return [element.id for element in node.value.elts if isinstance(element, ast.Name)]


def _name_of(function: ast.FunctionDef) -> str:
    """The name that the decorator gives, or the function's."""
    for decorator in function.decorator_list:
        match decorator:
            case ast.Call(
                func=ast.Attribute(attr="command" | "group"), args=[ast.Constant(value=str(n))]
            ):
                return n
    return function.name.replace("_", "-")
