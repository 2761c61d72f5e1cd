"""Reading `cell.json`: the few fields that tables and figures need."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from modelstress.stats import Caveat

BLANK = "unknown"
KIBI = 1024
MEMORY = (
    "machine.memory", "machine.cgroup.memory.max", "machine.cgroup.memory.limit_in_bytes",
    "machine.settings.swap",
)  # fmt: skip
SERVER_MEMORY = "server_memory_mib"
MACHINE_SETTINGS = "machine.settings."
"""Begin of the names of a machine's settings among the facts of provenance."""
NO_LIMIT = 2**60
"""Bytes from which on a limit of memory is the kernel's way to say that there is none."""
SERVER = "server"
SIDES = (SERVER, "client")
PARTS = ("user", "system", "idle", "iowait", "steal")
"""Of the time of CPUs, in telemetry."""
NETWORK = "network: "
"""What comes last in a topology begins with it."""


def executor(record: Mapping[str, Any]) -> str:
    """Name of the executor, `unknown` where nothing is recorded."""
    return str(_part(record, "provenance").get("executor") or BLANK)


def topology(record: Mapping[str, Any]) -> str:
    """What server and clients ran on, in words: the number of CPUs on each side, the network.

    CPU numbers are left out: the same topology may get other CPUs at the next start. So is the
    number of client processes: it belongs to the load and grows with the threads.
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
    if recorded.get("shared"):
        parts.append("shared CPUs")
    if recorded.get("network"):
        parts.append(f"{NETWORK}{recorded['network']}")
    return ", ".join(parts) or BLANK


def without_links(topology: str) -> str:
    """A topology without what its links are like: `…, network: switch, 100 Mbit/s`."""
    machines, separator, network = topology.partition(NETWORK)
    return machines + separator + network.partition(", ")[0]


def machine(record: Mapping[str, Any]) -> str:
    """The machine that measured: name, processor and kernel, as far as they are recorded.

    Of several, or of one that only Docker knows, names and kernels, joined by ``+``.
    """
    hosts = _part(record, "hosts")
    names, kernels = hosts.get("machines") or [], hosts.get("kernels") or []
    recorded = _part(_part(record, "provenance"), "machine")
    recorded_name = recorded.get("name")
    if any(name != recorded_name for name in names):
        pairs = [", ".join(map(str, pair)) for pair in zip(names, kernels, strict=False)]
        return " + ".join(dict.fromkeys(pairs)) or BLANK
    details = [str(recorded[key]) for key in ("name", "cpu_model", "kernel") if recorded.get(key)]
    return ", ".join(details) or BLANK


def machine_settings(record: Mapping[str, Any]) -> dict[str, str]:
    """Settings of the machine that measured, by name; those that are not known are left out.

    Empty in records of before they were noted, and where other machines than the controller's
    measured. Whether energy can be read is no setting.
    """
    recorded = _part(_part(record, "provenance"), "machine")
    names = _part(record, "hosts").get("machines") or []
    if any(name != recorded.get("name") for name in names):
        return {}
    return {
        str(name): str(value)
        for name, value in _part(recorded, "settings").items()
        if value != BLANK and name != "energy"
    }


def differing_settings(records: Iterable[Mapping[str, Any]]) -> str:
    """Settings of the machine in which records differ, each with its values; empty: in none."""
    values: dict[str, set[str]] = {}
    for record in records:
        for name, value in machine_settings(record).items():
            values.setdefault(name, set()).add(value)
    several = {name: sorted(seen) for name, seen in sorted(values.items()) if len(seen) > 1}
    return ", ".join(
        f"{name.replace('_', ' ')} ({'; '.join(seen)})" for name, seen in several.items()
    )


def boot(record: Mapping[str, Any]) -> str:
    """The boot of the controller's machine; blank in records of before it was noted."""
    return str(_part(_part(record, "provenance"), "machine").get("boot") or "")


def start(record: Mapping[str, Any]) -> str:
    """The start of the servers, which cells may share; blank where each had its own, unnamed."""
    return str(_part(record, "start").get("id") or "")


def slices(record: Mapping[str, Any]) -> list[int]:
    """When the slices of a window in a shared start began (ns, the controller's clock)."""
    return sorted(part["begin_ns"] for part in _part(record, "start").get("slices") or [])


def host(record: Mapping[str, Any]) -> str:
    """Names of the machines that an invocation was measured on, each once, joined by ``+``.

    Empty where none is recorded.
    """
    machines = _part(record, "hosts").get("machines")
    if isinstance(machines, list) and machines:
        return "+".join(dict.fromkeys(str(name) for name in machines))
    return str(_part(_part(record, "provenance"), "machine").get("name") or "")


