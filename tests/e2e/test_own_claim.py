"""The commands of docs/own-claim.md, one after the other: a claim, its placebo, measured again."""

from __future__ import annotations

import csv
import re
import shlex
from pathlib import Path

import pytest

from tests.e2e.conftest import ROOT, check_out, command, ours


def commands() -> list[list[str]]:
    """What the page has its reader type."""
    page = (ROOT / "docs" / "own-claim.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```sh\n(.*?)```", page, re.DOTALL)
    return [shlex.split(line) for block in blocks for line in block.splitlines()]


@pytest.mark.long  # five minutes of measuring
@pytest.mark.timeout(900)
def test_the_page_leads_to_a_claim_that_is_reproduced(tmp_path: Path) -> None:
    project, said = check_out(tmp_path / "project"), {}
    typed = commands()
    assert [line[:2] for line in typed[1:]] == [
        ["modelstress", name] for name in ("cells", "run", "derive", "report", "verify-claims")
    ]
    for line in typed:
        done = command(*line, cwd=project)
        assert done.returncode == 0, (line, done.stdout, done.stderr)
        said[line[1]] = done.stdout + done.stderr
    assert "every comparison is decided" in said["run"]
    with (project / "results/own-claim/claims.csv").open(encoding="utf-8", newline="") as file:
        claims = [row for row in csv.DictReader(file) if row["rule"] == "over starts"]
    [claim] = claims
    assert claim["status"] == "slower" and 1 < float(claim["low"]) < float(claim["estimate"])
    placebos = int(claim["placebo_pairs"])
    assert placebos >= 1 and int(claim["placebo_directions"]) <= placebos
    assert "1 reproduced, 0 contradicted, 0 undecided" in said["verify-claims"]
    assert ours(project) == []
