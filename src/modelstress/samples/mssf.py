"""Reader of the client programs' binary sample files (docs/contracts.md, "Sample files")."""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from modelstress.config.errors import MeasureError
from modelstress.samples.schema import SCHEMA

_TYPES = {
    "uint8": "<u1",
    "int16": "<i2",
    "uint16": "<u2",
    "int32": "<i4",
    "uint32": "<u4",
    "int64": "<i8",
    "uint64": "<u8",
}


@dataclass(frozen=True)
class Mssf:
    """An MSSF file in memory.

    Attributes:
        records: structured array, one element per record, finished or not.
        dictionaries: dictionary name to its words.
        coded: column to the dictionary that its numbers index.
        meta: whatever the writer added.
    """

    records: np.ndarray[Any, Any]
    dictionaries: dict[str, list[str]]
    coded: dict[str, str]
    meta: dict[str, Any]


def read_mssf(path: Path) -> Mssf:
    """Read an MSSF file, also one whose writer was killed.

    Raises:
        MeasureError: not an MSSF file, another version, or a damaged header.
    """
    data = path.read_bytes()
    if len(data) < 12 or data[:4] != b"MSSF":
        raise MeasureError(f"{path}: not a sample file (no MSSF at its beginning)")
    version, length = struct.unpack_from("<II", data, 4)
    if version != 1:
        raise MeasureError(f"{path}: MSSF version {version}; this program reads version 1")
    try:
        header = json.loads(data[12 : 12 + length])
        columns = header["columns"]
        dtype = np.dtype(
            {
                "names": [c["name"] for c in columns],
                "formats": [_TYPES[c["type"]] for c in columns],
                "offsets": [c["offset"] for c in columns],
                "itemsize": header["record_size"],
            }
        )
    except (ValueError, KeyError, TypeError) as error:
        raise MeasureError(f"{path}: damaged header: {error}") from error
    start = -(-(12 + length) // 64) * 64
    count = max(0, len(data) - start) // dtype.itemsize
    return Mssf(
        records=np.frombuffer(data, dtype=dtype, count=count, offset=start),
        dictionaries=header["dictionaries"],
        coded={c["name"]: c["dictionary"] for c in columns if "dictionary" in c},
        meta=header.get("meta", {}),
    )


def samples_table(file: Mssf) -> pa.Table:
    """The finished executions of a sample file, in order of their start.

    Returns:
        A table with ``SCHEMA``.
    """
    words = file.dictionaries["outcome"]
    records = file.records[file.records["outcome"] != words.index("")]
    records = records[np.argsort(records["start_ns"], kind="stable")]
    arrays = []
    for field in SCHEMA:
        values = np.ascontiguousarray(records[field.name])
        if field.name in file.coded:
            dictionary = pa.array(file.dictionaries[file.coded[field.name]], pa.string())
            arrays.append(pa.DictionaryArray.from_arrays(values.astype("int32"), dictionary))
        else:
            arrays.append(pa.array(values, field.type))
    return pa.Table.from_arrays(arrays, schema=SCHEMA)


def ids_table(file: Mssf) -> pa.Table:
    """The id map of a store: columns ``id`` (int64 or text) and ``index`` (int64)."""
    ids = file.records["id"]
    if "id" in file.coded:
        words = np.asarray(file.dictionaries[file.coded["id"]], dtype=object)
        ids = words[ids]
    return pa.table({"id": ids, "index": np.ascontiguousarray(file.records["index"])})
