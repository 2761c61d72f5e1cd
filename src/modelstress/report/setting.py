"""What differs between the papers' setting and ours: a page of the documentation, and a listing.

`python -m modelstress.report.setting` prints `docs/setting.md`.
"""

import pandas as pd
from pandas.io.formats.style import Styler

from modelstress.analysis.replication import Against
from modelstress.config.papers import Papers, read_papers
from modelstress.config.project import Project
from modelstress.report.claims_words import plain
from modelstress.report.summary_tables import shown

HEADS = {
    "what": "", "theirs": "in the papers", "here": "here", "recorded": "in this dataset",
    "means": "what follows",
}  # fmt: skip
BESIDE = (
    "What varies from one dataset to the next (processors, heap, versions, models, number of "
    "executions) stands in its provenance, and in the first table of the notebook "
    "`against-the-paper`, which is made of the same source as this page: "
    "`config/papers/setting.yaml`."
)


def listing(against: Against) -> Styler:
    """The lines of the setting beside what the provenance of this dataset says of them."""
    frame = against.setting.rename(columns=HEADS)[list(HEADS.values())]
    return shown(frame.replace("", "–").rename(columns={"": " "}))


def page(papers: Papers) -> str:
    """`docs/setting.md`."""
    setting = papers.setting
    lines = [
        f"# {setting.title}", "", setting.lead, "", BESIDE, "",
        "| | in the papers | here | what follows |", "|---|---|---|---|",
    ]  # fmt: skip
    for row in setting.rows:
        cells = (row.what, f"{row.theirs} ({row.source})", row.here, row.means)
        lines.append("| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |")
    lines += [
        "", "## Models", "", *_models(papers), "", "## What the texts at hand lack", "",
        absent(papers), "",
        "Numbers of the papers are in `config/papers/<paper>.yaml`, each with the place where it "
        "is printed and with the way in which ours is found.",
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def absent(papers: Papers) -> str:
    """What the texts of the papers that the entries were taken from do not contain."""
    lines = []
    for paper in papers.papers:
        lines.append(f"- **{plain(paper.title)}**")
        lines += [f"    - {plain(fact)}" for fact in paper.absent]
    return "\n".join(lines)


def _models(papers: Papers) -> list[str]:
    """A table of the counts of the papers' models and of ours."""
    paper_counts = {
        f"the papers' {case}": about.constants
        for paper in papers.papers
        for case, about in paper.cases.items()
    }
    counts = pd.DataFrame({**paper_counts, **papers.setting.models}).T
    names = [str(name) for name in counts.columns]
    lines = ["| model | " + " | ".join(name.replace("_", " ") for name in names) + " |"]
    lines.append("|---|" + "--:|" * len(names))
    for model, row in counts.iterrows():
        cells = ["" if value != value else f"{value:,.10g}" for value in row]
        lines.append(f"| {model} | " + " | ".join(cells) + " |")
    return lines


if __name__ == "__main__":
    print(page(read_papers(Project.find().root / "config" / "papers", "model-queries")), end="")
