"""Invalid invocations are measured again: twice at most, in the same run."""

from __future__ import annotations

from pathlib import Path

from modelstress.measure import folders
from modelstress.measure.cell import Measured, run_invocation
from modelstress.measure.events import Event, Listener, ignore
from modelstress.measure.invocation import Invocation
from modelstress.measure.status import read_record

MOST = 2
"""How often an invocation is measured again; what is invalid then stays invalid, and is out."""
PERMANENT = frozenset({"shared-cpus"})
"""Reasons that another start on the same machine would have, too."""


def run_until_valid(
    invocation: Invocation,
    *,
    listener: Listener = ignore,
    lock_wait_s: float = 3600,
    again: bool = False,
    allow_shared_cpus: bool = False,
    lock_file: Path | None = None,
) -> Measured:
    """Measure an invocation as ``run_invocation`` does, and once more where it is invalid.

    An invalid measurement is set aside, as it is, in ``i<NN>.invalid-1`` and ``-2``: attempts are
    listed and never counted. They count over all runs, so that a run that was stopped between two
    of them goes on with what is left. With ``again``, counting begins anew, and older attempts are
    hidden.

    Args:
        invocation: what to measure.
        listener: told every step, of every attempt.
        lock_wait_s: see ``run_invocation``.
        again: see ``run_invocation``.
        allow_shared_cpus: see ``run_invocation``.
        lock_file: see ``run_invocation``.

    Returns:
        What became of the last attempt.

    Raises:
        ModelstressError: see ``run_invocation``; earlier attempts stay where they are.
    """
    if again:
        folders.hide_attempts(invocation.folder)
    while True:
        measured = run_invocation(
            invocation, listener=listener, lock_wait_s=lock_wait_s, again=again,
            allow_shared_cpus=allow_shared_cpus, lock_file=lock_file,
        )  # fmt: skip
        made = folders.attempts(invocation.folder)
        if (
            not measured.fresh
            or measured.valid
            or len(made) >= MOST
            or not (why := _why(measured.folder))
        ):
            return measured
        kept = folders.keep_attempt(invocation.folder)
        message = f"invalid ({', '.join(why)}), kept in {kept.name}; measuring again"
        listener(Event(invocation.cell.id, invocation.number, "recovering", 0, 0, message))
        again = False


def _why(folder: Path) -> list[str]:
    """Codes of what makes an invocation invalid and may be otherwise next time."""
    reasons = read_record(folder).get("validity", {}).get("reasons", [])
    codes = [reason["code"] for reason in reasons if reason.get("kind") == "invalid"]
    return codes if not PERMANENT & set(codes) else []
