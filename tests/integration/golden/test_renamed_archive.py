"""The archived dataset under other words has the same tables and figures.

Every factor, level, query, tool and id that the study, its papers, its plan and its records define
is replaced by a random word; what is made of it is what was made before, the words put back. So
no table, figure or sentence depends on a word of the study (what the harness itself defines, such
as `threads`, keeps its name). The page of the example dataset asks for queries by name and is not
among them.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import renamed_words

from modelstress import analysis
from modelstress.analysis.write import write
from tools import example, golden


@pytest.mark.long  # tests/unit/report/test_renamed_study.py does so with a synthetic study
@pytest.mark.timeout(600)
@pytest.mark.parametrize("file", [golden.FEW, golden.EVERYTHING])
def test_other_words_make_the_same_results(tmp_path: Path, file: str) -> None:
    golden.unpack(tmp_path, golden.QUERIES[file])
    shutil.rmtree(tmp_path / "data" / "derived")  # of captures; made again under the other words
    words = renamed_words.rename(tmp_path)
    data = tmp_path / "data"
    known = golden.read(file)
    with renamed_words.renamed_calibration(words):
        wire = analysis.load(data, example.STUDY, golden.WIRE)
        write(wire, data, analysis.anatomy(data, wire))
        texts = (
            (name, words.back(text, latex=name.endswith(".tex")))
            for name, text in golden.texts_of(tmp_path)
        )
        made = golden.digests(texts)
    assert made.keys() == known.keys() - {"example.md"}
    made.pop("derived/provenance.csv")  # whose rows are in the order of words
    assert [name for name, digest in made.items() if digest != known[name]] == []
