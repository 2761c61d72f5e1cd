"""A cluster of one node: the profile for SLURM with the real SLURM (Debian: slurm-wlm)."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from tests.e2e.conftest import ROOT, environment, ours

CONFIGURED = Path("/run/slurm/conf")
"""Where SLURM's commands look, also those in a job, whose environment is SLURM's own."""
PROGRAMS = ("slurmctld", "slurmd", "sbatch")
CONFIG = """
ClusterName=modelstress
SlurmctldHost={host}({address})
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
AuthType=auth/none
CredType=cred/none
SlurmUser=root
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/pgid
TaskPlugin=task/affinity
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MpiDefault=none
ReturnToService=2
MinJobAge=600
NodeName={host} NodeAddr={address} CPUs={cpus} RealMemory={memory} State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=60 OverSubscribe=NO State=UP
"""

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(
        any(shutil.which(name) is None for name in PROGRAMS)
        or os.geteuid() != 0
        or CONFIGURED.exists()
        or Path("/etc/slurm/slurm.conf").exists(),
        reason="no SLURM (apt-get install slurm-wlm), a configured one, or not root",
    ),
]


def free_port() -> int:
    """A port of the loopback interface that nobody listens at."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return int(listening.getsockname()[1])


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[None]:
    """A controller and a node on this machine, by addresses of its loopback interface."""
    folder = tmp_path / "slurm"
    for name in ("state", "spool"):
        (folder / name).mkdir(parents=True)
    CONFIGURED.mkdir(parents=True)
    config = CONFIGURED / "slurm.conf"
    config.write_text(
        CONFIG.format(
            host=socket.gethostname(), address="127.0.0.1", ports=[free_port(), free_port()],
            folder=folder, cpus=len(os.sched_getaffinity(0)),
            memory=psutil.virtual_memory().total // (2 << 20),
        )
    )  # fmt: skip
    programs = []
    try:
        for name in PROGRAMS[:2]:
            log = (folder / f"{name}.log").open("wb")
            argv = [name, "-D", "-f", str(config)]
            programs.append(subprocess.Popen(argv, stdout=log, stderr=log))
        deadline = time.monotonic() + 30
        while "idle" not in _said("sinfo", "--noheader", "--format=%t"):
            assert time.monotonic() < deadline, "".join(
                file.read_text() for file in folder.glob("*.log")
            )
            time.sleep(0.2)
        yield
    finally:
        for program in reversed(programs):
            program.terminate()
            with suppress(subprocess.TimeoutExpired):
                program.wait(20)
            program.kill()
        shutil.rmtree(CONFIGURED.parent)


def _said(*argv: str) -> str:
    return subprocess.run(argv, capture_output=True, text=True, timeout=20, check=False).stdout


@pytest.mark.usefixtures("cluster")
@pytest.mark.timeout(580)
def test_cells_are_jobs_with_a_node_to_themselves(copy: Path) -> None:
    profile = copy / "config" / "profiles" / "smoke.yaml"
    text = profile.read_text()
    profile.write_text(text.replace("levels:\n", "levels:\n  tool: [mogwai, hawk]\n"))
    folder = ROOT / "workflow" / "profiles" / "slurm"
    argv = ["snakemake", "--workflow-profile", str(folder), "--until", "cell"]
    argv += ["--set-threads", "cell=2", "--default-resources", "mem_mb=4000", "runtime=30"]
    argv += ["--config", "profile=smoke", "--latency-wait", "10"]
    argv += ["--slurm-init-seconds-before-status-checks", "5", "--slurm-status-command", "squeue"]
    done = subprocess.run(
        argv, cwd=copy, env=environment(), capture_output=True, text=True, timeout=500, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    jobs = _said("scontrol", "show", "jobs", "--oneliner").splitlines()
    measured = [job for job in jobs if "OverSubscribe=NO" in job]
    files = list(copy.glob("data/raw/model-queries/smoke/*/*/i00/cell.json"))
    assert len(files) == 3 and len(measured) >= 3, jobs
    for file in files:
        record = json.loads(file.read_text())
        assert record["outcomes"]["measure"] == {"ok": 10}
        assert record["provenance"]["machine"]["name"] == socket.gethostname()
    assert ours(copy) == []
