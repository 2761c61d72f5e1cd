"""The recipe of docs/compare.md, executed: fresh, again, and after the tool changed."""

from __future__ import annotations

import csv
import io
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from tests.code_blocks import block, blocks
from tests.e2e.conftest import ROOT, check_out, command, environment

PAGE = (ROOT / "docs/compare.md").read_text(encoding="utf-8")
TOOL = (ROOT / "docs/own-tool.md").read_text(encoding="utf-8")
WORSE, UNDECIDED = 1, 6


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A checkout as built, with the page's study and profile, the latter of a few executions.

    The tool is the Python server of docs/own-tool.md, which a sleep makes slower.
    """
    root = check_out(tmp_path / "workspace")
    [job] = [block for block in blocks(PAGE, "sh") if "archive" in block]
    (root / "ci.sh").write_text(job, encoding="utf-8")
    study, profile = map(yaml.safe_load, blocks(PAGE, "yaml"))
    study["factors"] |= {
        "tool": ["my-store"], "backend": ["list"], "language": ["few"],
        "query": ["PosLength"], "threads": [1],
    }  # fmt: skip
    # as many starts as on the page: the interval over two has one degree of freedom, and is endless
    profile["settings"] = {"executions": 20, "warmup": {"executions": 5, "seconds": 0.5}}
    for kind, about in (("studies", study), ("profiles", profile)):
        (root / f"config/{kind}/ci.yaml").write_text(yaml.safe_dump(about), encoding="utf-8")
    program, descriptor = block(TOOL, "python"), block(TOOL, "yaml", "my-store.yaml")
    (root / "config/tools/my-store.yaml").write_text(descriptor, encoding="utf-8")
    file = root / "my-store/my_store.py"
    file.parent.mkdir()
    file.write_text(program, encoding="utf-8")
    file.chmod(0o755)
    query = re.search(r"^(queries/train/few/PosLength\.few): +(.+)$", TOOL, re.MULTILINE)
    assert query is not None
    (root / query[1]).parent.mkdir()
    (root / query[1]).write_text(query[2], encoding="utf-8")
    return root


def job(workspace: Path) -> subprocess.CompletedProcess[str]:
    """The code block, as a runner of jobs would run it."""
    return subprocess.run(
        ["sh", "ci.sh"], cwd=workspace, env=environment(), capture_output=True, text=True,
        timeout=500, check=False,
    )  # fmt: skip


@pytest.mark.long
@pytest.mark.timeout(1500)
def test_the_job_of_the_page_never_passes_what_got_slower(workspace: Path) -> None:
    first = job(workspace)
    assert first.returncode == 0, first.stdout + first.stderr
    releases = workspace / "releases"
    shutil.move(releases / "this.zip", releases / "last.zip")

    again = job(workspace)
    assert again.returncode == UNDECIDED, "the same samples once more decide nothing"
    assert "THE SAME MEASUREMENTS: 1 of 1 pairs" in again.stderr

    program = workspace / "my-store/my_store.py"
    slower = program.read_text(encoding="utf-8").replace(
        "            try:\n                status, said = 200",
        "            import time\n            time.sleep(0.05)\n"
        "            try:\n                status, said = 200",
    )
    program.write_text(slower, encoding="utf-8")
    selection = ("releases/last.zip", "data", "--study", "ci", "--profile", "ci")
    early = command("modelstress", "compare", *selection, "--strict", cwd=workspace)
    assert early.returncode == UNDECIDED, early.stdout
    assert "STALE: 1 of 1 cells of B" in early.stdout

    after = job(workspace)
    assert "STALE" not in after.stderr and "SAME" not in after.stderr, "it was measured again"
    # a machine that was busy makes measurements invalid: nothing is decided then, nothing passes
    assert after.returncode in (WORSE, UNDECIDED), after.stdout + after.stderr
    found = command("modelstress", "compare", *selection, "--format", "csv", cwd=workspace)
    [row] = csv.DictReader(io.StringIO(found.stdout))
    if after.returncode == UNDECIDED:
        assert row["verdict"] == "unclear" and "invalid" in row["why"], row
    else:
        assert row["verdict"] == "worse" and float(row["over_ratio"]) > 2, row
    assert "slower by more than 10 %" in (workspace / "comparison.md").read_text(encoding="utf-8")
