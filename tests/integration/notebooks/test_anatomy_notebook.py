"""The notebook on protocols runs from whatever was captured."""

import re

import captures
import pytest
import synthetic

from tests.integration.notebooks.executed import run, shown


def execute(tmp_path, profile=synthetic.PROFILE):
    return run(
        "protocol-anatomy", tmp_path / "out.ipynb", "study", synthetic.STUDY, "profile", profile,
        "data_dir", tmp_path / "data", "results_dir", tmp_path / "results",
    )  # fmt: skip


@pytest.mark.parametrize("method", ["packets", "proxy"])
def test_papermill_runs_it(method, tmp_path):
    captures.write_captures(tmp_path / "data", method)
    done = execute(tmp_path)
    assert done.returncode == 0, done.stderr
    html = shown(tmp_path / "out.ipynb")
    for number in ("Table A1", *(f"Figure A{n}" for n in range(1, 8))):
        assert len(re.findall(rf"<b>{number}[.:]", html)) == 1
    for absent in ("cdo over websocket", "mogwai over http", "mogwai over tcp"):
        assert f"Nothing was captured of {absent}" in html
    assert "Nothing was captured of hawk" not in html
    written = {path.name for path in (tmp_path / "results" / synthetic.STUDY / "anatomy").iterdir()}
    assert {"table-A1.csv", "figure-A1.svg", "figure-A7.png"} <= written
    assert ("hawk-http.pcap" in written) == (method == "packets")


def test_a_single_captured_cell_is_enough(tmp_path):
    captures.capture(tmp_path / "data", captures.LEVELS, lambda _: captures.tcp([(10, 20)]))
    done = execute(tmp_path)
    assert done.returncode == 0, done.stderr
    html = shown(tmp_path / "out.ipynb")
    assert re.search("<b>Figure A3[.:]", html) and not re.search("<b>Figure A4[.:]", html)


def test_samples_without_captures_end_with_a_sentence(tmp_path):
    synthetic.write(tmp_path / "data", synthetic.LEVELS, 0, synthetic.samples([5, 6, 7]))
    done = execute(tmp_path)
    assert done.returncode != 0
    assert "no execution was captured; measure the cells" in done.stderr
    assert (tmp_path / "out.ipynb").is_file()
