"""Levels of a cell that cannot be measured together."""

from __future__ import annotations

from collections.abc import Mapping

from modelstress.config.base import Level, nearest
from modelstress.config.errors import ConfigError
from modelstress.config.factors import THREADS
from modelstress.config.faults import DiskFull, Fault
from modelstress.config.profile import Profile, Settings
from modelstress.config.study import Study
from modelstress.config.tool import Tool


def samples_of(study: Study, profile: Profile) -> str:
    """``rows`` or ``histogram``: the profile's, where it says so."""
    return profile.samples or study.samples


def check_captured(study: Study, profile: Profile, levels: Mapping[str, Level], tool: Tool) -> None:
    """Refuse to capture where packets could not be told to be one execution's.

    Raises:
        ConfigError: names the profile's or the study's field.
    """
    if profile.settings.capture is None:
        return
    where = f"{profile.file}: field 'levels."
    if levels.get(THREADS, 1) != 1:
        raise ConfigError(
            f"{where}threads': cells are captured ('settings.capture') with 1 thread only, not "
            f"{levels[THREADS]}; use [1]"
        )
    if levels.get("executor", "process") != "process":
        raise ConfigError(
            f"{where}executor': cells are captured ('settings.capture') with executor 'process' "
            "only, in a network of their own; use [process]"
        )
    if levels.get("mode", "closed") != "closed":
        raise ConfigError(
            f"{where}mode': cells are captured ('settings.capture') in a closed loop only; use "
            "[closed]"
        )
    node, there = profile.settings.capture.node, tool.at(levels).node_names
    if node is not None and node not in there:
        raise ConfigError(
            f"{profile.file}: field 'settings.capture.node': cells of tool "
            f"{tool.tool!r} with these levels have no node "
            f"{node!r}{nearest(node, there)}; they have {', '.join(there)}"
        )
    if samples_of(study, profile) != "rows":
        raise ConfigError(
            f"{_says_samples(study, profile)}: field 'samples': cells are captured "
            f"('settings.capture' of profile '{profile.profile}') with samples: rows only"
        )


def _says_samples(study: Study, profile: Profile) -> str:
    """The file that says what samples are."""
    if profile.samples:
        return profile.file
    return f"config/studies/{study.study}.yaml"


def check_fault(
    study: Study,
    profile: Profile,
    levels: Mapping[str, Level],
    settings: Settings,
    fault: Fault | None,
    tool: Tool,
) -> None:
    """Refuse a fault in a load that waits for the server, or one that comes after the load.

    Raises:
        ConfigError: names the study's field.
    """
    if fault is None:
        return
    where = f"config/studies/{study.study}.yaml: field 'faults.{levels['fault']}"
    node = getattr(fault, "node", None)
    if node is not None and node not in tool.node_names:
        raise ConfigError(
            f"{where}.node': tool {tool.tool!r} has no node {node!r}"
            f"{nearest(node, tool.node_names)}"
        )
    if samples_of(study, profile) != "rows":
        raise ConfigError(
            f"{where}': what a fault costs is counted in single executions; use samples: rows in "
            f"{_says_samples(study, profile)}"
        )
    if levels.get("mode", "closed") != "open" or "rate_per_s" not in levels:
        raise ConfigError(
            f"{where}': what a fault costs can only be counted when the load does not wait for the "
            "server; use mode: open and a rate_per_s"
        )
    if isinstance(fault, DiskFull) and levels.get("server_memory_mib"):
        raise ConfigError(
            f"{where}': the disk that is filled is in memory and would count for the server's "
            "limit; use server_memory_mib: 0"
        )
    window, rate = settings.window, float(levels["rate_per_s"])
    window_s = (window and window.seconds) or settings.executions / rate
    lasts = getattr(fault, "seconds", None) or getattr(fault, "restart_s", None) or 0.0
    if fault.at_s + lasts >= window_s:
        raise ConfigError(
            f"{where}.at_s': the fault ends {fault.at_s + lasts:g} s after the window's begin, "
            f"which lasts {window_s:.3g} s ({settings.executions} executions, "
            f"{levels['rate_per_s']} per second, profile '{profile.profile}'); make it earlier or "
            "the window longer"
        )
