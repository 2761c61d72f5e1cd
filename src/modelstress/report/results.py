"""All tables and figures of a study, numbered, and their files."""

import base64
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure

from modelstress.analysis import Derived, Timeline
from modelstress.report import boxes, frames, lines, render, tables, timeline
from modelstress.report.frames import Setting
from modelstress.report.render import Table
from modelstress.report.style import style
from modelstress.samples.files import write_once

PAGES = {
    1: ("OQ", "MQ", "HQ1", "HQ2", "HQ3", "HQ4"),
    2: ("ConnectedSegments", "PosLength"),
    3: ("RouteSensor", "SwitchMonitored"),
    4: ("SemaphoreNeighbor", "SwitchSet"),
}
"""Queries of the tables of medians, numbered as in sosym2017; other queries follow from 11 on."""
FIRST_FREE = 11


LINES = (
    (
        "medians", "Median latency against client threads", " Bars: intervals of the medians.",
        lines.medians,
    ),
    (
        "dispersion", "Coefficient of dispersion of the latency against client threads", "",
        lines.dispersion,
    ),
    (
        "throughput", "Throughput of correct answers against client threads",
        " Points: median of the invocations; bars: lowest and highest invocation.",
        lines.throughput,
    ),
)  # fmt: skip
"""Kind, caption and renderer of the figures over threads."""


@dataclass(frozen=True)
class Drawn:
    """A numbered figure; `kind` is boxes, medians, dispersion, throughput or timeline."""

    number: str
    kind: str
    caption: str
    figure: Figure

    def svg(self) -> bytes:
        """The figure as SVG, the same bytes at every run."""
        buffer = io.BytesIO()
        with style():
            about = {"Date": None, "Title": self.caption}
            self.figure.savefig(buffer, format="svg", metadata=about)
        return buffer.getvalue()

    def png(self) -> bytes:
        """The figure as PNG at 160 dots per inch."""
        buffer = io.BytesIO()
        with style():
            self.figure.savefig(buffer, format="png", dpi=160, metadata={"Title": self.caption})
        return buffer.getvalue()

    def _repr_html_(self) -> str:
        """How a notebook and the report show it."""
        data = base64.b64encode(self.svg()).decode("ascii")
        heading = render.title(self.number)
        return (
            f'<figure><img alt="{escape(heading)}" '
            f'src="data:image/svg+xml;base64,{data}">'
            f"<figcaption><b>{heading}.</b> {escape(self.caption)}</figcaption></figure>"
        )


@dataclass(frozen=True)
class Results:
    """Tables and figures of one study and profile, in the order in which they are shown."""

    study: str
    tables: tuple[Table, ...]
    figures: tuple[Drawn, ...]

    def of(self, kind: str) -> list[Drawn]:
        """The figures of one kind."""
        return [drawn for drawn in self.figures if drawn.kind == kind]

    def medians(self) -> list[Table]:
        """The tables of medians and dispersion."""
        return [table for table in self.tables if _number(table.number) not in (5, 6)]

    def outcomes(self) -> list[Table]:
        """The tables of failed and incorrect executions."""
        return [table for table in self.tables if _number(table.number) in (5, 6)]


def results(derived: Derived, timelines: Sequence[Timeline] = ()) -> Results:
    """Make all tables and figures; different settings never share one."""
    factors = ("tool", *derived.factors)
    settings = list(frames.settings(derived.cells))
    made_tables: list[Table] = []
    drawn: list[Drawn] = []
    for i, (setting, cells) in enumerate(settings):
        suffix = f"-{chr(ord('a') + i)}" if len(settings) > 1 else ""
        made_tables += _tables(cells, factors, setting, suffix)
        mine = [t for t in timelines if t.cell in set(cells["cell"])]
        figures = _figures(cells, derived.outliers, factors, setting, mine)
        for n, (kind, caption, figure) in enumerate(figures, start=1):
            drawn.append(Drawn(f"figure-{n:02d}{suffix}", kind, caption, figure))
    return Results(derived.study, tuple(made_tables), tuple(drawn))


def save(made: Results, results_dir: Path) -> list[Path]:
    """Write `<study>/tables/table-NN.{csv,tex,html}` and `<study>/figures/figure-NN.{svg,png}`.

    Files of an earlier run that are not made any more are removed. Returns what was written.

    Raises:
        MeasureError: a file cannot be written.
    """
    tables = results_dir / made.study / "tables"
    figures = results_dir / made.study / "figures"
    files = files_of(made, tables, figures)
    for folder, pattern in ((tables, "table-*"), (figures, "figure-*")):
        mine = {path: content for path, content in files.items() if path.parent == folder}
        replace_files(folder, (pattern,), mine)
    return list(files)


