"""Reader of the client programs' binary sample files (docs/contracts.md, "Sample files")."""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import pyarrow as pa
from pydantic import BaseModel, ConfigDict, Field, model_validator

from modelstress.config.errors import MeasureError
from modelstress.config.outcomes import OUTCOMES
from modelstress.samples.files import read_plain
from modelstress.samples.formats import FORMAT, outcomes_today
from modelstress.samples.schema import LATER, PHASES, SCHEMA

MOST_RECORD = 1 << 16
"""Bytes of one record."""
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
        path: of the file, for messages.
        records: structured array, one element per record, finished or not.
        dictionaries: dictionary name to its words.
        coded: column to the dictionary that its numbers index.
        meta: whatever the writer added.
        written: format of the words of samples (``formats``).
    """

    path: Path
    records: np.ndarray[Any, Any]
    dictionaries: dict[str, list[str]]
    coded: dict[str, str]
    meta: dict[str, Any]
    written: int


class _Column(BaseModel):
    """A column as the header describes it."""

    model_config = ConfigDict(strict=True)

    name: str
    type: Literal["uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
    offset: Annotated[int, Field(ge=0, lt=MOST_RECORD)]
    dictionary: str | None = None


class _Header(BaseModel):
    """The header of a file."""

    model_config = ConfigDict(strict=True)

    record_size: Annotated[int, Field(ge=1, le=MOST_RECORD)]
    format: Annotated[int, Field(ge=1, le=FORMAT)] = 1
    columns: list[_Column]
    dictionaries: dict[str, list[str]]
    meta: dict[str, Any] = {}

    @model_validator(mode="after")
    def _fits(self) -> _Header:
        names = [column.name for column in self.columns]
        if len(set(names)) != len(names):
            raise ValueError("two columns of one name")
        for column in self.columns:
            if column.offset + np.dtype(_TYPES[column.type]).itemsize > self.record_size:
                raise ValueError(f"column {column.name} does not fit into a record")
            if column.dictionary is not None and column.dictionary not in self.dictionaries:
                raise ValueError(f"no dictionary {column.dictionary}")
        for words in self.dictionaries.values():
            "".join(words).encode()  # half of a surrogate pair is no text, though JSON can say it
        return self


def read_mssf(path: Path) -> Mssf:
    """Read an MSSF file, also one whose writer was killed. Links are not followed.

    Raises:
        MeasureError: not an MSSF file, another version, or a damaged header; what the header says
            of columns and dictionaries holds for every record then.
    """
    data = read_plain(path)
    if len(data) < 12 or data[:4] != b"MSSF":
        raise MeasureError(f"{path}: not a sample file (no MSSF at its beginning)")
    version, length = struct.unpack_from("<II", data, 4)
    if version != 1:
        raise MeasureError(f"{path}: MSSF version {version}; this program reads version 1")
    try:
        header = _Header.model_validate(json.loads(data[12 : 12 + length]))
        columns = header.columns
        dtype = np.dtype(
            {
                "names": [c.name for c in columns],
                "formats": [_TYPES[c.type] for c in columns],
                "offsets": [c.offset for c in columns],
                "itemsize": header.record_size,
            }
        )
    except (ValueError, RecursionError) as error:  # a ValidationError is a ValueError
        message = str(error).replace("\n", " ")
        raise MeasureError(f"{path}: damaged header: {message[:200]}") from error
    start = -(-(12 + length) // 64) * 64
    count = max(0, len(data) - start) // dtype.itemsize
    return Mssf(
        path=path,
        # a file that ends in its header has no records
        records=np.frombuffer(data, dtype=dtype, count=count, offset=min(start, len(data))),
        dictionaries=header.dictionaries,
        coded={c.name: c.dictionary for c in columns if c.dictionary is not None},
        meta=header.meta,
        written=header.format,
    )


def samples_table(file: Mssf) -> pa.Table:
    """The finished executions of a sample file, in order of their start.

    Returns:
        A table with ``SCHEMA`` and today's outcomes.

    Raises:
        MeasureError: its columns are not those of samples, or a number stands for no word.
    """
    _check_samples(file)
    words = file.dictionaries[file.coded["outcome"]]
    records = file.records[file.records["outcome"] != words.index("")]
    records = records[np.argsort(records["start_ns"], kind="stable")]
    arrays = []
    for field in SCHEMA:
        if _absent(file, field.name):
            values = np.full(len(records), LATER[field.name])
            arrays.append(pa.array(values, field.type))
            continue
        values = np.ascontiguousarray(records[field.name])
        if field.name in file.coded:
            _check_codes(file, field.name, values)
            column_words = file.dictionaries[file.coded[field.name]]
            if field.name == "outcome":
                column_words = outcomes_today(column_words, file.written)
            dictionary = pa.array(column_words, pa.string())
            arrays.append(pa.DictionaryArray.from_arrays(values.astype("int32"), dictionary))
        else:
            arrays.append(pa.array(values, field.type))
    return pa.Table.from_arrays(arrays, schema=SCHEMA)


def _check_samples(file: Mssf) -> None:
    """Refuse a file whose columns are not those of docs/contracts.md."""
    fields = file.records.dtype.fields or {}
    for field in SCHEMA:
        coded = pa.types.is_dictionary(field.type)
        if _absent(file, field.name):
            continue
        if field.name not in fields or coded != (field.name in file.coded):
            raise MeasureError(f"{file.path}: damaged: no column {field.name} of samples")
        if not coded and fields[field.name][0] != np.dtype(field.type.to_pandas_dtype()):
            raise MeasureError(f"{file.path}: damaged: column {field.name} is of another type")
    words = {name: file.dictionaries[file.coded[name]] for name in ("outcome", "phase")}
    if not {*words["outcome"]} <= {"", *OUTCOMES} or "" not in words["outcome"]:
        raise MeasureError(f"{file.path}: damaged: unknown outcomes")
    if not {*words["phase"]} <= {*PHASES}:
        raise MeasureError(f"{file.path}: damaged: unknown phases")
    for dictionary in words.values():
        if len(set(dictionary)) != len(dictionary):
            raise MeasureError(f"{file.path}: damaged: a word twice in a dictionary")


def _absent(file: Mssf, name: str) -> bool:
    """Whether a column is one that this older file may lack, and lacks."""
    return name in LATER and name not in (file.records.dtype.fields or {})


def _check_codes(file: Mssf, name: str, codes: np.ndarray[Any, Any]) -> None:
    """Refuse numbers that stand for no word."""
    words = file.dictionaries[file.coded[name]]
    if len(codes) and not (codes.min() >= 0 and codes.max() < len(words)):
        raise MeasureError(f"{file.path}: damaged: column {name} has numbers without a word")


def ids_table(file: Mssf) -> pa.Table:
    """The id map of a store: columns ``id`` (int64 or text) and ``index`` (int64).

    Raises:
        MeasureError: it has other columns, or a number stands for no word.
    """
    fields = file.records.dtype.fields or {}
    if "id" not in fields or fields.get("index", (None,))[0] != np.int64:
        raise MeasureError(f"{file.path}: damaged: an id map has the columns id and index (int64)")
    ids = file.records["id"]
    if "id" in file.coded:
        _check_codes(file, "id", ids)
        words = np.asarray(file.dictionaries[file.coded["id"]], dtype=object)
        ids = words[ids]
    return pa.table({"id": ids, "index": np.ascontiguousarray(file.records["index"])})
