"""Sentences on what agrees with the papers, what does not, and what the data say about it."""

from collections.abc import Mapping

import pandas as pd

from modelstress.analysis.replication import (
    NOT_MEASURED,
    NUMBER,
    OTHER,
    SAME,
    UNDECIDED,
    Against,
)
from modelstress.report import claims_words as words
from modelstress.report import placebo_words
from modelstress.report.against import Row, interval, number, ours

SAID = {
    SAME: "the same direction",
    OTHER: "**the other direction**",
    UNDECIDED: "no clear difference here",
}
POINTS = {
    "fidelity": "with `fidelity: improved` the direction is the paper's, so what `paper` keeps of "
    "the original's weak points decides here",
    "model-size": "the models are of different size, so that fixed costs of an execution weigh "
    "differently",
    "timeouts": "executions that were cut by their deadline are in no median",
    "gc": "garbage collection stopped the server for a share of the time that matters",
    "cpu-used-up": "the server's processors were used up in every cell: what is measured is "
    "their work, not what is waited for",
    "server-waits": "the server's processors were idle most of the time: what is measured is "
    "waiting, not their work",
    "few-executions": "there are far fewer executions of a cell than in the paper: tests reject "
    "less, intervals are wider, and what happens rarely may not have happened",
}
"""What a code of ``causes`` means to a reader; every one stands for a threshold that was passed."""


def summary(against: Against) -> str:
    """How many entries agree, by setting, and by topic in a Markdown table."""
    parts = []
    for (executor, topology), entries in against.entries.groupby(
        ["executor", "topology"], sort=False
    ):
        counts = entries["verdict"].value_counts()
        told = sum(int(counts.get(verdict, 0)) for verdict in SAID)
        parts.append(
            f"Of {len(entries)} entries, {told} state a direction and were measured here "
            f"({words.plain(f'executor {executor}; {topology}')}): "
            f"{counts.get(SAME, 0)} point the same way, "
            f"{counts.get(OTHER, 0)} the other way, and of {counts.get(UNDECIDED, 0)} there is no "
            f"clear difference here. {counts.get(NUMBER, 0)} state a number only, and "
            f"{counts.get(NOT_MEASURED, 0)} were not measured."
        )
        parts.append(_by_topic(entries, against.papers.topics))
    rates = against.placebo_rates
    parts.append(
        "Directions of ratios are those of the claims, over starts, where the study compares the "
        "two cells and they have starts on one machine; else those of unpaired intervals over "
        f"invocations, of which {placebo_words.NONE}. Those of Cliff's delta and of shifts hold "
        "within the starts that were measured. "
        f"{placebo_words.summary(rates, placebo_words.OVER, ())} {placebo_words.remark(rates)}"
    )
    return "\n\n".join(parts)


def _by_topic(entries: pd.DataFrame, topics: Mapping[str, str]) -> str:
    heads = [SAME, OTHER, UNDECIDED, NUMBER, NOT_MEASURED]
    lines = ["| topic | " + " | ".join(heads) + " |", "|---|" + "--:|" * len(heads)]
    for topic, title in topics.items():
        verdicts = entries.loc[entries["topic"] == topic, "verdict"]
        if len(verdicts):
            cells = [str(int((verdicts == verdict).sum())) for verdict in heads]
            lines.append(f"| {title} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def sentences(against: Against, topic: str) -> str:
    """One line for each entry of a topic that was measured: theirs, ours, and the direction."""
    entries = against.entries
    measured_entries = entries[(entries["topic"] == topic) & (entries["verdict"] != NOT_MEASURED)]
    if measured_entries.empty:
        return "Nothing that the papers say of this was measured in this profile."
    lines = [_sentence(row) for row in measured_entries.to_dict("records")]
    missing = int(((entries["topic"] == topic) & (entries["verdict"] == NOT_MEASURED)).sum())
    if missing:
        lines.append(f"- {missing} further entries were not measured in this profile.")
    return "\n".join(lines)


def _sentence(row: Row) -> str:
    finding = _found(row)
    verdict = f": {SAID[row['verdict']]}" if row["verdict"] in SAID else ""
    return f"- {words.plain(row['says'])} ({words.plain(row['theirs'])}.) Here: {finding}{verdict}."


def _found(row: Row) -> str:
    """What was found, with its interval and its ratio to the paper's."""
    parts = [ours(row)] if row["ours"] == row["ours"] else []
    unit = f" {row['unit']}" if parts and row["unit"] and row["unit"] != "×" else ""
    unit = " times" if parts and row["unit"] == "×" else unit
    text = "".join(parts) + unit
    beside = interval(row)
    if beside not in ("–", ""):
        text = f"{text} ({beside})" if text else beside
    elif row["detail"]:
        text = f"{text} ({row['detail']})" if text else str(row["detail"])
    if row["ratio"] == row["ratio"] and row["ratio"] > 0:
        text += f", {number(float(row['ratio']))} times theirs"
    return words.plain(text or row["direction_ours"])


def disagreements(against: Against) -> str:
    """The entries whose direction is not theirs, with the data recorded of their cells."""
    if against.causes.empty:
        return "No entry that was measured here points elsewhere than the papers."
    named = {_key(row): row for row in against.entries.to_dict("records")}
    lines = []
    for cause in against.causes.to_dict("records"):
        row = named[_key(cause)]
        lines.append(
            f"- **{words.plain(row['title'])}**. The paper: {words.plain(row['direction_theirs'])} "
            f"({words.plain(row['theirs'])}). "
            f"Here: {words.plain(row['direction_ours'])}; {_found(row)}.\n    - {_data(cause)}.\n"
            f"    - {_points(cause)}."
        )
    return "\n".join(lines)


def _key(row: Row) -> tuple[str, str, str]:
    return row["entry"], row["executor"], row["topology"]


def _data(cause: Row) -> str:
    """The recorded data of an entry's cells, in words; what was not recorded is left out."""
    executions = int(cause["all_executions"])
    parts = []
    if cause["executions"] == cause["executions"]:
        parts.append(
            f"{cause['executions']:.0f} executions per cell or more (theirs "
            f"{cause['paper_executions']:.0f}), number of starts {cause['invocations']:.0f}"
        )
    if cause["server_cpu_low"] == cause["server_cpu_low"]:
        low, high = float(cause["server_cpu_low"]), float(cause["server_cpu_high"])
        share = f"{low:.0%}" if f"{low:.0%}" == f"{high:.0%}" else f"{low:.0%} to {high:.0%}"
        parts.append(f"the server's processors were {share} busy")
    if cause["gc_share"] == cause["gc_share"]:
        parts.append(
            f"garbage collection stopped it for {cause['gc_share']:.1%} of the measured windows"
        )
    if executions:
        parts.append(
            f"of {executions} executions {cause['timeouts']} were cut, "
            f"{cause['failed']} were not ok"
        )
    if cause["size_factor"] == cause["size_factor"]:
        parts.append(f"the model has {number(float(cause['size_factor']))} times their size")
    if cause["improved_verdict"]:
        parts.append(
            f"with fidelity improved it is {number(float(cause['improved']))} "
            f"({words.plain(cause['improved_verdict'])})"
        )
    return "Recorded: " + ("; ".join(parts) or "nothing")


def _points(cause: Row) -> str:
    explanations = [POINTS[code] for code in str(cause["points_to"]).split(";") if code]
    if not explanations:
        return "Nothing in these data is out of the ordinary"
    return "What may explain it: " + "; ".join(explanations)
