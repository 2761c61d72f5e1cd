"""Checks of the study's invariants, and of stores that are loaded."""

from __future__ import annotations

import json
import subprocess

from modelstress.config.errors import MeasureError
from modelstress.measure.conformance.bench import BrokenError, expect
from modelstress.measure.invariants import answer, configuration
from modelstress.workloads.operations.conformance.bench import OperationsBench

EXECUTIONS = 400
THREADS = 8


def invariants_hold(bench: OperationsBench) -> str:
    """After operations of eight sessions at once, every invariant of the study holds."""
    findings = []
    with bench.serving() as server:
        run = bench.drive(
            server.addresses(),
            bench.probe(),
            threads=THREADS,
            executions=EXECUTIONS,
            connection="reused",
        )
        expect(run.code == 0, f"the client ended with exit code {run.code}")
        endpoints = {server.node: server.ready.endpoints}
        endpoints |= {name: ready.endpoints for name, ready in server.others.items()}
        for name, invariant in bench.work.invariants.items():
            file = bench.place(f"invariant-{name}") / "config.json"
            dataset = None if bench.dataset is None else bench.dataset.model_dump()
            config = configuration(endpoints, bench.cell.levels, dataset, outcomes={})
            file.write_text(json.dumps(config), encoding="utf-8")
            program = bench.project.file(invariant.program)
            done = subprocess.run(
                [str(program), "--config", str(file)], capture_output=True, text=True,
                timeout=invariant.timeout_s, check=False,
            )  # fmt: skip
            errors = done.stderr.strip().splitlines() or ["nothing on stderr"]
            lines = done.stdout.strip().splitlines()
            try:
                holds, message = answer(invariant.program, done.returncode, lines, errors[-1])
            except MeasureError as error:
                raise BrokenError(str(error)) from None
            expect(holds, f"{invariant.title}: does not hold: {message}")
            findings.append(f"{invariant.title}: {message}")
    return "; ".join(findings)


def load_fills_the_store(bench: OperationsBench) -> str:
    """The first load: fills the store that all later checks use; it can be repeated."""
    bench.load(bench.store).expect_code(0, "load")
    files = sum(1 for file in bench.store.rglob("*") if file.is_file())
    expect(files > 0, "load left no file in the store")
    bench.load(bench.copy_of_store("twice")).expect_code(0, "load into a loaded store")
    return f"{files} files"


INVARIANTS = (("the study's invariants hold under load", invariants_hold),)
LOADED = (("load fills the store, and can be repeated", load_fills_the_store),)
