"""What was seen of an invocation once all its programs have ended."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from modelstress.measure.clients import ClientEnd
from modelstress.measure.invariants import Held
from modelstress.measure.load import LoadEnd
from modelstress.measure.servers import ServerEnd

SpinRate = dict[str, float] | None
"""Result of a calibration; None when it gave none."""


@dataclass(frozen=True)
class Observed:
    """What ``cell.json`` is made of, besides the samples.

    Attributes:
        provenance: see ``record_writer.provenance``.
        servers: nodes, stopped; none where the server is somebody else's.
        clients: stopped.
        load: how the load ended.
        calibrations: before and after the load.
        invariants: what came of them.
    """

    provenance: Mapping[str, Any]
    servers: tuple[ServerEnd, ...]
    clients: tuple[ClientEnd, ...]
    load: LoadEnd
    calibrations: tuple[SpinRate, SpinRate]
    invariants: tuple[Held, ...] = ()
