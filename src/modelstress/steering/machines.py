"""How machines differ by their anchors: the same configurations, measured on each."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow.compute as pc

from modelstress.config.errors import MeasureError
from modelstress.measure.verify_dataset import SAMPLES
from modelstress.samples.formats import format_of, record_today
from modelstress.samples.record import read_record
from modelstress.samples.tables import read_samples
from modelstress.steering.anchors import ANCHORS

if TYPE_CHECKING:  # late: statistics take longer to import than a coordinator to start
    from modelstress.stats.results import Interval


@dataclass(frozen=True)
class MachineRatio:
    """A machine's latencies against the mean of all machines.

    Attributes:
        machine: its name.
        ratio: geometric mean over anchors of its median latency by that of all machines.
        interval: of the ratio, over anchors; None with one anchor.
        anchors: how many it has measured.
        starts: in how many starts.
    """

    machine: str
    ratio: float
    interval: Interval | None
    anchors: int
    starts: int


def ratios(
    data_dir: Path, study: str, profile: str, confidence: float = 0.95
) -> list[MachineRatio]:
    """The ratio of each machine, by its anchors that other machines have, too.

    Invalid starts are in nothing. Anchors are the replicates: what two machines differ by in one
    configuration says little about another.

    Args:
        data_dir: ``data`` of a project.
        study: name.
        profile: name.
        confidence: of the intervals.
    """
    from modelstress.stats.estimates import estimates
    from modelstress.stats.results import Interval

    found: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for folder in sorted((data_dir / "steering" / study / profile / ANCHORS).glob("*/*/i*/")):
        if "." in folder.name:  # an attempt
            continue
        named = median_ms(folder)
        if named is not None:
            machine, value = named
            found[folder.parent.name][machine].append(math.log(value))
    differences: dict[str, list[float]] = defaultdict(list)
    counts: dict[str, int] = defaultdict(int)
    for machines in found.values():
        means = {machine: float(np.mean(logs)) for machine, logs in machines.items()}
        if len(means) < 2:
            continue
        centre = float(np.mean([*means.values()]))
        for machine, mean in means.items():
            differences[machine].append(mean - centre)
            counts[machine] += len(machines[machine])
    made = []
    for machine in sorted(differences):
        [one] = estimates([np.array(differences[machine])], confidence)
        interval = one.interval
        if interval is not None:
            interval = Interval(
                math.exp(interval.low), math.exp(interval.high), interval.confidence,
                interval.coverage,
            )  # fmt: skip
        anchors = len(differences[machine])
        made.append(MachineRatio(machine, math.exp(one.value), interval, anchors, counts[machine]))
    return made


def median_ms(folder: Path) -> tuple[str, float] | None:
    """Machine and median latency of a valid invocation; None where it has none."""
    try:
        record = read_record(folder / "cell.json")
        if not record.get("validity", {}).get("valid", True):
            return None
        machine = str(((record.get("provenance") or {}).get("machine") or {}).get("name") or "")
        value = median_of(folder, record)
    except (OSError, MeasureError):
        return None
    return None if value is None else (machine, value)


def median_of(folder: Path, record: dict[str, object]) -> float | None:
    """Median latency (ms) of the right measured executions; None with histograms or none.

    Raises:
        MeasureError: the samples are damaged.
    """
    if record.get("samples") == "histogram":
        return None
    names = ["duration_ns", "outcome", "phase"]
    table = read_samples(folder / SAMPLES, format_of(record_today(record)), names)
    wanted = pc.and_(
        pc.equal(table["outcome"].cast("string"), "ok"),
        pc.equal(table["phase"].cast("string"), "measure"),
    )
    ok = table.filter(wanted)["duration_ns"]
    return float(np.median(ok.to_numpy())) / 1e6 if len(ok) else None


def sentence(found: list[MachineRatio]) -> str:
    """The ratios for people; empty with fewer than two machines."""
    parts = []
    for one in found:
        words = ""
        if one.interval is not None:
            words = f" ({one.interval.low:.2f}–{one.interval.high:.2f})"
        parts.append(f"{one.machine} {one.ratio:.2f}{words}")
    return (
        f"machines by their anchors, latency against the mean: {', '.join(parts)}" if parts else ""
    )
