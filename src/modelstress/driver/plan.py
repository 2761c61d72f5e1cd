"""Which operation an execution runs, by seed and number: the same plan as the Java harness's."""

from __future__ import annotations

import re
from itertools import accumulate

from modelstress.config.errors import ConfigError
from modelstress.config.programs import Workload
from modelstress.driver.spi import Operation

MASK = (1 << 64) - 1
MARKER = "/*unique*/"
MOST_CLIENTS = 64
"""Numbers of unique texts are so far apart in each client, to differ between all of them."""
_NUMBER = re.compile(r"%(?:1\$)?d|%%")
_PACE, _SESSION = 3, 4
"""Streams of random numbers beside those of the warm-up (1) and of the window (2)."""


def mix(x: int) -> int:
    """One step of splitmix64, which scatters neighbouring numbers."""
    z = (x + 0x9E3779B97F4A7C15) & MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def unit(bits: int) -> float:
    """A number from 0 to below 1 of 64 random bits."""
    return (bits >> 11) * 2.0**-53


class OperationPlan:
    """The plan of one client process."""

    def __init__(self, workload: Workload) -> None:
        self.operations = workload.operations
        self.seed = mix(mix(mix(workload.seed & MASK) ^ workload.invocation) ^ workload.client)
        self._client = workload.client
        self._sums = list(accumulate(operation.weight for operation in workload.operations))
        names = [operation.name for operation in workload.operations]
        self._order = [names.index(name) for name in workload.order or ()]
        self._condition = workload.unique_condition
        if self._condition is not None:
            self._check_unique(self._condition)

    def _check_unique(self, condition: str) -> None:
        if _number(condition, 1) == _number(condition, 2) or "%" in _NUMBER.sub("", condition):
            raise ConfigError(
                f"unique_condition: {condition!r} is not a format such as ' and %1$d = %1$d'"
            )
        for operation in self.operations:
            if MARKER not in (operation.text or ""):
                raise ConfigError(
                    f"operations: the text of {operation.name} has no {MARKER} for unique_condition"
                )

    def index(self, *, warmup: bool, sequence: int, position: int) -> int:
        """Number of the operation of an execution.

        Args:
            warmup: its phase; the cooldown goes on in the window's numbers.
            sequence: its number in the phase.
            position: its number among its thread's executions of the phase.
        """
        if self._order:
            return self._order[position % len(self._order)]
        draw = unit(mix(mix(self.seed ^ (1 if warmup else 2)) ^ sequence)) * self._sums[-1]
        return next(i for i, most in enumerate(self._sums) if most > draw)

    def operation(self, index: int, sequence: int, number: int) -> Operation:
        """The operation as the driver sees it; ``number`` differs between all executions."""
        entry = self.operations[index]
        text = entry.text
        if self._condition is not None and text is not None:
            unique = _number(self._condition, number * MOST_CLIENTS + self._client)
            text = text.replace(MARKER, unique, 1)
        return Operation(entry.name, text, entry.parameters, sequence)

    def think_ns(self, index: int) -> int:
        """Pause of the thread after an operation."""
        return int(self.operations[index].think_ms * 1e6)

    def first_pause_ns(self, index: int, thread: int) -> int:
        """Pause of a thread before a stage's first execution, so that threads do not go in step."""
        return int(unit(mix(mix(self.seed ^ _PACE) ^ thread)) * self.think_ns(index))

    def session_seed(self, thread: int, session: int) -> int:
        """Seed of what is random in a session."""
        return mix(mix(mix(self.seed ^ _SESSION) ^ thread) ^ session)


def _number(condition: str, number: int) -> str:
    """A condition in Java's format for one whole number."""
    return _NUMBER.sub(lambda match: "%" if match.group() == "%%" else str(number), condition)
