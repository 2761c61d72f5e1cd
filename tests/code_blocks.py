"""Code blocks of pages, so that tests run what the documentation shows."""

from __future__ import annotations

import re


def blocks(page: str, language: str) -> list[str]:
    """The code of all blocks of a language on a page, in its order."""
    return re.findall(rf"^```{language}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)


def block(page: str, language: str, file: str = "") -> str:
    """The one block of a language; with `file` the one whose first line names that file."""
    [found] = [code for code in blocks(page, language) if file in code.split("\n", 1)[0]]
    return found
