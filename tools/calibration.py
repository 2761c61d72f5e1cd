"""Write the calibration dataset of placebos: pairs of equals of the first example dataset.

``python tools/calibration.py`` after a change of ``analysis/placebos.py``; a test keeps the file
equal to what this writes. Its archive is no longer among the files, but in the repository's
history: 616 cells in three starts of their own, more pairs than any dataset since.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

import pandas as pd

from modelstress import analysis
from modelstress.analysis.placebos import CALIBRATION
from modelstress.samples.archive import unpack

ROOT = Path(__file__).resolve().parent.parent
DATASET, STUDY, PROFILE = "model-queries-reduced", "model-queries", "reduced"
BLOB = "171007d91ee18df1b8fba04826524bb38435696b"
"""Git's name of the archive, ``swh:1:cnt:`` of Software Heritage; SHA-256 in docs/archive.md."""
COLUMNS = (
    "kind", "tool", "load", "cell", "other_cell", "invocation", "other_invocation", "delta",
    "within", "over", "mean",
)  # fmt: skip


def text(derived: analysis.Derived) -> str:
    """The file: one row per pair, what each rule says of it, and the dataset it is from."""
    found = derived.placebos[list(COLUMNS)].copy()
    found.insert(0, "dataset", DATASET)
    found["delta"] = found["delta"].map("{:.6f}".format)
    return found.to_csv(index=False, lineterminator="\n")


def derived() -> analysis.Derived:
    """The dataset, derived anew from the samples of its archive.

    Raises:
        CalledProcessError: the history is not here, as in a shallow clone.
    """
    with tempfile.TemporaryDirectory() as folder:
        archive, made = Path(folder, f"{DATASET}.zip"), Path(folder, "made")
        with archive.open("wb") as file:
            subprocess.run(["git", "cat-file", "blob", BLOB], cwd=ROOT, stdout=file, check=True)
        unpack(archive, made)
        shutil.rmtree(made / "data/derived")
        return analysis.load(made / "data", STUDY, PROFILE)


def main() -> None:
    """Derive, write."""
    found = derived()
    CALIBRATION.write_text(text(found), encoding="utf-8")
    print(pd.crosstab([found.placebos["kind"], found.placebos["tool"]], found.placebos["within"]))


if __name__ == "__main__":
    main()
