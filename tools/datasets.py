"""Write docs/datasets/<study>.md: what each archived dataset says, in sentences made of its tables.

The page of the study opens with its figure and findings, too.

``python tools/datasets.py [STUDY ...]`` after ``make run SOURCE=archive ARCHIVE=archives/...``
of each; a test keeps the pages equal to what this writes. Figures are copied from the results.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from modelstress import analysis  # noqa: E402
from modelstress.config.project import Project  # noqa: E402
from modelstress.report import against, claims, front  # noqa: E402
from modelstress.samples.provenance import sha256_file  # noqa: E402
from tools.example import beside_papers, decided, opened_by  # noqa: E402

PROFILES = {"process-topologies": "chapter"}
"""Study to the profile that is archived; the example dataset has a page of its own."""
IMAGES = {"front": "front.png", "against": "against/figure-P1.png"}
"""Figure of a page to where the results have it."""


def archive_of(study: str) -> Path:
    """The archive of a study's dataset."""
    return ROOT / "archives" / f"{study}-{PROFILES[study]}.zip"


def page_of(study: str) -> Path:
    """The page of a study's dataset."""
    return ROOT / "docs" / "datasets" / f"{study}.md"


def pages(data: Path, study: str) -> dict[Path, str]:
    """The page of a dataset and that of its study, and their texts.

    Args:
        data: the ``data`` folder of the unpacked archive.
        study: whose dataset it is.

    Raises:
        ConfigError: the dataset is not there or has no derived tables.
    """
    derived = analysis.load(data, study, PROFILES[study])
    title = Project(ROOT).study(study).title
    opening = front.front(derived).markdown(_image(study, "front"))
    told = "\n".join([f"# Dataset: {title}\n", opening, *_sections(derived, data)])
    of_study = ROOT / "docs" / "studies" / f"{study}.md"
    return {page_of(study): told, of_study: opened_by(of_study, opening)}


def _sections(derived: analysis.Derived, data: Path) -> Iterator[str]:
    study, archive = derived.study, archive_of(derived.study)
    found = against.found_beside(derived, data)
    if found is not None:
        yield from beside_papers(found, _image(study, "against"))
    yield from decided(derived)
    yield "## What was measured\n"
    yield from (f"{say(derived)}\n" for say in (claims.measured, claims.care, claims.outcomes))
    yield "## The archive\n"
    size, digest = archive.stat().st_size / 1e6, sha256_file(archive)
    yield (
        f"`archives/{archive.name}`, {size:.1f} MB, SHA-256 `{digest}`. "
        "Its `ARTIFACT.md` has the command of every claim ([what is in an "
        "archive](../archive.md)).\n"
    )
    yield "```"
    yield f"make run SOURCE=archive ARCHIVE=archives/{archive.name}   # every table, no JDK"
    yield f"modelstress verify-claims archives/{archive.name} --budget 20min"
    yield "```\n"


def _image(study: str, figure: str) -> str:
    return f"../images/{study}-{figure}.png"


if __name__ == "__main__":
    for study in sys.argv[1:] or PROFILES:
        page_of(study).parent.mkdir(exist_ok=True)
        for figure, drawn in IMAGES.items():
            made = ROOT / "results" / study / drawn
            if made.is_file():
                shutil.copyfile(made, page_of(study).parent / _image(study, figure))
        unpacked = ROOT / "data" / "archive" / archive_of(study).stem / "data"
        for file, text in pages(unpacked, study).items():
            file.write_text(text, encoding="utf-8")
