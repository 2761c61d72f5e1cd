"""Executing a notebook as the workflow does, and looking at what it showed."""

import subprocess
import sys
from pathlib import Path

import nbformat

FOLDER = Path(__file__).parents[3] / "notebooks"


def run(name, output, *parameters):
    """Execute a notebook of the project with papermill; `parameters` are names and values."""
    command = [
        sys.executable, "-m", "papermill", "-k", "python3", "--no-progress-bar",
        str(FOLDER / f"{name}.ipynb"), str(output),
    ]  # fmt: skip
    for key, value in zip(parameters[::2], parameters[1::2], strict=True):
        command += ["-p", key, str(value)]
    return subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)


def shown(output):
    """The HTML and Markdown of an executed notebook; fails where a cell failed or warned."""
    cells = [c for c in nbformat.read(output, 4).cells if c.cell_type == "code"]
    outputs = [o for cell in cells for o in cell.outputs]
    assert [o for o in outputs if o.output_type == "error" or o.get("name") == "stderr"] == []
    kinds = ("text/html", "text/markdown")
    return "".join(o.data.get(kind, "") for o in outputs if "data" in o for kind in kinds)
