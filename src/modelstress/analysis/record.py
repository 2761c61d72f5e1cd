"""Reading `cell.json`: the few fields that tables and figures need."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from modelstress.stats import Caveat

BLANK = "unknown"


def executor(record: Mapping[str, Any]) -> str:
    """Name of the executor, `unknown` where nothing is recorded."""
    return str(_part(record, "provenance").get("executor") or BLANK)


def topology(record: Mapping[str, Any]) -> str:
    """What server and clients ran on, in words: the number of CPUs on each side and of clients.

    CPU numbers are left out: the same topology may get other CPUs at the next start.
    """
    recorded = _part(record, "provenance").get("topology")
    if isinstance(recorded, str):
        return recorded or BLANK
    if not isinstance(recorded, Mapping):
        return BLANK
    parts = []
    for side in ("server", "client"):
        cpus = recorded.get(f"{side}_cpus", recorded.get(side))
        if isinstance(cpus, list):
            parts.append(f"{len(cpus)} {side} CPU{'s' if len(cpus) != 1 else ''}")
    clients = recorded.get("clients")
    if isinstance(clients, int):
        parts.append(f"{clients} client process{'es' if clients != 1 else ''}")
    if recorded.get("shared"):
        parts.append("shared CPUs")
    network = recorded.get("network")
    if isinstance(network, str):
        parts.append(network)
    return ", ".join(parts) or BLANK


def commit(record: Mapping[str, Any]) -> str:
    """Commit of the program that measured, with `+` where the working tree had changes."""
    git = _part(_part(record, "provenance"), "git")
    found = git.get("commit")
    return f"{found}{'+' if git.get('dirty') else ''}" if found else BLANK


def validity(record: Mapping[str, Any]) -> tuple[Caveat, ...]:
    """Why a measurement must not be taken at face value, as `measure` recorded it."""
    recorded = _part(record, "validity")
    reasons = recorded.get("reasons") or []
    found = [
        Caveat(str(reason.get("code", "invalid")), str(reason.get("message", "")))
        for reason in reasons
        if isinstance(reason, Mapping)
    ]
    if recorded.get("valid") is False:
        found.insert(0, Caveat("invalid", "measured under conditions that make it invalid"))
    if recorded.get("verified") is False and "unverified" not in {c.code for c in found}:
        found.append(Caveat("unverified", "results were not compared with an oracle"))
    return tuple(found)


def telemetry(record: Mapping[str, Any]) -> pd.DataFrame:
    """CPU over time: columns `time_ns` (monotonic clock), `server_cpu`, `client_cpu` (shares)."""
    rows = _part(record, "telemetry").get("samples") or []
    columns = ["time_ns", "server_cpu", "client_cpu"]
    return pd.DataFrame([row for row in rows if isinstance(row, Mapping)], columns=columns)


def _part(record: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    part = record.get(name)
    return part if isinstance(part, Mapping) else {}
