"""Machines told from settings by their anchors."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import synthetic

from modelstress.steering.machines import ratios, sentence


def write(
    data: Path, anchor: str, machine: str, number: int, ms: float, valid: bool = True
) -> None:
    folder = data / "steering" / "s" / "p" / "anchors" / "tool" / anchor / f"i{number:02d}"
    folder.mkdir(parents=True)
    pq.write_table(synthetic.samples([ms] * 5), folder / "samples.parquet")
    record = {
        "format": 2,
        "validity": {"valid": valid, "reasons": []},
        "provenance": {"machine": {"name": machine}},
    }
    (folder / "cell.json").write_text(json.dumps(record))


def test_a_machine_that_is_slower_in_every_anchor_has_that_ratio(tmp_path: Path) -> None:
    for anchor, base in (("a", 1.0), ("b", 10.0), ("c", 100.0)):
        write(tmp_path, anchor, "quick", 0, base)
        write(tmp_path, anchor, "slow", 1, base * 1.44)
        write(tmp_path, anchor, "slow", 2, base * 9.0, valid=False)
    quick, slow = ratios(tmp_path, "s", "p")
    assert (quick.machine, slow.machine) == ("quick", "slow")
    assert quick.ratio == pytest.approx(1 / 1.2) and slow.ratio == pytest.approx(1.2)
    assert slow.interval is not None
    assert slow.interval.low == pytest.approx(1.2) == slow.interval.high
    assert (slow.anchors, slow.starts) == (3, 3)
    assert "quick 0.83 (0.83–0.83), slow 1.20" in sentence([quick, slow])


def test_machines_that_differ_by_anchor_have_an_interval_over_them(tmp_path: Path) -> None:
    for number, factor in enumerate((1.1, 1.3, 1.2, 1.25)):
        write(tmp_path, f"a{number}", "one", 0, 1.0)
        write(tmp_path, f"a{number}", "other", 1, factor)
    _, other = ratios(tmp_path, "s", "p")
    assert other.interval is not None
    assert other.interval.low < other.ratio < other.interval.high
    assert other.interval.low > 1.0


def test_one_machine_says_nothing(tmp_path: Path) -> None:
    write(tmp_path, "a", "only", 0, 1.0)
    assert ratios(tmp_path, "s", "p") == [] and sentence([]) == ""
