"""YAML as data from anybody: what is damaged, repeated or boundless is refused where it stands."""

from __future__ import annotations

import copy
import math
import unicodedata
from collections.abc import Hashable
from functools import lru_cache
from typing import Any

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

MOST_BYTES = 1 << 20
"""Size of a file; the largest of this project's has 31 kB."""
MOST_NESTED = 50
"""Lists and mappings inside one another."""
MOST_NODES = 100_000
"""Values of a file, those of an alias counted wherever it stands."""
MOST_CHARACTERS = 10_000
"""Length of one value."""
LARGEST = 2**63 - 1
"""Largest whole number; Java, Parquet and HDF have no larger one."""


def load(text: str) -> Any:
    """The value of a YAML document, as PyYAML's safe loader makes it.

    Raises:
        yaml.YAMLError: damaged, or with what no configuration needs: a key that stands there
            twice, control characters, a number without bounds, aliases that make a small text
            large; `problem` and `problem_mark` say what and where.
    """
    return copy.deepcopy(_loaded(text))


@lru_cache(maxsize=64)  # one command reads the same few files many times
def _loaded(text: str) -> Any:
    return yaml.load(text, Loader=_Loader)  # noqa: S506 - a safe loader, with limits


class _Loader(yaml.SafeLoader):
    """PyYAML's safe loader, which says of every damage where it is, and has limits."""

    def __init__(self, stream: str) -> None:
        super().__init__(stream)
        self.nested = 0
        self.sizes: dict[int, int] = {}

    def compose_node(self, parent: Node | None, index: int) -> Node | None:
        """Compose a node unless it is nested too deeply."""
        self.nested += 1
        if self.nested > MOST_NESTED:
            message = f"more than {MOST_NESTED} lists or mappings inside one another"
            raise _problem(message, self.get_mark())
        node = super().compose_node(parent, index)
        self.nested -= 1
        return node

    def get_single_node(self) -> Node | None:
        """Compose the document and check it as a whole, before any value is made."""
        node = super().get_single_node()
        if node is not None:
            self._size(node)
        return node

    def _size(self, node: Node) -> int:
        """Number of values below a node, each alias counted with all that it stands for."""
        known_size = self.sizes.get(id(node))
        if known_size == 0:
            raise _problem("an alias that contains itself", node.start_mark)
        if known_size is not None:
            return known_size
        self.sizes[id(node)] = 0  # until it is known; met again, the node contains itself
        if isinstance(node, MappingNode):
            self._unrepeated(node)
            inside = [child for pair in node.value for child in pair]
        else:
            inside = node.value if isinstance(node, SequenceNode) else []
        size = 1 + sum(self._size(child) for child in inside)
        if size > MOST_NODES:
            raise _problem(f"more than {MOST_NODES} values, aliases counted", node.start_mark)
        self.sizes[id(node)] = size
        return size

    def _unrepeated(self, node: MappingNode) -> None:
        """Refuse a key that stands twice in one mapping; the last one would win silently."""
        seen: dict[tuple[str, str], int] = {}
        for key, _ in node.value:
            if not isinstance(key, ScalarNode):
                continue
            name = (key.tag, key.value)
            if name in seen:
                message = f"key {_short(key.value)} stands there twice, first in line {seen[name]}"
                raise _problem(message, key.start_mark)
            seen[name] = key.start_mark.line + 1

    def construct_object(self, node: Node, deep: bool = False) -> Any:
        """The value of a node.

        PyYAML lets a tag that does not fit its value end in any exception.
        """
        try:
            made = super().construct_object(node, deep=deep)
        except (ValueError, LookupError, AttributeError, TypeError, ArithmeticError) as error:
            kind = node.tag.rpartition(":")[2]
            raise _problem(f"{_short(node.value)} is no {kind}", node.start_mark) from error
        if isinstance(node, ScalarNode):
            _check_value(made, node)
        return made


def _check_value(value: Hashable, node: ScalarNode) -> None:
    """Refuse what is no name, text or number that a configuration could mean."""
    if isinstance(value, int) and abs(value) > LARGEST:
        raise _problem(f"a whole number beyond {LARGEST}", node.start_mark)
    if isinstance(value, float) and not math.isfinite(value):
        raise _problem(f"{_short(node.value)} is no finite number", node.start_mark)
    if not isinstance(value, str):
        return
    if len(value) > MOST_CHARACTERS:
        message = f"a text of {len(value)} characters; {MOST_CHARACTERS} are the most"
        raise _problem(message, node.start_mark)
    for character in value:
        if unicodedata.category(character) in {"Cc", "Cs"} and character not in "\t\n\r":
            message = f"the control character {character!a} in a text"
            raise _problem(message, node.start_mark)


def _problem(message: str, mark: yaml.Mark) -> yaml.MarkedYAMLError:
    return yaml.constructor.ConstructorError(None, None, message, mark)


def _short(value: object) -> str:
    text = str(value)
    return repr(text if len(text) <= 60 else text[:57] + "...")
