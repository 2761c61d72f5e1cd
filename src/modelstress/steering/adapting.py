"""Strategies at work: what they see of a study, and what they decided, which is kept in a file."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

import psycopg

from modelstress.config.errors import ConfigError, MeasureError
from modelstress.design.plan import Run
from modelstress.measure import folders
from modelstress.measure.status import read_record
from modelstress.steering import queue
from modelstress.steering.catalogue import Catalogue
from modelstress.steering.keys import Key
from modelstress.steering.machines import median_of
from modelstress.steering.strategies import Decision, Result, Seen, stop_when_decided, strategies

FILE = "decisions.jsonl"
SHARE = 20
"""While anything is being measured, they decide for one part of so many of the time."""
Place = Callable[[Run], Path]


class Adapting:
    """The strategies of a profile, with what was measured so far.

    Args:
        catalogue: of the study.
        where: the profile's file, for messages.
        folder: of the coordinator; decisions are appended to ``decisions.jsonl`` there.
        say: called with every decision.

    Raises:
        ConfigError: there is no such strategy, or it needs what the profile does not have.
    """

    def __init__(
        self, catalogue: Catalogue, where: Path, folder: Path, say: Callable[[str], None]
    ) -> None:
        self._catalogue, self._folder, self._say = catalogue, folder, say
        names = catalogue.profile.steering.strategies
        self._strategies = strategies(names, str(where))
        if stop_when_decided in self._strategies.values() and catalogue.profile.looks is None:
            raise ConfigError(
                f"{where}: field 'steering.strategies': stop-when-decided needs the field 'looks', "
                "such as looks: [3, 6, 9]"
            )
        self._results: dict[str, dict[int, Result]] = {}
        self._looked: tuple[int, bool] | None = None
        self._next_s = 0.0
        self.notes: list[str] = self._noted()

    def note(self, start: Sequence[Run], place: Place) -> None:
        """Remember what a start said of each of its cells; nothing without strategies."""
        if not self._strategies:
            return
        for run in start:
            if (result := _result(place(run))) is not None:
                self._results.setdefault(run.cell.id, {})[run.invocation] = result

    def restore(self, place: Place) -> None:
        """Remember what was measured before this coordinator was started."""
        if self._strategies:
            for run in self._catalogue.plan.runs:
                if folders.finished(place(run)):
                    self.note([run], place)

    def due(self, connection: psycopg.Connection) -> bool:
        """Whether anything has changed since they decided last."""
        if not self._strategies:
            return False
        measured = sum(map(len, self._results.values()))
        now = (measured, bool(queue.open_count(connection)))
        if now == self._looked or (now[1] and time.monotonic() < self._next_s):
            return False
        self._looked = now
        return True

    def decide(self, connection: psycopg.Connection) -> list[Decision]:
        """What all strategies decide now, in the order of the profile."""
        states = queue.states(connection)
        for key, state in states.items():
            if state == "failed":
                self._results.setdefault(key.cell, {})[key.number] = Result(failed=True)
        planned = {cell.id for cell in self._catalogue.plan.cells}
        seen = Seen(
            cells=self._catalogue.cells,
            added=frozenset(self._catalogue.cells.keys() - planned),
            results={name: [*found.values()] for name, found in self._results.items()},
            queued=frozenset(key for key, state in states.items() if state == "queued"),
            open=any(s in ("queued", "measuring", "delivered") for s in states.values()),
            candidates=lambda: self._catalogue.candidates,
            undecided=lambda: self._undecided(states),
        )
        begun = time.monotonic()
        decisions = [one for strategy in self._strategies.values() for one in strategy(seen)]
        now = time.monotonic()
        self._next_s = now + SHARE * (now - begun)
        return decisions

    def decided(self, decision: Decision) -> None:
        """Write a decision into the file, and say it; what it leaves out is what has gone."""
        gone = len(decision.leave_out)
        why = f"{decision.why}; {gone} starts with it are left out" if gone else decision.why
        self.notes.insert(0, why)
        self._say(why)
        at = datetime.now(UTC).isoformat(timespec="seconds")
        words = asdict(decision) | {"why": why, "at": at}
        words["leave_out"] = [str(Key(**key)) for key in words["leave_out"]]
        with (self._folder / FILE).open("a", encoding="utf-8") as file:
            file.write(json.dumps(words) + "\n")

    def _undecided(self, states: dict[Key, str]) -> tuple[frozenset[str], int] | None:
        """Cells of undecided comparisons, and the next look's number of starts."""
        from modelstress import analysis
        from modelstress.analysis.looks import look

        profile, plan = self._catalogue.profile, self._catalogue.plan
        most = 1 + max((key.number for key in states), default=0)
        later = [number for number in profile.looks or () if number > most]
        if not later:
            return None
        data = self._catalogue.project.root / "data"
        cells = analysis.planned_beside(data, plan.study, plan.profile)
        derived = analysis.derive(data, plan.study, plan.profile, cells)
        found = look(derived, profile.looks or ())
        return frozenset(cell for _, cell in found.wanted), later[0]

    def _noted(self) -> list[str]:
        try:
            lines = (self._folder / FILE).read_text(encoding="utf-8").splitlines()
            return [str(json.loads(line)["why"]) for line in reversed(lines)]
        except (OSError, ValueError, LookupError, TypeError):
            return []


def _result(folder: Path) -> Result | None:
    """What a valid invocation says; None where it is invalid or damaged."""
    record = read_record(folder)
    if not record or not record.get("validity", {}).get("valid", True):
        return None
    if not record.get("outcomes", {}).get("measure", {}).get("ok"):
        return Result(failed=True)
    try:
        return Result(failed=False, median_ms=median_of(folder, record))
    except (OSError, MeasureError):
        return None
