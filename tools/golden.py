"""What the archived dataset says: every table, the data of every figure, and all sentences.

``python tools/golden.py FOLDER`` writes each as a text file, to be compared with another commit's;
``python tools/golden.py --update`` writes their digests to tests/integration/golden, which tests
hold against them: of everything, and of a few queries, which take less.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sys
import tempfile
import zipfile
from collections.abc import Collection, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from figure_data import text_of  # noqa: E402

from modelstress import analysis, report  # noqa: E402
from modelstress.analysis import replication, sheets  # noqa: E402
from modelstress.analysis.write import write  # noqa: E402
from modelstress.report import against as beside  # noqa: E402
from modelstress.report import agreement, cell_summary, front  # noqa: E402
from modelstress.report.files import table_files  # noqa: E402
from tools import example  # noqa: E402

DIGESTS = ROOT / "tests" / "integration" / "golden"
EVERYTHING, FEW = "all.txt", "few-queries.txt"
QUERIES = {EVERYTHING: (), FEW: ("OQ", "RouteSensor", "SwitchSet")}
"""File of digests to the queries whose cells they are of; none: all."""
PLAN = "data/planned.json"
LONG = re.compile(r"-?\b\d+\.\d{5,}(?:e[+-]\d+)?\b")
WIRE = "anatomy"
"""The profile whose cells were captured beside the others."""


def results(folder: Path, queries: Collection[str] = ()) -> Iterator[tuple[str, str]]:
    """Name and text of everything, from the archive unpacked into this folder."""
    unpack(folder, queries)
    yield from texts_of(folder)
    yield "example.md", example.page(folder / "data")


def texts_of(folder: Path) -> Iterator[tuple[str, str]]:
    """Name and text of every table and figure of the archive that is unpacked in a folder."""
    data, study = folder / "data", example.STUDY
    derived = analysis.load(data, study, example.PROFILE)
    for file in sorted(write(derived, data).glob("*.csv")):
        yield f"derived/{file.name}", _rounded(file.read_text(encoding="utf-8"))
    yield from _texts(example.PROFILE, report.results(derived))
    yield "summary.csv", sheets.csv(cell_summary.cell_summary(derived), float_format="%.6g")
    opening = front.front(derived)
    yield "front.md", opening.page()
    if opening.drawn is not None:
        yield "front.txt", text_of(opening.drawn.draw(), opening.drawn.caption)
    wire = analysis.load(data, study, WIRE)
    yield from _texts(WIRE, report.anatomy_results(analysis.anatomy(data, wire)))
    papers = replication.papers_beside(data, study)
    captured = replication.captured_beside(data, study, example.PROFILE)
    found = replication.compare(derived, papers, captured, data)
    yield from _texts("against", beside.results(found))
    yield "against/summary.md", agreement.summary(found)
    yield "against/disagreements.md", agreement.disagreements(found)


def _rounded(text: str) -> str:
    """Numbers with nine digits: in the sixteenth, logarithms differ between kinds of CPUs."""
    return LONG.sub(lambda found: f"{float(found[0]):.9g}", text)


def unpack(folder: Path, queries: Collection[str]) -> None:
    """Samples, configuration and plan; derived tables are made again, those of captures read."""
    with zipfile.ZipFile(example.ARCHIVE) as archive:
        made = f"data/derived/{example.STUDY}/{example.PROFILE}/"
        names = [name for name in archive.namelist() if not name.startswith(made)]
        plan = json.loads(archive.read(PLAN))
        for one in plan["plans"]:
            if queries and one["profile"] == example.PROFILE:
                others = {c["cell"] for c in one["cells"] if c["levels"]["query"] not in queries}
                one["cells"] = [cell for cell in one["cells"] if cell["cell"] not in others]
                names = [name for name in names if others.isdisjoint(name.split("/"))]
        archive.extractall(folder, names)
    (folder / PLAN).write_text(json.dumps(plan), encoding="utf-8")


def _texts(name: str, made: report.Results) -> Iterator[tuple[str, str]]:
    for file, content in table_files(made, Path(name)).items():
        yield str(file), content.decode("utf-8")
    for drawn in made.figures:
        yield f"{name}/{drawn.number}.txt", text_of(drawn.draw(), drawn.caption)


def digests(texts: Iterator[tuple[str, str]]) -> dict[str, str]:
    """Name to the first 16 digits of its text's SHA-256."""
    return {name: hashlib.sha256(text.encode()).hexdigest()[:16] for name, text in texts}


def read(file: str) -> dict[str, str]:
    """The digests as they are known."""
    lines = (DIGESTS / file).read_text(encoding="utf-8").splitlines()
    return {name: digest for digest, name in (line.split("  ", 1) for line in lines)}


def _update() -> None:
    for file, queries in QUERIES.items():
        with tempfile.TemporaryDirectory() as folder:
            known = digests(results(Path(folder), queries))
        text = "".join(f"{digest}  {name}\n" for name, digest in known.items())
        (DIGESTS / file).write_text(text, encoding="utf-8")


def _write(target: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for name, text in results(Path(folder)):
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            (target / name).write_text(text, encoding="utf-8")


def main() -> None:
    """The command line; an option that it does not have is no folder."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("folder", nargs="?", type=Path, help="to write everything to")
    what.add_argument("--update", action="store_true", help="write the digests")
    arguments = parser.parse_args()
    if arguments.update:
        _update()
    else:
        _write(arguments.folder)


if __name__ == "__main__":
    main()
