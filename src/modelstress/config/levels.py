"""Levels of factors: how one is written, and when two are the same.

A level keeps its type in YAML only. A table makes ``4`` of it, ``4.0`` or ``"4"``, and ``True`` or
``"true"``; a command line knows words only. Two levels are the same when they are written alike.
"""

from __future__ import annotations

from collections.abc import Collection
from numbers import Integral, Real

import yaml


def written(level: object) -> str:
    """A level as configuration files have it; blank where a cell has no such factor.

    Whole numbers have no decimal point, truth values are ``true`` and ``false``.
    """
    if level is None or str(level) in ("<NA>", "nan", "NaT"):  # blanks of tables
        return ""
    kind = type(level).__name__
    if kind in ("bool", "bool_"):  # numpy has one of its own
        return "true" if level else "false"
    if isinstance(level, Real) and not isinstance(level, Integral):
        number = float(level)
        return str(int(number)) if number.is_integer() else repr(number)
    return str(level)


def parsed(word: str) -> str:
    """A word of a command line as it would be written: ``1.0`` is the level ``1``."""
    try:
        level = yaml.safe_load(word)
    except yaml.YAMLError:
        return word
    return written(level) if isinstance(level, bool | int | float) else word


def same(level: object, wanted: object) -> bool:
    """Whether a cell has a level, or one of several; a cell without the factor has none."""
    several = wanted if isinstance(wanted, Collection) and not isinstance(wanted, str) else [wanted]
    word = written(level)
    return bool(word) and word in map(written, several)