def client_processes(record: Mapping[str, Any]) -> int | None:
    """Among how many client processes the threads were divided; None where unrecorded."""
    clients = _part(_part(record, "provenance"), "topology").get("clients")
    return clients if isinstance(clients, int) else None


def title(record: Mapping[str, Any]) -> str:
    """The tool's name for readers, as recorded; empty where it is not."""
    return str(_part(record, "provenance").get("title") or "")


def commit(record: Mapping[str, Any]) -> str:
    """Commit of the program that measured, with `+` where the working tree had changes."""
    git = _part(_part(record, "provenance"), "git")
    sha = git.get("commit")
    return f"{sha}{'+' if git.get('dirty') else ''}" if sha else BLANK


def invalidity(record: Mapping[str, Any]) -> tuple[Caveat, ...]:
    """The reasons that make a measurement invalid; one that says so where none is recorded."""
    recorded = _part(record, "validity").get("reasons") or []
    caveats = [
        Caveat(str(reason.get("code", "invalid")), str(reason.get("message", "")))
        for reason in recorded
        if isinstance(reason, Mapping) and reason.get("kind") == "invalid"
    ]
    return tuple(caveats) or (Caveat("invalid", "no reason is recorded"),)


def validity(record: Mapping[str, Any]) -> tuple[Caveat, ...]:
    """Why a measurement must not be taken at face value, as `measure` recorded it."""
    recorded = _part(record, "validity")
    reasons = recorded.get("reasons") or []
    caveats = [
        Caveat(str(reason.get("code", "invalid")), str(reason.get("message", "")))
        for reason in reasons
        if isinstance(reason, Mapping)
    ]
    if recorded.get("valid") is False:
        caveats.insert(0, Caveat("invalid", "measured under conditions that make it invalid"))
    return tuple(caveats)


def facts(record: Mapping[str, Any]) -> list[tuple[str, str]]:
    """All recorded provenance as (field, value), nested fields joined by dots.

    The controller of older versions asked for the machine's CPUs after it had pinned itself, and
    got its own: where they lack a CPU that was measured on, they are `controller.cpus` here.
    """
    recorded = _part(record, "provenance")
    topology, machine = _part(recorded, "topology"), _part(recorded, "machine")
    used = {cpu for side in SIDES for cpu in _words(topology.get(f"{side}_cpus"))}
    pinned = "cpus" in machine and not used <= set(_words(machine["cpus"]))
    return [
        ("controller.cpus" if pinned and key == "machine.cpus" else key, value)
        for key, value in _flat("", recorded)
    ]


def told(key: str, value: str) -> str:
    """A value of provenance for readers: CPUs by number, memory with a unit, no limit as none."""
    field = key.rpartition(".")[2]
    if field == "cpus" or field.endswith("_cpus"):
        return f"CPU{'s' if ',' in value else ''} {value}"
    if key.startswith("machine.cgroup.") and value.partition(" ")[0] in ("max", "-1"):
        return "none"
    if key in MEMORY:
        size, _, unit = value.partition(" ")
        if size.isdecimal() and unit in ("", "kB"):
            size_bytes = int(size) * (KIBI if unit else 1)
            return "none" if size_bytes >= NO_LIMIT else f"{size_bytes / KIBI**3:.3g} GiB"
    return value


