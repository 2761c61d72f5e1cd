"""Seals: hashes of all files of an invocation in its ``cell.json``, which seals itself.

A disk, a copy or an editor that changes one byte is told from what was measured. A seal protects
against accidents: whoever wants to forge a measurement can seal the forgery.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from modelstress.config.errors import MeasureError
from modelstress.samples.provenance import sha256_file

RECORD = "cell.json"
FILES = "files"
"""Field of ``cell.json``: name to SHA-256 of every other file of the invocation."""
SEAL = "seal"
"""Field of ``cell.json``: SHA-256 of its own canonical content, this field left out."""
MEASURED = (".parquet", ".pcap")
"""Files that analysis reads: one that the record does not name belongs to something else."""


def canonical(record: Mapping[str, Any]) -> bytes:
    """The content of a record without its seal: keys sorted, no spaces, UTF-8."""
    content = {name: value for name, value in record.items() if name != SEAL}
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return text.encode("ascii")


def sealed(record: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """A record with the hashes of the files in its folder, and with its own seal.

    Raises:
        MeasureError: a file cannot be read.
    """
    files = (file for file in sorted(folder.iterdir()) if file.is_file())
    try:
        hashes = {f.name: sha256_file(f) for f in files if f.name != RECORD and f.name[0] != "."}
    except OSError as error:
        raise MeasureError(f"{folder}: cannot be sealed: {error.strerror or error}") from error
    return resealed({**record, FILES: hashes})


def resealed(record: Mapping[str, Any]) -> dict[str, Any]:
    """A record with a seal of what it says now; its hashes of files stay."""
    # as it will be read: a tuple becomes a list, a number as a key becomes text
    plain = json.loads(json.dumps({k: v for k, v in record.items() if k != SEAL}))
    return {**plain, SEAL: hashlib.sha256(canonical(plain)).hexdigest()}


def is_sealed(record: Mapping[str, Any]) -> bool:
    """Whether a record has a seal, broken or not; those of older versions have none."""
    return SEAL in record or FILES in record


def broken(record: Mapping[str, Any], folder: Path) -> list[str]:
    """What differs from what was sealed, as sentences that begin with the file's name.

    Args:
        record: the content of ``cell.json``.
        folder: of the invocation.

    Returns:
        Nothing where all is as it was, or where the record has no seal (``is_sealed``).
    """
    if not is_sealed(record):
        return []
    hashes: Any = record.get(FILES)
    if record.get(SEAL) != hashlib.sha256(canonical(record)).hexdigest() or not _named(hashes):
        return [f"{RECORD} is damaged: its content is not what its seal says"]
    reasons = [
        f"{name} is {why}"
        for name, digest in hashes.items()
        if (why := _why(folder / name, digest))
    ]
    more = sorted(p.name for p in folder.iterdir() if p.suffix in MEASURED and p.name[0] != ".")
    return reasons + [
        f"{name} is not of this invocation: {RECORD} does not name it"
        for name in more
        if name not in hashes
    ]


def _named(hashes: Any) -> bool:
    """Whether these are names of files in one folder, and texts."""
    return isinstance(hashes, dict) and all(
        isinstance(digest, str) and Path(name).name == name for name, digest in hashes.items()
    )


def _why(file: Path, digest: str) -> str | None:
    try:
        right = sha256_file(file) == digest
    except OSError as error:
        return f"missing or cannot be read ({error.strerror or error})"
    return None if right else f"damaged: its content is not what {RECORD} was sealed with"
