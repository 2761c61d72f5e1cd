"""Trees of `/sys` and `/proc` as machines have them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

CPUS = "sys/devices/system/cpu"
POWER = "sys/class/powercap"
WORKSTATION = {
    f"{CPUS}/cpufreq/policy0/scaling_governor": "powersave\n",
    f"{CPUS}/cpufreq/policy1/scaling_governor": "powersave\n",
    f"{CPUS}/cpufreq/policy0/scaling_driver": "intel_pstate\n",
    f"{CPUS}/intel_pstate/no_turbo": "0\n",
    f"{CPUS}/smt/control": "on\n",
    f"{CPUS}/cpu0/microcode/version": "0x5003604\n",
    f"{CPUS}/vulnerabilities/meltdown": "Not affected\n",
    f"{CPUS}/vulnerabilities/mds": "Vulnerable: Clear CPU buffers attempted, no microcode\n",
    f"{CPUS}/vulnerabilities/itlb_multihit": "KVM: Mitigation: VMX disabled\n",
    f"{CPUS}/vulnerabilities/spectre_v2": "Mitigation: Retpolines; IBPB: conditional\n",
    "sys/kernel/mm/transparent_hugepage/enabled": "[always] madvise never\n",
    "sys/devices/system/clocksource/clocksource0/current_clocksource": "hpet\n",
    "sys/devices/system/node/node0/cpulist": "0\n",
    "sys/devices/system/node/node1/cpulist": "1\n",
    "sys/devices/system/node/online": "0-1\n",
    "proc/meminfo": "MemTotal:       16384 kB\nSwapTotal:        2097148 kB\nSwapFree:  0 kB\n",
    "proc/sys/vm/swappiness": "60\n",
    "proc/sys/kernel/randomize_va_space": "0\n",
    "proc/cpuinfo": "processor\t: 0\nflags\t\t: fpu sse2 ht\nmicrocode\t: 0x1\n\n"
    "processor\t: 1\nflags\t\t: hypervisor\n",
    "sys/class/dmi/id/sys_vendor": "ACME\n",
    f"{POWER}/intel-rapl:0/name": "package-0\n",
    f"{POWER}/intel-rapl:0/energy_uj": "1000000\n",
    f"{POWER}/intel-rapl:0/max_energy_range_uj": "5000000\n",
    f"{POWER}/intel-rapl:0:0/name": "core\n",
    f"{POWER}/intel-rapl:0:0/energy_uj": "900000\n",
    f"{POWER}/intel-rapl:1/name": "psys\n",
    f"{POWER}/intel-rapl:1/energy_uj": "4000000\n",
    f"{POWER}/intel-rapl-mmio:0/name": "package-0\n",
    f"{POWER}/intel-rapl-mmio:0/energy_uj": "1000000\n",
}
"""A workstation with two memory nodes whose settings all hurt; file to content."""
TUNED = WORKSTATION | {
    f"{CPUS}/cpufreq/policy0/scaling_governor": "performance\n",
    f"{CPUS}/cpufreq/policy1/scaling_governor": "performance\n",
    f"{CPUS}/intel_pstate/no_turbo": "1\n",
    f"{CPUS}/smt/control": "off\n",
    "sys/kernel/mm/transparent_hugepage/enabled": "always [madvise] never\n",
    "sys/devices/system/clocksource/clocksource0/current_clocksource": "tsc\n",
    "proc/meminfo": "SwapTotal:  0 kB\n",
    "proc/sys/kernel/randomize_va_space": "2\n",
}
"""The same machine, tuned."""


def tree(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write a tree; returns its root."""
    for name, content in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder
