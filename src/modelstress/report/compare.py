"""A comparison of two datasets as a table: for a terminal, Markdown, CSV and JSON."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from modelstress.analysis import sheets
from modelstress.analysis.projection import Projection
from modelstress.report import grouping, placebo_words
from modelstress.report.render import milliseconds

OUTCOMES = ("failed", "incorrect")


def text(
    compared: pd.DataFrame,
    unmatched: pd.DataFrame,
    projection: Projection,
    verdicts: Sequence[str],
    placebo_rates: pd.DataFrame,
) -> str:
    """For a terminal: aligned columns, what is worse first, and what it means below.

    Args:
        compared: one row per pair of cells, columns as in ``analysis.compare``.
        unmatched: cells without a partner (``side``, ``tool``, ``cell``, ``why``).
        projection: with the factors in which the two cells agree.
        verdicts: in the order in which they are shown.
        placebo_rates: of both datasets.
    """
    heads, rows = _grid(compared, projection, verdicts)
    widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
    lines = [
        "  ".join(word.ljust(width) for word, width in zip(row, widths, strict=True)).rstrip()
        for row in (heads, *rows)
    ]
    remarks = [
        *_same(compared, projection),
        *_below(compared, verdicts, placebo_rates),
        *_alone(unmatched),
    ]
    return "\n".join([*doubts(compared), *lines, "", *remarks]) + "\n"


def markdown(
    compared: pd.DataFrame,
    unmatched: pd.DataFrame,
    projection: Projection,
    verdicts: Sequence[str],
    placebo_rates: pd.DataFrame,
) -> str:
    """The same for the page of a pull request."""
    heads, rows = _grid(compared, projection, verdicts)
    grid = [heads, ["---"] * len(heads), *rows]
    lines = [f"| {' | '.join(word.replace('|', '&#124;') for word in row)} |" for row in grid]
    remarks = [
        *_same(compared, projection),
        *_below(compared, verdicts, placebo_rates),
        *_alone(unmatched),
    ]
    first = [line and f"**{line}**" for line in doubts(compared)]
    return "\n".join([*first, *lines, "", *(f"{line}  " for line in remarks)]) + "\n"


def doubts(compared: pd.DataFrame) -> list[str]:
    """What has to be known before any number: stale sides, one measurement twice; then a blank."""
    sentences = []
    for side in "AB":
        stale = sum(side in sides for sides in compared["stale"])
        if stale:
            sentences.append(
                f"STALE: {stale} of {len(compared)} cells of {side} were measured before their "
                "tool, model, query or settings changed; 'modelstress run --all --rerun stale' "
                "measures them again."
            )
    if same := int(compared["identical"].sum()):
        sentences.append(
            f"THE SAME MEASUREMENTS: {same} of {len(compared)} pairs have the same latencies in A "
            "and B, to the last digit; nothing was measured anew."
        )
    if (compared["verdict"] == "unclear").all():
        sentences.append(
            "NOTHING IS DECIDED: every verdict is 'unclear'; the column 'why' has reasons."
        )
    return [*sentences, ""] if sentences else []


def changes(rows: pd.DataFrame, markdown: bool = False) -> str:
    """Return what changed at each level, as a table below that of the cells.

    Args:
        rows: as ``analysis.changes`` has them.
        markdown: for the page of a pull request instead of a terminal.
    """
    heads = ["factor", "level", "cells", "B/A", "interval", "effect B/A", "interval", "changed"]
    grid = [
        [
            row["factor"] or "all", row["level"], str(row["cells"]), _number(row["ratio"]),
            _range(row["ratio_low"], row["ratio_high"]), _number(row["effect"]),
            _range(row["effect_low"], row["effect_high"]),
            "" if pd.isna(row["changed"]) else "yes" if row["changed"] else "not told",
        ]
        for row in rows.to_dict("records")
    ]  # fmt: skip
    said = (
        "Over pairs of cells: B/A is their geometric mean; effect B/A is how the effect of a level "
        "(against the first one of its factor) changed, all intervals of these together."
    )
    if markdown:
        lines = [f"| {' | '.join(line)} |" for line in (heads, ["---"] * len(heads), *grid)]
        return "\n".join(["", *lines, "", said]) + "\n"
    widths = [max(map(len, column)) for column in zip(heads, *grid, strict=True)]
    lines = [
        "  ".join(word.ljust(width) for word, width in zip(line, widths, strict=True)).rstrip()
        for line in (heads, *grid)
    ]
    return "\n".join(["", *lines, "", said]) + "\n"


def csv(compared: pd.DataFrame) -> str:
    """One line per pair of cells, six significant digits, blanks where nothing can be stated."""
    return sheets.csv(compared, float_format="%.6g")


def as_json(
    compared: pd.DataFrame,
    unmatched: pd.DataFrame,
    about: Mapping[str, Any],
    verdicts: Sequence[str],
    levels: pd.DataFrame | None = None,
) -> str:
    """Everything, for programs; ``about`` comes first, blanks are null.

    ``levels`` is what changed at each of them, where that is asked for.
    """
    counts = {verdict: int((compared["verdict"] == verdict).sum()) for verdict in verdicts}
    document = {
        **about,
        "verdicts": counts,
        "cells": _records(compared),
        "unmatched": _records(unmatched),
        **({} if levels is None else {"levels": _records(levels)}),
    }
    return json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def placebo(placebo_rates: pd.DataFrame) -> dict[str, int]:
    """Directions by the papers' rule among pairs of equals: own ones, and of the calibration."""
    row = placebo_words.rate(placebo_rates, placebo_words.WITHIN)
    counts = ("pairs", "directions", "calibration_pairs", "calibration_directions")
    return {name: int(row[name]) if row else 0 for name in counts}


