"""Programs that are named by levels: there are several builds of a tool."""

from __future__ import annotations

from typing import Any

import pytest
from click.testing import CliRunner

from modelstress.cli import main
from modelstress.config.base import parse
from modelstress.config.errors import ConfigError
from modelstress.config.tool import Tool

FIELDS: dict[str, Any] = {
    "tool": "orb", "title": "ORB", "driver": "orb", "workload": "operations", "store": "none",
    "jar": "built/{compiler}-{level}/server", "client": "built/{compiler}/client",
    "supports": {"compiler": ["g++", "clang++"], "level": ["O2", "O0"]},
}  # fmt: skip


def tool(**fields: Any) -> Tool:
    return parse(Tool, {**FIELDS, **fields}, "orb.yaml")


def test_a_cell_has_the_programs_of_its_levels() -> None:
    cell = tool().at({"compiler": "clang++", "level": "O0", "other": 1})
    assert (cell.jar, cell.client) == ("built/clang++-O0/server", "built/clang++/client")
    assert tool().has_builds and not cell.has_builds
    assert not tool(jar="server", client=None).has_builds


def test_without_a_level_the_name_stays() -> None:
    assert tool().at({"compiler": "g++"}).jar == FIELDS["jar"]


def test_a_factor_that_the_tool_does_not_have_is_refused() -> None:
    with pytest.raises(ConfigError, match="jar names unknown factor 'compilr'"):
        tool(jar="built/{compilr}/server")


def test_there_is_no_image_of_several_builds() -> None:
    done = CliRunner().invoke(main, ["images", "omniorb"])
    assert done.exit_code == 2 and "has several builds" in done.output


@pytest.mark.parametrize(
    ("level", "message"),
    [
        ("compilr=g++", "no factor 'compilr' (did you mean 'compiler'?)"),
        ("compiler=gcc", "no such level"),
    ],
)
def test_conformance_of_a_build_that_there_is_not(level: str, message: str) -> None:
    done = CliRunner().invoke(main, ["conformance", "omniorb", "--level", level])
    assert done.exit_code == 2 and message in done.output
