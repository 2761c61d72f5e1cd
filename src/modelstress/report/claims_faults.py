"""Sentences on faults: who came back, after how long, and at what price."""

from collections.abc import Iterator

import pandas as pd

from modelstress.analysis import Derived
from modelstress.analysis.faults import BY_ITSELF, NOT, WAYS, WITH_HELP
from modelstress.report.claims_words import SPACE, listed, many, plain, share

NONE = "No cell of this dataset has a fault."


def recoveries(derived: Derived) -> str:
    """For every fault, how many invocations recovered by themselves, with help, or not."""
    found = derived.faults
    if found.empty:
        return NONE
    return "\n".join(
        [f"- **{fault}**: {_recovered(here)}" for fault, here in _by_fault(found)]
        + ["", _whole(found)]
    )


def losses(derived: Derived) -> str:
    """For every fault, what was lost, and how long it took to the next correct answer."""
    found = derived.faults
    if found.empty:
        return NONE
    return "\n".join(f"- **{fault}**: {_lost(here)}" for fault, here in _by_fault(found))


def wrong_answers(derived: Derived) -> str:
    """Whether any fault led to answers that were not right, rather than to none."""
    found = derived.faults
    if found.empty:
        return NONE
    wrong = found[found["wrong"] > 0]
    executions = int(found["executions"].sum())
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


def _by_fault(found: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """The rows of every fault; of different settings apart, as in the tables."""
    settings = found[["executor", "topology"]].drop_duplicates()
    for (fault, executor, topology), here in found.groupby(
        ["fault", "executor", "topology"], sort=False
    ):
        where = f" (executor {executor}; {topology})" if len(settings) > 1 else ""
        yield plain(f"{fault}{where}"), here


def _recovered(here: pd.DataFrame) -> str:
    whole = len(here)
    ways = here["recovered"].value_counts()
    itself, helped, never, unseen = (int(ways.get(way, 0)) for way in WAYS)
    said = f"{itself} of {many(whole, 'invocation')} recovered by itself"
    if whole != 1:
        said = f"{itself} of {many(whole, 'invocation')} recovered by themselves"
    if helped:
        tools = listed(map(plain, dict.fromkeys(here.loc[here["recovered"] == WITH_HELP, "tool"])))
        said += f", {helped} only after the harness had started the server again ({tools})"
    if never:
        tools = listed(map(plain, dict.fromkeys(here.loc[here["recovered"] == NOT, "tool"])))
        said += f", {never} not before the end of the window ({tools})"
    if unseen:
        said += f", and of {unseen} it was not seen: nothing was asked after the fault"
    return f"{said}."


def _lost(here: pd.DataFrame) -> str:
    lost, executions = int(here["lost"].sum()), int(here["executions"].sum())
    said = f"{lost} of {executions} executions lost ({share(lost, executions)})"
    first = here["first_correct_s"].dropna()
    if len(first):
        said += (
            f"; the first correct answer to a later execution came {_span(first)} after its begin"
        )
    after = here["after_end_s"].dropna()
    if len(after) and float(here["lasted_s"].max()) > 0:
        said += f" and {_span(after)} after its end"
    return f"{said}."


def _span(seconds: pd.Series) -> str:
    low, high = float(seconds.min()), float(seconds.max())
    if len(seconds) == 1 or f"{low:.2g}" == f"{high:.2g}":
        return f"{low:.2g}{SPACE}s"
    return f"{low:.2g} to {high:.2g}{SPACE}s"


def _whole(found: pd.DataFrame) -> str:
    ok = int((found["recovered"] == BY_ITSELF).sum())
    return f"In all, {ok} of {many(len(found), 'invocation')} with a fault came back without help."
