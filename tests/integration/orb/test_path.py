"""Where the time of a call goes: its parts, told by omniORB's interceptors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from orb_programs import NO_ORB, make, measured, serving, workload

from modelstress.config.errors import MeasureError
from modelstress.samples.mssf import read_mssf
from modelstress.samples.parts import file_of, names_of, read_parts

pytestmark = NO_ORB
PARTS = ["stub", "request", "dispatch", "work", "finish", "reply", "return"]
PATH = workload(operations=[{"name": "call-path"}], executions=500)


@pytest.fixture(scope="module", autouse=True)
def built() -> None:
    make()


@pytest.mark.parametrize(
    ("protocol", "server", "client"),
    [
        ("tcp", {}, {}),
        ("unix", {"threadPerConnectionPolicy": 0, "threadPoolWatchConnection": 0}, {}),
        ("tcp", {"threadPolicy": "SINGLE"}, {"maxGIOPVersion": "1.0", "oneCallPerConnection": 0}),
    ],
)
def test_every_call_is_followed_on_its_way(
    tmp_path: Path, protocol: str, server: dict[str, Any], client: dict[str, Any]
) -> None:
    with serving(tmp_path, server, protocol=protocol) as (endpoint, _):
        table = measured(endpoint, tmp_path, {**PATH, "options": client}, threads=2)
    window = table[table["phase"] == "measure"].sort_values("sequence")
    parts = read_parts(file_of(tmp_path / "out.mssf")).to_pandas().sort_values("sequence")
    assert list(parts["sequence"]) == list(window["sequence"]) == list(range(500))
    assert (parts["duration_ns"].to_numpy() == window["duration_ns"].to_numpy()).all()
    assert set(parts["operation"]) == {"call-path"} and set(parts["client"]) == {2}
    spent = parts[[f"{name}_ns" for name in PARTS]].to_numpy()
    assert (spent >= 0).all() and (spent.sum(axis=1) <= parts["duration_ns"]).all()
    # most of a call is told, and most of that is the way there and back
    assert np.median(spent.sum(axis=1) / parts["duration_ns"]) > 0.7
    medians = dict(zip(PARTS, np.median(spent, axis=0), strict=True))
    assert medians["request"] + medians["reply"] > sum(medians.values()) / 2


def test_other_calls_are_not_followed(tmp_path: Path) -> None:
    with serving(tmp_path) as (endpoint, _):
        measured(endpoint, tmp_path, workload())
    assert not file_of(tmp_path / "out.mssf").exists()


def test_histograms_have_parts_too_and_damage_is_noticed(tmp_path: Path) -> None:
    with serving(tmp_path) as (endpoint, _):
        table = measured(endpoint, tmp_path, {**PATH, "samples": "histogram"})
    file = file_of(tmp_path / "out.mssf")
    found = read_parts(file)
    assert table.empty and found.num_rows == 500 and names_of(found) == PARTS
    records = read_mssf(file).records.copy()
    records["return_ns"] = 1 << 60
    file.write_bytes(file.read_bytes()[: -records.nbytes] + records.tobytes())
    with pytest.raises(MeasureError, match="do not fit"):
        read_parts(file)
