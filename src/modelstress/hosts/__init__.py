"""Start programs on hosts with limits; knows no study."""

from modelstress.hosts.base import Disturbance, Host, Hosts, Link, Node, Program, ProgramSpec, Setup
from modelstress.hosts.cpus import CpuPlan, available_cpus, plan_cpus
from modelstress.hosts.lines import LineReader
from modelstress.hosts.local_base import ProcessHosts
from modelstress.hosts.process import ProcessHost, ProcessProgram, kill_leftovers, leftovers

__all__ = [
    "CpuPlan",
    "Disturbance",
    "Host",
    "Hosts",
    "LineReader",
    "Link",
    "Node",
    "ProcessHost",
    "ProcessHosts",
    "ProcessProgram",
    "Program",
    "ProgramSpec",
    "Setup",
    "available_cpus",
    "kill_leftovers",
    "leftovers",
    "plan_cpus",
]
