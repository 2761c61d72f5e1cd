"""The client program: arguments, workload and files; then the conversation."""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import threading
import time
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from modelstress.config.base import parse
from modelstress.config.errors import ConfigError
from modelstress.config.programs import Workload
from modelstress.driver.conversation import Console, Conversation
from modelstress.driver.execution import Target
from modelstress.driver.failures import Failures
from modelstress.driver.generator import LoadGenerator
from modelstress.driver.plan import OperationPlan
from modelstress.driver.samples import FileFullError, Recorder, SampleWriter
from modelstress.driver.spi import Driver, Endpoint, Endpoints, Options
from modelstress.driver.verifier import Verifier
from modelstress.driver.worker import Setup, close

WRONG_ARGUMENTS, INTERNAL, FILE_FULL = 2, 6, 7
CLOSING_S = 3.0
MOST_THREADS = 2**15 - 1
ONLY_NODE = "server"
"""Node of an address without a name."""
USAGE = "client --driver NAME --endpoint [NODE=]URL ... --workload FILE --threads N --out FILE"
_NAMED = re.compile(r"([a-z][a-z0-9-]*)=(.+://.*)")


def run(drivers: Mapping[str, Driver], arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the client program with these drivers and end the process."""
    console = Console()
    code, message = 0, None
    try:
        _run(drivers, _arguments(sys.argv[1:] if arguments is None else arguments), console)
    except ConfigError as error:
        code, message = WRONG_ARGUMENTS, str(error)
    except FileFullError as error:
        code, message = FILE_FULL, str(error)
    except BaseException as error:
        traceback.print_exc()
        code, message = INTERNAL, f"unexpected: {error!r}"
    if message is not None:
        print(f"error: {' '.join(message.split())}", file=sys.stderr)
    sys.stderr.flush()
    os._exit(code)  # threads that were given up do not keep the process


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise ConfigError(f"{message}; usage: {USAGE}")


def _arguments(argv: Sequence[str]) -> argparse.Namespace:
    parser = _Parser(add_help=False, allow_abbrev=False)
    parser.add_argument("program", choices=["client"])
    parser.add_argument("--driver", required=True)
    parser.add_argument("--endpoint", required=True, action="append")
    parser.add_argument("--workload", required=True, type=Path)
    parser.add_argument("--threads", required=True, type=int)
    parser.add_argument("--out", required=True, type=Path)
    return parser.parse_args(argv)


def _run(drivers: Mapping[str, Driver], arguments: argparse.Namespace, console: Console) -> None:
    if not 1 <= arguments.threads <= MOST_THREADS:
        raise ConfigError(f"--threads: {arguments.threads} is not from 1 to {MOST_THREADS}")
    if arguments.driver not in drivers:
        there = ", ".join(sorted(drivers))
        raise ConfigError(f"--driver: {arguments.driver} is none of this program's; there: {there}")
    driver = drivers[arguments.driver]
    endpoints = Endpoints(_endpoints(arguments.endpoint))
    workload = _workload(arguments.workload)
    try:
        plan = OperationPlan(workload)
        verifier = Verifier(None if workload.ids is None else Path(workload.ids))
    except ConfigError as error:
        raise ConfigError(f"{arguments.workload}: {error}") from error
    failures = Failures()
    setup = Setup(
        driver,
        Target(endpoints),
        Options(workload.timeout_ms, workload.options),
        workload.client,
        workload.connection == "reused",
        plan,
        verifier,
        _recorder(arguments, workload, endpoints),
        failures,
    )
    generator = LoadGenerator(setup, workload, arguments.threads)
    Conversation(console, generator, failures).hold()
    # everything is recorded by now, so a driver that hangs here is left behind
    closer = threading.Thread(target=close, args=(driver,), daemon=True)
    closer.start()
    closer.join(CLOSING_S)


def _endpoints(texts: list[str]) -> dict[str, Endpoint]:
    nodes: dict[str, Endpoint] = {}
    for text in texts:
        named = _NAMED.fullmatch(text)
        node, url = named.groups() if named else (ONLY_NODE, text)
        if "://" not in url:
            raise ConfigError(f"--endpoint: {text} is not a URL; write [NODE=]SCHEME://HOST:PORT")
        if node in nodes:
            raise ConfigError(f"--endpoint: node {node} has two addresses; name each node once")
        nodes[node] = Endpoint(url)
    return nodes


def _workload(path: Path) -> Workload:
    try:
        data = json.loads(path.read_bytes())
    except FileNotFoundError:
        raise ConfigError(f"{path}: there is no such file") from None
    except (OSError, ValueError, RecursionError) as error:
        raise ConfigError(f"{path}: is not JSON: {error}") from error
    return parse(Workload, data, str(path))


def _recorder(arguments: argparse.Namespace, workload: Workload, endpoints: Endpoints) -> Recorder:
    meta: dict[str, Any] = {
        "driver": arguments.driver,
        "endpoints": {node: endpoint.url for node, endpoint in endpoints.nodes.items()},
        "threads": arguments.threads,
        "clock_ns": time.monotonic_ns(),
        "unix_ns": time.time_ns(),
    }
    names = [operation.name for operation in workload.operations]
    try:
        rows = SampleWriter(arguments.out, workload.invocation, workload.client, names, meta)
        if workload.samples == "rows":
            return rows
        from modelstress.driver.histograms import HistogramRecorder  # nobody else needs it

        return HistogramRecorder(arguments.out, rows, workload, arguments.threads)
    except FileExistsError as error:
        raise ConfigError(
            f"--out: {error.filename} exists; measured data is not overwritten, name another"
        ) from error
    except OSError as error:
        raise ConfigError(f"--out: {arguments.out} cannot be created: {error}") from error
