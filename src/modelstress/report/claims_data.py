"""Sentences about what was measured: cells, outcomes, spread and the shape of latencies."""

from collections import Counter
from pathlib import Path
from typing import Any

import pandas as pd

from modelstress.analysis import Derived
from modelstress.config.outcomes import ABORTED, FAILURES, UNSUCCESSFUL
from modelstress.report import claims_words as words
from modelstress.report import footnotes, grouping, placebo_words
from modelstress.report.claims_places import by_load, places
from modelstress.stats.thresholds import THRESHOLDS


def measured(derived: Derived) -> str:
    """What stands behind a notebook: profile, cells, invocations, outcomes and settings."""
    cells = derived.cells
    there = cells[cells["invocations"] > 0]
    text = (
        f"Study *{words.plain(derived.study)}*, profile *{words.plain(derived.profile)}*: "
        f"{len(there)} of "
        f"{words.many(len(cells), 'cell')} were measured"
    )
    if len(there):
        invocations, total = _from_to(there["invocations"]), int(there["invocations"].sum())
        noun = "invocation" if invocations == "1" else "invocations"
        text += f", in {invocations} {noun} each ({words.number(total)} in all)"
    left_out = [f"{caution[0].upper()}{caution[1:]}." for caution in grouping.cautions(cells)]
    where = [
        f"{words.plain(setting)} ({words.many(len(setting_cells), 'cell')})"
        for setting, setting_cells in grouping.settings(cells)
    ]
    tools = grouping.titles(cells)
    fixed = grouping.settled(cells, derived.projection)
    return words.paragraphs(
        " ".join([f"{text}.", _outcomes(cells), *left_out]),
        f"Setting: {words.listed(where, len(where))}.",
        f"Tools: {words.plain(tools)}." if tools else "",
        f"The same in all cells: {words.plain(fixed)}." if fixed else "",
    )


def _from_to(counts: "pd.Series[int]") -> str:
    low, high = int(counts.min()), int(counts.max())
    return f"{low} to {high}" if high > low else f"{high}"


def _outcomes(cells: pd.DataFrame) -> str:
    executions, ok = int(cells["executions"].sum()), int(cells["ok"].sum())
    if not executions:
        return "There are no measured executions."
    bad = [
        f"{words.number(int(cells[name].sum()))} {name}"
        for name in UNSUCCESSFUL
        if cells[name].sum() > 0
    ]
    rest = f"; of the others {words.listed(bad, len(bad))}" if bad else ""
    return (
        f"Of {words.many(executions, 'measured execution')}, {words.number(ok)} "
        f"({words.share(ok, executions)}) were answered correctly in time{rest}."
    )


def care(derived: Derived) -> str:
    """What to be careful about: single starts, intervals that promise less, flagged cells."""
    cells = derived.cells
    there = cells[cells["invocations"] > 0]
    lines = []
    single = int((there["invocations"] == 1).sum())
    if single:
        lines.append(
            f"{single} of {words.many(len(there), 'measured cell')} have one invocation only: "
            "what is said of them holds **within that one start**, and nothing says how another "
            "start would have gone."
        )
    over = there[there["median_interval"] == "over invocations"]
    if len(over):
        low = over["median_coverage"].min()
        lines.append(
            f"The medians of {len(over)} cells have an interval **over invocations**. Its nominal "
            f"coverage is {100 * derived.confidence:g}{words.SPACE}%; with only "
            f"{_from_to(over['invocations'])} starts, {100 * low:.3g}{words.SPACE}% is guaranteed "
            "without assumptions about how starts are distributed."
        )
    lines += [*_invalid(derived), _flagged(cells)]
    if sentence := grouping.common(cells):
        lines.append(sentence)
    lines.append(
        "Mann–Whitney, Kruskal–Wallis, Dunn, Cliff's delta and the shift take all executions of a "
        "cell as independent, as the papers did. Executions of one start are not, so these hold "
        "within the starts that were measured; ratios *over starts* take starts into account. "
        + placebo_words.remark(derived.placebo_rates)
    )
    if derived.note:
        lines.append(grouping.unlike(words.plain(derived.note)))
    return words.bullets(lines)


