"""Controllers, servers and clients killed at random moments, again and again."""

from __future__ import annotations

import random
import signal
import time
from pathlib import Path

import pytest
from fake_cells import fake_invocation, kill, processes_of, read_record, read_rows
from fake_controller import controller

from modelstress.measure.collect import read_samples

ARGUMENTS = {"executions": 150, "threads": 2, "driver": {"sleep_s": 0.02}}


@pytest.mark.parametrize(
    "rounds", [3, pytest.param(40, marks=[pytest.mark.long, pytest.mark.timeout(1800)])]
)
def test_nothing_measured_is_lost_and_nothing_is_left(tmp_path: Path, rounds: int) -> None:
    """In every round one program is killed at a random moment; then the cell is measured again."""
    dice = random.Random(rounds)
    for number in range(rounds):
        invocation = fake_invocation(tmp_path, number=number, **ARGUMENTS)  # type: ignore[arg-type]
        work = invocation.folder.with_name(f"{invocation.folder.name}.work")
        process = controller(tmp_path, number, **ARGUMENTS)
        with process:
            time.sleep(dice.uniform(0.1, 3.0))
            victim = dice.choice(["controller", "serve", "client"])
            measured = 0
            if victim == "controller":
                process.kill()
                process.wait(30)
                wait_until_gone(str(tmp_path))
                measured = finished_executions(work)
            else:
                kill(processes_of(str(work), victim), signal.SIGKILL)
            process.communicate(timeout=60)
        again = controller(tmp_path, number, **ARGUMENTS)
        said = again.communicate(timeout=90)[0]
        assert again.returncode == 0, said
        found = read_record(invocation)["outcomes"]["measure"]
        assert sum(found.values()) == 150
        rows = [r for r in read_rows(invocation).to_pylist() if r["phase"] == "measure"]
        assert sorted(r["sequence"] for r in rows) == list(range(150))
        kept = [
            finished_executions(folder)
            for folder in invocation.folder.parent.glob(f"{invocation.folder.name}.aborted-*")
        ]
        if measured:  # kept as it is, or it was the finished cell itself
            whole = read_rows(invocation).num_rows
            assert measured in kept or measured == whole
        assert not work.exists()
        assert processes_of(str(tmp_path)) == []
        assert not list((tmp_path / "raw").rglob(".tmp-*"))


def finished_executions(folder: Path) -> int:
    """Executions that a client's file holds."""
    file = folder / "client-0.mssf"
    return read_samples(file).num_rows if file.is_file() else 0


def wait_until_gone(text: str) -> None:
    deadline = time.monotonic() + 10
    while processes_of(text):
        assert time.monotonic() < deadline, "processes outlive a killed controller"
        time.sleep(0.02)
