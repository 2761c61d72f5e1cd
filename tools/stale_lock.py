"""Lets `make run` go on after a Snakemake that was killed.

A killed Snakemake (kill -9, the machine's out-of-memory killer) leaves its locks, and every later
run of the workflow ends with an error until somebody unlocks it. Its temporary folder stays too.
This program removes both where no Snakemake of the project lives any more; `holder.json`, written
when the workflow starts (workflow/Snakefile), says which process that was. A `modelstress run` of
the killed Snakemake goes on to its end and finishes its cell: the host's lock makes the next run
wait for it, and what it has measured is not measured again.
"""

from __future__ import annotations

import json
import shutil
import socket
import sys
import tempfile
from pathlib import Path

HOLDER = "holder.json"
BUSY = 5


def main(project: Path) -> int:
    """Remove what is left of dead runs; 5 when there is one that may live."""
    folder = project / ".snakemake"
    holder = _read(folder / HOLDER)
    locks = sorted((folder / "locks").glob("*.lock"))
    if not holder and not locks:
        return 0
    live = [pid for pid in _snakemakes() if _works_on(pid, project, holder.get("pid"))]
    if live:
        print(
            f"error: Snakemake works on this project already (process {live[0]}); wait until it "
            "has ended, or stop it with Ctrl-C or 'kill'",
            file=sys.stderr,
        )
        return BUSY
    if holder.get("host", socket.gethostname()) != socket.gethostname():
        if not locks:
            return 0
        print(
            f"error: Snakemake on host {holder['host']!r} (process {holder.get('pid')}) works on "
            "this project, or was killed there; if it does not run any more, type "
            "'.venv/bin/snakemake --unlock'",
            file=sys.stderr,
        )
        return BUSY
    for lock in locks:
        lock.unlink(missing_ok=True)
    if locks:
        print("the lock of a Snakemake that was killed is removed", file=sys.stderr)
    for name in _texts(holder.get("temporary")):
        path = Path(name)
        ours = path.parent == Path(tempfile.gettempdir()) and path.name.startswith("snakemake")
        if ours and path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
    (folder / HOLDER).unlink(missing_ok=True)
    return 0


def _read(path: Path) -> dict[str, object]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _texts(value: object) -> list[str]:
    return [str(each) for each in value] if isinstance(value, list) else []


def _snakemakes() -> list[int]:
    """Processes of this machine whose program or script is Snakemake."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes().split(b"\0")[:3]
            state = (process / "stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            continue  # it has ended, or is nobody's to look at
        if state != "Z" and any(
            Path(word.decode(errors="replace")).name == "snakemake" for word in words
        ):
            found.append(int(process.name))
    return found


def _works_on(pid: int, project: Path, noted: object) -> bool:
    """Whether a process works on the project.

    Where it works is not told of another user's; it does if it is the one that noted itself.
    """
    try:
        return Path(f"/proc/{pid}/cwd").resolve(strict=True) == project.resolve()
    except PermissionError:
        return pid == noted
    except OSError:
        return False


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
