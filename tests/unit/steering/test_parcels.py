"""Parcels: what a worker sends is data; where it goes is decided by the receiver."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import sleepers

from modelstress.config.errors import MeasureError
from modelstress.config.project import Project
from modelstress.design.plan import Run
from modelstress.design.plan_file import make_plan
from modelstress.measure import folders
from modelstress.samples.provenance import sha256_jar
from modelstress.steering import parcels

MOST = 1 << 20


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return sleepers.write_project(tmp_path / "project", 2)


@pytest.fixture
def run(project: Project) -> Run:
    return make_plan(project, sleepers.STUDY, sleepers.PROFILE).runs[0]


@pytest.fixture
def measured(tmp_path: Path, project: Project, run: Run) -> Path:
    """A result in a worker's folder, with an attempt that was invalid."""
    elsewhere = Project(tmp_path / "worker")
    (tmp_path / "worker").symlink_to(project.root)
    folder = run.cell.folder(tmp_path / "raw", run.invocation)
    for _ in range(2):
        made = sleepers.write_result(elsewhere, run)
        folder.parent.mkdir(parents=True, exist_ok=True)
        made.rename(folder)
        if not folders.attempts(folder):
            folders.keep_attempt(folder)
    return folder


def zipped(*members: tuple[str, bytes]) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name, content in members:
            archive.writestr(name, content)
    return data.getvalue()


def test_a_result_comes_to_its_place_with_its_attempts_and_only_once(
    tmp_path: Path, project: Project, run: Run, measured: Path
) -> None:
    parcels.mark(measured, {"worker": "w", "fence": 3})
    data = parcels.pack([measured], MOST)
    place = run.cell.folder(project.raw, run.invocation)
    for number, moved in enumerate([True, False]):
        [arrived] = parcels.unpack(data, tmp_path / f"arriving{number}", 1, MOST)
        assert parcels.problems(project, run, arrived) == []
        assert parcels.place(arrived, place) is moved
    assert sorted(path.name for path in place.parent.iterdir()) == ["i00", "i00.invalid-1"]
    record = json.loads((place / "cell.json").read_text())
    assert record["provenance"]["steering"] == {"worker": "w", "fence": 3}


def test_a_newer_measurement_sets_the_older_one_aside(
    tmp_path: Path, project: Project, run: Run, measured: Path
) -> None:
    place = sleepers.write_result(project, run)
    [arrived] = parcels.unpack(parcels.pack([measured], MOST), tmp_path / "arriving", 1, MOST)
    assert parcels.place(arrived, place)
    names = sorted(path.name for path in place.parent.iterdir())
    assert names == [".i00.replaced-0", "i00", "i00.invalid-1"]


@pytest.mark.parametrize(
    "name",
    [
        "../../x", "/etc/x", "0/result/../x", "0/result/a/b", "1/result/cell.json", "0/other/x",
        "0/result/.hidden", "00/result/x", "0/invalid-0/x", "0/result/", "0\\result\\x",
    ],
)  # fmt: skip
def test_members_with_other_names_are_refused(tmp_path: Path, name: str) -> None:
    data = zipped(("0/result/cell.json", b"{}"), (name, b"x"))
    with pytest.raises(MeasureError, match="damaged"):
        parcels.unpack(data, tmp_path / "into", 1, MOST)
    assert not (tmp_path / "into").exists()
    assert not list(tmp_path.rglob("x"))


def test_a_parcel_is_bounded_on_both_sides(tmp_path: Path, measured: Path) -> None:
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("0/result/cell.json", bytes(MOST + 1))
    assert len(bomb.getvalue()) < MOST // 100
    with pytest.raises(MeasureError, match="more than 1 MiB"):
        parcels.unpack(bomb.getvalue(), tmp_path / "into", 1, MOST)
    with pytest.raises(MeasureError, match="most_mib"):
        parcels.pack([measured], 100)


def test_no_zip_is_a_sentence(tmp_path: Path) -> None:
    for data in (b"", b"PK", zipped(("0/result/cell.json", b"{}"))[:-10]):
        with pytest.raises(MeasureError, match="damaged"):
            parcels.unpack(data, tmp_path / "into", 1, MOST)


Damage = Callable[[Path, Run], Run]


def _byte(folder: Path, run: Run) -> Run:
    samples = folder / "samples.parquet"
    data = bytearray(samples.read_bytes())
    data[len(data) // 2] ^= 1
    samples.write_bytes(data)
    return run


def _unsealed(folder: Path, run: Run) -> Run:
    record = json.loads((folder / "cell.json").read_text())
    del record["seal"], record["files"]
    (folder / "cell.json").write_text(json.dumps(record))
    return run


def _gone(folder: Path, run: Run) -> Run:
    (folder / "cell.json").unlink()
    return run


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (_byte, "damaged"),
        (_unsealed, "no seal"),
        (_gone, "there is no invocation"),
        (lambda folder, run: replace(run, seed=run.seed + 1), "'seed' is of another start"),
        (lambda folder, run: replace(run, invocation=1), "'invocation' is of another start"),
    ],
)
def test_what_is_not_the_result_asked_for_is_told(
    tmp_path: Path, project: Project, run: Run, measured: Path, damage: Damage, said: str
) -> None:
    wanted = damage(measured, run)
    [arrived] = parcels.unpack(parcels.pack([measured], MOST), tmp_path / "arriving", 1, MOST)
    assert any(said in problem for problem in parcels.problems(project, wanted, arrived))


def test_a_result_of_another_program_is_told(
    tmp_path: Path, project: Project, run: Run, measured: Path
) -> None:
    (project.root / "sleeper" / "program").write_text("built anew")
    sha256_jar.cache_clear()
    [arrived] = parcels.unpack(parcels.pack([measured], MOST), tmp_path / "arriving", 1, MOST)
    assert parcels.problems(project, run, arrived) == ["result: it was measured with another jar"]
