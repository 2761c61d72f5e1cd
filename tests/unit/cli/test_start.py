"""Where the command begins."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from modelstress import cli, start


@pytest.mark.parametrize("environment", [True, False])
def test_programs_of_tools_find_the_python_of_an_environment_that_is_not_activated(
    monkeypatch: pytest.MonkeyPatch, environment: bool
) -> None:
    monkeypatch.setenv("PATH", "/usr/bin")
    monkeypatch.setattr(sys, "base_prefix", "/usr" if environment else sys.prefix)
    paths: list[str] = []
    monkeypatch.setattr(cli, "main", lambda prog_name: paths.append(os.environ["PATH"]))
    start.main()
    folder = str(Path(sys.executable).parent)
    assert paths == [f"{folder}{os.pathsep}/usr/bin" if environment else "/usr/bin"]
