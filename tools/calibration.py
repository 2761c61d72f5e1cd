"""Write the calibration dataset of placebos: pairs of equals of the archived example dataset.

``python tools/calibration.py`` after a change of ``analysis/placebos.py`` or of the archive; a test
keeps the file equal to what this writes.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import pandas as pd

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from modelstress import analysis  # noqa: E402
from modelstress.analysis.placebos import CALIBRATION  # noqa: E402
from tools import example, golden  # noqa: E402

COLUMNS = (
    "kind", "tool", "load", "cell", "other_cell", "invocation", "other_invocation", "delta",
    "within", "over", "mean",
)  # fmt: skip


def text(derived: analysis.Derived) -> str:
    """The file: one row per pair, what each rule says of it, and the dataset it is from."""
    found = derived.placebos[list(COLUMNS)].copy()
    found.insert(0, "dataset", example.ARCHIVE.stem)
    found["delta"] = found["delta"].map("{:.6f}".format)
    return found.to_csv(index=False, lineterminator="\n")


def main() -> None:
    """Unpack the archive, derive, write."""
    with tempfile.TemporaryDirectory() as folder:
        golden.unpack(Path(folder), ())
        derived = analysis.load(Path(folder) / "data", example.STUDY, example.PROFILE)
    CALIBRATION.write_text(text(derived), encoding="utf-8")
    print(pd.crosstab([derived.placebos["kind"], derived.placebos["tool"]],
                      derived.placebos["within"]))  # fmt: skip


if __name__ == "__main__":
    main()
