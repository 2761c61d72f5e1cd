"""Invariants: programs that look at the nodes after the window (docs/contracts.md)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from modelstress.config.errors import MeasureError, ModelstressError
from modelstress.design.kinds import Invariant
from modelstress.measure.interrupt import TICK_S, InterruptedRunError
from modelstress.measure.java import find_java
from modelstress.measure.run import Run
from modelstress.measure.validity import Reason

MOST_MESSAGE = 500
"""Characters of a message that are kept."""


@dataclass(frozen=True)
class Held:
    """What came of an invariant.

    Attributes:
        name, title: as the study has them.
        holds: None where it could not be checked.
        message: of the program, or why it could not be checked.
    """

    name: str
    title: str
    holds: bool | None
    message: str

    def record(self) -> dict[str, Any]:
        """For ``cell.json``."""
        return asdict(self)


def check(
    run: Run,
    endpoints: Mapping[str, Mapping[str, str]],
    outcomes: Mapping[str, Mapping[str, int]],
) -> tuple[Held, ...]:
    """Run the programs of all invariants of an invocation, one after the other.

    Args:
        run: whose nodes still run.
        endpoints: node to protocol to address, as clients reach it.
        outcomes: operation to measured executions by outcome.

    Raises:
        InterruptedRunError: the controller was told to end.
    """
    cell = run.invocation.cell
    dataset = run.invocation.needs.server.get("dataset")
    config = configuration(
        endpoints, cell.levels, None if dataset is None else dataset.model_dump(), outcomes
    )
    return tuple(
        _check(run, number, invariant, config)
        for number, invariant in enumerate(run.invocation.needs.checks.invariants)
    )


def configuration(
    endpoints: Mapping[str, Mapping[str, str]],
    levels: Mapping[str, Any],
    dataset: Mapping[str, Any] | None,
    outcomes: Mapping[str, Mapping[str, int]],
) -> dict[str, Any]:
    """What the program of an invariant is given as JSON (docs/contracts.md).

    Args:
        endpoints: node to protocol to address.
        levels: of the cell.
        dataset: as the study has it.
        outcomes: operation to measured executions by outcome.
    """
    return {
        "endpoints": endpoints,
        "levels": dict(levels),
        "dataset": None if dataset is None else dict(dataset),
        "outcomes": outcomes,
    }


def answer(program: str, code: int, lines: Sequence[str], error: str) -> tuple[bool, str]:
    """The program's last line as an answer: whether the invariant holds, and its message.

    Args:
        program: its name in messages.
        code: its exit code.
        lines: of its standard output, the last ones at least.
        error: its last line on standard error, or nothing.

    Raises:
        MeasureError: it gave no answer.
    """
    if code != 0:
        raise MeasureError(f"{program}: exit code {code}{f': {error}' if error else ''}")
    try:
        reply = json.loads(lines[-1])
        holds, message = reply["holds"], str(reply.get("message", ""))
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        holds = None
    if not isinstance(holds, bool):
        raise MeasureError(f'{program}: its last line is not {{"holds": true|false, "message": …}}')
    return holds, message[:MOST_MESSAGE]


def unchecked(run: Run, why: str) -> tuple[Held, ...]:
    """All invariants of an invocation, which cannot be checked."""
    invariants = run.invocation.needs.checks.invariants
    return tuple(Held(invariant.name, invariant.title, None, why) for invariant in invariants)


def reasons(held: Sequence[Held]) -> list[Reason]:
    """What invariants that do not hold, or were not checked, say of an invocation."""
    flags = []
    if broken := [invariant for invariant in held if invariant.holds is False]:
        messages = "; ".join(f"{invariant.title}: {invariant.message}" for invariant in broken)
        message = f"an invariant does not hold, so that no answer counts as right: {messages}"
        flags.append(Reason("invariant", "flag", message))
    if unknown := [invariant for invariant in held if invariant.holds is None]:
        messages = "; ".join(f"{invariant.title}: {invariant.message}" for invariant in unknown)
        flags.append(Reason("unverified", "flag", f"an invariant was not checked: {messages}"))
    return flags


def _check(run: Run, number: int, invariant: Invariant, config: Mapping[str, Any]) -> Held:
    try:
        holds, message = answer(invariant.program.name, *_run(run, number, invariant, config))
        return Held(invariant.name, invariant.title, holds, message)
    except InterruptedRunError:
        raise
    except ModelstressError as error:
        return Held(invariant.name, invariant.title, None, str(error)[:MOST_MESSAGE])


def _run(
    run: Run, number: int, invariant: Invariant, config: Mapping[str, Any]
) -> tuple[int, list[str], str]:
    """Exit code, lines of standard output and last error of a program.

    It runs where a client ran: what it looks at are the addresses that clients used.

    Raises:
        MeasureError: it does not end in time.
    """
    name = f"invariant {number}"
    config_file = run.work / f"invariant-{number}.json"
    config_file.write_text(json.dumps(config, indent=2), encoding="utf-8")
    jar = (find_java().program, "-jar", str(invariant.program))
    argv = jar if invariant.program.suffix == ".jar" else (str(invariant.program),)
    program = run.start(
        run.hosts.clients[0], name, (*argv, "--config", str(config_file)), run.hosts.plan.client,
        log=run.work / f"invariant-{number}.log", role="client",
        reads=(invariant.program.parent, config_file), writes=(),
    )  # fmt: skip
    lines: list[str] = []
    left = run.left(invariant.timeout_s)
    code = None
    while code is None and left > 0:
        run.interrupt.check()
        code = program.wait(TICK_S)
        left -= TICK_S
        while (line := program.lines.next()) is not None:
            lines = [*lines[-9:], line]
    program.stop(0.0)
    while (line := program.lines.next()) is not None:
        lines = [*lines[-9:], line]
    if code is None:
        raise MeasureError(f"{invariant.program.name}: not ended after {invariant.timeout_s:g} s")
    return code, lines, program.last_error() or ""
