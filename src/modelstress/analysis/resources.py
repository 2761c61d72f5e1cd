"""What an invocation cost besides time: switches, memory and energy, from its `cell.json`."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from modelstress.analysis import cell_record
from modelstress.config.measures import RESOURCES

MIB = 1 << 20
ENERGY = "energy."
"""Begin of the names of packages' joules in telemetry."""


def resources(record: Mapping[str, Any], executions: int) -> dict[str, float]:
    """The columns of `RESOURCES` for an invocation; NaN where nothing is recorded.

    Context switches are those of all threads that a side had in the window, cool-down included, by
    measured execution. Several nodes are one `server`, several client processes one `client`.

    Args:
        record: the content of `cell.json`.
        executions: measured ones.
    """
    row = dict.fromkeys(RESOURCES, np.nan)
    nodes = cell_record.nodes(record)
    clients = [c for c in record.get("clients") or [] if isinstance(c, Mapping)]
    telemetry = _part(record, "telemetry")
    for side, names, parts in (
        ("server", list(nodes), nodes.values()),
        ("client", ["client"], clients),
    ):
        window = _part(telemetry, "window")
        for kind, column in (("voluntary", "switches"), ("involuntary", "preemptions")):
            counts = [window.get(f"{name}.{kind}") for name in names]
            row[f"{side}_{column}"] = _sum(counts) / executions if executions else np.nan
        for mark, column in (("ready", "ready"), ("window", "loaded")):
            row[f"{side}_{column}_mib"] = _resident(telemetry, names, mark) / MIB
        found = [_part(part, "footprint") for part in parts]
        row[f"{side}_program_mib"] = _sum(_program(one) for one in found) / MIB
        row[f"{side}_libraries_mib"] = _sum(_libraries(one) for one in found) / MIB
    row["server_disk_mib"] = disk_mib(record)
    row["energy_j"] = energy_j(telemetry)
    row["energy_per_execution_j"] = row["energy_j"] / executions if executions else np.nan
    return row


def energy_j(telemetry: Mapping[str, Any]) -> float:
    """Energy (J) of all processor packages in the window; NaN: no counter could be read."""
    window = _part(telemetry, "window")
    return _sum(spent for name, spent in window.items() if name.startswith(ENERGY))


def disk_mib(record: Mapping[str, Any]) -> float:
    """What the files of all nodes took (MiB) when they were asked to end; NaN: not known."""
    return _sum(node.get("disk_bytes") for node in cell_record.nodes(record).values()) / MIB


def _program(footprint: Mapping[str, Any]) -> float | None:
    sizes = _part(footprint, "program")
    return _sum(sizes.values()) if sizes else None


def _libraries(footprint: Mapping[str, Any]) -> float | None:
    return float(sum(footprint["libraries"].values())) if "libraries" in footprint else None


def _resident(telemetry: Mapping[str, Any], names: Iterable[str], mark: str) -> float:
    """Bytes of memory that processes had at a mark of the telemetry."""
    row, columns = _part(telemetry, "marks").get(mark), _part(telemetry, "columns")
    found = [columns.get(f"{name}.rss_bytes") for name in names]
    if not isinstance(row, int):
        return np.nan
    return _sum(column[row] if column and row < len(column) else None for column in found)


def _sum(counts: Iterable[Any]) -> float:
    """The sum; NaN where one is not known, or there is none."""
    known = list(counts)
    if not known or any(not isinstance(count, int | float) for count in known):
        return np.nan
    return float(sum(known))


def _part(record: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    part = record.get(name)
    return part if isinstance(part, Mapping) else {}
