"""Windows of seconds and of objects: what each client gets, how long it may take, what it costs."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from fake_cells import fake_invocation
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from small_studies import cells, profile

from modelstress.config.errors import ConfigError
from modelstress.config.profile import Settings
from modelstress.config.window import Window
from modelstress.design.estimate import BYTES_PER_SAMPLE, OVERHEAD_S, Medians, estimate
from modelstress.design.kinds import Prepared
from modelstress.design.plan import plan_of
from modelstress.measure import deadlines
from modelstress.measure.conversation import progress
from modelstress.measure.invocation import Invocation, workload_of


def workloads(folder: Path, window: dict[str, float], threads: int, clients: int) -> list[Any]:
    """The workload of every client."""
    settings = {"window": window}
    invocation = fake_invocation(
        folder, threads=threads, clients=clients, settings=settings, cell_timeout_s=300
    )
    return [workload_of(invocation, number) for number in range(clients)]


@pytest.mark.parametrize(
    "given", [{}, {"seconds": 1, "objects": 1}, {"seconds": 0}, {"objects": 0}]
)
def test_a_window_ends_after_one_thing(given: dict[str, float]) -> None:
    with pytest.raises(ValidationError, match="window"):
        Settings.model_validate({"window": given})


def test_every_client_has_all_seconds(tmp_path: Path) -> None:
    found = workloads(tmp_path, {"seconds": 2.5}, threads=5, clients=2)
    assert [each.window for each in found] == [Window(seconds=2.5)] * 2
    assert [each.executions for each in found] == [None, None]


def test_objects_are_divided_by_threads(tmp_path: Path) -> None:
    found = workloads(tmp_path, {"objects": 100}, threads=3, clients=2)
    assert [each.window.objects for each in found] == [67, 33]
    assert [each.executions for each in found] == [None, None]


@given(st.integers(1, 64), st.integers(0, 10**6))
def test_objects_of_all_clients_add_up(clients: int, more: int) -> None:
    cell, window = cells()[0], Window(objects=clients + more)
    settings = cell.settings.model_copy(update={"window": window, "clients": clients})
    made = dataclasses.replace(cell, settings=settings, levels={**cell.levels, "threads": 64})
    windows = Invocation(made, 0, 0, Path(), Path(), Prepared(())).windows or []
    parts = [each.objects or 0 for each in windows]
    assert sum(parts) == clients + more and len(parts) == clients and min(parts) >= 1


def test_fewer_objects_than_clients_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="use fewer clients"):
        workloads(tmp_path, {"objects": 1}, threads=2, clients=2)


def test_a_window_of_executions_is_as_it_was(tmp_path: Path) -> None:
    found = workload_of(fake_invocation(tmp_path, executions=31), 0)
    assert (found.executions, found.window) == (31, None)


def test_deadlines_follow_the_window(tmp_path: Path) -> None:
    [short] = workloads(tmp_path, {"seconds": 2}, threads=2, clients=1)
    [long] = workloads(tmp_path, {"seconds": 100}, threads=2, clients=1)
    for threads in (1, 64):  # what has begun in the window has its own deadline to end
        assert deadlines.measure_s(long, threads) - deadlines.measure_s(short, threads) == 98
    assert deadlines.measure_s(short, 1) > 2 + short.timeout_ms / 1000 + deadlines.GRACE_S
    [objects] = workloads(tmp_path, {"objects": 5}, threads=2, clients=1)
    assert deadlines.measure_s(objects, 1) == deadlines.MOST_S, "only the cell's own deadline"
    assert deadlines.warmup_s(short, 1) == deadlines.warmup_s(objects, 1)


def cost(window: dict[str, float], medians: Medians) -> Any:
    made = profile(
        levels={"threads": [2], "query": ["SwitchSet"]},
        settings={"window": window, "warmup": {"executions": 10, "seconds": 1}},
    )
    return estimate(plan_of(cells(profile_=made), 1), medians)


def test_nothing_is_estimated_to_last_longer_than_its_deadline() -> None:
    many = cost({"objects": 10_000_000}, Medians())
    assert many.hours == pytest.approx(2 * (OVERHEAD_S + 3600) / 3600)


def test_windows_of_seconds_take_so_long_however_fast_the_tool_is() -> None:
    quick = Medians()
    for other in cells():
        quick.add(other, 0.01)
    found, guessed = cost({"seconds": 30}, quick), cost({"seconds": 30}, Medians())
    assert (found.runs, found.guessed, guessed.guessed) == (2, 0, 2)
    assert found.hours == pytest.approx(2 * (OVERHEAD_S + 1 + 30) / 3600)
    assert guessed.hours == pytest.approx(2 * (OVERHEAD_S + 1 + 30) / 3600), "the clock tells"
    samples = 2 * (30 * 2 / 0.01 + 10)
    assert found.gigabytes == pytest.approx(samples * BYTES_PER_SAMPLE / 1e9)


def test_windows_of_objects_take_an_execution_for_each_at_most() -> None:
    found = cost({"objects": 50}, Medians())
    assert found.hours == pytest.approx(2 * (OVERHEAD_S + 10 + 50) / 3600)


def test_progress_is_told_in_what_clients_count() -> None:
    def client(**said: object) -> Any:
        return SimpleNamespace(said={"PROGRESS": {"phase": "measure", **said}})

    of_time = [client(done=2, total=5, unit="seconds"), client(done=3, total=5, unit="seconds")]
    assert progress(of_time, "measure") == (5, 10, "seconds")
    assert progress(of_time, "warmup") == (0, 0, "executions"), "none reported it yet"
    assert progress([client(done=1, total=4)], "measure") == (1, 4, "executions")
    hostile = client(done=1, total=4, unit=["\x1b[2J"])
    assert progress([hostile], "measure") == (1, 4, "executions")
