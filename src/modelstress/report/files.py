"""The files of results: tables as CSV, LaTeX and HTML, figures as SVG and PNG."""

import multiprocessing
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from modelstress.report import render
from modelstress.report.artifacts import Drawn, Results
from modelstress.report.images import Image, drawn_image
from modelstress.samples.files import write_once

ENOUGH = 16
"""Figures from which on it pays to start further processes (two seconds each) to draw them."""
Images = dict[str, Image]
"""Images of figures by their number."""


def save(made: Results, results_dir: Path, drawn: Images | None = None) -> list[Path]:
    """Write `<study>/tables/table-NN.{csv,tex,html}` and `<study>/figures/figure-NN.{svg,png}`.

    Files of an earlier run that are not made any more are removed. Figures that are `drawn` are
    not drawn again. Returns what was written.

    Raises:
        MeasureError: a file cannot be written.
    """
    tables = results_dir / made.study / "tables"
    figures = results_dir / made.study / "figures"
    drawn = drawn if drawn is not None else images(made.figures)
    return [
        *replace_files(tables, ("table-*",), table_files(made, tables)),
        *replace_files(figures, ("figure-*",), figure_files(drawn, figures)),
    ]


def table_files(made: Results, folder: Path) -> dict[Path, bytes]:
    """The content of every file of the tables, in this folder."""
    formats = {"csv": render.csv, "tex": render.tex, "html": render.document}
    return {
        folder / f"{table.number}.{suffix}": text(table).encode("utf-8")
        for table in made.tables
        for suffix, text in formats.items()
    }


def figure_files(drawn: Images, folder: Path) -> dict[Path, bytes]:
    """The content of every file of the figures, in this folder."""
    return {
        folder / f"{number}.{suffix}": content
        for number, image in drawn.items()
        for suffix, content in (("svg", image.svg), ("png", image.png))
    }


def images(figures: Sequence[Drawn], processes: int = 1) -> Images:
    """Images of each figure, each drawn once; many of them by several processes.

    More than one must only be asked for where the program's main module can be imported again.
    """
    draws, captions = [figure.draw for figure in figures], [figure.caption for figure in figures]
    if len(figures) < ENOUGH or processes == 1:
        made = [drawn_image(draw, caption) for draw, caption in zip(draws, captions, strict=True)]
    else:
        # Not forked: a process with a JVM or other threads in it must not be.
        spawn = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(processes, mp_context=spawn) as pool:
            made = list(pool.map(drawn_image, draws, captions))
    return {figure.number: image for figure, image in zip(figures, made, strict=True)}


def replace_files(folder: Path, patterns: Sequence[str], files: Mapping[Path, bytes]) -> list[Path]:
    """Write files into a folder and remove those of an earlier run that are not made any more.

    The folder is there afterwards also where there is nothing to write, such as figures of cells
    that are all invalid: the workflow waits for it.

    Raises:
        MeasureError: a file cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
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
