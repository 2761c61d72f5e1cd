"""Where a number comes from: content hashes, versions, the machine."""

from __future__ import annotations

import hashlib
import os
import platform
import re
import subprocess
from functools import lru_cache
from importlib import metadata
from pathlib import Path
from typing import Any, Literal

from modelstress.samples import cgroup_limits, machine_settings

HOST = "MODELSTRESS_HOST"
"""Environment variable: name of this machine, where it is not the one that programs see (a pod)."""


def sha256_file(path: Path) -> str:
    """Hex digest of a file's content."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


@lru_cache
def sha256_jar(jar: Path) -> str:
    """Hex digest over a jar and the libraries in ``lib/`` beside it, by name and content."""
    digest = hashlib.sha256()
    for file in (jar, *sorted((jar.parent / "lib").glob("*.jar"))):
        digest.update(f"{file.name}\0{sha256_file(file)}\n".encode())
    return digest.hexdigest()


def git_state(root: Path) -> dict[str, Any]:
    """The project's commit: hash, whether files differ from it, and its persistent identifiers.

    Returns:
        ``commit`` (hex), ``dirty``, ``swhid`` of the commit and ``swhid_directory`` of its tree;
        each None where it is not known.
    """

    def git(*arguments: str) -> str | None:
        try:
            done = subprocess.run(
                ["git", "-C", str(root), *arguments],
                capture_output=True, text=True, timeout=20, check=False,
            )  # fmt: skip
        except (OSError, subprocess.TimeoutExpired):
            return None
        return done.stdout.strip() if done.returncode == 0 else None

    status = git("status", "--porcelain", "--untracked-files=no")
    commit, _, tree = (git("rev-parse", "HEAD", "HEAD^{tree}") or "").partition("\n")
    return {
        "commit": commit or None,
        "dirty": None if status is None else bool(status),
        "swhid": swhid("rev", commit),
        "swhid_directory": swhid("dir", tree),
    }


def swhid(kind: Literal["rev", "dir"], digest: str) -> str | None:
    """The SoftWare Hash IDentifier (ISO/IEC 18670) of a git commit or tree.

    It holds git's own SHA-1. None where the digest is no such one: a repository may use SHA-256.
    """
    return f"swh:1:{kind}:{digest}" if re.fullmatch(r"[0-9a-f]{40}", digest) else None


def machine() -> dict[str, Any]:
    """Name, boot, kernel, CPU model, CPUs, memory, cgroup limits and settings of this host.

    `cpus` are the machine's, whichever of them this process may use: the controller pins itself
    before it measures. `boot` is the same until the machine is started again.
    """
    return {
        "name": os.environ.get(HOST) or platform.node(),
        "boot": _boot(),
        "kernel": platform.release(),
        "system": platform.system(),
        "cpu_model": _field(Path("/proc/cpuinfo"), "model name"),
        "cpus": online_cpus(),
        "memory": _field(Path("/proc/meminfo"), "MemTotal"),
        "cgroup": cgroup_limits.limits(),
        "settings": machine_settings.settings(),
    }


def _boot(file: Path = Path("/proc/sys/kernel/random/boot_id")) -> str | None:
    """Twelve hex digits of a hash of the kernel's boot id; None where there is none."""
    try:
        return hashlib.sha256(file.read_bytes()).hexdigest()[:12]
    except OSError:
        return None


def online_cpus(listed: Path = Path("/sys/devices/system/cpu/online")) -> list[int]:
    """Numbers of the machine's CPUs that are switched on.

    Args:
        listed: the kernel's list of them, such as ``0-3,6``; where it cannot be read, they are
            counted.
    """
    try:
        text = listed.read_text(encoding="ascii").strip()
        spans = [[int(end) for end in part.split("-")] for part in text.split(",")]
    except (OSError, ValueError):
        return list(range(os.cpu_count() or 1))
    return [cpu for span in spans for cpu in range(span[0], span[-1] + 1)]


def library_versions() -> dict[str, str]:
    """Versions of the Python interpreter and of the libraries that touch the numbers."""
    names = ("modelstress", "numpy", "pyarrow", "pydantic", "psutil")
    return {"python": platform.python_version(), **{name: metadata.version(name) for name in names}}


def _field(path: Path, name: str) -> str | None:
    try:
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
            key, _, value = line.partition(":")
            if key.strip() == name:
                return value.strip()
    except OSError:
        return None
    return None
