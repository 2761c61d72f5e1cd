"""Our figures beside every number of the papers: `papers_beside`, then `compare`."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from modelstress.analysis import cell_record
from modelstress.analysis.anatomy import Anatomy, anatomy, captured
from modelstress.analysis.derived import Derived
from modelstress.analysis.load import load
from modelstress.analysis.planned import PAPERS, papers_folder, papers_found
from modelstress.analysis.replication import causes, counted, rates  # noqa: F401 (they register kinds)
from modelstress.analysis.replication.choose import Key, Scope, scope
from modelstress.analysis.replication.measured import UNCLEAR, Measured, Missing, measure
from modelstress.config.errors import ConfigError
from modelstress.config.papers import PaperEntry, Papers, SettingPage, Theirs, read_papers
from modelstress.config.project import Project
from modelstress.config.published_values import (
    DunnPair,
    GroupsThatDiffer,
    LargestDelta,
    SignOfDelta,
)
from modelstress.design.known import check_papers

__all__ = [
    "NOT_MEASURED",
    "NUMBER",
    "OTHER",
    "SAME",
    "UNDECIDED",
    "VERDICTS",
    "Against",
    "captured_beside",
    "compare",
    "has_papers",
    "papers_beside",
]

SAME, OTHER, UNDECIDED = "same direction", "other direction", "no clear difference here"
NOT_MEASURED, NUMBER = "not measured", "number only"
VERDICTS = (SAME, OTHER, UNDECIDED, NUMBER, NOT_MEASURED)
NAN = float("nan")


@dataclass(frozen=True)
class Against:
    """A study's profile held against the papers.

    Attributes:
        study: name.
        profile: name.
        papers: what they report.
        entries: one row per entry and setting: ``entry``, ``paper``, ``topic``, ``title``,
            ``says``, ``where``, ``unit``, ``note``, ``kind``, ``executor``, ``topology``;
            ``theirs`` (as printed), ``theirs_value``, ``theirs_low``, ``theirs_high``; ``ours``,
            ``ours_low``, ``ours_high`` (the unit's; interval or range), ``ours_of``, ``detail``;
            ``ratio`` of ours to theirs with ``ratio_low`` and ``ratio_high`` from our interval
            (of counts: of their shares); ``direction_theirs``, ``direction_ours``, ``verdict``
            (one of VERDICTS), ``cells`` (number of them), ``rests_on`` (their ids, separated by
            spaces), ``flags``.
        causes: one row per entry whose direction is not theirs, columns as ``causes.COLUMNS``.
        setting: one row per line of the setting, with ``recorded``: what this dataset's
            provenance says of it.
        placebo_rates: those of the derived tables.
    """

    study: str
    profile: str
    papers: Papers
    entries: pd.DataFrame
    causes: pd.DataFrame
    setting: pd.DataFrame
    placebo_rates: pd.DataFrame = field(default_factory=pd.DataFrame)


def papers_beside(data_dir: Path, study: str) -> Papers:
    """The papers that a study is held against, from the project or archive of ``data_dir``.

    Outside of both, those of the project that the current folder lies in.

    Raises:
        ConfigError: there is no such folder, no paper is of the study, or a file is wrong or names
            what nothing knows.
    """
    folder = papers_folder(data_dir) or papers_folder(None)
    if folder is None:
        raise ConfigError(
            f"{data_dir}: no folder {PAPERS} in the project or archive that it lies in; go to the "
            "project's folder, or copy the folder there"
        )
    papers, project = read_papers(folder, study), Project.find(folder)
    if not papers.papers:
        raise ConfigError(f"{folder}: no paper has 'study: {study}'; write one (config/README.md)")
    if study in project.studies:
        check_papers(project, project.study(study), papers)
    return papers


def has_papers(data_dir: Path, study: str) -> bool:
    """Whether the project or archive of ``data_dir`` has papers of a study.

    Raises:
        ConfigError: a file of the papers is wrong.
    """
    return papers_found(data_dir, study) is not None


def captured_beside(data_dir: Path, study: str, profile: str) -> Anatomy | None:
    """What was captured under the profile that ``profile`` names for it; None without it.

    Raises:
        ConfigError: the project's or archive's configuration is wrong.
    """
    try:
        project = Project.find(data_dir)
    except ConfigError:
        return None
    named = project.anatomy_of(profile, study)
    if named is None or not captured(data_dir, study, named.profile):
        return None
    return anatomy(data_dir, load(data_dir, study, named.profile))


def compare(
    derived: Derived,
    papers: Papers,
    wire: Anatomy | None = None,
    data_dir: Path | None = None,
) -> Against:
    """Hold every entry of the papers against the cells that stand for the paper's.

    Different settings (executor and topology) are held against them apart. ``wire`` has captured
    executions; ``data_dir`` the samples, whose records have the pauses of garbage collection.
    """
    rows, cause_rows = [], []
    for executor, topology, cells in _settings(derived.cells):
        for paper in papers.papers:
            paper_scope = scope(derived, paper, papers.setting, cells, wire)
            improved_scope = scope(
                derived, paper, papers.setting, cells, wire, {"fidelity": "improved"}
            )
            for entry in paper.entries:
                row, keys = _row(entry, paper_scope)
                row |= {"paper": paper.paper, "executor": executor, "topology": topology}
                rows.append(row)
                if row["verdict"] in (OTHER, UNDECIDED):
                    improved, _ = _row(entry, improved_scope)
                    cause_rows.append(causes.data(row, keys, paper_scope, improved, data_dir))
    return Against(
        derived.study, derived.profile, papers, pd.DataFrame(rows),
        pd.DataFrame(cause_rows, columns=causes.COLUMNS), _setting(derived, papers.setting),
        derived.placebo_rates,
    )  # fmt: skip


def _settings(cells: pd.DataFrame) -> Iterator[tuple[str, str, pd.DataFrame]]:
    """The cells of each executor and topology that something was measured with."""
    measured_cells = cells[cells["executor"] != cell_record.BLANK]
    if measured_cells.empty:
        yield cell_record.BLANK, cell_record.BLANK, cells
    for (executor, topology), setting_cells in measured_cells.groupby(
        ["executor", "topology"], sort=False
    ):
        yield str(executor), str(topology), setting_cells


def _row(entry: PaperEntry, paper_scope: Scope) -> tuple[dict[str, Any], tuple[Key, ...]]:
    """An entry's row without its paper and setting, and the cells that it rests on."""
    theirs, problem = entry.theirs, ""
    try:
        ours = measure(entry.ours, paper_scope)
    except Missing as missing:
        ours, problem = Measured(detail=str(missing)), NOT_MEASURED
    direction = _direction(entry, ours)
    row = {
        "entry": entry.id, "topic": entry.topic, "title": entry.title, "says": entry.says,
        "where": entry.where, "unit": entry.unit, "note": entry.note, "kind": entry.ours.kind,
        "theirs": theirs.printed, "theirs_value": _value(theirs),
        "theirs_low": _known(theirs.low), "theirs_high": _known(theirs.high),
        "ours": ours.value, "ours_low": ours.low, "ours_high": ours.high,
        "ours_of": ours.of, "detail": ours.detail, **_ratio(entry, ours),
        "direction_theirs": theirs.direction or "", "direction_ours": direction,
        "verdict": problem or _verdict(theirs, ours, direction, 1 / paper_scope.paper.executions),
        "cells": len(ours.cells), "rests_on": " ".join(cell for _, cell in ours.cells),
        "flags": ";".join(ours.flags),
    }  # fmt: skip
    return row, ours.cells


def _direction(entry: PaperEntry, ours: Measured) -> str:
    """Where ours points; that of a bound needs the paper's."""
    bound = entry.theirs.high
    if not isinstance(entry.ours, LargestDelta) or bound is None or ours.value != ours.value:
        return ours.direction
    if ours.value <= bound:
        return "within"
    return "beyond" if ours.low > bound else UNCLEAR


def _verdict(theirs: Theirs, ours: Measured, direction: str, least: float) -> str:
    """How the two directions compare; ``least`` is the smallest share that a paper's cell shows."""
    if theirs.direction is None:
        return NUMBER
    if direction == theirs.direction:
        return SAME
    rate = theirs.value / theirs.of if theirs.value is not None and theirs.of else least
    if direction == "none" and ours.of and ours.high / ours.of >= rate:
        return UNDECIDED  # so few executions could all have gone well at the paper's rate
    return UNDECIDED if direction == UNCLEAR else OTHER


def _value(theirs: Theirs) -> float:
    """Their number; of an interval or range without one, its middle."""
    if theirs.value is not None:
        return theirs.value
    if theirs.low is not None and theirs.high is not None:
        return (theirs.low + theirs.high) / 2
    return _known(theirs.high)


def _known(value: float | None) -> float:
    return NAN if value is None else value


def _ratio(entry: PaperEntry, ours: Measured) -> dict[str, float]:
    """Ours divided by theirs; blank where theirs is 0 or no number."""
    theirs = _value(entry.theirs)
    if entry.theirs.of:
        theirs /= entry.theirs.of
    parts = [ours.value, ours.low, ours.high]
    if entry.theirs.of and ours.of:
        parts = [part / ours.of for part in parts]
    elif entry.theirs.of or isinstance(entry.ours, SignOfDelta | GroupsThatDiffer | DunnPair):
        parts = [NAN] * 3  # neither a share of cells nor a p-value is a multiple of theirs
    usable = theirs == theirs and theirs != 0
    names = ("ratio", "ratio_low", "ratio_high")
    return {n: part / theirs if usable else NAN for n, part in zip(names, parts, strict=True)}


def _setting(derived: Derived, page: SettingPage) -> pd.DataFrame:
    """The lines of the setting with what was recorded; blank where nothing was."""
    rows = []
    for line in page.rows:
        recorded = [text for key in line.recorded if (text := _recorded(derived, key))]
        rows.append(
            {
                "what": line.what, "theirs": line.theirs, "source": line.source,
                "here": line.here, "recorded": "; ".join(recorded), "means": line.means,
            }
        )  # fmt: skip
    return pd.DataFrame(rows)


def _recorded(derived: Derived, key: str) -> str:
    """Values of a field of provenance, or of a column of the measured cells."""
    table, _, column = key.partition(".")
    if table == "tool":
        titles = derived.cells.loc[derived.cells["tool"] == column, "tool_title"]
        return " or ".join(titles.astype(str).unique())
    if table == "cells":
        measured = derived.cells[derived.cells["executions"].fillna(0) > 0]
        if column not in measured or measured.empty:
            return ""
        values = measured[column].dropna()
        if pd.api.types.is_numeric_dtype(values):
            low, high = values.min(), values.max()
            return f"{column}: {low:g}" + (f" to {high:g}" if high > low else "") + " per cell"
        return f"{column}s: {', '.join(sorted(values.astype(str).unique()))}"
    facts = derived.provenance
    values = facts.loc[facts["key"] == key, "value"]
    text = " or ".join(dict.fromkeys(cell_record.told(key, str(value)) for value in values))
    return f"{key.rpartition('.')[2].replace('_', ' ')}: {text}" if text else ""
