"""The validators themselves, over an archive as it is written, and over broken ones."""

from __future__ import annotations

import json
import os
import re
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path

import planned_samples
import pytest
from click.testing import CliRunner
from needs import EVERY_TEST

from modelstress.cli import main
from modelstress.config.project import Project
from tests.e2e.conftest import check_out_files

ROOT = Project.find(Path(__file__)).root
PYTHON = ROOT / ".venv/validators/bin/python"
pytestmark = pytest.mark.skipif(
    not PYTHON.is_file() and EVERY_TEST not in os.environ, reason="needs 'make validators'"
)


def validate(*files: Path) -> tuple[int, str]:
    """Exit code and output of the validators."""
    done = subprocess.run(
        [PYTHON, ROOT / "tools/validators/validate.py", *files],
        capture_output=True, text=True, timeout=200,
    )  # fmt: skip
    return done.returncode, done.stdout + done.stderr


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("validated")
    here = check_out_files(folder / "here")
    profile = here / "config/profiles/demo.yaml"
    profile.write_text(planned_samples.PROFILE, encoding="utf-8")
    planned_samples.write_planned(Project(here))
    out = folder / "data.zip"
    done = CliRunner().invoke(main, ["--project", str(here), "archive", "--out", str(out)])
    assert done.exit_code == 0, done.output
    return out


def broken(archive: Path, name: str, change: Callable[[dict], None]) -> Path:
    """The archive with one of its descriptors changed."""
    target = archive.with_name(f"broken-{change.__name__}.zip")
    with zipfile.ZipFile(archive) as whole, zipfile.ZipFile(target, "w") as made:
        for member in whole.namelist():
            data = whole.read(member)
            if member == name:
                document = json.loads(data)
                change(document)
                data = json.dumps(document).encode()
            made.writestr(member, data)
    return target


def without_licence(crate: dict) -> None:
    for entity in crate["@graph"]:
        if entity["@id"] == "./":
            del entity["license"]


def without_the_run(crate: dict) -> None:
    crate["@graph"] = [one for one in crate["@graph"] if one["@type"] != "CreateAction"]


def other_type(package: dict) -> None:
    table = next(one for one in package["resources"] if one["path"].endswith("/cells.csv"))
    field = next(one for one in table["schema"]["fields"] if one["name"] == "tool")
    field["type"] = "integer"


def without_resources(package: dict) -> None:
    package["resources"] = []


BROKEN = (
    ("ro-crate-metadata.json", without_licence, "crate"),
    ("ro-crate-metadata.json", without_the_run, "crate"),
    ("datapackage.json", other_type, "data package"),
    ("datapackage.json", without_resources, "data package"),
)


def test_an_archive_has_no_error_and_broken_ones_are_found(archive: Path):
    """All at once: most of the time goes into starting the validators."""
    files = {broken(archive, name, change): what for name, change, what in BROKEN}
    code, said = validate(archive, *files)
    assert code == 1, said
    counts = dict(re.findall(r"^(.*): (\d+) errors, ", said, re.MULTILINE))
    wrong = {name for name, errors in counts.items() if errors != "0"}
    assert len(counts) == 3 * (1 + len(files)), said
    assert wrong == {f"{file}: {what}" for file, what in files.items()}, said


def test_a_bill_of_materials_without_components_is_an_error(tmp_path: Path):
    bill = tmp_path / "bill.json"
    bill.write_text(json.dumps({"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1}))
    code, said = validate(bill)
    assert code == 1 and "no component is listed" in said
    bill.write_text(json.dumps({
        "bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
        "components": [{"type": "library", "name": "x"}],
    }))  # fmt: skip
    assert validate(bill)[0] == 0
