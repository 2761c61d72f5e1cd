"""A dataset rebuilt from its archive, in another folder and without a JDK: the same tables."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from zipfile import ZipFile

import pytest
from click.testing import CliRunner
from planned_samples import PROFILE, write_planned

from modelstress.cli import main
from modelstress.config.project import Project
from tests.e2e.conftest import BIN, check_out_files

JAVA = ("java", "javac", "jcmd", "mvn")


@pytest.fixture
def archive(tmp_path: Path) -> tuple[Path, Path]:
    """The archive of a measured project, and the project with the tables made there."""
    here = check_out_files(tmp_path / "here")
    (here / "config/profiles/demo.yaml").write_text(PROFILE, encoding="utf-8")
    write_planned(Project(here))
    for arguments in (("archive", "--out", str(tmp_path / "data.zip")), ("report",)):
        done = CliRunner().invoke(main, ["--project", str(here), *arguments])
        assert done.exit_code == 0, done.output
    return tmp_path / "data.zip", here


@pytest.fixture
def without_java(tmp_path: Path) -> dict[str, str]:
    """An environment with every program of this machine but those of Java."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for place in ("/usr/local/bin", "/usr/bin", "/bin"):
        for program in Path(place).glob("*"):
            if program.name not in JAVA and not (folder / program.name).is_symlink():
                (folder / program.name).symlink_to(program)
    wanted = {name: value for name, value in os.environ.items() if name != "JAVA_HOME"}
    environment = wanted | {"PATH": f"{BIN}:{folder}"}
    for program in JAVA:
        assert subprocess.run(
            ["sh", "-c", f"command -v {program}"], env=environment, stdout=subprocess.DEVNULL
        ).returncode
    return environment


def tables(root: Path, data: Path) -> dict[str, bytes]:
    """All CSV tables, derived and printed."""
    folders = {"derived": data / "derived", "results": root / "results"}
    return {
        f"{name}/{file.relative_to(folder)}": file.read_bytes()
        for name, folder in folders.items()
        for file in folder.rglob("*.csv")
    }


@pytest.mark.timeout(400)
@pytest.mark.parametrize("notebooks", [False, pytest.param(True, marks=pytest.mark.long)])
def test_rebuilt_from_the_archive(archive, without_java, tmp_path, notebooks):
    zipped, here = archive
    there = check_out_files(tmp_path / "there")
    names = Project(there).study("model-queries").notebooks
    if not notebooks:  # they take a minute, and write no table
        study = there / "config/studies/model-queries.yaml"
        text = study.read_text(encoding="utf-8")
        kept, found, _ = text.partition("\nnotebooks:\n")
        assert found and names
        study.write_text(f"{kept}\nnotebooks: []\n", encoding="utf-8")
        names = []

    def run(*argv: str) -> str:
        done = subprocess.run(
            argv, cwd=there, env=without_java, capture_output=True, text=True, timeout=300
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr

    assert run("sh", "-c", "SOURCE=archive PYTHON=python3 sh tools/system.sh") == ""
    asked = run("make", "-n", "run", "SOURCE=archive", f"ARCHIVE={zipped}")
    assert f'--config source=archive "archive={zipped}"' in asked
    run("snakemake", "--cores", "all", "--config", "source=archive", f"archive={zipped}")

    before = tables(here, here / "data")
    rebuilt = there / "data/archive/data/data"
    after = tables(there, rebuilt)
    assert {"derived/model-queries/demo/cells.csv", "derived/model-queries/demo/messages.csv"} < (
        before.keys()
    )
    assert "results/model-queries/tables/table-05.csv" in before
    assert after == before
    made = [d / "derived/model-queries/demo/latencies.parquet" for d in (here / "data", rebuilt)]
    assert made[0].read_bytes() == made[1].read_bytes()
    assert not [name for name in ZipFile(zipped).namelist() if name.endswith("/latencies.parquet")]
    assert {file.name for file in (there / "data").iterdir()} == {"archive"}
    assert not list(there.glob("java-shims/*/target"))
    report = (there / "results/report.html").read_text(encoding="utf-8")
    assert "missing" in report and "Table 5" in report
    pages = {page.stem for page in there.glob("results/model-queries/notebooks/*.html")}
    assert pages == set(names)
