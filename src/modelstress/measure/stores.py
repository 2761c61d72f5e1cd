"""Populating a store once, before any cell that needs it."""

from __future__ import annotations

import json
import os
import resource
import shutil
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from modelstress.config.errors import MeasureError
from modelstress.config.programs import ServerConfig
from modelstress.config.project import Project
from modelstress.config.tool import Tool
from modelstress.hosts import ProcessHost, Program, ProgramSpec
from modelstress.measure.interrupt import TICK_S, Interrupt
from modelstress.measure.lock import HostLock
from modelstress.measure.programs import server_argv
from modelstress.measure.server import ended_early
from modelstress.samples.files import read_json, write_json, write_parquet
from modelstress.samples.mssf import ids_table, read_mssf

Progress = Callable[[int, int], None]


MARKER = "loaded.json"
"""Written into a store's folder when it was loaded to its end."""

BEGUN = "loading.json"
"""Content of a load that has begun, where the tool can go on with it."""


@dataclass(frozen=True)
class StoreSpec:
    """A store and what it is loaded from.

    Attributes:
        folder: of the store.
        config: of the server program's ``load``.
        content: digests of all that the store depends on; another one makes it load anew.
        ids: whether ``load`` writes a map of the store's identifiers.
    """

    folder: Path
    config: ServerConfig
    content: Mapping[str, Any]
    ids: bool = False


def load_store(
    project: Project,
    tool: Tool,
    spec: StoreSpec,
    progress: Progress = lambda done, total: None,
) -> tuple[Path, bool]:
    """Populate a store, unless it is there with the same contents.

    Args:
        project: where files are.
        tool: descriptor of the tool, whose jar is there.
        spec: the store and what it is loaded from.
        progress: told elements done and in total.

    Returns:
        The store's folder, and whether it had to be loaded.

    Raises:
        MeasureError: the load failed or did not end within ``load_timeout_s``.
    """
    folder = spec.folder
    if read_marker(folder).get("content") == spec.content:
        return folder, False
    folder.parent.mkdir(parents=True, exist_ok=True)
    with (
        Interrupt() as interrupt,
        HostLock(f"load {folder.name}", project.main.lock_wait_s, interrupt),
    ):
        if not (tool.resumes_load and read_json(folder / BEGUN) == spec.content):
            shutil.rmtree(folder, ignore_errors=True)
        if tool.resumes_load:
            folder.mkdir(exist_ok=True)
            write_json(folder / BEGUN, spec.content)
        begun, cpu_begun = time.monotonic(), _cpu_of_children()
        last = _Last(progress)
        _run_load(tool, project.jar(tool), spec.config, folder, last, interrupt)
        cpu_seconds = round(_cpu_of_children() - cpu_begun, 3)
        elements = _write_ids(folder) if spec.ids else last.total
        record = {
            "content": dict(spec.content),
            "elements": elements,
            "bytes": sum(f.stat().st_size for f in folder.rglob("*") if f.is_file()),
            "seconds": round(time.monotonic() - begun, 3),
            "cpu_seconds": cpu_seconds,
        }
        write_json(folder / MARKER, record)
    return folder, True


class _Last:
    """Passes progress on and remembers the total of the last one."""

    def __init__(self, progress: Progress) -> None:
        self.total = 0
        self._progress = progress

    def __call__(self, done: int, total: int) -> None:
        self.total = total
        self._progress(done, total)


def _write_ids(folder: Path) -> int:
    """Write the map of a store's identifiers as Parquet too; how many there are."""
    ids = ids_table(read_mssf(folder / "ids.mssf"))
    write_parquet(folder / "ids.parquet", ids)
    return int(ids.num_rows)


def read_marker(folder: Path) -> dict[str, Any]:
    """What was noted when the store was loaded; empty when it is not there or damaged."""
    return read_json(folder / MARKER)


def _cpu_of_children() -> float:
    """CPU seconds of all programs that this process has started and that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _run_load(
    tool: Tool,
    jar: Path,
    config: ServerConfig,
    folder: Path,
    progress: Progress,
    interrupt: Interrupt,
) -> None:
    _clear_dead(folder.parent)
    stem = f"{folder.name}.{os.getpid()}"
    config_file = folder.with_name(f"{stem}.load.json")
    log = folder.with_name(f"{folder.name}.load.log")
    log.unlink(missing_ok=True)
    config_file.write_text(config.text(), encoding="utf-8")
    argv = server_argv(jar, "load", config_file, tool.jvm.load)
    program = ProcessHost(stem).start(ProgramSpec("load", argv, folder.parent, log))
    try:
        _follow(program, tool.load_timeout_s, progress, interrupt, log)
    finally:
        program.stop(tool.stop_timeout_s)
        config_file.unlink(missing_ok=True)


def _clear_dead(folder: Path) -> None:
    """Delete the configurations of loads that were killed: their process is not there any more."""
    for file in folder.glob("*.load.json"):
        pid = file.name.removesuffix(".load.json").rpartition(".")[2]
        if pid.isdecimal() and not Path(f"/proc/{pid}").exists():
            file.unlink(missing_ok=True)


def _follow(
    program: Program, seconds: int, progress: Progress, interrupt: Interrupt, log: Path
) -> None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        interrupt.check()
        line = program.lines.read(TICK_S)
        if line is not None and line.startswith("PROGRESS "):
            message = json.loads(line.removeprefix("PROGRESS "))
            progress(int(message["done"]), int(message["total"]))
        elif line is None and program.lines.ended:
            if program.wait(5.0) == 0:
                return
            raise ended_early(program)
    raise MeasureError(
        f"load: not ended after {seconds} s; see {log}, raise 'load_timeout_s' of the tool if it "
        "only needs longer"
    )
