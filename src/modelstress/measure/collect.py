"""From the clients' files to one table with exactly the measured number of executions."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from modelstress.config.errors import MeasureError
from modelstress.config.outcomes import OUTCOMES
from modelstress.config.programs import WorkloadOperation
from modelstress.measure.oracle_check import codes, with_outcomes
from modelstress.samples.files import read_plain
from modelstress.samples.mssf import read_mssf, samples_table
from modelstress.samples.schema import LATER, PHASES, SCHEMA


def read_samples(file: Path) -> pa.Table:
    """The finished executions of a client's file.

    A client that was killed before it had created its file, or had written the file's header,
    has measured nothing: the table is empty then.

    Raises:
        MeasureError: the file is damaged in another way.
    """
    # The header is there only when the first 12 bytes are: they are written together with it.
    if not file.exists() and not file.is_symlink():
        return SCHEMA.empty_table()
    begin = read_plain(file)[:12]
    if len(begin) < 12 or not any(begin):
        return SCHEMA.empty_table()
    return samples_table(read_mssf(file))


def complete(
    table: pa.Table,
    *,
    invocation: int,
    client: int,
    executions: int | None,
    numbered: bool = True,
    operations: Sequence[WorkloadOperation],
    outcome: str,
    at_ns: int,
) -> pa.Table:
    """Add a row for every measured execution that never ended, so that all of them are there.

    Args:
        table: what one client recorded, all phases.
        invocation: number for the new rows.
        client: number for the new rows.
        executions: measured ones of this client; their sequence numbers are 0 … executions − 1.
            None, where only the client knew how many: those that it recorded.
        numbered: whether these are the numbers 0 to executions − 1; in windows of seconds or
            objects an execution may draw its number and begin too late.
        operations: of the workload. With several of them, which one a missing execution would have
            been is known to the client only: they are filled up in proportion to their weights.
        outcome: of the new rows.
        at_ns: start of the new rows, on the client's clock; their duration is 0, their thread −1.

    Raises:
        MeasureError: there are more measured executions than there should be, or one twice.
    """
    measured = codes(table, "phase", PHASES) == PHASES.index("measure")
    there = table["sequence"].to_numpy()[measured]
    if executions is None:
        executions = len(there)
    most = executions if numbered else executions + len(there)
    missing = np.setdiff1d(np.arange(most, dtype=np.int32), there)
    if not numbered and len(np.unique(there)) == len(there):
        missing = missing[: max(0, executions - len(there))]
    if len(there) + len(missing) != executions:
        raise MeasureError(
            f"client {client}: {len(there)} measured executions instead of {executions}, or their "
            "sequence numbers are not 0, 1, 2, …; the client program breaks docs/contracts.md"
        )
    if not len(missing):
        return table
    had = table["operation"].cast(pa.string()).to_numpy(zero_copy_only=False)[measured]
    names = _fill(had, len(missing), operations, executions)
    return pa.concat_tables([table, _rows(invocation, client, missing, names, outcome, at_ns)])


def unfinished_to_error(table: pa.Table) -> pa.Table:
    """Outcome ``error`` for what was under way when the other side died, and never ended."""
    outcome = codes(table, "outcome", OUTCOMES)
    outcome[outcome == OUTCOMES.index("unfinished")] = OUTCOMES.index("error")
    return with_outcomes(table, outcome)


def join(tables: Sequence[pa.Table]) -> pa.Table:
    """All clients' rows in one table, by client and start."""
    joined = pa.concat_tables(tables).unify_dictionaries().combine_chunks()
    return joined.sort_by([("client", "ascending"), ("start_ns", "ascending")])


def traffic(table: pa.Table) -> dict[str, int | None]:
    """Payload bytes of the measured executions; None where a driver does not know them."""
    rows = table.filter(pc.equal(table["phase"].cast(pa.string()), "measure"))
    sums = {}
    for column in ("bytes_sent", "bytes_received"):
        byte_counts = rows[column].to_numpy()
        unknown = bool((byte_counts < 0).any()) or not len(byte_counts)
        sums[column] = None if unknown else int(byte_counts.sum())
    return sums


def _fill(
    had: np.ndarray[tuple[int], np.dtype[np.object_]],
    missing: int,
    operations: Sequence[WorkloadOperation],
    executions: int,
) -> list[str]:
    """Names for the missing executions, those that are furthest below their weight first."""
    total_weight = sum(operation.weight for operation in operations)
    lacks = {
        o.name: o.weight / total_weight * executions - int((had == o.name).sum())
        for o in operations
    }
    names = []
    for _ in range(missing):
        name = max(lacks, key=lambda n: lacks[n])
        lacks[name] -= 1
        names.append(name)
    return names


def _rows(
    invocation: int,
    client: int,
    sequence: np.ndarray[tuple[int], np.dtype[np.int32]],
    names: list[str],
    outcome: str,
    at_ns: int,
) -> pa.Table:
    values: dict[str, object] = {
        "invocation": invocation,
        "client": client,
        "thread": -1,
        "intended_start_ns": at_ns,
        "start_ns": at_ns,
        "bytes_sent": -1,
        "bytes_received": -1,
        "outcome": outcome,
        "phase": "measure",
    }
    values |= LATER
    arrays = []
    for field in SCHEMA:
        if field.name == "sequence":
            arrays.append(pa.array(sequence, field.type))
        elif field.name == "operation":
            arrays.append(pa.array(names, pa.string()).dictionary_encode().cast(field.type))
        elif pa.types.is_dictionary(field.type):
            words = pa.array([str(values[field.name])] * len(names), pa.string())
            arrays.append(words.dictionary_encode().cast(field.type))
        else:
            arrays.append(pa.array([values.get(field.name, 0)] * len(names), field.type))
    return pa.Table.from_arrays(arrays, schema=SCHEMA)
