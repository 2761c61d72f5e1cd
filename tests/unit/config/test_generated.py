"""Generated and duplicated files do not drift."""

import importlib.util
from pathlib import Path

import jsonschema
import pytest
import yaml

from modelstress.config.project import Project
from modelstress.config.schemas import SCHEMAS, schema_text

ROOT = Project.find(Path(__file__)).root


@pytest.mark.parametrize("name", SCHEMAS)
def test_schema_is_current(name):
    file = ROOT / "workflow" / "schemas" / f"{name}.schema.json"
    assert file.read_text(encoding="utf-8") == schema_text(name), "run `make schemas`"


def test_no_schema_without_a_model():
    files = {f.name.removesuffix(".schema.json") for f in (ROOT / "workflow/schemas").iterdir()}
    assert files == set(SCHEMAS)


@pytest.mark.parametrize(
    ("name", "pattern"),
    [
        ("study", "config/studies/model-*.yaml"),
        ("study-operations", "config/studies/process-*.yaml"),
        ("study", "examples/own-model/config/studies/*.yaml"),
        ("study-operations", "examples/own-study/config/studies/*.yaml"),
        ("profile", "config/profiles/*.yaml"),
        ("profile", "config/profiles/*/*.yaml"),
        ("profile", "examples/*/config/profiles/*.yaml"),
        ("tool", "config/tools/*.yaml"),
        ("config", "config/config.yaml"),
        ("case", "queries/*/case.yaml"),
        ("case", "examples/*/queries/*/case.yaml"),
        ("jdt-ladder", "config/jdt-ladder.yaml"),
        ("attributes", "queries/*/attributes.yaml"),
        ("paper", "config/papers/*20*.yaml"),
        ("setting", "config/papers/setting.yaml"),
    ],
)
def test_shipped_files_fit_schema_and_model(name, pattern):
    import json

    files = sorted(ROOT.glob(pattern))
    assert files
    for file in files:
        data = yaml.safe_load(file.read_text(encoding="utf-8"))
        jsonschema.validate(data, json.loads(schema_text(name)))
        SCHEMAS[name].model_validate(data)


def test_environment_has_the_pins_of_the_lock_file():
    spec = importlib.util.spec_from_file_location("environment", ROOT / "tools" / "environment.py")
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    pins = tool.pins(lock)
    assert len(pins) > 50
    conda = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
    assert conda["dependencies"][-1]["pip"] == [*pins, "-e ."], "run `make lock`"


def test_every_direct_dependency_is_locked():
    import re
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    direct = project["dependencies"] + project["optional-dependencies"]["dev"]
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8").lower()
    for requirement in direct:
        name = re.match(r"[A-Za-z0-9._-]+", requirement)[0].lower()
        assert re.search(rf"^{re.escape(name)}==", lock, re.MULTILINE), f"run `make lock`: {name}"


def test_typed_objects_are_those_of_the_configuration():
    import subprocess
    import sys

    generate = ROOT / "java-shims" / "topology" / "generate.py"
    done = subprocess.run(
        [sys.executable, str(generate), "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
