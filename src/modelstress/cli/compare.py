"""``modelstress compare``: did anything get worse?"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import click

from modelstress.cli.progress import Counter
from modelstress.config.base import nearest
from modelstress.config.errors import ConfigError
from modelstress.samples.files import write_once

if TYPE_CHECKING:
    from modelstress.analysis import Derived
    from modelstress.analysis.compare import DatasetComparison

UNDECIDED = 6
"""Exit code with ``--strict``: no pair of cells says anything of what the tools are now."""
FORMATS = ("table", "csv", "json", "markdown", "benchstat")


@click.command()
@click.argument("a", type=click.Path(path_type=Path))
@click.argument("b", type=click.Path(path_type=Path), required=False)
@click.option("--select-a", multiple=True, metavar="FACTOR=LEVEL", help="Only these cells of A.")
@click.option("--select-b", multiple=True, metavar="FACTOR=LEVEL", help="Only these cells of B.")
@click.option("--study", help="Where a dataset has several.")
@click.option("--profile", help="Where a dataset has several.")
@click.option(
    "--threshold", default="5%", show_default=True, help="How much slower is worse: 5% or 0.05."
)
@click.option(
    "--strict",
    is_flag=True,
    help=f"Exit code {UNDECIDED} when nothing could be decided, or a side is stale.",
)
@click.option(
    "--levels",
    is_flag=True,
    help="Also show how each level changed over its cells, and whether its effect did.",
)
@click.option("--format", "form", type=click.Choice(FORMATS), default="table", show_default=True)
@click.option(
    "--out", type=click.Path(path_type=Path, dir_okay=False), help="File instead of stdout."
)
@click.pass_context
def compare(
    ctx: click.Context,
    a: Path,
    b: Path | None,
    select_a: tuple[str, ...],
    select_b: tuple[str, ...],
    study: str | None,
    profile: str | None,
    threshold: str,
    strict: bool,
    levels: bool,
    form: str,
    out: Path | None,
) -> None:
    """Compare B with A: each a dataset's folder or archive; exit code 1 when anything is worse.

    With --strict, 6 when nothing is worse because nothing could be decided.

    Cells are matched by all factors, so a new version of a tool is compared with the old one.
    Without B, two selections of A are compared: --select-a protocol=tcp --select-b protocol=http.
    """
    from modelstress.analysis.compare import compare as comparing

    if b is None and not (select_a and select_b):
        raise ConfigError("give A and B, or two selections of A by --select-a and --select-b")
    limit = _threshold(threshold)
    chosen_a, chosen_b = _selection("--select-a", select_a), _selection("--select-b", select_b)
    before = dataset(a, study, profile)
    after = before if b is None else dataset(b, study, profile)
    comparison = comparing(before, after, chosen_a, chosen_b, limit)
    names = {"a": _named(a, select_a), "b": _named(b or a, select_b)}
    text = _written(comparison, names, form, levels)
    if out is None:
        click.echo(text, nl=False)
    else:
        write_once(out, lambda temporary: _fill(temporary, text))
        click.echo(f"{out}: {comparison.count('worse')} of {len(comparison.cells)} cells are worse")
    if out is not None or form in ("csv", "json", "benchstat"):
        from modelstress.report.compare import doubts

        for line in filter(None, doubts(comparison.cells)):
            click.echo(line, err=True)
    if comparison.count("worse"):
        sys.exit(1)
    stale = bool((comparison.cells["stale"] != "").any())
    sys.exit(UNDECIDED if strict and (stale or not comparison.decided) else 0)


def _written(comparison: DatasetComparison, names: dict[str, str], form: str, levels: bool) -> str:
    """The comparison in one of ``FORMATS``; with ``levels``, CSV has these instead of cells."""
    from modelstress.analysis.changes import changes
    from modelstress.analysis.compare import VERDICTS
    from modelstress.report import compare as report

    changed = changes(comparison) if levels else None
    if form == "csv":
        return report.csv(comparison.cells if changed is None else changed)
    if form == "json":
        about = {
            **names,
            "threshold": comparison.threshold,
            "confidence": comparison.confidence,
            "placebos_of_p_and_delta": report.placebo(comparison.placebo_rates),
        }
        return report.as_json(comparison.cells, comparison.unmatched, about, VERDICTS, changed)
    if form == "benchstat":
        from modelstress.report.benchstat import benchstat

        head = f"old: {names['a']}\nnew: {names['b']}\n\n"
        return head + benchstat(comparison.cells, comparison.projection)
    limit = f"{100 * comparison.threshold:.4g} %"
    head = f"A: {names['a']}\nB: {names['b']}\nworse: slower by more than {limit}\n\n"
    show = report.markdown if form == "markdown" else report.text
    if form == "markdown":
        head = head.replace("\n", "  \n")
    shown = show(
        comparison.cells, comparison.unmatched, comparison.projection, VERDICTS,
        comparison.placebo_rates,
    )  # fmt: skip
    more = "" if changed is None else report.changes(changed, form == "markdown")
    return head + shown + more


def _threshold(text: str) -> float:
    number = text.removesuffix("%")
    try:
        value = float(number) / (100 if number != text else 1)
    except ValueError:
        value = -1
    if not 0 <= value < float("inf"):
        raise ConfigError(f"--threshold is {text!r}; give a share such as 5% or 0.05")
    return value


def _selection(option: str, conditions: Iterable[str]) -> dict[str, list[str]]:
    chosen: dict[str, list[str]] = {}
    for condition in conditions:
        factor, equals, level = condition.partition("=")
        if not equals or not factor or not level:
            raise ConfigError(
                f"{option} is {condition!r}; write FACTOR=LEVEL, such as protocol=tcp"
            )
        chosen.setdefault(factor, []).append(level)
    return chosen


def _named(path: Path, selection: Iterable[str]) -> str:
    return f"{path}{''.join(f' {condition}' for condition in selection)}"


def dataset(path: Path, study: str | None, profile: str | None) -> Derived:
    """Summarise a dataset: a folder or an archive.

    Raises:
        ConfigError: there is nothing, or it has several profiles and none is chosen.
    """
    from modelstress import analysis

    with _folder(path) as folder:
        data, datasets = _datasets(folder)
        wanted = [one for one in datasets if study in (None, one[0]) and profile in (None, one[1])]
        names = [f"{study_name}/{profile_name}" for study_name, profile_name in datasets]
        if not wanted:
            request = f"{study or '*'}/{profile or '*'}"
            raise ConfigError(f"{path}: no samples of {request}{nearest(request, names)}")
        if len(wanted) > 1:
            raise ConfigError(
                f"{path}: has {', '.join(f'{s}/{p}' for s, p in wanted)}; choose one with --study "
                "and --profile"
            )
        return analysis.load(data, *wanted[0])


def _datasets(folder: Path) -> tuple[Path, list[tuple[str, str]]]:
    """The ``data`` folder that a path means, and the study and profile of what lies in it.

    Understood are a project or an unpacked archive, its ``data``, ``data/raw``, and folders of a
    study or a profile below that.
    """
    root = folder.resolve()
    for data in (root / "data", root):
        if (data / "raw").is_dir():
            return data, _below(data, "*/*")
    patterns = ("*/*", "{0}/*", "{1}/{0}")
    for raw, pattern in zip((root, *root.parents), patterns, strict=False):
        if raw.name == "raw" and raw.is_dir():
            names = [re.sub(r"([*?[])", r"[\1]", name) for name in (root.name, root.parent.name)]
            return raw.parent, _below(raw.parent, pattern.format(*names))
    raise ConfigError(
        f"{folder}: no dataset; give a folder data, data/raw/<study>/<profile>, an unpacked "
        "archive, or an archive"
    )


def _below(data: Path, pattern: str) -> list[tuple[str, str]]:
    folders = [path for path in sorted((data / "raw").glob(pattern)) if path.is_dir()]
    return [(path.parent.name, path.name) for path in folders if any(path.glob("*/*/i*"))]


@contextmanager
def _folder(path: Path) -> Iterator[Path]:
    """A dataset's folder; an archive is unpacked for as long as it is read."""
    if path.is_dir():
        yield path
        return
    from modelstress.samples.archive import read_package, unpack

    about = read_package(path)
    with TemporaryDirectory(prefix="modelstress-") as temporary:
        folder = Path(temporary) / "archive"
        with Counter(f"unpack {path.name}", "files") as counter:
            unpack(path, folder, progress=counter.at)
        # what was captured beside it is not what it is an archive of
        origin = about["modelstress"]
        yield folder / "data" / "raw" / origin["study"] / origin["profile"]


@click.command()
@click.argument("path", metavar="DATASET", type=click.Path(path_type=Path), default=Path())
@click.option("--jmh", is_flag=True, help="JMH's JSON, for viewers such as JMH Visualizer.")
@click.option("--study", help="Where the dataset has several.")
@click.option("--profile", help="Where the dataset has several.")
@click.option(
    "--out", type=click.Path(path_type=Path, dir_okay=False), help="File instead of stdout."
)
def export(path: Path, jmh: bool, study: str | None, profile: str | None, out: Path | None) -> None:
    """Write the cells of DATASET, a folder or an archive, in another program's format."""
    from modelstress.report import jmh as report

    if not jmh:
        raise ConfigError("name a format: --jmh")
    text = report.jmh(dataset(path, study, profile))
    if out is None:
        click.echo(text, nl=False)
    else:
        write_once(out, lambda temporary: _fill(temporary, text))
        click.echo(f"{out}: JMH's format")


def _fill(temporary: Path, text: str) -> None:
    temporary.write_text(text, encoding="utf-8", newline="\n")


COMMANDS = (compare, export)
