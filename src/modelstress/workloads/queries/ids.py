"""The id map of a server that somebody else runs (docs/contracts.md)."""

from __future__ import annotations

import subprocess
from pathlib import Path

from modelstress.config.base import nearest
from modelstress.config.errors import ConfigError, MeasureError, MissingError, ModelstressError
from modelstress.config.packages import how_to_get
from modelstress.config.project import Project
from modelstress.config.tool import Tool
from modelstress.measure.java import find_java
from modelstress.measure.programs import hygiene

EXITS: dict[int, type[ModelstressError]] = {2: ConfigError, 3: ConfigError}
"""Exit code to what it means here: arguments are wrong, or the server holds another model."""
STOP_S = 30
"""How much longer than its own deadline the program may take, seconds."""


def write_ids(
    project: Project,
    tool: Tool,
    model: Path,
    protocol: str | None = None,
    attribute: str | None = None,
    timeout_s: int = 300,
) -> Path:
    """Have a tool's program write the id map of its running server.

    Args:
        project: where everything is.
        tool: described by ``endpoint`` and ``ids``.
        model: file of the model that the server has indexed.
        protocol: of the endpoint; by default the first.
        attribute: whose value tells elements apart; by default the program chooses.
        timeout_s: how long the server may take to answer.

    Returns:
        The file that was written, the descriptor's ``ids``.

    Raises:
        ConfigError: the tool has no such endpoint, or its server holds another model.
        MissingError: the tool's program or the model is not there.
        MeasureError: the program failed; says why.
    """
    if tool.endpoint is None or tool.ids is None:
        raise ConfigError(
            f"config/tools/{tool.tool}.yaml: no field 'endpoint': load writes the id map of a "
            "server that is started here"
        )
    protocol = protocol or next(iter(tool.endpoint))
    if protocol not in tool.endpoint:
        raise ConfigError(
            f"config/tools/{tool.tool}.yaml: field 'endpoint' has no protocol {protocol!r}"
            f"{nearest(protocol, tool.endpoint)}"
        )
    jar, target = project.jar(tool), project.root / tool.ids
    for needed, remedy in ((jar, how_to_get(tool.tool)), (model, "modelstress model build")):
        if not needed.is_file():
            raise MissingError(f"{needed} is not there; {remedy}")
    target.parent.mkdir(parents=True, exist_ok=True)
    argv = _argv(jar, tool)
    argv += ["ids", "--endpoint", tool.endpoint[protocol], "--model", str(model)]
    argv += ["--out", str(target), "--timeout-s", str(timeout_s)]
    argv += [] if attribute is None else ["--attribute", attribute]
    for name, value in tool.driver_options.items():
        text = str(value).lower() if isinstance(value, bool) else str(value)
        argv += ["--option", f"{name}={text}"]
    _run(argv, timeout_s + STOP_S, f"the id map of {tool.tool}")
    return target


def _argv(jar: Path, tool: Tool) -> list[str]:
    if jar.suffix != ".jar":
        return [str(jar)]
    return [find_java().program, *hygiene(None), *tool.jvm.client, "-jar", str(jar)]


def _run(argv: list[str], seconds: int, what: str) -> None:
    """Run the program; its last word is the error's sentence."""
    try:
        done = subprocess.run(argv, capture_output=True, text=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired as error:
        raise MeasureError(f"{what} was not written within {seconds} s") from error
    if done.returncode != 0:
        cause = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
        raise EXITS.get(done.returncode, MeasureError)(
            f"{what} was not written: {cause.removeprefix('error: ')}"
        )
