"""Invalid invocations are measured again: twice at most, in the same run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from modelstress.measure import folders
from modelstress.measure.calibration import Recent
from modelstress.measure.cell import Measured, run_start
from modelstress.measure.events import Event, Listener, ignore
from modelstress.measure.invocation import Invocation
from modelstress.measure.status import read_record

MOST = 2
"""How often an invocation is measured again; what is invalid then stays invalid, and is out."""
PERMANENT = frozenset({"shared-cpus"})
"""Reasons that another start on the same machine would have, too."""
LASTING = "client-busy"
"""What another start of the cell has, too, once it was seen twice, in whichever of its starts."""


def run_until_valid(
    start: Sequence[Invocation],
    *,
    listener: Listener = ignore,
    lock_wait_s: float = 3600,
    again: bool = False,
    allow_shared_cpus: bool = False,
    lock_file: Path | None = None,
    recent: Recent | None = None,
) -> list[Measured]:
    """Measure the invocations of a start as ``run_start`` does, and once more where invalid.

    An invalid measurement is set aside, as it is, in ``i<NN>.invalid-1`` and ``-2``: attempts are
    listed and never counted. They count over all runs, so that a run that was stopped between two
    of them goes on with what is left. Clients that filled their processors in an earlier start or
    attempt of the cell would fill them once more: that is not measured again. With ``again``,
    counting begins anew, and older attempts are hidden. Where one of several is invalid, all are
    measured again, for they are compared; but one that has disturbed the others (see
    ``measure.shared``) stays as it is when it is valid, and has its last attempt without them when
    it is not.

    Args:
        start: what to measure.
        listener: told every step, of every attempt.
        lock_wait_s: see ``run_start``.
        again: see ``run_start``.
        allow_shared_cpus: see ``run_start``.
        lock_file: see ``run_start``.
        recent: see ``run_start``; attempts of one start are a batch, too.

    Returns:
        What became of the last attempt of each.

    Raises:
        ModelstressError: see ``run_start``; earlier attempts stay where they are.
    """
    if again:
        for one in start:
            folders.hide_attempts(one.folder)
    recent = recent or Recent()
    found: dict[Path, Measured] = {}
    left = [one for one in start if again or not _stays(one.folder)]
    culprit: Invocation | None = None
    for one in start:
        if one not in left:
            found[one.folder] = Measured(one.folder, fresh=False)
    while left:
        measured = [
            one
            for part in _parts(left, culprit)
            for one in run_start(
                part, listener=listener, lock_wait_s=lock_wait_s, again=again,
                allow_shared_cpus=allow_shared_cpus, lock_file=lock_file, recent=recent,
            )
        ]  # fmt: skip
        found |= {one.folder: one for one in measured}
        once_more = {one.folder for one in measured if _wanted(one)}
        if not once_more:
            break
        culprit = next((one for one in left if _disturbed(one.folder)), None)
        left = [one for one in left if not _stays(one.folder)]
        for one in left:
            if one.folder in once_more:
                kept = folders.keep_attempt(one.folder)
                why = ", ".join(_why(kept))
                message = f"invalid ({why}), kept in {kept.name}; measuring again"
            else:  # its start is measured again, with it
                folders.set_aside(one.folder)
                message = "another cell of its start is invalid; measuring the start again"
            listener(Event(one.cell.id, one.number, "recovering", 0, 0, message))
        again = False
    return [found[one.folder] for one in start]


def _wanted(measured: Measured) -> bool:
    """Whether an invocation is measured once more."""
    return (
        measured.fresh
        and not measured.valid
        and len(folders.attempts(measured.folder)) < MOST
        and bool(_why(measured.folder))
    )


def _parts(left: Sequence[Invocation], culprit: Invocation | None) -> list[Sequence[Invocation]]:
    """What is measured in one start: all; at the last attempt, all but who has disturbed them."""
    last = culprit in left and any(len(folders.attempts(one.folder)) >= MOST for one in left)
    if culprit is None or not last or len(left) == 1:
        return [left]
    return [[one for one in left if one is not culprit], [culprit]]


def _disturbed(folder: Path) -> bool:
    """Whether an invocation has disturbed those that shared its start."""
    record = read_record(folder) if folders.finished(folder) else {}
    return "cell" in record and record.get("start", {}).get("disturbed_by") == record["cell"]


def _stays(folder: Path) -> bool:
    """Whether an invocation is valid and has disturbed those that shared its start."""
    return _disturbed(folder) and bool(read_record(folder).get("validity", {}).get("valid"))


def _why(folder: Path) -> list[str]:
    """Codes of what makes an invocation invalid and may be otherwise next time."""
    codes = _codes(folder)
    others = (path.parent for path in folder.parent.glob("i*/cell.json"))
    lasting = LASTING in codes and any(LASTING in _codes(each) for each in others if each != folder)
    return [] if lasting or PERMANENT & set(codes) else codes


def _codes(folder: Path) -> list[str]:
    """Codes of what makes an invocation invalid."""
    reasons = read_record(folder).get("validity", {}).get("reasons", [])
    return [reason["code"] for reason in reasons if reason.get("kind") == "invalid"]
