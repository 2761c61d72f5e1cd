"""What a notebook opens on when nobody has said what it shall show."""

import os

import captures
import pytest
import synthetic

from modelstress.analysis import opened
from modelstress.config.errors import ConfigError


def write(data, study, profile, at):
    synthetic.write(data, synthetic.LEVELS, 0, synthetic.samples([5, 6, 7]))
    here = data / "raw" / synthetic.STUDY / synthetic.PROFILE
    there = data / "raw" / study / profile
    there.parent.mkdir(parents=True, exist_ok=True)
    here.rename(there)
    for file in there.rglob("cell.json"):
        os.utime(file, (at, at))


def test_what_is_given_is_taken(tmp_path):
    assert opened(tmp_path, "a", "b") == ("a", "b")


def test_what_was_measured_is_opened(tmp_path):
    write(tmp_path, "other", "smoke", 1_000)
    assert opened(tmp_path) == ("other", "smoke")
    assert opened(tmp_path, "other") == ("other", "smoke")
    write(tmp_path, "other", "later", 2_000)
    assert opened(tmp_path) == ("other", "later")
    assert opened(tmp_path, profile="smoke") == ("other", "smoke")


def test_the_projects_own_goes_first(tmp_path):
    (tmp_path / "config").mkdir()
    (tmp_path / "config/config.yaml").write_text("profile: demo\nstudies: [s]\n", encoding="utf-8")
    data = tmp_path / "data"
    write(data, "s", "demo", 1_000)
    write(data, "s", "smoke", 2_000)
    assert opened(data) == ("s", "demo")


def test_captures_are_opened_by_the_notebook_on_them_only(tmp_path):
    captures.capture(tmp_path, captures.LEVELS, lambda _: captures.tcp([(10, 20)]))
    assert opened(tmp_path, captures=True) == (synthetic.STUDY, synthetic.PROFILE)
    with pytest.raises(ConfigError, match="nothing was measured yet; 'make run' does"):
        opened(tmp_path)


def test_nothing_measured_names_the_command(tmp_path):
    with pytest.raises(ConfigError, match="'make run STUDY=mine' does"):
        opened(tmp_path, "mine")
    with pytest.raises(ConfigError, match="captured yet"):
        opened(tmp_path, captures=True)
