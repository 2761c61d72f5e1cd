"""Control groups of both generations, as files that look like the kernel's."""

import pytest

from modelstress.config.errors import MissingError
from modelstress.hosts import cgroup
from modelstress.samples.cgroup_limits import folder_of

MIB = 1 << 20
STAT = "anon 10\nactive_file 1048576\ninactive_file 2097152\n"


def group(folder, *controllers):
    """A group whose children may have these controllers."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "cgroup.subtree_control").write_text(" ".join(controllers))
    return folder


@pytest.fixture
def v2(tmp_path, monkeypatch):
    """The controller's own group, which has processes and therefore no memory for children."""
    own = group(group(tmp_path / "session", "cpu", "memory") / "scope")
    monkeypatch.setattr(cgroup, "_own", lambda controller: (own, True))
    return own


def test_generation_2_needs_a_group_beside_the_controllers(v2):
    made = cgroup.ControlGroup("modelstress-x")
    folder = v2.parent / "modelstress-x"
    made.limit(64)
    assert (folder / "memory.max").read_text() == str(64 * MIB)
    assert not (folder / "memory.swap.max").exists(), "no file can be made in a control group"
    (folder / "memory.swap.max").write_text("max")
    made.limit(64)
    assert (folder / "memory.swap.max").read_text() == "0"
    made.limit(None)
    assert {(folder / f"memory{of}.max").read_text() for of in ("", ".swap")} == {"max"}


def test_generation_2_without_delegation_is_refused_with_a_way_out(v2):
    group(v2.parent, "cpu")
    with pytest.raises(MissingError, match=r"systemd-run --scope.*executor 'docker'"):
        cgroup.ControlGroup("modelstress-x")
    assert "cgroup.subtree_control" in str(cgroup.why_not())


def test_generation_2_limits_cpu_time_in_the_same_group(v2):
    made = cgroup.ControlGroup("modelstress-x", "m1", ("memory", "cpu"))
    folder = v2.parent / "modelstress-x"
    made.limit(64)
    made.limit_cpu(25)
    assert (folder / "cpu.max").read_text() == "5000 20000"
    made.add(4711)
    assert (folder / "cgroup.procs").read_text() == "4711"
    assert list(cgroup._groups("x")) == [folder]


def test_generation_1_has_a_group_for_each_controller(tmp_path, monkeypatch):
    monkeypatch.setattr(cgroup, "_own", lambda controller: (group(tmp_path / controller), False))
    made = cgroup.ControlGroup("modelstress-x", "m1", ("memory", "cpu"))
    made.limit_cpu(150)
    made.add(4711)
    cpu = tmp_path / "cpu/modelstress-x"
    assert (cpu / "cpu.cfs_quota_us").read_text() == "30000"
    assert (cpu / "cpu.cfs_period_us").read_text() == "20000"
    for controller in ("cpu", "memory"):
        assert (tmp_path / controller / "modelstress-x/cgroup.procs").read_text() == "4711"
    only = cgroup.ControlGroup("modelstress-y", "m1", ("cpu",))
    assert only.used_mib() is None and only.kills() == 0
    assert not (tmp_path / "memory/modelstress-y").exists()


@pytest.mark.parametrize(
    ("v2", "file", "prefix"),
    [(True, "memory.current", ""), (False, "memory.usage_in_bytes", "total_")],
)
def test_what_can_be_taken_back_is_not_in_use(tmp_path, v2, file, prefix):
    (tmp_path / file).write_text(str(10 * MIB))
    stat = "".join(f"{prefix}{line}\n" for line in STAT.splitlines())
    (tmp_path / "memory.stat").write_text(stat)
    assert cgroup.used_mib(tmp_path, v2) == 7
    (tmp_path / "memory.stat").unlink()
    assert cgroup.used_mib(tmp_path, v2) is None


def test_a_process_that_has_ended_has_no_group():
    assert folder_of("memory", 0) is None
