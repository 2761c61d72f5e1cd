"""What containers have used: control groups and interfaces here, Docker's own counts elsewhere."""

from __future__ import annotations

import threading
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from modelstress.hosts import cgroup, link_counters, network_commands
from modelstress.hosts.containers.daemon import quietly
from modelstress.samples.cgroup_limits import folder_of

MIB = 1 << 20
NS = 1e9


@dataclass
class _Seen:
    """One container.

    Attributes:
        side: the node's name, or ``client``.
        container: of docker-py.
        machine: whose daemon it is of, and the share of its CPUs that the side has.
        folders: of its control group here, by controller, and whether of generation 2.
        last: what was read last; a container that ended keeps it, but for its memory.
        machine_s: CPU seconds of its machine, busy or not, since that was started.
    """

    side: str
    container: Any
    machine: tuple[str, float] = ("", 1.0)
    folders: dict[str, tuple[Path, bool]] = field(default_factory=dict)
    last: dict[str, float] = field(default_factory=dict)
    machine_s: float = 0.0


class Counters:
    """Running totals of the containers of one invocation.

    Those of another machine come from a stream that Docker sends once a second; they are up to a
    second old, and ``cpus.*`` counts as busy only what these containers used of their machine.
    """

    def __init__(self) -> None:
        self._seen: list[_Seen] = []
        self._over = threading.Event()
        self._links: dict[str, Path] = {}

    def add_host(self, name: str, pid: int) -> None:
        """Count what passes the link of a host of this machine.

        Args:
            name: of the host.
            pid: of a process in its network.
        """
        self._links[name] = Path(f"/proc/{pid}/net/dev")

    def add(self, side: str, container: Any) -> None:
        """Count a container of this machine that was just started."""
        gauge = _Seen(side, container)
        if pid := int(container.attrs["State"]["Pid"]):  # 0: it has ended already
            # now: a process that is ending is said to be in the topmost group
            for controller in ("cpuacct", "memory"):
                if place := folder_of(controller, pid):
                    gauge.folders[controller] = place
        self._seen.append(gauge)

    def follow(self, side: str, container: Any, machine: str, share: float) -> None:
        """Count a container of another machine that was just started.

        Args:
            side: of it.
            container: of docker-py.
            machine: its context.
            share: of the machine's CPUs that the side has, 0..1.
        """
        gauge = _Seen(side, container, (machine, share))
        threading.Thread(target=self._follow, args=(gauge,), daemon=True).start()
        self._seen.append(gauge)

    def read(self) -> dict[str, float]:
        """Totals by side and by host; see ``Hosts.counters``."""
        counters: dict[str, float] = {}
        machines: dict[tuple[str, tuple[str, float]], float] = {}
        for gauge in list(self._seen):
            if gauge.folders:
                gauge.last = {**_totals(gauge.last), **_of_group(gauge.folders)}
            for name, value in gauge.last.items():
                key = name if name.startswith("cpus.") else f"{gauge.side}.{name}"
                counters[key] = counters.get(key, 0.0) + value
            if gauge.machine_s:
                place = (gauge.side, gauge.machine)
                machines[place] = max(gauge.machine_s, machines.get(place, 0.0))
        for (side, (_, share)), seconds in machines.items():
            key = f"cpus.{side}.idle_s"
            counters[key] = counters.get(key, 0.0) + share * seconds
        for side in {side for side, _ in machines}:
            counters[f"cpus.{side}.idle_s"] -= sum(
                counters.get(f"cpus.{side}.{part}_s", 0.0) for part in ("user", "system")
            )
            counters[f"cpus.{side}.iowait_s"] = counters[f"cpus.{side}.steal_s"] = 0.0
        for name, table in self._links.items():
            if through := link_counters.passed(table).get(network_commands.DEVICE):
                counters[f"net.{name}.received_bytes"], counters[f"net.{name}.sent_bytes"] = through
        return counters

    def used_mib(self, container: Any) -> float | None:
        """Memory of a container that cannot be taken back, in MiB; None where nobody knows."""
        for gauge in self._seen:
            if gauge.container is container and "memory" in gauge.folders:
                return cgroup.used_mib(*gauge.folders["memory"])
        return _used_mib(quietly(lambda: container.stats(stream=False)) or {})

    def stop(self) -> None:
        """End the streams; may be called again."""
        self._over.set()

    def _follow(self, gauge: _Seen) -> None:
        with suppress(Exception):  # the daemon is gone, or the container: what was read remains
            for stats in gauge.container.stats(stream=True, decode=True):
                if self._over.is_set():
                    return
                if now := _of_stats(stats, gauge.side):  # empty after the container's end
                    gauge.last, gauge.machine_s = now, stats["cpu_stats"]["system_cpu_usage"] / NS
        gauge.last = _totals(gauge.last)


def _totals(last: dict[str, float]) -> dict[str, float]:
    """Without memory, which a container gives back at its end."""
    return {name: value for name, value in last.items() if not name.endswith("_mib")}


def _of_group(folders: dict[str, tuple[Path, bool]]) -> dict[str, float]:
    """CPU and memory of a control group, of either generation; nothing when it is gone."""
    counters: dict[str, float] = {}
    with suppress(OSError, ValueError, KeyError):
        folder, v2 = folders["cpuacct"]
        if v2:
            fields = dict(line.split() for line in (folder / "cpu.stat").read_text().splitlines())
            counters["group_cpu_s"] = int(fields["usage_usec"]) / 1e6
        else:
            counters["group_cpu_s"] = int((folder / "cpuacct.usage").read_text()) / NS
    if "memory" in folders and (used := cgroup.used_mib(*folders["memory"])) is not None:
        counters["group_mib"] = used
    return counters


def _of_stats(stats: dict[str, Any], side: str) -> dict[str, float]:
    """The same from one object of Docker's stream; nothing of a container that has ended."""
    cpu = stats.get("cpu_stats", {})
    if not cpu.get("system_cpu_usage"):
        return {}
    used = cpu["cpu_usage"]
    counters = {
        "group_cpu_s": used["total_usage"] / NS,
        f"cpus.{side}.user_s": used["usage_in_usermode"] / NS,
        f"cpus.{side}.system_s": used["usage_in_kernelmode"] / NS,
    }
    if (memory := _used_mib(stats)) is not None:
        counters["group_mib"] = memory
    return counters


def _used_mib(stats: dict[str, Any]) -> float | None:
    """See ``cgroup.used_mib``; Docker passes on what the kernel counts, of either generation."""
    memory = stats.get("memory_stats", {})
    fields = memory.get("stats", {})
    files = [fields.get(f"total_{n}", fields.get(n)) for n in ("inactive_file", "active_file")]
    if not memory.get("usage") or None in files:
        return None
    return float(memory["usage"] - sum(files)) / MIB
