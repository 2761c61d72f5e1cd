"""Write environment.yml (conda) with the pins of requirements.lock; a test keeps them equal."""

from __future__ import annotations

import re
from pathlib import Path

HEAD = """\
# For conda users: `conda env create -f environment.yml` in the project's folder. The same pins as
# requirements.lock, kept equal by a test, and the project itself (the last line). Without hashes:
# pip refuses those beside a folder.
# Written by tools/environment.py; change pyproject.toml and run `make lock`.
name: modelstress
channels: [conda-forge]
dependencies:
  - python=3.11
  - openjdk=17
  - maven=3.8
  - pip
  - pip:
"""


PROJECT = "-e ."
"""What pip installs besides: this project, from its folder."""


def pins(lock: str) -> list[str]:
    """``name==version`` of every package of a lock file, in its order."""
    return re.findall(r"^([A-Za-z0-9._-]+==[^ \\]+)", lock, re.MULTILINE)


def environment(lock: str) -> str:
    """Text of ``environment.yml`` for a lock file."""
    return HEAD + "".join(f"      - {line}\n" for line in [*pins(lock), PROJECT])


if __name__ == "__main__":
    root = Path(__file__).parent.parent
    text = environment((root / "requirements.lock").read_text(encoding="utf-8"))
    (root / "environment.yml").write_text(text, encoding="utf-8")
