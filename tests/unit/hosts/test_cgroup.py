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
    monkeypatch.setattr(cgroup, "_own", lambda: (own, True))
    return own


def test_generation_2_needs_a_group_beside_the_controllers(v2):
    made = cgroup.MemoryGroup("modelstress-x")
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
        cgroup.MemoryGroup("modelstress-x")
    assert "cgroup.subtree_control" in str(cgroup.why_not())


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
