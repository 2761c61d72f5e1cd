"""The pages of each archived dataset are what the dataset says."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from modelstress.samples.archive import unpack
from tools import datasets


@pytest.mark.timeout(300)
@pytest.mark.parametrize("study", datasets.PROFILES)
def test_a_page_says_what_its_archive_does(study: str, tmp_path: Path) -> None:
    unpack(datasets.archive_of(study), tmp_path / "made")
    shutil.rmtree(tmp_path / "made/data/derived")  # derived anew from the samples
    for page, text in datasets.pages(tmp_path / "made/data", study).items():
        assert page.read_text(encoding="utf-8") == text, page
