"""Start programs on hosts with limits; knows no study."""

from modelstress.hosts.base import Host, Program, ProgramSpec
from modelstress.hosts.cpus import CpuPlan, available_cpus, plan_cpus
from modelstress.hosts.lines import LineReader
from modelstress.hosts.process import ProcessHost, kill_leftovers, leftovers

__all__ = [
    "CpuPlan",
    "Host",
    "LineReader",
    "ProcessHost",
    "Program",
    "ProgramSpec",
    "available_cpus",
    "kill_leftovers",
    "leftovers",
    "plan_cpus",
]
