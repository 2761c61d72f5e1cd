"""Measures: what comparisons, tables, figures and sentences can be about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import AfterValidator

from modelstress.config.base import nearest
from modelstress.config.outcomes import OUTCOMES

SHARE = "share of "
"""Begin of the names of measures that are shares: `share of incorrect`."""


@dataclass(frozen=True)
class Measure:
    """A measure with its unit and direction.

    Attributes:
        name: as studies write it.
        title: in sentences, captions and columns, ``latency``.
        unit: of its values; empty: a share from 0 to 1.
        better: which direction is: ``lower`` or ``higher``.
        per: what has one value: every ``execution``, or only an ``invocation`` as a whole.
        axis: title of an axis; by default the title with its unit.
        captured: whether only captures of the network know it.
        column: of derived invocations with its values, where it is no share.
    """

    name: str
    title: str
    unit: str
    better: Literal["lower", "higher"]
    per: Literal["execution", "invocation"]
    axis: str = ""
    captured: bool = False
    column: str = ""

    def __post_init__(self) -> None:
        if not self.axis:
            axis = f"{self.title} ({self.unit})" if self.unit else self.title
            object.__setattr__(self, "axis", axis)

    @property
    def share(self) -> bool:
        """Whether its values are shares of executions, from 0 to 1."""
        return self.name.startswith(SHARE)

    @property
    def outcome(self) -> str:
        """The outcome that it is the share of; empty for any other measure."""
        return self.name.removeprefix(SHARE) if self.share else ""


def _share(outcome: str) -> Measure:
    better: Literal["lower", "higher"] = "higher" if outcome == "ok" else "lower"
    return Measure(f"{SHARE}{outcome}", f"{SHARE}{outcome}", "", better, "invocation")


def _counted(name: str, noun: str) -> Measure:
    axis = f"{noun} of an execution"
    return Measure(name, noun, noun, "lower", "execution", axis, captured=True)


LATENCY = Measure("latency", "latency", "ms", "lower", "execution")
THROUGHPUT = Measure(
    "throughput", "throughput", "1/s", "higher", "invocation", "ok executions per second",
    column="throughput_per_s",
)  # fmt: skip
OBJECTS = Measure(
    "objects per second", "objects per second", "1/s", "higher", "invocation",
    "objects in right answers per second", column="objects_per_s",
)  # fmt: skip
EXTRAPOLATED = Measure(
    "extrapolated throughput", "extrapolated throughput", "1/s", "higher", "invocation",
    "rate of the last thread times the threads (1/s)", column="extrapolated_per_s",
)  # fmt: skip
ATTEMPTS = Measure(
    "attempts", "attempts", "tries", "lower", "invocation", "mean attempts of an execution",
    column="attempts",
)  # fmt: skip
JITTER = Measure(
    "jitter", "jitter", "ms²", "lower", "invocation", "variance of the latency (ms²)",
    column="jitter_ms2",
)  # fmt: skip


def _resource(side: str, name: str, unit: str, of: str, column: str) -> Measure:
    owner = "servers" if side == "server" else "clients"
    return Measure(
        f"{side} {name}", f"{name} of {owner}", unit, "lower", "invocation", of.format(owner),
        column=f"{side}_{column}",
    )  # fmt: skip


_RESOURCES = (
    *(
        measure
        for side in ("server", "client")
        for measure in (
            _resource(side, "switches", "1", "voluntary context switches of {} per execution",
                      "switches"),
            _resource(side, "preemptions", "1", "involuntary context switches of {} per execution",
                      "preemptions"),
            _resource(side, "program size", "MiB", "text, data and bss of {} (MiB)",
                      "program_mib"),
            _resource(side, "library size", "MiB",
                      "text, data and bss of the libraries of {} (MiB)", "libraries_mib"),
            _resource(side, "memory at rest", "MiB", "memory of {} before any load (MiB)",
                      "ready_mib"),
            _resource(side, "memory under load", "MiB",
                      "memory of {} at the end of the window (MiB)", "loaded_mib"),
        )
    ),
    _resource("server", "disk size", "MiB", "files of {} after the window (MiB)", "disk_mib"),
    Measure("energy", "energy", "J", "lower", "invocation",
            "energy of the processors in the window (J)", column="energy_j"),
    Measure("energy per execution", "energy per execution", "J", "lower", "invocation",
            "energy of the processors per measured execution (J)",
            column="energy_per_execution_j"),
)  # fmt: skip
RESOURCES: Mapping[str, Measure] = {measure.column: measure for measure in _RESOURCES}
"""Column of derived invocations to the measure of what a side took besides time."""

MEASURES: Mapping[str, Measure] = {
    measure.name: measure
    for measure in (
        LATENCY, JITTER, THROUGHPUT, OBJECTS, EXTRAPOLATED, ATTEMPTS, *map(_share, OUTCOMES),
        _counted("bytes", "bytes"),
        _counted("packets", "packets"), _counted("round_trips", "round trips"), *_RESOURCES,
    )
}  # fmt: skip
"""Name to measure."""


def _known(name: str) -> str:
    """Refuse an unknown measure with the nearest one.

    Raises:
        ValueError: there is no such measure.
    """
    if name not in MEASURES:
        raise ValueError(f"there is no measure {name!r}{nearest(name, MEASURES)}")
    return name


MeasureName = Annotated[str, AfterValidator(_known)]
