"""environment.yml gives an environment in which the project is installed and Snakemake finds it.

Its lines are looked at here; `tests/integration/environment` uses them.
"""

from importlib import metadata
from pathlib import Path

import yaml
from packaging.requirements import Requirement

from modelstress.config.project import Project

ROOT = Project.find(Path(__file__)).root
CONDA = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))["dependencies"]
LINES = CONDA[-1]["pip"]


def test_pip_is_given_the_project_itself():
    assert LINES[-1] == "-e ." and all("==" in line for line in LINES[:-1])
    assert not any("--hash" in line for line in LINES), "pip refuses hashes beside a folder"
    assert [line.partition("=")[0] for line in CONDA[:-1]] == ["python", "openjdk", "maven", "pip"]


def test_the_pip_section_is_satisfied_by_this_environment():
    """Every line by name and version: what the tests run in is what conda users get."""
    for line in LINES[:-1]:
        pin = Requirement(line)
        assert metadata.version(pin.name) in pin.specifier, line
