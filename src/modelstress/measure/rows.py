"""Samples of an invocation, one row per execution."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from modelstress.config.outcomes import OUTCOMES
from modelstress.measure import collect, validity
from modelstress.measure.invariants import Held
from modelstress.measure.oracle_check import codes, outcome_counts, with_outcomes
from modelstress.samples import tables
from modelstress.samples.files import write_parquet
from modelstress.samples.schema import ALIKE, NEAR, PHASES, WARM_UP_KEPT


@dataclass(frozen=True)
class Rows:
    """All rows, verified.

    Attributes:
        table: with the samples' schema.
        unverified: operations without an expected result.
        missing: measured executions that no client had recorded, and that were filled up.
    """

    table: pa.Table
    unverified: list[str]
    missing: int

    def outcomes(self, phase: str) -> dict[str, int]:
        """Executions of a phase by outcome."""
        return outcome_counts(self.table, phase)

    def first_timeout_ns(self, offsets_ns: Mapping[int, int]) -> int | None:
        """When the first execution that timed out began, in any phase; None without one.

        Args:
            offsets_ns: client to its clock minus the controller's.
        """
        rows = self.table.filter(pc.equal(self.table["outcome"].cast(pa.string()), "timeout"))
        if not len(rows):
            return None
        shift = np.array([offsets_ns.get(int(c), 0) for c in rows["client"].to_numpy()])
        return int((rows["start_ns"].to_numpy() - shift).min())

    def by_operation(self) -> dict[str, dict[str, int]]:
        """Measured executions of each operation by outcome."""
        names = self.table["operation"].cast(pa.string())
        return {
            name: outcome_counts(self.table.filter(pc.equal(names, name)))
            for name in sorted(set(names.to_pylist()))
        }

    def judged(self, held: Sequence[Held]) -> Rows:
        """With ``incorrect`` for every ``ok`` where an invariant does not hold.

        Nobody knows which of the answers were wrong: none counts as right.
        """
        if all(invariant.holds is not False for invariant in held):
            return self
        outcome = codes(self.table, "outcome", OUTCOMES)
        outcome[outcome == OUTCOMES.index("ok")] = OUTCOMES.index("incorrect")
        return replace(self, table=with_outcomes(self.table, outcome))

    def traffic(self) -> dict[str, int | None]:
        """Payload bytes of the measured executions; None where a driver does not know them."""
        return collect.traffic(self.table)

    def window(self, offsets_ns: Mapping[int, int]) -> dict[str, int]:
        """First start and last end of the measured executions, on the controller's clock.

        Args:
            offsets_ns: client to its clock minus the controller's.
        """
        rows = self.table.filter(pc.equal(self.table["phase"].cast(pa.string()), "measure"))
        shift = np.array([offsets_ns.get(int(c), 0) for c in rows["client"].to_numpy()])
        begin = rows["start_ns"].to_numpy() - shift
        end = tables.ends_ns(rows) - shift
        return {"begin_ns": int(begin.min()), "end_ns": int(np.maximum(begin, end).max())}

    def reasons(self, offsets_ns: Mapping[int, int], *, open_loop: bool) -> list[validity.Reason]:
        """What the samples say against the cell."""
        return [
            *validity.from_samples(self.table, open_loop=open_loop),
            *validity.windows(self.table, offsets_ns),
        ]

    def write(self, folder: Path) -> None:
        """Write ``samples.parquet``: all rows but most of a long warm-up's (``thinned``).

        A column that is equal to another is left out (``ALIKE``).

        Raises:
            MeasureError: the disk is full or the folder cannot be written.
        """
        table = thinned(self.table)
        equal = [name for name, other in ALIKE.items() if table[name].equals(table[other])]
        write_parquet(folder / "samples.parquet", table.drop_columns(equal), NEAR)


def thinned(table: pa.Table) -> pa.Table:
    """Samples with at most ``WARM_UP_KEPT`` right answers of the warm-up of each client.

    Of a short query the warm-up is two thirds of all executions, and no number is made of their
    latencies: they show in the figure over time, to which so many are enough.

    Args:
        table: with the samples' schema, each client's executions in order.
    """
    warm = codes(table, "phase", PHASES) == PHASES.index("warmup")
    warm &= codes(table, "outcome", OUTCOMES) == OUTCOMES.index("ok")
    keep = ~warm
    clients = table["client"].to_numpy()
    for client in np.unique(clients[warm]):
        places = np.flatnonzero(warm & (clients == client))
        chosen = np.linspace(0, len(places) - 1, min(len(places), WARM_UP_KEPT))
        keep[places[np.rint(chosen).astype(np.int64)]] = True
    return table if keep.all() else table.filter(pa.array(keep))
