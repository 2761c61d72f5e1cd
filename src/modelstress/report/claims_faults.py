"""Sentences on faults: who came back, after how long, and at what price."""

from collections.abc import Iterator

import pandas as pd

from modelstress.analysis import Derived
from modelstress.analysis.faults import BY_ITSELF, NOT, WAYS, WITH_HELP
from modelstress.report.claims_words import SPACE, listed, many, plain, share

NONE = "No cell of this dataset has a fault."


def recoveries(derived: Derived) -> str:
    """For every fault, how many invocations recovered by themselves, with help, or not."""
    faults = derived.faults
    if faults.empty:
        return NONE
    return "\n".join(
        [f"- **{fault}**: {_recovered(rows)}" for fault, rows in _by_fault(faults)]
        + ["", _whole(faults)]
    )


def losses(derived: Derived) -> str:
    """For every fault, what was lost, and how long it took to the next correct answer."""
    faults = derived.faults
    if faults.empty:
        return NONE
    return "\n".join(f"- **{fault}**: {_lost(rows)}" for fault, rows in _by_fault(faults))


def wrong_answers(derived: Derived) -> str:
    """Whether any fault led to answers that were not right, rather than to none."""
    faults = derived.faults
    if faults.empty:
        return NONE
    wrong = faults[faults["wrong"] > 0]
    executions = int(faults["executions"].sum())
    if wrong.empty:
        return (
            "No tool answered wrongly after the begin of a fault: of "
            f"{executions} executions, none that ended later was *incorrect*."
        )
    told = [
        plain(
            f"{row['tool']} with {row['fault']} ({int(row['wrong'])} of {int(row['executions'])})"
        )
        for _, row in wrong.iterrows()
    ]
    return (
        f"{int(wrong['wrong'].sum())} of {executions} executions were answered *incorrectly* after "
        f"the begin of a fault: {listed(told)}."
    )


def _by_fault(faults: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """The rows of every fault; of different settings apart, as in the tables."""
    settings = faults[["executor", "topology"]].drop_duplicates()
    for (fault, executor, topology), rows in faults.groupby(
        ["fault", "executor", "topology"], sort=False
    ):
        where = f" (executor {executor}; {topology})" if len(settings) > 1 else ""
        yield plain(f"{fault}{where}"), rows


def _recovered(rows: pd.DataFrame) -> str:
    invocations = len(rows)
    ways = rows["recovered"].value_counts()
    itself, helped, never, unseen = (int(ways.get(way, 0)) for way in WAYS)
    sentence = f"{itself} of {many(invocations, 'invocation')} recovered by itself"
    if invocations != 1:
        sentence = f"{itself} of {many(invocations, 'invocation')} recovered by themselves"
    if helped:
        tools = listed(map(plain, dict.fromkeys(rows.loc[rows["recovered"] == WITH_HELP, "tool"])))
        sentence += f", {helped} only after the harness had started the server again ({tools})"
    if never:
        tools = listed(map(plain, dict.fromkeys(rows.loc[rows["recovered"] == NOT, "tool"])))
        sentence += f", {never} not before the end of the window ({tools})"
    if unseen:
        sentence += f", and of {unseen} it was not seen: nothing was asked after the fault"
    return f"{sentence}."


def _lost(rows: pd.DataFrame) -> str:
    lost, executions = int(rows["lost"].sum()), int(rows["executions"].sum())
    sentence = f"{lost} of {executions} executions lost ({share(lost, executions)})"
    first = rows["first_correct_s"].dropna()
    if len(first):
        sentence += (
            f"; the first correct answer to a later execution came {_span(first)} after its begin"
        )
    after = rows["after_end_s"].dropna()
    if len(after) and float(rows["lasted_s"].max()) > 0:
        sentence += f" and {_span(after)} after its end"
    return f"{sentence}."


def _span(seconds: pd.Series) -> str:
    low, high = float(seconds.min()), float(seconds.max())
    if len(seconds) == 1 or f"{low:.2g}" == f"{high:.2g}":
        return f"{low:.2g}{SPACE}s"
    return f"{low:.2g} to {high:.2g}{SPACE}s"


def _whole(faults: pd.DataFrame) -> str:
    ok = int((faults["recovered"] == BY_ITSELF).sum())
    return f"In all, {ok} of {many(len(faults), 'invocation')} with a fault came back without help."
