"""Write-once files: temporary name, fsync, rename."""

from __future__ import annotations

import errno
import json
import os
import secrets
import stat
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from modelstress.config.errors import MeasureError

if TYPE_CHECKING:
    import pyarrow as pa

TEMPORARY = ".tmp-"
"""Prefix of files that are being written; what is found of an earlier run is left-over."""
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def write_once(path: Path, write: Callable[[Path], None]) -> None:
    """Let ``write`` fill a temporary file, then give it its name, durably.

    Raises:
        MeasureError: the disk is full or the folder cannot be written; nothing is left under
            ``path`` then.
    """
    # nobody else can plant a link of this name in a folder that a container shares
    temporary = path.with_name(f"{TEMPORARY}{secrets.token_hex(8)}-{path.name}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        os.close(os.open(temporary, _NEW, 0o666))
        write(temporary)
        _sync(temporary)
        temporary.rename(path)
        _sync(path.parent)
    except OSError as error:
        _forget(temporary)
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise MeasureError(
                f"{path}: the disk is full; free some space and run the same command again"
            ) from error
        raise MeasureError(f"{path}: cannot be written: {error.strerror or error}") from error
    except BaseException:
        _forget(temporary)
        raise


def _sync(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on the disk; never through a link."""
    fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def _forget(temporary: Path) -> None:
    with suppress(OSError):  # such as a name too long, or a file in the place of a folder
        temporary.unlink(missing_ok=True)


def read_plain(path: Path) -> bytes:
    """Content of a file that another program wrote, perhaps one in a container.

    Raises:
        MeasureError: there is a link, a pipe or a folder in its place, or it cannot be read.
    """
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(fd, "rb") as stream:
            if stat.S_ISREG(os.fstat(fd).st_mode):
                return stream.read()
    except OSError as error:
        if error.errno != errno.ELOOP:
            raise MeasureError(f"{path}: cannot be read: {error.strerror or error}") from error
    raise MeasureError(f"{path}: is no plain file; look at what put it there, and delete it")


def write_json(path: Path, data: Any) -> None:
    """Write ``data`` as JSON, durably and all at once."""
    write_text(path, json.dumps(data, indent=2, sort_keys=False, ensure_ascii=False) + "\n")


def write_text(path: Path, text: str) -> None:
    """Write ``text``, durably and all at once."""
    write_once(path, lambda temporary: _ignore(temporary.write_text(text, encoding="utf-8")))


def read_json(path: Path) -> dict[str, Any]:
    """Read a JSON object; empty when the file is not there, damaged or no object."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}


def write_parquet(path: Path, table: pa.Table, ascending: Sequence[str] = ()) -> None:
    """Write ``table`` as Parquet (zstd), durably and all at once.

    Without statistics of its columns, which hold the least and the largest value of each: of a
    column of histograms they would be most of the file.

    Args:
        path: of the file.
        table: its content.
        ascending: columns of integers of which each is near to the one before, such as times:
            differences are written (``DELTA_BINARY_PACKED``), which takes half of the room.
    """
    import pyarrow.parquet as pq  # late: it costs every start a sixth of a second

    encoded: dict[str, Any] = {"compression": "zstd", "write_statistics": False}
    names = table.column_names
    if ascending:
        encoded["use_dictionary"] = [n for n in names if n not in ascending]
        encoded["column_encoding"] = {n: "DELTA_BINARY_PACKED" for n in names if n in ascending}
    write_once(path, lambda temporary: pq.write_table(table, temporary, **encoded))


def _ignore(_: object) -> None:
    return None
