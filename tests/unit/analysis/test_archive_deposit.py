"""What an archive says of itself: licences, dates, what made it, and the same bytes each time."""

from __future__ import annotations

import io
import json
import shutil
import zipfile
from pathlib import Path

import planned_samples
import pytest
import synthetic
import yaml
from click.testing import CliRunner

from modelstress.cli import main
from modelstress.config.project import Project
from modelstress.samples.archive import unpack

ROOT = Project.find(Path(__file__)).root
COMMIT = "0123456789abcdef0123456789abcdef01234567"
ENDED = "2026-11-21T10:00:00+00:00"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("config", "queries", "workflow", "LICENSES"):
        shutil.copytree(ROOT / name, tmp_path / name)
    for name in ("LICENSE", "CITATION.cff"):
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / "config/profiles/demo.yaml").write_text(planned_samples.PROFILE, encoding="utf-8")
    record = synthetic.record

    def dated(*arguments, **more):
        made = record(*arguments, **more)
        made["provenance"]["git"] = {"commit": COMMIT, "dirty": False}
        return made | {"ended": ENDED}

    monkeypatch.setattr(synthetic, "record", dated)
    planned_samples.write_planned(Project(tmp_path))
    return tmp_path


def archived(project: Path, name: str, *options: str) -> Path:
    path = project / name
    arguments = ["--project", str(project), "archive", "--out", str(path), *options]
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 0, done.output
    return path


def member(path: Path, name: str) -> str:
    return zipfile.ZipFile(io.BytesIO(path.read_bytes())).read(name).decode()


def test_an_archive_says_what_it_is(project: Path):
    path = archived(project, "a.zip")
    package = json.loads(member(path, "datapackage.json"))
    assert package["$schema"].endswith("/2.0/datapackage.json")
    assert package["licenses"][0]["name"] == "CC-BY-4.0"
    tables = {one["path"]: one for one in package["resources"] if one.get("type") == "table"}
    assert "data/derived/model-queries/demo/cells.csv" in tables
    assert not any("profile" in one for one in package["resources"])
    citation = yaml.safe_load(member(path, "CITATION.cff"))
    assert citation["license"] == "CC-BY-4.0"
    program = citation["references"][0]
    assert program["identifiers"] == [{"type": "swh", "value": f"swh:1:rev:{COMMIT}"}]
    assert program["license"] == ["EPL-2.0", "GPL-3.0-or-later"]
    deposit = json.loads(member(path, "zenodo.json"))["metadata"]
    assert (deposit["license"], deposit["publication_date"]) == ("cc-by-4.0", "2026-11-21")
    related = {one["identifier"]: one["relation"] for one in deposit["related_identifiers"]}
    assert related == {
        "10.1007/s10270-017-0606-9": "references", f"swh:1:rev:{COMMIT}": "isCompiledBy",
    }  # fmt: skip
    graph = {
        one["@id"]: one for one in json.loads(member(path, "ro-crate-metadata.json"))["@graph"]
    }
    assert graph["#run-1"]["endTime"] == ENDED
    assert "LICENSES/CC-BY-4.0.txt" in graph
    assert graph[f"https://archive.softwareheritage.org/swh:1:rev:{COMMIT}"]["softwareVersion"]
    names = set(zipfile.ZipFile(path).namelist())
    for identifier, entity in graph.items():
        if "File" in entity["@type"]:
            assert identifier in names
        elif entity["@type"] == "Dataset" and identifier != "./":
            assert any(name.startswith(identifier) for name in names)
    assert "ARTIFACT.md" in names


def test_the_same_dataset_is_the_same_bytes_and_comes_back(project: Path, tmp_path: Path):
    first, second = archived(project, "a.zip"), archived(project, "b.zip")
    assert first.read_bytes() == second.read_bytes()
    unpack(first, tmp_path / "out")
    for file in (project / "data/derived").rglob("*.csv"):
        assert (tmp_path / "out" / file.relative_to(project)).read_bytes() == file.read_bytes()


def test_another_licence_of_the_data(project: Path):
    path = archived(project, "a.zip", "--license", "CC0-1.0")
    assert yaml.safe_load(member(path, "CITATION.cff"))["license"] == "CC0-1.0"
    assert json.loads(member(path, "datapackage.json"))["licenses"][0]["name"] == "CC0-1.0"
    arguments = ["--project", str(project), "archive", "--license", "../x"]
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 2 and "no SPDX identifier" in done.output


def test_a_project_without_a_workflow_is_archived_too(project: Path):
    shutil.rmtree(project / "workflow")
    graph = json.loads(member(archived(project, "a.zip"), "ro-crate-metadata.json"))["@graph"]
    root = next(one for one in graph if one["@id"] == "./")
    assert root["conformsTo"] == {"@id": "https://w3id.org/ro/wfrun/process/0.5"}
