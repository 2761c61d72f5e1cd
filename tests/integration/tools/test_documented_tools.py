"""docs/own-tool.md as it is written: a tool in Python goes through the suite, with each client."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from fake_cells import processes_of

from modelstress.config.profile import Profile
from modelstress.config.project import Project
from modelstress.design.cells import cells_of
from modelstress.design.contents import contents_of
from modelstress.samples.provenance import sha256_jar
from modelstress.workloads.queries.conformance import check_tool
from modelstress.workloads.queries.models import store_model
from modelstress.workloads.queries.stores import load_store
from modelstress.workloads.queries.study import QueriesStudy
from tests.code_blocks import block

ROOT = Project.find(Path(__file__)).root
PAGE = (ROOT / "docs/own-tool.md").read_text(encoding="utf-8")
DESCRIPTOR = block(PAGE, "yaml", "config/tools/my-store.yaml")


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A project with the files of the page's section."""
    root = tmp_path / "project"
    for part in ("config", "queries"):
        shutil.copytree(ROOT / part, root / part)
    (root / "java-shims").symlink_to(ROOT / "java-shims")
    program = root / "my-store/my_store.py"
    program.parent.mkdir()
    program.write_text(block(PAGE, "python"), encoding="utf-8")
    program.chmod(0o755)
    (root / "config/tools/my-store.yaml").write_text(DESCRIPTOR, encoding="utf-8")
    for name, text in re.findall(r"^(queries/train/few/\S+): +(.+)$", PAGE, re.MULTILINE):
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return Project(root)


@pytest.mark.long
@pytest.mark.timeout(600)
def test_the_python_tool_of_the_page_conforms(project: Project) -> None:
    results = {r.name: r for r in check_tool(project, project.tool("my-store"))}
    assert {name: r.detail for name, r in results.items() if not r.passed} == {}
    texts = results["every language has queries to ask"].detail
    assert texts.startswith("2 in few; not asked") and "few/RouteSensor.few" in texts


@pytest.mark.long
@pytest.mark.timeout(600)
def test_the_driver_in_python_of_the_page_conforms(project: Project) -> None:
    client = project.root / "my-store/my_client.py"
    client.write_text(block(PAGE, "py"), encoding="utf-8")
    client.chmod(0o755)
    descriptor = project.root / "config/tools/my-store.yaml"
    fields = yaml.safe_load(descriptor.read_text(encoding="utf-8"))
    fields |= {"client": "my-store/my_client.py", "driver": "my-store"}
    descriptor.write_text(yaml.safe_dump(fields), encoding="utf-8")
    results = list(check_tool(project, project.tool("my-store")))
    assert {r.name: r.detail for r in results if not r.passed} == {}


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_suite_that_is_ended_leaves_nothing_behind(
    project: Project, tmp_path: Path, number: signal.Signals
) -> None:
    folder = tmp_path / "temporary"
    folder.mkdir()
    (project.root / "data").mkdir(exist_ok=True)
    with subprocess.Popen(
        [Path(sys.executable).parent / "modelstress", "conformance", "my-store"],
        cwd=project.root, env={**os.environ, "TMPDIR": str(folder)},
        stdout=subprocess.PIPE, text=True,
    ) as suite:  # fmt: skip
        assert suite.stdout is not None
        while "serve says READY" not in suite.stdout.readline():
            assert suite.poll() is None
        assert list(folder.glob("modelstress-conformance-*"))
        suite.send_signal(number)
        assert suite.wait(60) != 0
    assert list(folder.glob("modelstress-conformance-*")) == []
    assert processes_of(str(folder)) == []


def test_its_cells_are_of_two_programs_and_its_store_is_of_xmi(project: Project) -> None:
    model = "train-2016-repair-1"
    descriptor = yaml.safe_load(DESCRIPTOR)
    factors = {
        "tool": ["my-store"], "backend": ["list"], "language": ["few"], "protocol": ["http"],
        "model": [model], "query": ["PosLength"], "threads": [1],
    }  # fmt: skip
    models = {model: {"case": "train", "line": "2016", "scenario": "repair", "size": 1}}
    study = QueriesStudy.model_validate(
        {"study": "s", "title": "t", "models": models, "factors": factors}
    )
    profile = Profile.model_validate({"profile": "p", "title": "t", "invocations": 1})
    [cell] = cells_of(project, study, profile)
    before = contents_of(project, cell)
    assert {"jar", "client"} <= before.keys() and before["jar"] != before["client"]
    program = project.root / descriptor["jar"]
    program.write_text(program.read_text(encoding="utf-8") + "# changed\n", encoding="utf-8")
    sha256_jar.cache_clear()
    after = contents_of(project, cell)
    assert {name for name in before if before[name] != after[name]} == {"jar"}

    binary, _ = store_model(project, model, study.models[model])
    folder, fresh = load_store(project, cell.tool, "list", model, lambda done, total: None)
    assert fresh and binary.suffix == ".bin" and binary.with_suffix(".xmi").is_file()
    elements = json.loads((folder / "elements.json").read_text(encoding="utf-8"))
    assert len(elements) == json.loads((folder / "loaded.json").read_text())["elements"] > 1000
