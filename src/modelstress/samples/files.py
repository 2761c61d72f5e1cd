"""Write-once files: temporary name, fsync, rename."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from modelstress.config.errors import MeasureError

if TYPE_CHECKING:
    import pyarrow as pa

TEMPORARY = ".tmp-"
"""Prefix of files that are being written; what is found of an earlier run is left-over."""


def write_once(path: Path, write: Callable[[Path], None]) -> None:
    """Let ``write`` fill a temporary file, then give it its name, durably.

    Raises:
        MeasureError: the disk is full or the folder cannot be written; nothing is left under
            ``path`` then.
    """
    temporary = path.with_name(f"{TEMPORARY}{os.getpid()}-{path.name}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write(temporary)
        with temporary.open("rb") as stream:
            os.fsync(stream.fileno())
        temporary.rename(path)
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise MeasureError(
                f"{path}: the disk is full; free some space and run the same command again"
            ) from error
        raise MeasureError(f"{path}: cannot be written: {error.strerror or error}") from error
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


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
    except (OSError, ValueError):
        return {}
    return data if isinstance(data, dict) else {}


def write_parquet(path: Path, table: pa.Table) -> None:
    """Write ``table`` as Parquet (zstd), durably and all at once."""
    import pyarrow.parquet as pq  # late: it costs every start a sixth of a second

    write_once(path, lambda temporary: pq.write_table(table, temporary, compression="zstd"))


def _ignore(_: object) -> None:
    return None
