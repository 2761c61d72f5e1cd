"""Flags: codes in one text, separated by `;`."""

from typing import Any

import pandas as pd


def has_flag(flags: object, code: str) -> bool:
    """Return whether a code is among flags; blanks have none."""
    return code in str(flags).split(";")


def flagged(flags: "pd.Series[Any]", code: str) -> "pd.Series[bool]":
    """Return which rows of a column of flags have a code."""
    return flags.map(lambda codes: has_flag(codes, code)).astype(bool)
