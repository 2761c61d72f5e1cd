"""What a profile may ask of warm-ups and windows, and what is said of one that was not steady."""

from __future__ import annotations

from typing import Any

import pytest
from fake_cells import fake_invocation
from pydantic import ValidationError

from modelstress.config.profile import Settings, Steady, Warmup
from modelstress.config.window import Window
from modelstress.measure import deadlines
from modelstress.measure.invocation import workload_of
from modelstress.measure.validity import warm_up


def test_steady_clients_need_no_word() -> None:
    assert warm_up([{"executions": 10}, {"steady": True, "change": 0.01}]) == []


def test_the_largest_change_of_those_that_were_late_is_said() -> None:
    late = {"steady": False, "change": -0.2}
    [reason] = warm_up([{"steady": True, "change": 0.5}, late, {"steady": False, "change": 0.07}])
    assert (reason.code, reason.kind) == ("unsteady", "flag")
    assert "changed by -20%" in reason.message and "2 of 3 clients" in reason.message


def test_too_few_executions_to_tell_is_said() -> None:
    [reason] = warm_up([{"steady": False, "change": None}])
    assert "too few to tell" in reason.message


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"window": {"seconds": 1, "per_thread": 10}}, "belong together"),
        ({"window": {"objects": 1, "per_thread": 10, "most_s": 2}}, "most_s must be at least"),
        ({"window": {"seconds": 9, "per_thread": 10, "most_s": 2}}, "most_s must be at least"),
        ({"warmup": {"steady": {"within": 1.5}}}, "within"),
        ({"warmup": {"steady": {}}, "capture": {}}, "leave warmup.steady out"),
        (
            {"window": {"seconds": 1, "per_thread": 1, "most_s": 99}, "cell_timeout_s": 60},
            "window.most_s is 99",
        ),
        ({"repeat_unsettled": True}, "repeat_unsettled"),
    ],
)
def test_settings_that_make_no_sense(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        Settings.model_validate(settings)


def test_deadlines_know_the_most_seconds(tmp_path: Any) -> None:
    workload = workload_of(fake_invocation(tmp_path), 0)
    steady = Warmup(**{**workload.warmup.model_dump(), "steady": Steady(most_s=100)})
    longer = workload.model_copy(update={"warmup": steady})
    assert deadlines.warmup_s(longer, 2) - deadlines.warmup_s(workload, 2) == 100
    window = Window(seconds=5, per_thread=10, most_s=50)
    timed = workload.model_copy(update={"executions": None, "window": window})
    plain = timed.model_copy(update={"window": Window(seconds=5)})
    assert deadlines.measure_s(timed, 2) - deadlines.measure_s(plain, 2) == 45


def test_every_client_has_the_rule(tmp_path: Any) -> None:
    invocation = fake_invocation(tmp_path, threads=4, clients=2)
    warmup = invocation.cell.settings.warmup.model_copy(update={"steady": Steady(within=0.1)})
    settings = invocation.cell.settings.model_copy(update={"warmup": warmup})
    object.__setattr__(invocation.cell, "settings", settings)
    for client in range(2):
        assert workload_of(invocation, client).warmup.steady == Steady(within=0.1)
