"""Tools of installed packages: found by their entry point, below the project's own files."""

from pathlib import Path

import pytest

from modelstress.config import packages
from modelstress.config.errors import ConfigError
from modelstress.config.packages import GROUP, how_to_get, tool_packages
from modelstress.config.project import Project

DESCRIPTOR = """
tool: {tool}
title: {title}
jar: programs/server
driver: {tool}
supports: {{backend: [memory]}}
"""


@pytest.fixture(autouse=True)
def fresh():
    tool_packages.cache_clear()
    yield
    tool_packages.cache_clear()


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Put a package with a tool on the path, as pip leaves it."""
    site = tmp_path / "site"

    def put(name: str, tool: str, title: str = "A tool", value: str | None = None) -> Path:
        module = f"{name}_files".replace("-", "_")
        folder = site / module
        (folder / "config" / "tools").mkdir(parents=True)
        (folder / "__init__.py").write_text("raise RuntimeError('nobody imports it')")
        described = DESCRIPTOR.format(tool=tool, title=title)
        (folder / "config" / "tools" / f"{tool}.yaml").write_text(described)
        (folder / "programs").mkdir()
        (folder / "programs" / "server").write_text("#!/bin/sh\n")
        about = site / f"{name}-1.2.dist-info"
        about.mkdir()
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.2\n")
        (about / "entry_points.txt").write_text(f"[{GROUP}]\n{tool} = {value or module}\n")
        monkeypatch.syspath_prepend(site)
        tool_packages.cache_clear()
        return folder

    return put


@pytest.fixture
def project(tmp_path) -> Project:
    (tmp_path / "w" / "config" / "tools").mkdir(parents=True)
    (tmp_path / "w" / "config" / "config.yaml").write_text("{}")
    return Project(tmp_path / "w")


def test_a_tool_of_a_package_is_found(install, project):
    folder = install("toolbox", "mine")
    assert [package.name for package in tool_packages()] == ["toolbox"]
    assert project.tool_names == ["mine"]
    tool = project.tools["mine"]
    assert project.jar(tool) == folder / "programs" / "server"
    assert project.package_of("mine").named == {"name": "toolbox", "version": "1.2"}
    assert project.place(project.jar(tool)) == "programs/server"
    assert project.descriptor("mine") == folder / "config" / "tools" / "mine.yaml"


def test_the_projects_own_descriptor_goes_first_and_programs_are_still_found(install, project):
    folder = install("toolbox", "mine")
    own = project.root / "config" / "tools" / "mine.yaml"
    own.write_text(DESCRIPTOR.format(tool="mine", title="Changed here"))
    tool = project.tool("mine")
    assert tool.title == "Changed here"
    assert project.package_of("mine") is None
    assert project.jar(tool) == folder / "programs" / "server"
    (project.root / "programs").mkdir()
    (project.root / "programs" / "server").write_text("#!/bin/sh\n")
    assert project.jar(tool) == project.root / "programs" / "server"


def test_two_packages_with_one_tool_are_refused(install, project):
    install("toolbox", "mine")
    install("other-box", "mine")
    with pytest.raises(ConfigError, match="'mine' is in the packages other-box and toolbox"):
        project.tool("mine")


def test_each_package_has_its_own_program(install, project):
    one, two = install("one", "first"), install("two", "second")
    assert project.jar(project.tool("first")) == one / "programs" / "server"
    assert project.jar(project.tool("second")) == two / "programs" / "server"


def test_an_entry_point_to_nothing_is_one_sentence(install, project):
    install("toolbox", "mine", value="no_such_module")
    with pytest.raises(ConfigError, match=r"package toolbox 1\.2: entry point 'mine' .*no_such"):
        project.tool_names  # noqa: B018 - it is looked for


def test_a_package_lying_below_the_project_keeps_its_places(install, project, monkeypatch):
    folder = install("toolbox", "mine")
    inside = Project(folder.parents[1])
    assert inside.place(folder / "programs" / "server") == "programs/server"


def test_what_to_do_depends_on_how_it_was_installed(tmp_path, monkeypatch):
    assert how_to_get("cdo") == "build it with 'make build'"
    monkeypatch.setattr(packages, "WORKSPACE", tmp_path)
    assert "'pip install modelstress-cdo'" in how_to_get("cdo")
