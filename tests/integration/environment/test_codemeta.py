"""``codemeta.json`` and ``.zenodo.json`` are what pyproject.toml and CITATION.cff say."""

from __future__ import annotations

import json
import shutil
import tomllib
from pathlib import Path

import pytest
import yaml

from modelstress.config.project import Project
from tools import codemeta

ROOT = Project.find(Path(__file__)).root


def test_the_files_are_those_that_would_be_written():
    for name, text in codemeta.made(ROOT).items():
        assert (ROOT / name).read_text(encoding="utf-8") == text, "run 'make codemeta'"


def test_they_say_what_the_sources_say():
    about = json.loads((ROOT / codemeta.CODEMETA).read_text(encoding="utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert about["version"] == project["version"] == citation["version"]
    assert about["name"] == project["name"]
    assert about["softwareRequirements"] == project["dependencies"]
    assert about["headline"] == citation["title"]
    assert about["programmingLanguage"] == ["Java", "Python", "C++"]
    licences = [one.rpartition("/")[2] for one in about["license"]]
    assert licences == citation["license"]
    assert " OR ".join(licences) == project["license"]
    for licence in licences:
        assert (ROOT / "LICENSES" / f"{licence}.txt").is_file()


@pytest.mark.parametrize("field", ["version", "license"])
def test_sources_that_contradict_each_other_are_a_sentence(tmp_path: Path, field):
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    citation[field] = "9.9"
    (tmp_path / "CITATION.cff").write_text(yaml.safe_dump(citation), encoding="utf-8")
    with pytest.raises(ValueError, match=f"field '{field}' is '9.9'"):
        codemeta.made(tmp_path)
