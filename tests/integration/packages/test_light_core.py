"""What readers of archives install: small, and enough to rebuild every table."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.metadata import distribution, packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from planned_samples import PROFILE, write_planned

from modelstress.config.project import Project
from tests.e2e.conftest import check_out_files

MOST_MB = 700
REFUSING = """
import sys

class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {refused!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Refuse())
from modelstress.start import main
main()
"""


def plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


@pytest.fixture(scope="module")
def core() -> set[str]:
    """Distributions that `pip install modelstress` without extras brings."""
    found: set[str] = set()
    left = ["modelstress"]
    while left:
        name = plain(left.pop())
        if name in found:
            continue
        found.add(name)
        for text in distribution(name).requires or []:
            needed = Requirement(text)
            if needed.marker is None or needed.marker.evaluate({"extra": ""}):
                left.append(needed.name)
    return found


@pytest.fixture(scope="module")
def light(core, tmp_path_factory) -> Path:
    """A program that is `modelstress` without the libraries of the extras."""
    refused = {
        top
        for top, distributions in packages_distributions().items()
        if not {plain(name) for name in distributions} & core
    }
    assert {"docker", "snakemake", "pingouin", "sklearn", "ortools", "IPython"} <= refused
    program = tmp_path_factory.mktemp("light") / "modelstress.txt"
    program.write_text(REFUSING.format(refused=refused), encoding="utf-8")
    return program


def call(light: Path, *arguments: str, cwd: Path, code: int = 0) -> str:
    done = subprocess.run(
        [sys.executable, str(light), *arguments],
        cwd=cwd, capture_output=True, text=True, timeout=800, check=False,
    )  # fmt: skip
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_the_core_is_small(core):
    sizes = {
        name: sum(
            Path(file.locate()).stat().st_size
            for file in distribution(name).files or []
            if Path(file.locate()).is_file()
        )
        for name in core - {"modelstress"}
    }
    assert sum(sizes.values()) / 1e6 < MOST_MB, sorted(sizes.items(), key=lambda s: -s[1])[:12]


@pytest.mark.timeout(1800)
def test_the_core_rebuilds_every_table_of_an_archive(light, tmp_path):
    here = check_out_files(tmp_path / "here")
    (here / "config/profiles/demo.yaml").write_text(PROFILE, encoding="utf-8")
    write_planned(Project(here))
    call(light, "archive", "--out", str(tmp_path / "data.zip"), cwd=here)
    call(light, "unpack", "data.zip", "--to", "out", cwd=tmp_path)
    out = tmp_path / "out"
    tables = {file: file.read_bytes() for file in out.glob("data/derived/**/*.csv")}
    assert tables
    call(light, "derive", cwd=out)
    assert tables == {file: file.read_bytes() for file in out.glob("data/derived/**/*.csv")}
    call(light, "report", cwd=out)
    assert (out / "results/report.html").is_file()
    # made-up samples, of which nothing is expected
    assert "invocations checked" in call(light, "verify", "data/raw", cwd=out, code=1)
    call(light, "compare", str(out), str(out), "--profile", "demo", cwd=tmp_path)


def test_what_the_core_lacks_is_one_sentence(light, tmp_path):
    root = Project.find(Path(__file__)).root
    said = call(light, "images", "cdo", cwd=root, code=3)
    assert said == (
        "error: this command needs the Python package 'docker', which is not installed; type "
        "pip install 'modelstress[measure]'\n"
    )
