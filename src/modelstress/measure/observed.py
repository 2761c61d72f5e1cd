"""What was seen of an invocation once all its programs have ended."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from modelstress.measure.calibration import Rates, Shared
from modelstress.measure.clients import ClientEnd
from modelstress.measure.invariants import Held
from modelstress.measure.load import LoadEnd
from modelstress.measure.run import Run
from modelstress.measure.servers import ServerEnd
from modelstress.measure.validity import Reason


class Calibrations(NamedTuple):
    """What the calibrations before and after the load found; None where one gave no result.

    Attributes:
        before, after: the load.
        shared: where the one before is the one after another start.
    """

    before: Rates | None
    after: Rates | None
    shared: Shared | None = None

    def record(self) -> dict[str, Any]:
        """For ``cell.json``."""
        found: dict[str, Any] = {"before": self.before, "after": self.after}
        return found if self.shared is None else {**found, "before_is_after": self.shared.record()}


class Part(NamedTuple):
    """One cell of a start, once its clients have ended.

    Attributes:
        run: of the cell.
        clients: its own, stopped.
        load: how its load ended.
        provenance: see ``record_writer.provenance``.
    """

    run: Run
    clients: tuple[ClientEnd, ...]
    load: LoadEnd
    provenance: Mapping[str, Any]

    @property
    def offsets_ns(self) -> dict[int, int]:
        """Client to its clock minus the controller's."""
        return {client.number: client.offset_ns or 0 for client in self.clients}


class Start(NamedTuple):
    """The start of an invocation, for ``cell.json``.

    Attributes:
        record: its random id, the cells that shared it (in the order of the plan), the slices.
        reasons: why the invocation is invalid for what another one did.
    """

    record: Mapping[str, Any]
    reasons: tuple[Reason, ...] = ()


@dataclass(frozen=True)
class Observed:
    """What ``cell.json`` is made of, besides the samples.

    Attributes:
        part: of the start: its clients and how its load ended.
        servers: nodes, stopped; none where the server is somebody else's.
        calibrations: before and after the load.
        invariants: what came of them.
        start: that it shared, or had to itself.
    """

    part: Part
    servers: tuple[ServerEnd, ...]
    calibrations: Calibrations
    invariants: tuple[Held, ...]
    start: Start

    @property
    def clients(self) -> tuple[ClientEnd, ...]:
        """Clients of the cell, stopped."""
        return self.part.clients

    @property
    def load(self) -> LoadEnd:
        """How the load ended."""
        return self.part.load
