"""Identifiers of a result to the digest of its elements (docs/contracts.md, "Identity")."""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from pathlib import Path

from modelstress.config.errors import ConfigError
from modelstress.driver.plan import MASK, mix

Ids = dict[int | str, int]
_FORMATS = {"uint32": "<I", "int64": "<q", "uint64": "<Q"}


def digest(indices: Sequence[int], arity: int) -> int:
    """Digest of a bag of matches, ``arity`` indices each."""
    total = 0
    for begin in range(0, len(indices), arity):
        match = 0
        for index in indices[begin : begin + arity]:
            match = mix(match ^ (index & MASK))
        total += match
    return total & MASK


class Verifier:
    """Computes count and digest; without an id map a whole number is its own index."""

    def __init__(self, ids: Path | None) -> None:
        self._ids = None if ids is None else read_ids(ids)

    def verify(self, ids: Sequence[int] | Sequence[str], arity: int) -> tuple[int, str | None]:
        """Return the digest, and a sentence where the result cannot be right."""
        if len(ids) % arity:
            return 0, f"{len(ids)} identifiers are no multiple of the arity {arity}"
        index_of = self._ids
        indices: list[int] = []
        for identifier in ids:
            index = identifier if index_of is None else index_of.get(identifier)
            if not isinstance(index, int):
                return 0, f"identifier {identifier} is not one of the model's"
            indices.append(index)
        return digest(indices, arity), None


def read_ids(path: Path) -> Ids:
    """Read an id map (``ids.mssf``) without numpy, whose import would take longer than the rest.

    Raises:
        ConfigError: it is missing or damaged, or names an identifier twice.
    """
    try:
        data = path.read_bytes()
        magic, version, length = struct.unpack_from("<4sII", data)
        if magic != b"MSSF" or version != 1:
            raise ValueError("not an MSSF file of version 1")
        header = json.loads(data[12 : 12 + length])
        columns = {column["name"]: column for column in header["columns"]}
        key, index, size = columns["id"], columns["index"], header["record_size"]
        words = header["dictionaries"][key["dictionary"]] if key.get("dictionary") else None
        id_format, id_at = struct.Struct(_FORMATS[key["type"]]), key["offset"]
        ids: Ids = {}
        records = range(-(-(12 + length) // 64) * 64, len(data) - size + 1, size)
        for at in records:
            (name,) = id_format.unpack_from(data, at + id_at)
            (element,) = struct.unpack_from("<q", data, at + index["offset"])
            ids[name if words is None else words[name]] = element
        if len(ids) != len(records):
            raise ValueError("an identifier occurs twice")
    except (OSError, ValueError, LookupError, TypeError, struct.error) as error:
        raise ConfigError(f"ids: {path} cannot be read: {error}") from error
    return ids
