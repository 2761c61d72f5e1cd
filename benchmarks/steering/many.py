"""What a queue of 16,384 configurations costs the coordinator, and what one result costs.

``python benchmarks/steering/many.py [--options 14] [--seconds 60]`` queues 2^options
configurations and prints how long that takes and the coordinator's peak memory (VmHWM). Then one
worker delivers results of a subject that takes no time for so many seconds: seconds per
configuration for queue, delivery, verification and writing, without measuring. Last, the
coordinator is killed and started again: how long it takes to go on.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import click

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "tests" / "fakes"), str(ROOT / "tests")]

import sleepers  # noqa: E402

from modelstress.samples.files import read_json  # noqa: E402

COMMAND = Path(sys.executable).with_name("modelstress")


class Measured:
    """A coordinator as a process, with its log and its memory."""

    def __init__(self, root: Path) -> None:
        self.log = root / f"coordinator-{time.monotonic_ns()}.log"
        self.begun = time.monotonic()
        with self.log.open("wb") as log:
            command = [str(COMMAND), "--project", str(root), "steer"]
            self.process = subprocess.Popen(command, stdout=log, stderr=log)

    def wait_queued(self) -> float:
        """Seconds until all starts are queued."""
        while "starts queued" not in self.log.read_text():
            if self.process.poll() is not None:
                raise SystemExit(self.log.read_text())
            time.sleep(0.1)
        return time.monotonic() - self.begun

    def peak_mib(self) -> float:
        """Peak of its resident memory."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        found = re.search(r"VmHWM:\s+(\d+) kB", status)
        return int(found[1]) / 1024 if found else float("nan")

    def kill(self) -> None:
        """As a crash does."""
        self.process.kill()
        self.process.wait()


@click.command()
@click.option("--options", default=14, show_default=True, help="2^options configurations.")
@click.option("--seconds", default=60.0, show_default=True, help="Of delivering.")
def main(options: int, seconds: float) -> None:
    """Queue, deliver, go on."""
    with tempfile.TemporaryDirectory(prefix="many-") as folder:
        root = Path(folder) / "project"
        sleepers.write_project(root, options, "{anchors: 0}")
        place = root / "data" / "steering" / sleepers.STUDY / sleepers.PROFILE / "progress.json"
        first = Measured(root)
        print(f"{2**options} configurations queued after {first.wait_queued():.1f} s")
        time.sleep(5)
        print(f"peak memory of the coordinator: {first.peak_mib():.0f} MiB")
        command = [sys.executable, sleepers.__file__, str(root), "0"]
        worker = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        while not read_json(place).get("done"):
            time.sleep(0.1)
        begun, before = time.monotonic(), read_json(place)["done"]
        time.sleep(seconds)
        done, passed = read_json(place)["done"] - before, time.monotonic() - begun
        print(f"{done} results of one worker in {passed:.0f} s: {passed / done:.3f} s each")
        print(f"peak memory of the coordinator: {first.peak_mib():.0f} MiB")
        first.kill()
        second = Measured(root)
        print(f"killed and started again, it goes on after {second.wait_queued():.1f} s")
        second.process.terminate()
        second.process.wait()
        worker.kill()
        worker.wait()


if __name__ == "__main__":
    main()
