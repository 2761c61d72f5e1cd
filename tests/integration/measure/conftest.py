"""Cells of the fake tool need no calibrated machine."""

from __future__ import annotations

import pytest

from modelstress.measure import calibration


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calibration, "SECONDS", 0.02)
