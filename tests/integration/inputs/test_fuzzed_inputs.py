"""Damaged input of every kind ends in a sentence or is read; never in a traceback."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest
from fuzz_targets import targets

from modelstress.config.errors import ModelstressError

NAMES = (
    "study", "profile", "tool", "case", "paper", "cell.json", "samples.parquet", "MSSF samples",
    "MSSF ids", "histogram lines", "histograms.parquet", "anatomy.parquet",
    "data package", "archive", "oracle", "capture", "owner of a work folder", "ready line",
    "command line",
)  # fmt: skip
SHORT, LONG = 100, 11_000
SLOW_S = 20
"""An input that takes longer hangs, whatever else the machine does."""


@pytest.mark.parametrize(
    "inputs",
    [SHORT, pytest.param(LONG, marks=[pytest.mark.long, pytest.mark.timeout(3600)])],
)
@pytest.mark.parametrize("name", NAMES)
def test_no_input_ends_in_a_traceback(tmp_path: Path, name: str, inputs: int) -> None:
    """``LONG`` inputs for each of 19 kinds are 209,000."""
    found = {target.name: target for target in targets(tmp_path)}
    assert tuple(found) == NAMES
    target = found[name]
    for seed in target.seeds:
        target.read(seed)
    accepted = refused = 0
    broken: dict[str, str] = {}
    for number in range(inputs):
        dice = random.Random(f"{name}/{number}")
        data = target.damage(dice, dice.choice(target.seeds))
        begin = time.monotonic()
        try:
            target.read(data)
            accepted += 1
        except ModelstressError as error:
            refused += 1
            assert str(error).strip(), "a refusal says why"
            assert len(str(error)) < 5000, f"{name} {number}: a sentence, not a page"
        except Exception as error:
            kind = f"{type(error).__name__} at {_place(error)}"
            broken.setdefault(kind, f"{kind} (input {number}): {error!s:.200}")
        assert time.monotonic() - begin < SLOW_S, f"{name} {number} hangs"
    print(
        f"{name}: {inputs} inputs, {accepted} read, {refused} refused, {len(broken)} kinds broken"
    )
    assert not broken, "\n".join(broken.values())


def _place(error: Exception) -> str:
    """File and line that raised, the last one of this project."""
    trace, place = error.__traceback__, ""
    while trace is not None:
        name = trace.tb_frame.f_code.co_filename
        if "/modelstress/" in name:
            place = f"{Path(name).name}:{trace.tb_lineno}"
        trace = trace.tb_next
    return place
