"""Write docs/example.md: what the example dataset says, in sentences generated from its tables.

The front figure and its sentences open it, the README, the site and the study's page;
docs/leaderboard.md has the order of all configurations.

``python tools/example.py [DATA]`` after ``make run SOURCE=archive``; DATA is the archive's ``data``
folder, by default where that unpacks it. A test keeps all of them equal to what this writes; their
figures are copied from the results.
"""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from modelstress import analysis
from modelstress.analysis.replication import Against
from modelstress.report import (
    against,
    agreement,
    artifact,
    claims,
    claims_register,
    front,
    leaderboard,
)

ROOT = Path(__file__).resolve().parent.parent
STUDY, PROFILE = "model-queries", "claims"
ARCHIVE = ROOT / "archives" / f"{STUDY}-{PROFILE}.zip"
PAGE = ROOT / "docs" / "example.md"
OPENED = {
    ROOT / "README.md": "docs/images/front.png",
    ROOT / "docs" / "index.md": "images/front.png",
    ROOT / "docs" / "studies" / f"{STUDY}.md": "../images/front.png",
}
"""Pages with the front page in them, and where the figure is for each."""
LEADERBOARD = ROOT / "docs" / "leaderboard.md"
FRONT = re.compile(r"(?<=<!-- front page -->\n).*(?=<!-- end of the front page -->)", re.DOTALL)
"""What this writes into them."""
HEAD = """\
`archives/model-queries-claims.zip` holds the papers' configurations and queries with 1, 8 and 64 clients, each in three starts of the servers, on the smallest machines that can: virtual ones with two processors, one for the server and one for the clients. Cells that are compared and need the same server share a start and are measured in turns; those that need different servers follow one another, in blocks of random order ([how](measuring.md)). Forty cells were measured twice, as placebos. It is **not** a repetition of the papers' experiment: [what differs](setting.md), above all the size of models and machines, stands beside every comparison with them.

```
make run SOURCE=archive   # every table, figure and notebook of it, without a JDK
```

HQ1 to HQ4 are one query of which more and more is computed beforehand; EOL programs and EPL patterns are two languages of Hawk's queries; over HTTP, CDO's client polls. All sentences of this page are generated from the dataset by `tools/example.py`. A direction (*slower*, *faster*) over starts needs a 99 % interval of the ratio, paired by start and machine, that excludes 1; the papers' method, tests within the starts, stands second. Beside each stands its placebo: how often the same rule finds a direction between two starts of one and the same cell ([claims](claims.md)). Times are not to be taken for those of other machines; directions over starts may be, and are what to look for in your own runs.
"""  # noqa: E501
PARTS = {
    "What was measured": ("measured", "care", "outcomes"),
    "On which machines": ("machines", "on_one_machine"),
    "Protocol (RQ1)": tuple((said, "protocol") for said in ("directions", "by_query", "largest")),
    "What a call costs (RQ2)": (("overhead", "protocol"), "wire", "curves"),
    "Caching and indexing (RQ3)": (("gains", "precomputed"), ("directions", "backend")),
    "Query mapping (RQ4)": (("directions", "language"), ("by_query", "language")),
    "Scalability (RQ5)": (("in_groups", "tools"), ("crossings", "tools"), "ranks"),
}
"""Heading to functions of ``claims``, with the comparison that some are about."""
FIGURES = {
    "Protocol (RQ1)": (34, "Cliff's delta of HTTP against TCP by query, configuration and threads"),
    "Query mapping (RQ4)": (38, "Cliff's delta of EPL against EOL by query and client threads"),
    "Scalability (RQ5)": (42, "Ratio of CDO's median latency to the others' by client threads"),
}
"""Heading to the number of a figure below it and what it shows."""
AGAINST = "example-against.png"


def page(data: Path) -> str:
    """The text of the page.

    Raises:
        ConfigError: the dataset is not there or has no derived tables.
    """
    derived = analysis.load(data, STUDY, PROFILE)
    opening = front.front(derived).markdown("images/front.png")
    sections = [*decided(derived), *_sections(derived, data)]
    if (found := against.found_beside(derived, data)) is not None:
        sections += beside_papers(found, f"images/{AGAINST}")
    return "\n".join(["# The example dataset\n", opening, HEAD, *sections])


def decided(derived: analysis.Derived) -> Iterator[str]:
    """How many comparisons are decided, with the placebos of each."""
    yield "## How much is decided\n"
    yield "\n".join(artifact.decided(claims_register.register(derived))) + "\n"


def beside_papers(found: Against, image: str) -> Iterator[str]:
    """Every number that the papers print, beside ours, with the place of the figure of them."""
    yield "## Beside what the papers print\n"
    yield f"![Our numbers divided by the papers', by entry]({image})\n"
    yield f"{agreement.summary(found)}\n"
    yield "Where we find something else, with what was recorded of the cells:\n"
    yield f"{agreement.disagreements(found)}\n"
    for topic, words in found.papers.topics.items():
        yield f"### {words[0].upper()}{words[1:]}\n"
        yield f"{agreement.sentences(found, topic)}\n"


def opened(page: Path, derived: analysis.Derived) -> str:
    """The text of a page, one of ``OPENED``, with the front page of the dataset.

    Raises:
        ValueError: the page has no place for it.
    """
    return opened_by(page, front.front(derived).markdown(OPENED[page]))


def opened_by(page: Path, opening: str) -> str:
    """The text of a page, with what stands in the place of its front page.

    Raises:
        ValueError: the page has no place for it.
    """
    made, places = FRONT.subn(lambda _: f"\n{opening}\n", page.read_text(encoding="utf-8"))
    if places != 1:
        raise ValueError(f"{page}: there must be one place for the front page, not {places}")
    return made


def generated(derived: analysis.Derived) -> dict[Path, str]:
    """The pages that need nothing but derived tables, and their texts."""
    pages = {page: opened(page, derived) for page in OPENED}
    return {**pages, LEADERBOARD: leaderboard.page(derived)}


def _sections(derived: analysis.Derived, data: Path) -> Iterator[str]:
    for heading, said in PARTS.items():
        yield f"## {heading}\n"
        if heading in FIGURES:
            number, shown = FIGURES[heading]
            yield f"![{shown}](images/{_image(number)})\n"
        for one in said:
            name, *arguments = (one,) if isinstance(one, str) else one
            about = analysis.captured_beside(data, STUDY, PROFILE) if name == "wire" else derived
            yield f"{getattr(claims, name)(about, *arguments)}\n"


def _image(number: int) -> str:
    return f"example-{number:02}.png"


if __name__ == "__main__":
    given = sys.argv[1:]
    data = Path(given[0]) if given else ROOT / "data" / "archive" / ARCHIVE.stem / "data"
    results = ROOT / "results" / STUDY
    for number, _ in FIGURES.values():
        drawn = results / "figures" / f"figure-{number:02}.png"
        shutil.copyfile(drawn, PAGE.parent / "images" / _image(number))
    shutil.copyfile(results / "front.png", PAGE.parent / "images" / "front.png")
    shutil.copyfile(results / "against" / "figure-P1.png", PAGE.parent / "images" / AGAINST)
    for file, text in generated(analysis.load(data.resolve(), STUDY, PROFILE)).items():
        file.write_text(text, encoding="utf-8")
    PAGE.write_text(page(data.resolve()), encoding="utf-8")
