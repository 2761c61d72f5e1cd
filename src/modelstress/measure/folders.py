"""Folders of one invocation: where it is measured, what is kept of a run that did not end well.

``i00.work``        while it runs: configuration, logs, the clients' files, the server's copy
``i00``             finished: ``samples.parquet`` and, written last, ``cell.json``
``i00.aborted-<n>`` what was measured and logged by a run that did not finish
``i00.invalid-<n>`` an invalid measurement that was measured again
``.i00.replaced-<n>`` an older measurement that a newer one has replaced
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
import shutil
import socket
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from modelstress.config.errors import BusyError, MeasureError
from modelstress.config.tool import SERVER
from modelstress.hosts import clearing
from modelstress.measure import dumps
from modelstress.samples.files import read_plain

OWNER = "owner.json"
SERVER_COPY = "server"
NODE = "node-"
TEMPORARY = "tmp"
THREAD_DUMPS = "threads-*.txt"
ATTEMPT = ".invalid-"


def finished(folder: Path) -> bool:
    """Whether an invocation was measured and written completely."""
    return (folder / "cell.json").is_file() and (folder / "samples.parquet").is_file()


def is_attempt(folder: Path) -> bool:
    """Whether this is an invalid measurement that was set aside and measured again."""
    return ATTEMPT in folder.name


def work_folder(folder: Path) -> Path:
    """Where the invocation of ``folder`` is measured: beside it, so that a rename is enough."""
    return folder.with_name(f"{folder.name}.work")


def new_mark(folder: Path) -> str:
    """A mark for everything that a run of this invocation starts: random, and the folder's own.

    Half of it is a hash of the folder's path: an ``owner.json`` that somebody else has put there
    cannot name the programs of another run.
    """
    return f"{secrets.token_hex(8)}{_own(folder)}"


def _own(folder: Path) -> str:
    return hashlib.sha256(str(folder.resolve()).encode(errors="surrogateescape")).hexdigest()[:16]


@dataclass(frozen=True)
class Owner:
    """The run that a work folder belongs to, as its ``owner.json`` says.

    Attributes:
        mark: of everything that it starts.
        executor: what else there may be to clean up.
        contexts: Docker daemons that it uses.
        host, boot: name and boot id of its controller's machine. A pod has a name of its own.
        pid: of its controller.
    """

    mark: str
    executor: str = "process"
    contexts: tuple[str, ...] = ()
    host: str = field(default_factory=socket.gethostname)
    boot: str = field(default_factory=lambda: _boot())
    pid: int = field(default_factory=os.getpid)

    @property
    def is_here(self) -> bool:
        """Whether its controller runs, or ran, on this machine."""
        return self.host == socket.gethostname() or self.boot == _boot() != ""


def make_work(folder: Path, owner: Owner, nodes: Sequence[str] = (SERVER_COPY,)) -> Path:
    """Create the work folder; its owner is noted for ``recover``.

    Args:
        folder: of the invocation.
        owner: of the run.
        nodes: names of folders to make in it, one for each node.

    Raises:
        MeasureError: the folder cannot be made or written.
    """
    work = work_folder(folder)
    try:
        for name in (*nodes, TEMPORARY):
            (work / name).mkdir(parents=True)
        (work / OWNER).write_text(json.dumps(asdict(owner)), encoding="utf-8")
    except OSError as error:
        raise MeasureError(
            f"{work}: cannot be written: {error.strerror}; check rights and free space"
        ) from error
    return work


def recover(folder: Path) -> str | None:
    """Clean up after a run of this invocation that was killed. Call it with the host lock held.

    Its processes are killed; what its clients had measured is kept (``i00.aborted-<n>``), the rest
    is deleted. Only files of this invocation are touched.

    Returns:
        What was found, for people; None when there was nothing.

    Raises:
        BusyError: the work folder belongs to a run on another host.
    """
    work = work_folder(folder)
    findings = []
    for file in folder.glob(".tmp-*"):
        file.unlink()
        findings.append("an unfinished file deleted")
    if work.is_dir():
        owner = _owner(work)
        if owner is not None and not owner.is_here:
            raise BusyError(
                f"{work}: host {owner.host!r} measures this cell, or was killed; if it does not "
                "run any more, delete that folder"
            )
        findings += _clear(owner, folder) if owner else []
        dumps.forget(work)
        if not finished(folder):
            for file in [*folder.glob("*")]:  # all that it had written before it was killed
                file.rename(work / file.name)
        if any(work.glob("client-*.mssf")) and not _written_since(work, folder):
            findings.append(f"its samples are in {keep_aborted(folder).name}")
        else:
            shutil.rmtree(work)
            findings.append("its work folder deleted")
    return f"an earlier run did not end: {', '.join(findings)}" if findings else None


def clear_dead(raw: Path) -> list[str]:
    """Remove the containers of this machine's controllers that were killed, whatever they measured.

    They would run beside what is measured next. Processes end with their controller; the work
    folders stay for ``recover``, which keeps what was measured.

    Args:
        raw: ``data/raw``.

    Returns:
        What was found, for people.
    """
    findings = []
    for file in raw.glob(f"*/*/*/*/*.work/{OWNER}"):
        owner = _owner(file.parent)
        if owner and owner.executor == "docker" and owner.is_here and not _runs(owner):
            findings += _clear(owner, file.parent.with_name(file.parent.name.removesuffix(".work")))
    return findings


def _clear(owner: Owner, folder: Path) -> list[str]:
    """Remove what a run of this folder left; nothing for a mark that is not of this folder."""
    if re.fullmatch(r"[0-9a-f]{16}" + _own(folder), owner.mark) is None:
        return ["its owner.json names another run, nothing was killed"]
    return clearing.clear(owner.mark, owner.executor, owner.contexts)


def _runs(owner: Owner) -> bool:
    """Whether a controller of this machine is there; of another boot it cannot be."""
    return owner.boot == _boot() and Path(f"/proc/{owner.pid}").exists()


def keep_aborted(folder: Path) -> Path:
    """Keep the work folder, without the nodes' copies of the store, under the next free number."""
    work = work_folder(folder)
    others = [node_folder for node_folder in work.glob(f"{NODE}*") if node_folder.is_dir()]
    for scratch in (work / SERVER_COPY, work / TEMPORARY, *others):
        shutil.rmtree(scratch, ignore_errors=True)
    kept = _free(folder.with_name(f"{folder.name}.aborted-"))
    work.rename(kept)
    return kept


