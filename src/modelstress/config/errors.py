"""Errors for people: one sentence, one exit code."""

from __future__ import annotations


class ModelstressError(Exception):
    """Something a person can mend; the message is one sentence with file, field and remedy."""

    exit_code = 1


class ConfigError(ModelstressError):
    """A configuration file, argument or name is wrong."""

    exit_code = 2


class MissingError(ModelstressError):
    """Something that must be there is not: a JDK, a jar, a model, a store."""

    exit_code = 3


class MeasureError(ModelstressError):
    """A cell could not be measured; what was measured before is kept."""

    exit_code = 4


class BusyError(ModelstressError):
    """Another run holds the host, a port or a file."""

    exit_code = 5


def first_line(error: BaseException) -> str:
    """The first line of what somebody else's exception says; its type where it says nothing."""
    lines = str(error).splitlines()
    return lines[0] if lines else type(error).__name__
