"""What keeps a model from being made, before any Java program is asked."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from modelstress.config.base import read_model
from modelstress.config.errors import ConfigError, MissingError
from modelstress.config.project import Project
from modelstress.samples.provenance import sha256_file
from modelstress.workloads.queries.jdt_ladder import Ladder, Sources
from modelstress.workloads.queries.models import build_model, fetch, own_files, store_model
from modelstress.workloads.queries.study import JdtModel, OwnModel

ROOT = Project.find(Path(__file__)).root
JDT0 = JdtModel(case="grabats", step=0)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    (tmp_path / "config").mkdir()
    shutil.copy2(ROOT / "config" / "jdt-ladder.yaml", tmp_path / "config")
    return Project(tmp_path)


def maven(folder: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """A program called mvn, alone on the path beside the shell's own."""
    folder.mkdir()
    (folder / "mvn").write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    (folder / "mvn").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")


def sources(sha256: str = "0" * 64) -> Sources:
    return Sources(artifact="a", version="1", sha256=sha256)


def test_without_maven_nothing_is_fetched(project, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingError, match=r"Maven, which fetches g:a:1:jar:sources.*install it"):
        fetch(project, "g", sources())
    with pytest.raises(MissingError, match="Maven"):
        build_model(project, JDT0, tmp_path / "out")
    assert list((project.stores / "sources").iterdir()) == []


def test_what_maven_says_is_passed_on(project, monkeypatch, tmp_path):
    maven(tmp_path / "bin", monkeypatch, "echo '[ERROR] no such artifact'; exit 1")
    with pytest.raises(MissingError, match=r"g:a:1:jar:sources cannot.*: no such artifact"):
        fetch(project, "g", sources())
    assert list((project.stores / "sources").iterdir()) == []


@pytest.mark.parametrize("script", ["exit 0", "exit 7"])
def test_a_silent_maven(project, monkeypatch, tmp_path, script):
    maven(tmp_path / "bin", monkeypatch, script)
    with pytest.raises(MissingError, match="does not say why"):
        fetch(project, "g", sources())


COPIES = """
for word; do case $word in -DoutputDirectory=*) folder=${word#*=};; esac; done
echo "$@" >> "$(dirname "$0")/asked"
printf right > "$folder/a-1-sources.jar"
"""


def test_a_jar_is_fetched_once_and_checked(project, monkeypatch, tmp_path):
    maven(tmp_path / "bin", monkeypatch, COPIES)
    other = sources("1" * 64)
    with pytest.raises(ConfigError, match=r"sha256 of g:a:1:jar:sources is 1{64}, but"):
        fetch(project, "g", other)
    folder = project.stores / "sources"
    assert list(folder.iterdir()) == []

    (tmp_path / "right").write_text("right")
    right = sources(sha256_file(tmp_path / "right"))
    jar = fetch(project, "g", right)
    assert list(folder.iterdir()) == [jar] and jar.read_text() == "right"
    assert fetch(project, "g", right) == jar
    asked = (tmp_path / "bin" / "asked").read_text().splitlines()
    assert len(asked) == 2 and "-Dartifact=g:a:1:jar:sources" in asked[1]
    jar.write_text("wrong")
    with pytest.raises(ConfigError, match=rf"{jar} has another sha256.*remove it"):
        fetch(project, "g", right)


def test_a_damaged_jar_is_not_extracted(project, tmp_path):
    ladder = read_model(Ladder, project.root / "config" / "jdt-ladder.yaml")
    first = ladder.sources(0)[0]
    jar = project.stores / "sources" / f"{first.artifact}-{first.version}-sources.jar"
    jar.parent.mkdir(parents=True)
    jar.write_bytes(b"PK")
    with pytest.raises(ConfigError, match=rf"{jar.name} has another sha256"):
        build_model(project, JDT0, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def own(**fields: list[str]) -> OwnModel:
    usual = {"metamodels": ["m.ecore"], "files": ["b.xmi", "*.xmi", "parts/**/*.xmi"]}
    return OwnModel(case="mine", **{**usual, **fields})


@pytest.fixture
def files(project: Project) -> Project:
    for name in ("m.ecore", "a.xmi", "b.xmi", "parts/z.xmi", "parts/deep/y.xmi"):
        file = project.root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(name, encoding="utf-8")
    (project.root / "folder.xmi").mkdir()
    return project


def test_files_come_in_the_order_of_their_patterns_each_once(files):
    metamodels, models = own_files(files, own())
    assert [file.name for file in metamodels] == ["m.ecore"]
    assert [file.relative_to(files.root).as_posix() for file in models] == [
        "b.xmi", "a.xmi", "parts/deep/y.xmi", "parts/z.xmi",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"files": ["b.xmi", "c*.xmi"]}, r"field 'files': 'c\*\.xmi' matches no file"),
        ({"metamodels": ["n.ecore"]}, r"field 'metamodels': 'n\.ecore' matches no file"),
        ({"files": ["folder.xmi"]}, r"'folder\.xmi' matches no file"),
        ({"files": ["/etc/*.conf"]}, r"relative to the project's folder"),
    ],
)
def test_a_pattern_without_files_is_named(files, fields, message, tmp_path):
    with pytest.raises(ConfigError, match=rf"model of case 'mine': .*{message}"):
        build_model(files, own(**fields), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_the_model_without_files_is_named_as_its_study_names_it(files, tmp_path):
    folder = files.root / "config" / "studies"
    folder.mkdir(parents=True, exist_ok=True)
    factors = "tool, backend, language, protocol, query, threads".replace(",", ": [x],")
    (folder / "s.yaml").write_text(
        "study: s\ntitle: t\nmodels:\n"
        "  bikes: {case: mine, metamodels: [m.ecore], files: [none.xmi]}\n"
        f"factors: {{model: [bikes], {factors.replace('threads', 'threads: [1]')}}}\n",
        encoding="utf-8",
    )
    with pytest.raises(ConfigError, match=r"model 'bikes' of case 'mine': .*'none\.xmi'"):
        store_model(Project(files.root), "bikes", own(metamodels=["m.ecore"], files=["none.xmi"]))


def test_without_the_program_nothing_is_made(files, tmp_path):
    with pytest.raises(MissingError, match="make build"):
        build_model(files, own(), tmp_path / "out")
