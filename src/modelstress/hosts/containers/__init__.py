"""Executor ``docker``: hosts of containers, on this machine or on others."""

from modelstress.hosts.containers.daemon import clear_containers, clear_strays, connect
from modelstress.hosts.containers.hosts import ContainerHosts
from modelstress.hosts.containers.lock import DaemonLock

__all__ = ["ContainerHosts", "DaemonLock", "clear_containers", "clear_strays", "connect"]
