"""The program that makes the base image is let clean up before it is killed."""

import subprocess

import psutil
import pytest

from modelstress.hosts.containers import images


@pytest.fixture
def hasty(monkeypatch):
    monkeypatch.setattr(images, "BUILDING_S", 0.5)
    monkeypatch.setattr(images, "ENDING_S", 2)


def test_a_build_that_takes_too_long_may_clean_up(tmp_path, hasty):
    cleaned = tmp_path / "cleaned"
    script = f"trap 'touch {cleaned}; exit 1' TERM; while :; do sleep 0.1; done"
    with pytest.raises(subprocess.TimeoutExpired):
        images._ended(["sh", "-c", script])
    assert cleaned.exists()


def test_one_that_does_not_end_is_killed(tmp_path, hasty):
    """It goes on after it was asked to end, and for ever if nobody kills it."""
    asked, pid = tmp_path / "asked", tmp_path / "pid"
    script = f"echo $$ > {pid}; trap 'touch {asked}' TERM; while :; do sleep 0.1; done"
    with pytest.raises(subprocess.TimeoutExpired):
        images._ended(["sh", "-c", script])
    assert asked.exists()
    assert not psutil.pid_exists(int(pid.read_text()))


def test_what_a_build_complains_about():
    assert images._ended(["sh", "-c", "echo no >&2; exit 3"]) == (3, "no\n")
