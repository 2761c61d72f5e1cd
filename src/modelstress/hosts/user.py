"""Whose programs these are."""

from __future__ import annotations

import getpass
import os


def user_name() -> str:
    """Name of this process's user; the number where there is no name."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return str(os.getuid())