def _flat(prefix: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _flat(f"{prefix}.{name}" if prefix else str(name), inner)
    elif isinstance(value, list):
        yield prefix, ", ".join(str(item) for item in value)
    elif value is not None:
        yield prefix, str(value)


def content(record: Mapping[str, Any], name: str) -> str | None:
    """Hex digest of the content (`jar`, `model` …) that was measured; None where unrecorded."""
    digest = _part(_part(record, "provenance"), "contents").get(name)
    return str(digest) if digest else None


def nodes(record: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Server processes of an invocation by name; one called `server` where none is named."""
    named = record.get("nodes")
    if isinstance(named, Mapping) and named:
        return {str(name): node for name, node in named.items() if isinstance(node, Mapping)}
    return {SERVER: _part(record, SERVER)}


def memory_mib(record: Mapping[str, Any]) -> float:
    """Memory (MiB) that the servers may use: their limits, else their machine's; NaN: unknown."""
    limit = _part(record, "levels").get(SERVER_MEMORY)
    if isinstance(limit, int) and limit > 0:
        return float(limit * len(nodes(record)))
    size, _, unit = str(_part(_part(record, "provenance"), "machine").get("memory")).partition(" ")
    return int(size) / KIBI if size.isdecimal() and unit == "kB" else np.nan


def pauses_ms(record: Mapping[str, Any]) -> float | None:
    """Time that garbage collection stopped servers during measurement; None where unknown."""
    totals = [_part(node, "gc_window").get("total_ms") for node in nodes(record).values()]
    durations = [float(pauses) for pauses in totals if pauses is not None]
    return sum(durations) if durations else None


def cpu_shares(record: Mapping[str, Any]) -> dict[str, float]:
    """Busy share (0..1) of the CPU sets of `server` and `client` during measurement.

    Several nodes are one `server` with the CPUs of all.
    """
    recorded = _part(record, "telemetry")
    shares, window = _part(recorded, "cpu_busy"), _part(recorded, "window")
    busy_shares = {side: float(shares[side]) for side in SIDES if shares.get(side) is not None}
    names = list(nodes(record))
    if names != [SERVER] and window:
        share = _share({part: _total(window, names, part) for part in PARTS})
        return {SERVER: float(share), **busy_shares} if share == share else busy_shares
    return busy_shares


def messages(record: Mapping[str, Any]) -> list[dict[str, str]]:
    """Distinct failure messages of an invocation: `operation`, `outcome` and `message`."""
    names = ("operation", "outcome", "message")
    rows = [
        {name: str(detail.get(name) or "") for name in names}
        for detail in record.get("details") or []
        if isinstance(detail, Mapping)
    ]
    return [row for i, row in enumerate(rows) if row not in rows[:i]]


def objects(record: Mapping[str, Any]) -> frozenset[str] | None:
    """Names of the operations whose items are objects; None where none is marked: all."""
    recorded = record.get("operations")
    marked = [
        str(operation.get("name"))
        for operation in (recorded if isinstance(recorded, list) else [])
        if isinstance(operation, Mapping) and operation.get("objects") is True
    ]
    return frozenset(marked) or None


def clock_offsets(record: Mapping[str, Any]) -> dict[int, int]:
    """Client to its monotonic clock minus the controller's (ns), where it was measured."""
    return {
        int(client["client"]): int(client["offset_ns"])
        for client in record.get("clients") or []
        if isinstance(client, Mapping) and client.get("offset_ns") is not None
    }


def clock_shifts(record: Mapping[str, Any], clients: NDArray[np.int64]) -> NDArray[np.int64]:
    """Offset (ns) of each of these clients' clocks, as `clock_offsets`; 0 where unmeasured."""
    offsets = clock_offsets(record)
    return np.array([offsets.get(int(client), 0) for client in clients], np.int64)


def telemetry(record: Mapping[str, Any]) -> pd.DataFrame:
    """CPU over time, a row per interval between two telemetry rows.

    Columns `begin_ns`, `end_ns` (monotonic clock) and the busy shares (0..1) `server_cpu` and
    `client_cpu` of the CPUs of all nodes and of the clients; no rows where nothing was recorded.
    """
    recorded = _part(_part(record, "telemetry"), "columns")
    times = np.array(recorded.get("t_ns", []), dtype=np.float64)
    frame = pd.DataFrame({"begin_ns": times[:-1], "end_ns": times[1:]})
    for side, names in ((SERVER, list(nodes(record))), ("client", ["client"])):
        frame[f"{side}_cpu"] = _busy(recorded, names) if len(frame) else np.empty(0)
    return frame[frame["end_ns"] > frame["begin_ns"]].reset_index(drop=True)


def _busy(recorded: Mapping[str, Any], names: Sequence[str]) -> Any:
    """Busy share of CPU sets together in each interval, from totals of seconds; NaN if unknown."""
    wanted = [f"cpus.{name}.{part}_s" for name in names for part in PARTS]
    if any(column not in recorded for column in wanted):
        return np.nan
    totals = {column: np.array(recorded[column], dtype=np.float64) for column in wanted}
    return _share({part: np.diff(_total(totals, names, part)) for part in PARTS})


def _total(totals: Mapping[str, Any], names: Sequence[str], part: str) -> Any:
    """Seconds of one kind over the CPU sets of these names; NaN where one is unknown."""
    return sum(totals.get(f"cpus.{name}.{part}_s", np.nan) for name in names)


def _share(spent: Mapping[str, Any]) -> Any:
    """Share of the time that was busy."""
    total = np.add.reduce([np.asarray(seconds, np.float64) for seconds in spent.values()])
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(total > 0, (spent["user"] + spent["system"]) / total, np.nan)


def _words(value: Any) -> list[str]:
    """The elements of a list as words; none of anything else."""
    return [str(element) for element in value] if isinstance(value, list) else []


def _part(record: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    part = record.get(name)
    return part if isinstance(part, Mapping) else {}