def node_files(node: str) -> str:
    """What a node's folder is called in the work folder, and what its files' names begin with."""
    return SERVER_COPY if node == SERVER else f"{NODE}{node}"


def remove_work(folder: Path) -> None:
    """Delete the work folder of an invocation whose samples are safe.

    Raises:
        MeasureError: something in it cannot be deleted.
    """
    try:
        shutil.rmtree(work_folder(folder))
    except OSError as error:
        raise MeasureError(
            f"{work_folder(folder)}: cannot be deleted: {error}; delete it by hand"
        ) from error


def set_aside(folder: Path) -> None:
    """Make room for a new measurement of an invocation; the old one is kept, hidden.

    Also one that has lost a file: what is left of it was measured.
    """
    if folder.is_dir() and any(folder.iterdir()):
        folder.rename(_free(folder.with_name(f".{folder.name}.replaced-")))


def attempts(folder: Path) -> list[Path]:
    """Invalid measurements of this invocation that were set aside, in order."""
    return sorted(folder.parent.glob(f"{folder.name}{ATTEMPT}[0-9]*"))


def keep_attempt(folder: Path) -> Path:
    """Set an invalid measurement aside, as it is: ``i<NN>.invalid-<n>``, n from 1.

    Numbers go on behind the highest one: somebody may have deleted an earlier attempt.
    """
    numbers = [attempt.name.rpartition("-")[2] for attempt in attempts(folder)]
    last = max((int(number) for number in numbers if number.isdecimal()), default=0)
    kept = folder.with_name(f"{folder.name}{ATTEMPT}{last + 1}")
    folder.rename(kept)
    return kept


def hide_attempts(folder: Path) -> None:
    """Set the attempts of an older measurement aside, which is to be measured anew."""
    for attempt in attempts(folder):
        attempt.rename(_free(attempt.with_name(f".{attempt.name}.replaced-")))


def _written_since(work: Path, folder: Path) -> bool:
    """Whether the run of this work folder had finished, all but for deleting it."""
    try:
        begun = (work / OWNER).stat().st_mtime_ns
        return finished(folder) and (folder / "cell.json").stat().st_mtime_ns >= begun
    except OSError:
        return False


def _free(stem: Path) -> Path:
    number = 0
    while (path := stem.with_name(f"{stem.name}{number}")).exists():
        number += 1
    return path


def _owner(work: Path) -> Owner | None:
    """The run that made a work folder; None where that cannot be read."""
    try:
        owner = json.loads(read_plain(work / OWNER))
        contexts = tuple(map(str, owner.get("contexts", ())))
        return Owner(
            str(owner["mark"]), str(owner.get("executor", "process")), contexts,
            str(owner["host"]), str(owner.get("boot", "")), int(owner.get("pid", 0)),
        )  # fmt: skip
    except (
        MeasureError,
        ValueError,
        LookupError,
        TypeError,
        AttributeError,
        OverflowError,
        RecursionError,
    ):
        return None


def _boot() -> str:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return ""
