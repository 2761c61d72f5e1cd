"""environment.yml gives an environment in which the project is installed and Snakemake finds it.

No conda channel is needed to say so: its pip section is what installs everything of Python.
"""

import os
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest
import yaml

from modelstress.config.project import Project

ROOT = Project.find(Path(__file__)).root
CONDA = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))["dependencies"]
LINES = CONDA[-1]["pip"]


def test_pip_resolves_exactly_these_lines(tmp_path):
    """As conda does, from a file; nothing is downloaded, for everything is there already."""
    file = tmp_path / "pip.txt"
    lines = [f"-e {ROOT}" if line == "-e ." else line for line in LINES]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "pip", "install", "--dry-run", "--no-index", "--no-deps",
         "--no-build-isolation", "-r", str(file)],
        capture_output=True, text=True, timeout=240, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "Would install modelstress-" in done.stdout, done.stdout


@pytest.mark.timeout(300)
def test_snakemake_finds_the_project_in_it(tmp_path):
    """In an environment with the packages of the pip section, before and after its last line."""
    here = tmp_path / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(here)], check=True)
    [site] = here.glob("lib/python*/site-packages")
    others = Path(metadata.distribution("snakemake").locate_file(""))
    packages = site / "others"
    packages.mkdir()
    for entry in others.iterdir():
        if "modelstress" not in entry.name.lower():
            (packages / entry.name).symlink_to(entry)
    (site / "others.pth").write_text(f"{packages}\n", encoding="utf-8")

    variables = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}

    def snakemake():
        argv = [here / "bin/python", "-m", "snakemake", "--cores", "1", "-n", "--quiet", "all"]
        return subprocess.run(
            [*map(str, argv), "--config", "profile=smoke"],
            cwd=ROOT, env=variables, capture_output=True, text=True, timeout=200, check=False,
        )  # fmt: skip

    without = snakemake()
    assert without.returncode != 0 and "No module named 'modelstress'" in (
        without.stdout + without.stderr
    )
    (site / "modelstress.pth").write_text(f"{ROOT / 'src'}\n", encoding="utf-8")  # what -e . does
    done = snakemake()
    assert done.returncode == 0, done.stdout + done.stderr
