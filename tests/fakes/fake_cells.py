"""Cells of the fake tool, and what is left of them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from modelstress.config.factors import HARNESS
from modelstress.config.faults import Fault
from modelstress.config.profile import Settings, Warmup
from modelstress.config.programs import WorkloadOperation
from modelstress.config.tool import Tool
from modelstress.design.cell import Cell
from modelstress.design.kinds import Checks, Expected, Prepared
from modelstress.measure.invocation import Invocation
from modelstress.workloads.queries.study import QueriesStudy, TrainModel
from modelstress.workloads.queries.work import Queries

FAKE = Path(__file__).with_name("tool.py")
COUNT, DIGEST = 3, 2**64 - 5


def fake_invocation(
    folder: Path,
    *,
    threads: int = 2,
    clients: int = 1,
    executions: int = 20,
    server: dict[str, Any] | None = None,
    driver: dict[str, Any] | None = None,
    levels: dict[str, Any] | None = None,
    cell_timeout_s: int = 60,
    ready_timeout_s: int = 20,
    stop_timeout_s: int = 5,
    number: int = 0,
    settings: dict[str, Any] | None = None,
    fault: Fault | None = None,
    timeout_ms: int = 2000,
) -> Invocation:
    """An invocation of the fake tool below ``folder``; ``server`` and ``driver`` are its faults."""
    store = folder / "store"
    store.mkdir(parents=True, exist_ok=True)
    (store / "ids.mssf").write_bytes(b"ids")
    tool = Tool(
        tool="fake",
        title="Fake",
        jar=str(FAKE),
        driver="fake",
        supports={"backend": ["none"], "protocol": ["tcp"], "language": ["ocl"]},
        ready_timeout_s=ready_timeout_s,
        stop_timeout_s=stop_timeout_s,
        options=server or {},
        driver_options=driver or {},
    )
    cell = Cell(
        study="fakes",
        profile="smoke",
        levels={
            "tool": "fake", "backend": "none", "language": "ocl", "protocol": "tcp",
            "model": "m", "query": "Q", "threads": threads, **(levels or {}),
        },
        settings=Settings(**{
            "executions": executions,
            "warmup": Warmup(executions=2, seconds=0, threads=1),
            "timeout_ms": timeout_ms,
            "clients": clients,
            "cell_timeout_s": cell_timeout_s,
            **(settings or {}),
        }),
        invocations=1,
        tool=tool,
        workload="queries",
        work=Queries(TrainModel(case="train", line="2016", scenario="repair", size=1), {"Q": 1.0}),
        roles=QueriesStudy.ROLES,
        factors={**HARNESS, **QueriesStudy.FACTORS},
        fault=fault,
    )  # fmt: skip
    return Invocation(
        cell=cell,
        number=number,
        seed=7,
        folder=cell.folder(folder / "raw", number),
        jar=FAKE,
        needs=Prepared(
            operations=(
                WorkloadOperation(
                    name="Q", text="q", parameters={"count": COUNT, "digest": DIGEST}
                ),
            ),
            checks=Checks({"Q": Expected(COUNT, DIGEST)}),
            protocol="tcp",
            store=store,
            ids=store / "ids.mssf",
            server={"backend": "none"},
        ),
    )


def read_record(invocation: Invocation) -> dict[str, Any]:
    record: dict[str, Any] = json.loads((invocation.folder / "cell.json").read_text())
    return record


def read_rows(invocation: Invocation) -> pa.Table:
    return pq.read_table(invocation.folder / "samples.parquet")


def codes(invocation: Invocation) -> set[str]:
    """Codes of the reasons against a measured cell."""
    return {reason["code"] for reason in read_record(invocation)["validity"]["reasons"]}


def processes_of(text: str, argument: str = "") -> list[int]:
    """Process ids whose command line contains ``text``, such as a test's own folder.

    Only those with a certain ``argument`` if it is given.
    """
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal() and int(folder.name) != os.getpid():
            try:
                command = (folder / "cmdline").read_bytes()
            except OSError:
                continue
            named = not argument or argument.encode() in command.split(b"\0")
            if text.encode() in command and named:
                found.append(int(folder.name))
    return found


def kill(pids: Iterable[int], signum: int) -> None:
    """Send a signal to processes, some of which may have ended meanwhile."""
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signum)