def files_of(made: Results, tables: Path, figures: Path) -> dict[Path, bytes]:
    """The content of every file of some results, in these folders."""
    files: dict[Path, bytes] = {}
    for table in made.tables:
        formats = {"csv": render.csv, "tex": render.tex, "html": render.document}
        for suffix, text in formats.items():
            files[tables / f"{table.number}.{suffix}"] = text(table).encode("utf-8")
    for drawn in made.figures:
        files[figures / f"{drawn.number}.svg"] = drawn.svg()
        files[figures / f"{drawn.number}.png"] = drawn.png()
    return files


def replace_files(folder: Path, patterns: Sequence[str], files: Mapping[Path, bytes]) -> list[Path]:
    """Write files into a folder and remove those of an earlier run that are not made any more.

    Raises:
        MeasureError: a file cannot be written.
    """
    for pattern in patterns:
        for old in folder.glob(pattern):
            if old not in files:
                old.unlink()
    for path, content in files.items():
        write_once(path, _writer(content))
    return list(files)


def _writer(content: bytes) -> Callable[[Path], None]:
    def fill(temporary: Path) -> None:
        temporary.write_bytes(content)

    return fill


def _number(name: str) -> int:
    return int(name.split("-")[1])


def pages(queries: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    """Table number and queries of the tables of medians, for the queries that are there."""
    for number, wanted in PAGES.items():
        here = [query for query in wanted if query in queries]
        if here:
            yield number, here
    known = {query for wanted in PAGES.values() for query in wanted}
    others = [query for query in dict.fromkeys(queries) if query not in known]
    for i in range(0, len(others), 2):
        yield FIRST_FREE + i // 2, others[i : i + 2]


def _tables(
    cells: pd.DataFrame, factors: Sequence[str], setting: Setting, suffix: str
) -> Iterator[Table]:
    made: dict[int, Table] = {}
    for number, wanted in pages(list(cells["query"].dropna().unique())):
        page = pd.concat([cells[cells["query"] == query] for query in wanted])
        made[number] = tables.medians(f"table-{number:02d}{suffix}", page, factors, setting)
    made[5] = tables.failures(f"table-05{suffix}", cells, factors, setting)
    made[6] = tables.incorrect(f"table-06{suffix}", cells, factors, setting)
    for number in sorted(made):
        yield made[number]


def _figures(
    cells: pd.DataFrame,
    outliers: pd.DataFrame,
    factors: Sequence[str],
    setting: Setting,
    timelines: Sequence[Timeline],
) -> Iterator[tuple[str, str, Figure]]:
    """Kind, caption and figure of all figures of a setting."""
    queries = [query for _, page in pages(list(cells["query"].dropna().unique())) for query in page]
    for query in queries:
        for special, here in frames.panels(cells[cells["query"] == query], factors):
            if here["median_ms"].isna().all():
                continue
            where = _where(special, here, factors, setting)
            caption = (
                f"Latency of {query} by client threads{where}. Boxes: quartiles; notch: median "
                "± IQR/√n, cut at the box; whiskers: 1.5 IQR; dots: outliers. Below: medians in "
                "ms; (t): share of timeouts; letters: see the notes of the tables."
            )
            yield "boxes", caption, boxes.boxes(here, outliers, factors, setting, special)
    if cells["executions"].sum() > 0:
        ordered = pd.concat([cells[cells["query"] == query] for query in queries])
        divided = [
            panel for group in frames.by_models(ordered) for panel in frames.panels(group, factors)
        ]
        for kind, what, said, draw in LINES:
            for special, here in divided:
                yield (
                    kind,
                    f"{what}{_where(special, here, factors, setting)}.{said}",
                    draw(here, factors, special),
                )
    for one in timelines:
        caption = (
            f"Cell {one.cell}, invocation {one.invocation}, over time ({setting}). Outlines: "
            "executions outside the measured window; below: busy share of the CPU sets."
        )
        if named := frames.titles(cells[cells["cell"] == one.cell]):
            caption += f" {named}."
        heading = f"{one.cell}, invocation {one.invocation}"
        yield "timeline", caption, timeline.timeline(one.executions, one.cpu, heading)


def _where(special: str, cells: pd.DataFrame, factors: Sequence[str], setting: Setting) -> str:
    """What a figure's numbers belong to: levels special to it, what all cells share, and tools."""
    said = filter(None, (frames.context(cells, factors, setting), frames.titles(cells)))
    return f"{f', {special}' if special else ''} ({'; '.join(said)})"