def _records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Rows as plain values; JSON knows neither NaN nor infinity."""
    records: list[dict[str, Any]] = json.loads(frame.to_json(orient="records", double_precision=15))
    return records


def _grid(
    compared: pd.DataFrame, projection: Projection, verdicts: Sequence[str]
) -> tuple[list[str], list[list[str]]]:
    """Heads and rows of what is shown, in the order of the verdicts, then of the cells."""
    names = named(compared, projection)
    bad = [kind for kind in OUTCOMES if compared[[f"{kind}_a", f"{kind}_b"]].to_numpy().any()]
    order = compared[names].map(grouping.words)
    order["verdict"] = compared["verdict"].map(list(verdicts).index)
    if projection.load in names:
        loads = {load: place for place, load in enumerate(grouping.loads(compared, projection))}
        order[projection.load] = compared[projection.load].map(loads)
    ordered = compared.loc[order.sort_values(["verdict", *names], kind="stable").index]
    heads = [
        "verdict", *names, "A ms", "B ms", "B/A", "interval", "shift ms†", "p (Holm)†",
        "delta†",
        *(f"{kind} A, B" for kind in bad), "why",
    ]  # fmt: skip
    rows = [
        [
            row["verdict"],
            *(grouping.words(row[name]) for name in names),
            milliseconds(row["median_a_ms"]),
            milliseconds(row["median_b_ms"]),
            _number(row["over_ratio"]),
            _range(row["over_ratio_low"], row["over_ratio_high"]),
            _number(row["shift_ms"], "+.3g"),
            _p(row["p_adjusted"]),
            _number(row["delta"], "+.2f"),
            *(f"{row[f'{kind}_a']}, {row[f'{kind}_b']}" for kind in bad),
            "; ".join(filter(None, [row["stale"] and f"{row['stale']} stale", row["why"]])),
        ]
        for row in ordered.to_dict("records")
    ]
    return heads, rows


def named(compared: pd.DataFrame, projection: Projection) -> list[str]:
    """The factors that tell the pairs apart; not those that go with the tool or the operation."""
    alike = {} if projection.operation in compared else {projection.operation: ""}
    series = grouping.series_factors(compared.assign(**alike), projection)
    return [
        name
        for name in projection.factors
        if name in (*series, *projection.position)
        and compared[name].map(grouping.words).nunique() > 1
    ]


def _below(
    compared: pd.DataFrame, verdicts: Sequence[str], placebo_rates: pd.DataFrame
) -> list[str]:
    counts = ", ".join(f"{int((compared['verdict'] == v).sum())} {v}" for v in verdicts)
    return [
        f"{len(compared)} cells compared: {counts}.",
        "B/A: ratio of the medians with its interval over invocations; the verdict rests on it and "
        f"on the outcomes; {placebo_words.NONE}.",
        "†: within one start, over all executions; delta is Cliff's (+1: B always slower). "
        + placebo_words.remark(placebo_rates),
    ]


def _same(compared: pd.DataFrame, projection: Projection) -> list[str]:
    """What all pairs have in common: settings and levels."""
    fixed = [
        f"{name} {word}"
        for name in projection.factors
        if compared[name].map(grouping.words).nunique() == 1
        and (word := grouping.words(compared[name].iloc[0]))
    ]
    settings = "; ".join(dict.fromkeys(compared["setting"]))
    return [f"All: {settings}{'; ' if fixed else ''}{', '.join(fixed)}."]


def _alone(unmatched: pd.DataFrame) -> list[str]:
    if unmatched.empty:
        return []
    counts = unmatched["side"].value_counts()
    tally = " and ".join(f"{count} of {side}" for side, count in sorted(counts.items()))
    lines = [f"Without a partner: {tally}."]
    for side, cell, why in unmatched[["side", "cell", "why"]].itertuples(index=False, name=None):
        lines.append(f"- {side} {cell}: {why}")
    return lines


def _number(value: float, form: str = ".3f") -> str:
    return "–" if pd.isna(value) else format(value, form).replace("-", "−")


def _range(low: float, high: float) -> str:
    """An interval of ratios; one end of it may be among timeouts."""
    if pd.isna(low):
        return "–"
    if np.isinf(high):
        return f"> {low:.3f}"
    return f"{low:.3f}–{high:.3f}" if low else f"< {high:.3f}"


def _p(p: float) -> str:
    return "–" if pd.isna(p) else f"{p:.2g}" if p >= 1e-300 else "< 1e-300"
