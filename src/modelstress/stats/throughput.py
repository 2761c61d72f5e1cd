"""Executions per second."""

import numpy as np
from numpy.typing import NDArray

from modelstress.stats.results import Caveat, Throughput, Values


def throughput(
    start_s: Values, end_s: Values, ok: NDArray[np.bool_], measured: NDArray[np.bool_]
) -> Throughput:
    """Throughput of one client's window, from arrays of equal length, one element per execution.

    The window reaches from the first start to the last end of the `measured` executions.
    Executions of the cool-down that ended inside it were part of the load and count too;
    without them the last answers of many threads would look slower than they were.
    Raises ValueError when the arrays differ in length.
    """
    if not len(start_s) == len(end_s) == len(ok) == len(measured):
        raise ValueError("start_s, end_s, ok and measured must have the same length")
    if not measured.any():
        nothing = (Caveat("empty", "there is no measured execution"),)
        return Throughput(0.0, float("nan"), float("nan"), nothing)
    begin = float(np.min(start_s[measured]))
    end = float(np.max(end_s[measured]))
    window = end - begin
    if window <= 0:
        instant = (Caveat("no-window", "the window has no length: no throughput"),)
        return Throughput(0.0, float("nan"), float("nan"), instant)
    inside = measured | ((start_s >= begin) & (end_s <= end))
    all_per_s = float(np.count_nonzero(inside) / window)
    return Throughput(window, float(np.count_nonzero(inside & ok) / window), all_per_s)


def in_turns(slices: list[Throughput]) -> Throughput:
    """Throughput of a window in slices: what was done in all of them, by their time together.

    A slice without length counts nothing, and a window of such slices has no throughput.
    """
    if len(slices) == 1:
        return slices[0]
    known = [part for part in slices if part.window_s > 0]
    window = sum(part.window_s for part in known)
    caveats = tuple(caveat for part in slices for caveat in part.caveats)
    if not known:
        nothing = (Caveat("empty", "there is no measured execution"),)
        return Throughput(0.0, float("nan"), float("nan"), caveats or nothing)
    return Throughput(
        window,
        sum(part.ok_per_s * part.window_s for part in known) / window,
        sum(part.all_per_s * part.window_s for part in known) / window,
        caveats,
    )


def total(clients: list[Throughput]) -> Throughput:
    """Throughput of clients that ran at the same time: rates add, the longest window is theirs."""
    if not clients:
        nothing = (Caveat("empty", "there is no client"),)
        return Throughput(0.0, float("nan"), float("nan"), nothing)
    return Throughput(
        max(client.window_s for client in clients),
        sum(client.ok_per_s for client in clients),
        sum(client.all_per_s for client in clients),
        tuple(caveat for client in clients for caveat in client.caveats),
    )
