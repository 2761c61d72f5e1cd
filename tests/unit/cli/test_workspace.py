"""`modelstress init` makes a workspace; the wheel carries what it copies."""

import importlib.util
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from modelstress.cli import main, workspace
from modelstress.config.project import Project

ROOT = Project.find(Path(__file__)).root


@pytest.fixture(scope="module")
def packaged() -> list[str]:
    """Files that the build puts into the wheel."""
    spec = importlib.util.spec_from_file_location("build_hook", ROOT / "tools" / "build_hook.py")
    hook = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(hook)
    return hook.packaged(ROOT)


def call(*arguments: object):
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def test_the_wheel_has_every_file_of_the_folders_but_descriptors(packaged):
    listed = subprocess.run(
        ["git", "ls-files", "--", *workspace.FOLDERS],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout.splitlines()  # fmt: skip
    kept = [file for file in listed if not file.startswith("config/tools/")]
    missing = {file for file in kept if not any(p.startswith(".") for p in Path(file).parts)}
    assert missing - {*packaged} == set()
    assert not [file for file in packaged if file.startswith("config/tools/")]


def test_a_workspace_has_what_the_wheel_carries(tmp_path, packaged):
    done = call("init", tmp_path / "w")
    assert done.exit_code == 0, done.output
    made = {p.relative_to(tmp_path / "w").as_posix() for p in (tmp_path / "w").rglob("*")}
    assert {*packaged} <= made
    assert {*workspace.WORDS} <= made
    project = Project.find(tmp_path / "w")
    assert project.root == tmp_path / "w"
    assert "model-queries" in project.studies and project.tool_names == []


def test_a_folder_that_is_not_empty_is_refused(tmp_path):
    (tmp_path / "mine").write_text("kept")
    done = call("init", tmp_path)
    assert done.exit_code == 2
    assert done.stderr == f"error: {tmp_path}: is not empty; give a new folder\n"
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_a_demo_outside_of_a_workspace_is_one_sentence(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = call("demo")
    assert done.exit_code == 2
    assert "no modelstress project here or above" in done.stderr
    assert "modelstress init" in done.stderr and len(done.stderr.splitlines()) == 1


def test_a_demo_names_the_package_that_is_not_installed(tmp_path, monkeypatch):
    call("init", tmp_path / "w")
    monkeypatch.chdir(tmp_path / "w")
    monkeypatch.setattr("modelstress.config.project.WORKSPACE", ROOT)  # as if installed
    done = call("demo")
    assert done.exit_code == 2
    assert "pip install modelstress-cdo" in done.stderr and len(done.stderr.splitlines()) == 1
