"""Samples of an invocation as histograms: verified, filled up, judged and written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow as pa

from modelstress.config.errors import MeasureError
from modelstress.design.kinds import Expected
from modelstress.measure import validity
from modelstress.measure.invariants import Held
from modelstress.samples.bins import decoded, merged
from modelstress.samples.files import write_parquet
from modelstress.samples.histograms import FILE, SCHEMA, SECOND_NS, Line
from modelstress.samples.schema import SCHEMA as ROWS


def verified(lines: Iterable[Line], oracle: Mapping[str, Expected]) -> tuple[list[Line], list[str]]:
    """Turn ``ok`` into ``incorrect`` where count or digest differ from the oracle's.

    Returns:
        All lines, and the operations with ``ok`` executions that the oracle does not know.
    """
    checked, unverified = [], set()
    for line in lines:
        expected = oracle.get(line["operation"])
        outcome = line["outcome"]
        if outcome == "ok" and expected is None:
            unverified.add(str(line["operation"]))
        elif outcome == "ok" and expected is not None:
            result = Expected(line["result_count"], line["result_digest"])
            outcome = "ok" if result == expected else "incorrect"
        checked.append({**line, "outcome": outcome})
    return checked, sorted(unverified)


def completed(
    lines: list[Line],
    *,
    invocation: int,
    client: int,
    executions: int | None,
    outcome: str,
    at_ns: int,
) -> list[Line]:
    """Add one line for all measured executions of a client that were never recorded.

    Raises:
        MeasureError: there are more measured executions than there should be.
    """
    there = sum(line["executions"] for line in lines if line["phase"] == "measure")
    if executions is None:  # only the client knew how many there would be
        return lines
    if there > executions:
        raise MeasureError(
            f"client {client}: {there} measured executions instead of {executions}; the client "
            "program breaks docs/contracts.md"
        )
    if there == executions:
        return lines
    zero = ("result_count", "result_digest", "verify_ns", "items", "think_ns")
    numbers = dict.fromkeys(zero, 0)
    unknown = {"bytes_sent": -1, "bytes_received": -1}
    texts = dict.fromkeys(("operation", "duration_ns", "lateness_ns"))
    missing = {
        "invocation": invocation,
        "client": client,
        "thread": -1,
        "second_ns": at_ns,
        "phase": "measure",
        "outcome": outcome,
        "executions": executions - there,
        "attempts": executions - there,
    }
    return [*lines, {**numbers, **unknown, **texts, **missing}]


@dataclass(frozen=True)
class Histograms:
    """All lines of all clients, verified; answers what ``Rows`` answers.

    Attributes:
        lines: with the columns of ``SCHEMA``.
        unverified: operations without an expected result.
        missing: measured executions that no client had recorded, and that were filled up.
    """

    lines: list[Line]
    unverified: list[str]
    missing: int

    def outcomes(self, phase: str) -> dict[str, int]:
        """Executions of a phase by outcome."""
        counts: Counter[str] = Counter()
        for line in self.lines:
            if line["phase"] == phase:
                counts[line["outcome"]] += line["executions"]
        return dict(counts)

    def by_operation(self) -> dict[str, dict[str, int]]:
        """Measured executions of each operation by outcome."""
        counters: dict[str, Counter[str]] = {}
        for line in self._measured():
            counts = counters.setdefault(str(line["operation"]), Counter())
            counts[line["outcome"]] += line["executions"]
        return {name: dict(counters[name]) for name in sorted(counters)}

    def judged(self, held: Sequence[Held]) -> Histograms:
        """With ``incorrect`` for every ``ok`` where an invariant does not hold."""
        if all(invariant.holds is not False for invariant in held):
            return self
        lines = [
            {**line, "outcome": "incorrect"} if line["outcome"] == "ok" else line
            for line in self.lines
        ]
        return replace(self, lines=lines)

    def traffic(self) -> dict[str, int | None]:
        """Payload bytes of the measured executions; None where a driver does not know them."""
        sums: dict[str, int | None] = {}
        for column in ("bytes_sent", "bytes_received"):
            byte_counts = [line[column] for line in self._measured()]
            sums[column] = None if not byte_counts or min(byte_counts) < 0 else sum(byte_counts)
        return sums

    def window(self, offsets_ns: Mapping[int, int]) -> dict[str, int]:
        """Begin of the first and end of the last second, on the controller's clock."""
        spans = self._spans(offsets_ns).values()
        return {"begin_ns": min(b for b, _ in spans), "end_ns": max(e for _, e in spans)}

    def reasons(self, offsets_ns: Mapping[int, int], *, open_loop: bool) -> list[validity.Reason]:
        """What the histograms say against the cell; verification is judged by its mean."""
        good = [line for line in self._measured() if line["outcome"] == "ok"]
        if not good:
            return [validity.nothing_ok()]
        median = merged(decoded(line["duration_ns"]) for line in good).median()
        late = 0.0
        if open_loop:
            late = merged(decoded(line["lateness_ns"]) for line in good).quantile(0.99)
        cost = sum(line["verify_ns"] for line in good) / sum(line["executions"] for line in good)
        return [
            *validity.lateness(late, median),
            *validity.verification(cost, median),
            *validity.overlap(list(self._spans(offsets_ns).values())),
        ]

    def write(self, folder: Path) -> None:
        """Write ``histograms.parquet`` and a ``samples.parquet`` without rows.

        Raises:
            MeasureError: the disk is full or the folder cannot be written.
        """
        write_parquet(folder / FILE, pa.Table.from_pylist(self.lines, SCHEMA))
        write_parquet(folder / "samples.parquet", ROWS.empty_table())

    def _measured(self) -> list[Line]:
        return [line for line in self.lines if line["phase"] == "measure"]

    def _spans(self, offsets_ns: Mapping[int, int]) -> dict[int, tuple[int, int]]:
        """Client to begin and end of what it measured, to the second."""
        spans: dict[int, tuple[int, int]] = {}
        for line in self._measured():
            client = int(line["client"])
            at = int(line["second_ns"]) - offsets_ns.get(client, 0)
            begin, end = spans.get(client, (at, at))
            spans[client] = min(begin, at), max(end, at + SECOND_NS)
        return spans
