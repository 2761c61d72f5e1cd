"""What an estimate goes by: measured executions that were right, with one thread."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from modelstress.config.project import Project
from modelstress.design.cells import cells_of
from modelstress.design.plan import plan_of
from modelstress.measure.status import measured_medians

PROJECT = Project.find(Path(__file__))


def test_warm_up_and_failures_are_no_part_of_a_median(tmp_path: Path) -> None:
    cells = cells_of(PROJECT, PROJECT.study("model-queries"), PROJECT.profile("smoke"))
    [run] = plan_of([next(c for c in cells if c.levels["threads"] == 1)], 1)
    project = Project(tmp_path)
    folder = run.cell.folder(project.raw, run.invocation)
    folder.mkdir(parents=True)
    rows = [
        *((9_000_000_000, "ok", "warmup") for _ in range(5)),
        *((2_000_000_000, "ok", "measure") for _ in range(3)),
        (1, "error", "measure"),
        (7_000_000_000, "ok", "cooldown"),
    ]
    durations, outcomes, phases = zip(*rows, strict=True)
    table = pa.table({"duration_ns": durations, "outcome": outcomes, "phase": phases})
    pq.write_table(table, folder / "samples.parquet")
    assert measured_medians(project, [run]).of(run.cell) is None  # not finished
    (folder / "cell.json").write_text("{}", encoding="utf-8")
    assert measured_medians(project, [run]).of(run.cell) == pytest.approx(2.0)
    (folder / "samples.parquet").write_bytes(b"PAR1 and then nothing")
    assert measured_medians(project, [run]).of(run.cell) is None
