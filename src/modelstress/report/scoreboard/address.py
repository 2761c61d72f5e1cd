"""Addresses of the scoreboard's pages: from a query to a choice, and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol
from urllib.parse import urlencode

from modelstress.analysis.space import MEASURES, Choice, Space
from modelstress.config.base import nearest
from modelstress.config.errors import ConfigError

ANY = "*"
"""What stands for a setting that is open; an empty word does, too."""
MEASURE, MACHINE, BUILD = "of.measure", "of.machine", "of.build"
"""Names beside those of options; no factor's name has a point."""
UNKNOWN = "unknown"
"""A machine or build that was not recorded."""
MOST_QUERY = 8192
"""Characters of a query."""
SHOWN = 60
"""Characters that a message repeats of a word."""


class Links(Protocol):
    """Where the pages of choices are."""

    def href(self, choice: Choice) -> str | None:
        """The address of a choice's page; None where there is none."""


class Addresses:
    """Addresses of a server: each choice has one."""

    def __init__(self, space: Space) -> None:
        self._space = space

    def href(self, choice: Choice) -> str:
        """The address of a choice's page."""
        query = query_of(self._space, choice)
        return "?" + urlencode(query) if query else "./"


def named(words: Sequence[str]) -> tuple[str, ...]:
    """Machines or builds as readers and addresses have them."""
    return tuple(word or UNKNOWN for word in words)


def query_of(space: Space, choice: Choice) -> dict[str, str]:
    """What the address of a choice says, without what is usual."""
    query = {space.options[o].name: space.options[o].levels[level] for o, level in choice.fixed}
    if choice.measure:
        query[MEASURE] = choice.about.name
    if choice.machine is not None:
        query[MACHINE] = named(space.machines)[choice.machine]
    if choice.build is not None:
        query[BUILD] = named(space.builds)[choice.build]
    return query


def choice_of(space: Space, query: Mapping[str, Sequence[str]]) -> Choice:
    """The choice that a query asks for.

    Args:
        space: with all options and levels there are.
        query: name to the words given for it.

    Raises:
        ConfigError: a name is unknown or given twice, or a level, machine, build or measure is
            unknown; one sentence says so.
    """
    words = {}
    for name, given in query.items():
        if len(given) != 1:
            raise ConfigError(f"{name[:SHOWN]!r} is given {len(given)} times; give it once")
        words[name] = given[0]
    measures = [measure.name for measure in MEASURES]
    measure = _place(measures, MEASURE, words.pop(MEASURE, ""))
    machine = _place(named(space.machines), MACHINE, words.pop(MACHINE, ""))
    build = _place(named(space.builds), BUILD, words.pop(BUILD, ""))
    fixed = []
    for name, word in words.items():
        option = space.option(name)
        if option is None and name in space.shared:
            _place([space.shared[name]], name, word)
            continue
        if option is None:
            names = [*(one.name for one in space.options), *space.shared]
            raise ConfigError(f"there is no option {name[:SHOWN]!r}{nearest(name[:SHOWN], names)}")
        level = _place(space.options[option].levels, name, word)
        if level is not None:
            fixed.append((option, level))
    return Choice(tuple(sorted(fixed)), machine, build, measure or 0)


def _place(levels: Sequence[str], name: str, word: str) -> int | None:
    """The place of a level; None of an open one."""
    if word in levels:
        return levels.index(word)
    if word in ("", ANY):
        return None
    raise ConfigError(
        f"{name[:SHOWN]!r} has no level {word[:SHOWN]!r}{nearest(word[:SHOWN], levels)}"
    )
