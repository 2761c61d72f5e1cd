"""Every table and every figure of the archived dataset says what it said before.

`all.txt` and `few-queries.txt` have a digest of each: of derived tables, of tables in all three
formats, of captions and data of figures (not of their pictures), and of the sentences. When one
differs that should not, write it with the old code and with the new (`python tools/golden.py
FOLDER`) and compare; when it should, `python tools/golden.py --update` writes the digests again.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tools import golden


@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    "file", [golden.FEW, pytest.param(golden.EVERYTHING, marks=pytest.mark.long)]
)
def test_tables_figures_and_sentences_of_the_archive(tmp_path: Path, file: str) -> None:
    made = golden.digests(golden.results(tmp_path, golden.QUERIES[file]))
    known = golden.read(file)
    assert made.keys() == known.keys()
    assert [name for name, digest in made.items() if digest != known[name]] == []
