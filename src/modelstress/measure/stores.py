"""Populating a store once, before any cell that needs it."""

from __future__ import annotations

import json
import os
import resource
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from modelstress.config.errors import ConfigError, MeasureError
from modelstress.config.programs import ServerConfig
from modelstress.config.project import Project
from modelstress.config.study import TrainModel
from modelstress.config.tool import Tool
from modelstress.design.contents import declared, hash_json
from modelstress.hosts import ProcessHost, Program, ProgramSpec
from modelstress.measure.interrupt import TICK_S, Interrupt
from modelstress.measure.invocation import MARKER, require
from modelstress.measure.lock import HostLock
from modelstress.measure.models import build_model
from modelstress.measure.programs import server_argv
from modelstress.measure.server import ended_early
from modelstress.samples.files import read_json, write_json, write_parquet
from modelstress.samples.mssf import ids_table, read_mssf
from modelstress.samples.provenance import sha256_file, sha256_jar

Progress = Callable[[int, int], None]


def load_store(
    project: Project,
    tool: Tool,
    backend: str,
    model_name: str,
    progress: Progress = lambda done, total: None,
    *,
    case: str | None = None,
) -> tuple[Path, bool]:
    """Populate a store, unless it is there with the same contents.

    Args:
        project: where files are.
        tool: descriptor of the tool.
        backend: one of its backends.
        model_name: of a model whose file is there.
        progress: told elements done and in total.
        case: whose attributes are declared to the store; None for a store without declarations.

    Returns:
        The store's folder, and whether it had to be loaded.

    Raises:
        MissingError: the tool's jar or the model file is not there, or the model is damaged.
        ConfigError: the tool knows no declarations, or the case has none.
        MeasureError: the load failed or did not end within ``load_timeout_s``.
    """
    if case is not None and not tool.attributes:
        raise ConfigError(
            f"config/tools/{tool.tool}.yaml: 'attributes' is false; load without declarations"
        )
    attributes = [] if case is None else declared(project, case)
    level = "none" if case is None else "declared"
    folder = project.store_folder(tool.tool, backend, model_name, level)
    jar = project.jar(tool)
    model = project.model_file(model_name)
    require(jar, "build it with 'make build'")
    require(model, f"make it with 'modelstress model build {model_name}'")
    content = {
        "model": sha256_file(model),
        "jar": sha256_jar(jar),
        "options": dict(tool.options),
        "flags": list(tool.jvm.load),
        **({"form": tool.models} if tool.models != "binary" else {}),
        **({"attributes": hash_json(attributes)} if attributes else {}),
    }
    if read_marker(folder).get("content") == content:
        return folder, False
    folder.parent.mkdir(parents=True, exist_ok=True)
    with (
        Interrupt() as interrupt,
        HostLock(f"load {folder.name}", project.main.lock_wait_s, interrupt),
    ):
        shutil.rmtree(folder, ignore_errors=True)
        begun, cpu_begun = time.monotonic(), _cpu_of_children()
        config = ServerConfig.model_validate(
            {
                "tool": tool.tool,
                "backend": backend,
                "model": str(_in_form(project, tool, model_name)),
                "store": str(folder),
                "attributes": attributes,
                "options": tool.options,
            }
        )
        _run_load(tool, jar, config, folder, progress, interrupt)
        cpu_seconds = round(_cpu_of_children() - cpu_begun, 3)
        ids = ids_table(read_mssf(folder / "ids.mssf"))
        write_parquet(folder / "ids.parquet", ids)
        seconds = round(time.monotonic() - begun, 3)
        size = sum(f.stat().st_size for f in folder.rglob("*") if f.is_file())
        record = {
            "content": content,
            "elements": ids.num_rows,
            "bytes": size,
            "seconds": seconds,
            "cpu_seconds": cpu_seconds,
        }
        write_json(folder / MARKER, record)
    return folder, True


def _in_form(project: Project, tool: Tool, name: str) -> Path:
    """The model as the tool reads it; made from the same seed where it is not there yet."""
    file, described = project.loaded_file(tool, name), project.models.get(name)
    if not file.is_file():
        if not isinstance(described, TrainModel):
            raise ConfigError(
                f"config/tools/{tool.tool}.yaml: field 'models': no study says how {name!r} is "
                "made; name it in one, so that it can be made as XMI"
            )
        build_model(project, described, file)
    return file


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
            said = json.loads(line.removeprefix("PROGRESS "))
            progress(int(said["done"]), int(said["total"]))
        elif line is None and program.lines.ended:
            if program.wait(5.0) == 0:
                return
            raise ended_early(program)
    raise MeasureError(
        f"load: not ended after {seconds} s; see {log}, raise 'load_timeout_s' of the tool if it "
        "only needs longer"
    )
