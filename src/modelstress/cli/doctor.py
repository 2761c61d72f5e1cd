"""``modelstress doctor``: what a machine has, how it is set, and how quiet it is."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from modelstress.cli.options import project_of
from modelstress.config.errors import ConfigError, MeasureError, MissingError
from modelstress.config.project import Project

if TYPE_CHECKING:
    from modelstress.analysis.machine_grade import Grade
    from modelstress.measure.doctor import Finding

SECONDS, SHORTEST_S, LONGEST_S = 100, 15, 115
"""Of a placebo."""
LETTERS = ("A", "B", "C", "D")


@click.command()
@click.option("--grade", "graded", is_flag=True, help="Grade the machine by a placebo, too.")
@click.option(
    "--seconds", type=click.IntRange(SHORTEST_S, LONGEST_S), default=SECONDS, show_default=True,
    help="Time of the placebo; at least six pairs of starts are measured.",
)  # fmt: skip
@click.option(
    "--at-least", type=click.Choice(LETTERS, case_sensitive=False),
    help="End with exit code 4 below this grade; implies --grade.",
)  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def doctor(
    ctx: click.Context, graded: bool, seconds: int, at_least: str | None, as_json: bool
) -> None:
    """Show what this machine has, and what each missing thing or unfit setting costs.

    With --grade only the machine is looked at: its settings, then a placebo of pairs of equal
    starts, which nothing but the machine makes different.
    """
    from modelstress.measure.doctor import examine, of_machine

    grading = graded or at_least is not None
    findings = of_machine() if grading else examine(_project(ctx))
    if not as_json:
        _print(findings)
    grade, measured = _grade(seconds) if grading else (None, {})
    if grade is not None and not as_json:
        click.echo(grade.sentence())
    if as_json:
        plain = [finding.__dict__ for finding in findings]
        told = plain if grade is None else {"findings": plain, "grade": grade.record() | measured}
        click.echo(json.dumps(told, indent=2))
    if any(finding.needed and not finding.present for finding in findings):
        raise MissingError("something that is needed is missing; see above")
    if grade is not None and at_least is not None and not grade.reaches(at_least):
        raise MeasureError(
            f"this machine has grade {grade.letter}, and {at_least} was asked for; what hurts is "
            "above, with remedies (docs/measuring.md, 'What the machine does to numbers')"
        )


def _project(ctx: click.Context) -> Project | None:
    try:
        return project_of(ctx)
    except ConfigError:
        return None


def _print(findings: Sequence[Finding]) -> None:
    for finding in findings:
        cost = f": {finding.cost}" if finding.cost else ""
        click.echo(f"{finding.mark:<7}  {finding.name}: {finding.detail}{cost}")


def _grade(seconds: int) -> tuple[Grade, dict[str, Any]]:
    """Grade of this machine, and how its placebo was measured."""
    from modelstress.analysis.machine_grade import grade_of
    from modelstress.measure import placebo
    from modelstress.measure.interrupt import Interrupt

    with Interrupt() as interrupt:
        found = placebo.measure(seconds, interrupt, lambda sentence: click.echo(sentence, err=True))
    about = {
        "window_s": round(found.window_s, 2),
        "seconds": round(found.seconds, 1),
        "stolen": round(found.stolen, 4),
        "shared_cpu": found.shared,
    }
    return grade_of(found.pairs), about


COMMANDS = (doctor,)
