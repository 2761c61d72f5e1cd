"""The Java programs as built, and small models made by them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from modelstress.config.project import Project
from modelstress.measure import calibration, validity
from modelstress.measure.conformance.bench import QUICK_JVM
from modelstress.measure.java import find_java
from modelstress.workloads.queries import files

ROOT = Project.find(Path(__file__)).root


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cells of the fake tool need no calibrated machine."""
    monkeypatch.setattr(calibration, "SECONDS", 0.02)


@pytest.fixture(scope="session")
def models_jar() -> Path:
    jar = files.models_jar(Project(ROOT))
    assert jar.is_file(), "build the Java programs first: make build"
    return jar


@pytest.fixture(scope="session")
def small_model(models_jar: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """``2016 repair 1``, in binary form."""
    target = tmp_path_factory.mktemp("models") / "small.bin"
    argv = [find_java().program, *QUICK_JVM, "-jar", str(models_jar), "train", "--line", "2016"]
    argv += ["--scenario", "repair", "--size", "1", "--output", str(target)]
    subprocess.run(argv, check=True, timeout=120)
    return target


@pytest.fixture
def small_project(tmp_path: Path, small_model: Path) -> Project:
    """A project of its own, with the real tools and queries and the small model."""
    root = tmp_path / "project"
    for part in ("config", "queries"):
        shutil.copytree(ROOT / part, root / part)
    (root / "java-shims").symlink_to(ROOT / "java-shims")
    project = Project(root)
    target = files.model_file(project, "train-2016-repair-1")
    target.parent.mkdir(parents=True)
    shutil.copy2(small_model, target)
    return project


@pytest.fixture
def idle(monkeypatch: pytest.MonkeyPatch) -> None:
    """What else the machine of the tests is busy with makes no invocation invalid."""
    monkeypatch.setattr(validity, "client_load", lambda busy, window_s, **_: [])