def _invalid(derived: Derived) -> list[str]:
    """How many invocations are invalid and left out, where, and why."""
    cells = derived.cells
    left_out, used = int(cells["invocations_invalid"].sum()), int(cells["invocations"].sum())
    if not left_out:
        return []
    affected, empty = cells[cells["invocations_invalid"] > 0], cells[cells["state"] == "invalid"]
    starts = derived.invocations[derived.invocations["state"] == "invalid"]
    wrong, checked = int(starts["incorrect_any"].sum()), int(starts["checked_any"].sum())
    text = (
        f"{left_out} of {words.many(left_out + used, 'invocation')}, of "
        f"{words.many(len(affected), 'cell')}, are **invalid**: the conditions of measurement "
        "were not met. They are left out of everything that is said here"
    )
    if len(empty):
        text += f"; {words.many(len(empty), 'cell')} have no other, and so no numbers"
    return [
        f"{text}. Of {words.many(checked, 'answer')} that were checked in them, "
        f"{words.number(wrong)} were wrong."
    ]


def _flagged(cells: pd.DataFrame) -> str:
    codes = Counter(
        code
        for flags in cells["flags"].fillna("")
        for code in set(str(flags).split(";"))
        if code and code not in footnotes.SILENT
    )
    count = int((cells["flags"].fillna("").map(footnotes.letters) != "").sum())
    if not count:
        return f"None of {words.many(len(cells), 'cell')} is flagged."
    most_first = sorted(codes.items(), key=lambda each: (-each[1], each[0]))
    named = [f"{words.plain(code)} ({number})" for code, number in most_first]
    return (
        f"{count} of {words.many(len(cells), 'cell')} are flagged: {words.listed(named, 8)}. The "
        "notebook *measurements* lists them with the reasons."
    )


def outcomes(derived: Derived) -> str:
    """How many executions gave no answer or a wrong one, in how many cells, and where most."""
    cells = derived.cells
    executions = int(cells["executions"].sum())
    if not executions:
        return "There are no measured executions."
    failed = cells[list(FAILURES)].sum(axis=1)
    lines = []
    ends = [(failed, "without an answer"), (cells["incorrect"], "with a wrong one")]
    if cells[ABORTED].any():
        ends.append((cells[ABORTED], "aborted by the tool's own rules"))
    for counts, what in ends:
        total, affected = int(counts.sum()), int((counts > 0).sum())
        if not total:
            lines.append(f"None of {words.many(executions, 'execution')} ended {what}.")
            continue
        worst: Any = cells.assign(bad=counts).sort_values("bad", kind="stable").iloc[-1]
        lines.append(
            f"{words.number(total)} of {words.many(executions, 'execution')} ended {what}, in "
            f"{affected} of {words.many(int((cells['executions'] > 0).sum()), 'measured cell')}; "
            f"most of them in {words.code(worst['cell'])}: {words.number(int(worst['bad']))} of "
            f"{words.number(int(worst['executions']))}."
        )
    lines += _whole(derived)
    blank = int(cells["flags"].fillna("").str.contains("median-censored", regex=False).sum())
    if blank:
        lines.append(
            f"In {words.many(blank, 'cell')} at least half of the executions timed out: their "
            "medians are longer than a timeout and stay blank."
        )
    return words.bullets(lines)


def _whole(derived: Derived) -> list[str]:
    """Wrong answers with those of warm-up and cool-down, and executions that failed there."""
    cells, starts = derived.cells, derived.invocations
    left_out = starts[starts["state"] == "invalid"]
    wrong, checked = int(cells["incorrect_any"].sum()), int(cells["checked_any"].sum())
    before, after = (int(cells[f"incorrect_{p}"].sum()) for p in ("warmup", "cooldown"))
    failed = int(cells["failed_warmup"].sum() + cells["failed_cooldown"].sum())
    lines = []
    if wrong:
        lines.append(
            f"Answers of warm-up and cool-down were checked, too: **{words.number(wrong)} of "
            f"{words.many(checked, 'answer')}** were wrong, in "
            f"{words.many(int((cells['incorrect_any'] > 0).sum()), 'cell')}; "
            f"{words.number(before)} of them in the warm-up, {words.number(after)} in the "
            f"cool-down.{_with(left_out, wrong, checked)}"
        )
    elif checked:
        lines.append(
            f"With those of warm-up and cool-down, none of {words.many(checked, 'answer')} that "
            f"were checked was wrong.{_with(left_out, wrong, checked)}"
        )
    if failed:
        lines.append(
            f"{words.many(failed, 'further execution')} of warm-up and cool-down ended without an "
            "answer."
        )
    return lines


def _with(left_out: pd.DataFrame, wrong: int, checked: int) -> str:
    """The same with invalid invocations: a wrong answer is wrong under any conditions."""
    if left_out.empty:
        return ""
    incorrect = wrong + int(left_out["incorrect_any"].sum())
    answers = words.many(checked + int(left_out["checked_any"].sum()), "answer")
    return f" With the invalid invocations, which are in no other number, {incorrect} of {answers}."


