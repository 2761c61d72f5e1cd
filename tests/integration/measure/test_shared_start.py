"""Cells that share a start: measured in turns on the same servers, by the fake tool."""

from __future__ import annotations

import dataclasses
import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from fake_cells import codes, fake_invocation, processes_of, read_record, read_rows
from measuring import nothing_left

from modelstress.config.errors import ConfigError
from modelstress.config.profile import Warmup
from modelstress.measure import turns
from modelstress.measure.again import run_until_valid
from modelstress.measure.cell import Measured, run_start
from modelstress.measure.invocation import Invocation

pytestmark = pytest.mark.usefixtures("quick", "idle")


def pair(folder: Path, other: dict[str, Any] | None = None, **more: Any) -> list[Invocation]:
    """A cell over TCP and one over HTTP, which has these further levels."""
    defaults = {"die_at": -1, "sleep_s": 0.002, "endless": 0, **more.pop("driver", {})}
    tcp = fake_invocation(folder, driver=defaults, **more)
    levels = {"protocol": "http", **(other or {})}
    http = fake_invocation(folder, driver=defaults, levels=levels, **more)
    needs = dataclasses.replace(http.needs, protocol="http")
    return [tcp, dataclasses.replace(http, needs=needs)]


def run(start: list[Invocation], folder: Path, **more: Any) -> list[Measured]:
    return run_start(start, lock_file=folder / "lock", lock_wait_s=5, **more)


def test_cells_are_measured_in_turns_on_one_server(tmp_path: Path) -> None:
    warmup = Warmup(executions=4, seconds=0, threads=1)
    start = pair(tmp_path, threads=2, executions=40, settings={"warmup": warmup})
    measured = run(start, tmp_path)
    assert all(one.fresh and one.outcomes == {"ok": 40} for one in measured)
    records = [read_record(one) for one in start]
    assert records[0]["start"]["id"] == records[1]["start"]["id"]
    assert records[0]["start"]["cells"] == [one.cell.id for one in start]
    assert {record["server"]["pid"] for record in records} == {records[0]["server"]["pid"]}
    assert "disturbed_by" not in records[0]["start"]
    slices = sorted(
        (part["begin_ns"], part["end_ns"], number)
        for number, record in enumerate(records)
        for part in record["start"]["slices"]
    )
    assert len(slices) == 8 and all(a[1] <= b[0] for a, b in pairwise(slices))
    order = [number for _, _, number in slices]
    assert order == turns.order_of(2, 4, start[0].seed) and order.count(0) == 4
    warm_ups = sorted(
        (row["start_ns"], number)
        for number, one in enumerate(start)
        for row in read_rows(one).to_pylist()
        if row["phase"] == "warmup"
    )
    order = turns.order_of(2, 4, start[0].seed, "warmup")
    assert [number for _, number in warm_ups] == order, "one execution each time"
    assert warm_ups[-1][0] < slices[0][0]
    assert [r["clients"][0]["warmed"]["executions"] for r in records] == [4, 4]
    for number, one in enumerate(start):
        rows = read_rows(one).to_pylist()
        begun = [row["start_ns"] for row in rows if row["phase"] == "measure"]
        own = [(begin, end) for begin, end, of in slices if of == number]
        assert len(begun) == 40
        assert all(any(begin <= at <= end for begin, end in own) for at in begun)
        spent = records[number]["telemetry"]["window"]["seconds"]
        assert spent == pytest.approx(sum(end - begin for begin, end in own) / 1e9)
    assert not processes_of(str(tmp_path))
    for one in start:
        nothing_left(tmp_path, one, "i00")
    again = run(start, tmp_path)
    assert not any(one.fresh for one in again)


def test_a_window_that_cannot_be_divided_is_one_slice(tmp_path: Path) -> None:
    start = pair(tmp_path, threads=2, executions=2)
    measured = run(start, tmp_path)
    assert all(one.outcomes == {"ok": 2} for one in measured)
    assert [len(read_record(one)["start"]["slices"]) for one in start] == [1, 1]


def test_a_start_is_measured_as_a_whole(tmp_path: Path) -> None:
    start = pair(tmp_path)
    run(start, tmp_path)
    first = [read_record(one)["start"]["id"] for one in start]
    (start[1].folder / "cell.json").unlink()
    measured = run_until_valid(start, lock_file=tmp_path / "lock", lock_wait_s=5)
    assert all(one.fresh for one in measured)
    second = [read_record(one)["start"]["id"] for one in start]
    assert second[0] == second[1] not in first


