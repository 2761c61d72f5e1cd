"""When a server counts as wedged, over made-up readings."""

from __future__ import annotations

from collections.abc import Callable

from modelstress.measure.hang_detector import Watch, Wedge

WEDGE_S = 20.0


def first(
    answered: Callable[[float], int],
    cpu: Callable[[float], float],
    under_way: Callable[[float], bool] = lambda t: True,
    step_s: float = 0.5,
    seconds: float = 300,
) -> tuple[float, Wedge] | None:
    """When a server that behaves like this is called wedged; None when it never is."""
    watch = Watch(WEDGE_S)
    for tick in range(int(seconds / step_s)):
        at = tick * step_s
        if wedge := watch.look(1000 + at, answered(at), under_way(at), cpu(at)):
            return at, wedge
    return None


def test_no_answer_and_nothing_done_is_a_wedge_after_the_bound() -> None:
    found = first(lambda t: min(int(10 * t), 300), lambda t: min(t, 30))
    assert found is not None
    at, wedge = found
    assert 50 <= at <= 51
    assert 20 <= wedge.after_s <= 21
    assert wedge.cpu_share == 0
    assert "no execution was answered for 20 s" in str(wedge)


def test_a_server_that_never_answers_is_one_too() -> None:
    found = first(lambda t: 0, lambda t: 3 + 0.04 * t)
    assert found is not None
    assert found[0] == WEDGE_S
    assert 0.039 < found[1].cpu_share < 0.041


def test_a_busy_server_is_none() -> None:
    assert first(lambda t: 0, lambda t: 0.06 * t) is None


def test_one_that_waits_for_its_disk_is_none() -> None:
    watch = Watch(WEDGE_S)
    looks = (watch.look(t, 0, True, 0, 100_000 * t) for t in range(300))
    assert not any(looks)
    after = (watch.look(300 + t, 0, True, 0, 30_000_000) for t in range(30))
    assert any(after)


def test_one_that_hangs_after_long_work_is_one_as_soon_as_it_was_idle_for_the_bound() -> None:
    """A query of a minute that then waits for ever: only the last 20 s count."""
    found = first(lambda t: 0, lambda t: min(t, 60))
    assert found is not None
    assert 79 <= found[0] <= 80
    assert found[1].after_s == found[0]
    assert found[1].cpu_share < 0.05


def test_answers_now_and_then_are_progress() -> None:
    assert first(lambda t: int(t / 19), lambda t: 0) is None
    assert first(lambda t: int(t / 22), lambda t: 0) is not None


def test_a_count_that_dips_for_a_moment_is_no_answer_when_it_comes_back() -> None:
    found = first(lambda t: 7 - (t % 3 == 0), lambda t: 0)
    assert found is not None and found[0] <= WEDGE_S + 1


def test_time_without_anything_under_way_does_not_count() -> None:
    assert first(lambda t: 5, lambda t: 0, lambda t: False) is None
    # ten of every fifteen seconds, as an open loop whose executions time out after ten
    found = first(lambda t: 5, lambda t: 0, lambda t: t % 15 < 10)
    assert found is not None
    assert 24 <= found[0] <= 40


def test_a_controller_that_was_held_up_has_seen_nothing_meanwhile() -> None:
    watch = Watch(WEDGE_S)
    assert watch.look(0, 1, True, 0) is None
    assert watch.look(1, 1, True, 0) is None
    assert watch.look(100, 1, True, 0) is None
    assert watch.look(101, 1, True, 0) is None
