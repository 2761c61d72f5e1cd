"""Limits of control groups, read from files that look like the kernel's."""

import pytest

from modelstress.samples import cgroup_limits


@pytest.fixture
def root(tmp_path, monkeypatch):
    monkeypatch.setattr(cgroup_limits, "ROOT", tmp_path)
    return tmp_path


def in_group(monkeypatch, folder, controllers):
    """This process is in a group; its generation 2 where the controllers have one."""
    known = dict.fromkeys(controllers, (folder, True))
    monkeypatch.setattr(cgroup_limits, "folder_of", known.get)


def limited(folder, **files):
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name.replace("_", ".", 1)).write_text(text + "\n")


def test_the_tightest_limit_of_the_groups_above_holds(root, monkeypatch):
    own = root / "slice" / "scope"
    limited(own, cpu_max="300000 100000", memory_max="max")
    limited(own.parent, cpu_max="150000 100000", memory_max="1048576")
    in_group(monkeypatch, own, ["cpu", "memory"])
    assert cgroup_limits.limits() == {"cpu.max": "150000 100000", "memory.max": "1048576"}


def test_no_limit_is_told_as_the_kernel_does(root, monkeypatch):
    limited(root / "scope", cpu_max="max 100000")
    in_group(monkeypatch, root / "scope", ["cpu"])
    assert cgroup_limits.limits() == {"cpu.max": "max 100000"}


def test_a_group_that_is_not_to_be_seen_has_that_of_its_container(root, monkeypatch):
    limited(root, cpu_max="50000 100000")
    in_group(monkeypatch, root / "docker" / "of-another-namespace", ["cpu"])
    assert cgroup_limits.limits() == {"cpu.max": "50000 100000"}


def test_this_process_is_in_a_group_or_in_none():
    assert set(cgroup_limits.limits()) <= set(cgroup_limits.LIMITS)
