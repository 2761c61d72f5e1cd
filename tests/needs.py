"""Marks of tests that need what a machine may lack.

With the environment variable MODELSTRESS_EVERY_TEST, which ``.ci/run`` sets, none is passed over:
what was not installed then fails.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest

from modelstress.config.errors import MissingError
from modelstress.hosts import cgroup, namespace
from modelstress.hosts.containers import daemon

EVERY_TEST = "MODELSTRESS_EVERY_TEST"


@contextmanager
def or_passed_over() -> Iterator[None]:
    """Pass a test over that finds something missing, unless every test is asked for."""
    try:
        yield
    except MissingError as error:
        if EVERY_TEST in os.environ:
            raise
        pytest.skip(str(error))


def _unless(why_not: str | None) -> pytest.MarkDecorator:
    passed_over = why_not is not None and EVERY_TEST not in os.environ
    return pytest.mark.skipif(passed_over, reason=str(why_not))


def _plugin(cluster: str) -> str | None:
    name = f"snakemake_executor_plugin_{cluster}"
    return None if find_spec(name) else f"no {name} (pip install '.[cluster]')"


def _second_daemon() -> str | None:
    return None if os.geteuid() == 0 and shutil.which("dockerd") else "needs root and dockerd"


def _sshd() -> str | None:
    there = Path(SSHD).is_file() and shutil.which("ssh-keygen") and os.geteuid() == 0
    return None if there else "needs root, sshd and ssh-keygen (apt-get install openssh-server)"


SSHD = "/usr/sbin/sshd"
namespaces = _unless(namespace.why_not())
containers = _unless(daemon.why_not())
memory_limits = _unless(cgroup.why_not())
dropped_packets = _unless(namespace.drops())
second_daemon = _unless(_second_daemon())
sshd = _unless(_sshd())
clusters = {name: _unless(_plugin(name)) for name in ("slurm", "kubernetes")}
