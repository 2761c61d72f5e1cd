"""Clients that refuse, die or hang, with a fake tool that keeps the contracts."""

from __future__ import annotations

from pathlib import Path

import pytest
from fake_cells import (
    codes,
    fake_invocation,
    read_record,
)
from measuring import kept, measure, measured_rows, nothing_left, outcomes

from modelstress.config.errors import ConfigError, MeasureError

pytestmark = pytest.mark.usefixtures("quick")


def test_a_client_that_refuses_its_workload(tmp_path: Path) -> None:
    invocation = fake_invocation(tmp_path, driver={"refuse": 1})
    with pytest.raises(ConfigError, match="client 0: not ready: .*field 'options' is wrong"):
        measure(invocation, tmp_path)
    nothing_left(tmp_path, invocation, "i00.aborted-0")


def test_a_client_killed_in_mid_cell(tmp_path: Path) -> None:
    driver = {"die_at": 7, "sleep_s": 0.05}
    invocation = fake_invocation(tmp_path, threads=1, driver=driver)
    assert not measure(invocation, tmp_path).valid
    assert outcomes(invocation) == {"ok": 7, "error": 13}
    assert "client-died" in codes(invocation)
    nothing_left(tmp_path, invocation, "i00")


def test_one_of_two_clients_killed(tmp_path: Path) -> None:
    driver = {"die_at": 7, "sleep_s": 0.02, "go_delay_s": 1}
    invocation = fake_invocation(
        tmp_path, threads=2, clients=2, executions=40, driver=driver, stop_timeout_s=3
    )
    measure(invocation, tmp_path)
    rows = measured_rows(invocation)
    assert len(rows) == 40
    dead = {c["client"] for c in read_record(invocation)["clients"] if c["died"]}
    assert dead == {0}
    assert {row["outcome"] for row in rows if row["client"] == 0} == {"ok", "error"}
    assert {row["outcome"] for row in rows if row["client"] == 1} <= {"ok", "unfinished"}


def test_a_cell_that_takes_too_long(tmp_path: Path) -> None:
    driver = {"sleep_s": 0.2}
    invocation = fake_invocation(tmp_path, executions=500, cell_timeout_s=4, driver=driver)
    assert not measure(invocation, tmp_path).valid
    found = outcomes(invocation)
    assert sum(found.values()) == 500 and set(found) == {"ok", "unfinished"}
    assert "cell-timeout" in codes(invocation)
    nothing_left(tmp_path, invocation, "i00")


def test_a_client_whose_disk_is_full(tmp_path: Path) -> None:
    invocation = fake_invocation(tmp_path, driver={"full_at": 5})
    with pytest.raises(MeasureError, match="the disk is full.*aborted-0"):
        measure(invocation, tmp_path)
    assert (kept(invocation) / "client-0.mssf").stat().st_size > 0
    nothing_left(tmp_path, invocation, "i00.aborted-0")