def test_who_ends_a_start_keeps_its_numbers_and_the_others_are_measured_without_it(
    tmp_path: Path,
) -> None:
    server = {"die_after_s": 1.5, "die_times": 1, "die_code": 1}
    start = pair(tmp_path, executions=200, server=server, driver={"sleep_s": 0.02})
    done = run_until_valid(start, lock_file=tmp_path / "lock", lock_wait_s=5)
    records = [read_record(one) for one in start]
    crashed = next(record for record in records if record["failure"])
    other = next(record for record in records if not record["failure"])
    assert crashed["start"]["disturbed_by"] == crashed["cell"] and crashed["validity"]["valid"]
    assert other["outcomes"]["measure"]["ok"] == 200 and other["start"]["cells"] == [other["cell"]]
    assert other["start"]["id"] != crashed["start"]["id"] and all(one.fresh for one in done)
    [attempt] = tmp_path.glob("raw/*/*/*/*/i00.invalid-1")
    assert attempt.parent.name == other["cell"]
    disturbed = json.loads((attempt / "cell.json").read_text())
    assert disturbed["start"]["id"] == crashed["start"]["id"]
    assert "start-disturbed" in [reason["code"] for reason in disturbed["validity"]["reasons"]]


def test_who_disturbs_the_others_each_time_has_its_last_attempt_without_them(
    tmp_path: Path,
) -> None:
    start = pair(tmp_path, other={"die_at": 3}, executions=20)
    run_until_valid(start, lock_file=tmp_path / "lock", lock_wait_s=5)
    tcp, http = (read_record(one) for one in start)
    assert tcp["outcomes"]["measure"] == {"ok": 20} and "start-disturbed" not in codes(start[0])
    assert http["outcomes"]["measure"]["error"] and http["start"]["cells"] == [http["cell"]]
    for one in start:
        nothing_left(tmp_path, one, "i00", "i00.invalid-1", "i00.invalid-2")


def test_executions_that_time_out_disturb_the_others(tmp_path: Path) -> None:
    server = {"hang_after": 10, "hangs": 1}
    start = pair(
        tmp_path, executions=8, timeout_ms=300, server=server, settings={"wedge_s": 0}, threads=1
    )
    run(start, tmp_path)
    records = [read_record(one) for one in start]
    late = [bool(record["outcomes"]["measure"].get("timeout")) for record in records]
    assert any(late), "the server hangs after ten executions"
    by = {record["start"]["disturbed_by"] for record in records}
    assert len(by) == 1
    for one, record in zip(start, records, strict=True):
        assert ("start-disturbed" in codes(one)) == (record["cell"] not in by)


def test_a_hang_ends_a_shared_start(tmp_path: Path) -> None:
    start = pair(
        tmp_path, executions=40, server={"hang_after": 10, "hangs": 1},
        driver={"endless": 1}, settings={"wedge_s": 1.0},
    )  # fmt: skip
    run(start, tmp_path)
    records = [read_record(one) for one in start]
    failures = [record["failure"] or "" for record in records]
    assert sum("shares its start" in failure for failure in failures) == 2
    assert sum(failure.startswith("another cell") for failure in failures) == 1
    hung = next(r for r in records if not r["failure"].startswith("another cell"))
    assert hung["start"]["disturbed_by"] == hung["cell"] and hung["server"]["restarts"]


def test_different_servers_are_refused(tmp_path: Path) -> None:
    tcp, http = pair(tmp_path)
    other = dataclasses.replace(
        http, needs=dataclasses.replace(http.needs, server_options={"cache": 1})
    )
    with pytest.raises(ConfigError, match="differ in their nodes; take the factor out"):
        run([tcp, other], tmp_path)
    more = dataclasses.replace(http, needs=dataclasses.replace(http.needs, store=None))
    with pytest.raises(ConfigError, match="differ in their store"):
        run([tcp, more], tmp_path)


def test_orders_are_balanced() -> None:
    for cells in (2, 3, 5):
        for seed in range(20):
            order = turns.order_of(cells, 4, seed)
            assert sorted(order) == sorted(list(range(cells)) * 4)
            places = [sum(p for p, of in enumerate(order) if of == cell) for cell in range(cells)]
            assert len(set(places)) == 1, "ABBA: each is as often early as late"
    both = {(0, 1, 1, 0), (1, 0, 0, 1)}
    assert {tuple(turns.order_of(2, 2, seed)) for seed in range(20)} == both
    assert {tuple(turns.order_of(2, 2, seed, "warmup")) for seed in range(20)} == both
    pairs = {(turns.order_of(2, 2, s)[0], turns.order_of(2, 2, s, "warmup")[0]) for s in range(20)}
    assert len(pairs) == 4, "warm-up and window have orders of their own"
