"""Parts of executions that client programs were told, kept beside the samples.

Imported late, like ``record_writer``.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from modelstress.config.errors import MeasureError
from modelstress.measure.clients import ClientEnd
from modelstress.samples.files import write_parquet
from modelstress.samples.parts import PARTS, file_of, names_of, read_parts


def write(folder: Path, clients: Sequence[ClientEnd]) -> dict[str, Any]:
    """Write ``parts.parquet`` where clients have left parts of their executions.

    Returns:
        ``parts`` for ``cell.json``: their names, and how many executions have some; or why they
        cannot be read, which speaks against no sample. Nothing where there are none.

    Raises:
        MeasureError: the disk is full or the folder cannot be written.
    """
    files = [file for client in clients if (file := file_of(client.samples)).is_file()]
    if not files:
        return {}
    try:
        tables = [read_parts(file) for file in files]
        table = pa.concat_tables(tables)
    except (MeasureError, pa.ArrowException) as error:
        return {"parts": {"damaged": str(error)}}
    write_parquet(folder / PARTS, table)
    return {"parts": {"names": names_of(table), "executions": table.num_rows}}