def spread(derived: Derived) -> str:
    """Which cells are fastest and slowest, and how widely latencies scatter."""
    cells = derived.cells
    median_cells = cells[cells["median_ms"].notna()]
    if median_cells.empty:
        return "No cell has a median."
    blank = len(cells) - len(median_cells)
    lines = []
    ordered = median_cells.sort_values("median_ms", kind="stable")
    fast, slow = ordered.iloc[0], ordered.iloc[-1]
    lines.append(
        f"Medians of {len(median_cells)} cells lie between {_median(fast, derived.confidence)} "
        f"({words.code(fast['cell'])}) and {_median(slow, derived.confidence)} "
        f"({words.code(slow['cell'])})."
    )
    cod = median_cells["cod"].dropna()
    if len(cod):
        least, most = (
            f"{cod[place]:.3f} ({words.code(median_cells.at[place, 'cell'])})"
            for place in (cod.idxmin(), cod.idxmax())
        )
        lines.append(
            f"The coefficient of dispersion lies between {least} and {most}, with a median of "
            f"{cod.median():.3f} over {words.many(len(cod), 'cell')}."
        )
    if blank:
        lines.append(
            f"{words.many(blank, 'cell')} of {len(cells)} {'has' if blank == 1 else 'have'} no "
            "median: not measured, no correct answer, or at least half timed out."
        )
    return words.bullets(lines)


def _median(cell: Any, confidence: float) -> str:
    text = words.ms(float(cell["median_ms"]))
    if pd.isna(cell["median_low_ms"]):
        return text
    low, high = float(cell["median_low_ms"]), float(cell["median_high_ms"])
    return (
        f"{text} ({words.span_ms(low, high, confidence)}, {words.plain(cell['median_interval'])})"
    )


def slowest(derived: Derived, operation: str) -> str:
    """The medians of one operation with the least load, fastest first: a line each."""
    projection = derived.projection
    cells = grouping.of_operation(derived.cells, projection, operation)
    if cells.empty:
        return f"*This profile does not ask {words.plain(operation)}.*"
    cells = cells.assign(place=places(cells, projection))
    least, load_cells = by_load(cells, projection)[0]
    lines = []
    for _, cell in load_cells.sort_values("median_ms", kind="stable").iterrows():
        has_median = pd.notna(cell["median_ms"])
        median_text = _median(cell, derived.confidence) if has_median else _why(cell)
        lines.append(f"{words.plain(cell['place'])}: {median_text}")
    about = [words.plain(operation), words.with_load(projection, least)]
    head = f"{' '.join(filter(None, about))}, {words.many(len(load_cells), 'cell')}:"
    return words.paragraphs(head, words.bullets(lines))


def _why(cell: Any) -> str:
    executions = int(cell["executions"])
    if not executions:
        return "not measured"
    return f"no median ({cell['ok']} of {words.many(executions, 'execution')} answered correctly)"


def normality(derived: Derived) -> str:
    """In how many cells Shapiro–Wilk does not reject that latencies are normal."""
    shapes = derived.shapes
    tested = shapes[shapes["p"].notna()] if len(shapes) else shapes
    if tested.empty:
        return "*No cell has enough latencies for Shapiro–Wilk's test (three that differ).*"
    normal = int((tested["p"] >= THRESHOLDS.alpha).sum())
    text = (
        f"In **{normal} of {words.many(len(tested), 'cell')}** Shapiro–Wilk's test does not reject "
        f"that latencies are normal (p ≥ {THRESHOLDS.alpha}); W lies between "
        f"{tested['w'].min():.3f} and {tested['w'].max():.3f}. The test is the sharper "
        f"the larger the sample, here {_from_to(tested['n'])} executions of a cell."
    )
    skewness = tested["skewness"].dropna()
    if len(skewness):
        text += (
            f" {int((skewness > 0).sum())} of {len(skewness)} have their longer tail on the slow "
            f"side (skewness above 0; its median is {skewness.median():.2f})."
        )
    blank = len(derived.cells) - len(tested)
    if blank:
        text += f" {words.many(blank, 'cell')} {'has' if blank == 1 else 'have'} too few values."
    return text


def sources(derived: Derived, data_dir: Path, results_dir: Path) -> str:
    """Where samples, derived tables and the files of tables and figures are."""
    study, profile = derived.study, derived.profile
    return words.bullets([
        f"samples: `{data_dir / 'raw' / study / profile}`, one folder per invocation, with "
        "everything needed to repeat it in its `cell.json`",
        f"derived tables, with a description of every column: "
        f"`{data_dir / 'derived' / study / profile}`",
        f"tables and figures as files, written by `modelstress report`: `{results_dir / study}`",
    ])  # fmt: skip
