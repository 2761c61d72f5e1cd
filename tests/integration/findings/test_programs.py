"""Each program of ``docs/findings`` shows its defect, and the intervention makes it vanish."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PAGES = ROOT / "docs/findings"
PROGRAMS = PAGES / "programs"
DEADLINE_S = 120

CASES = {
    "WeakMap": ("cdo", "nothing there", ("strong",)),
    "CancelledQuery": ("cdo", "errors of 20 new clients:", ("off", "retry")),
    "PoolOfTen": ("cdo", "queries answered, then none", ("1000",)),
    "ConnectRace": ("cdo", "active: true, waited", ("early",)),
    "CopiedStore": ("mogwai", "the copy has: after the copy", ("moved",)),
    "ReservedName": ("mogwai", "Property key is reserved", ("number",)),
    "ForgottenMatches": ("hawk", "360000 pairs, 360000 matches found", ("before",)),
}
"""By program: whose libraries it needs, what it says of the defect, its interventions."""


def run(program: str, module: str, folder: Path, *arguments: str) -> tuple[int, str]:
    """The exit code of a program with a module's libraries, and what it printed."""
    libraries = ROOT / f"java-shims/{module}/target/dist/lib/*"
    done = subprocess.run(
        ["java", f"-Djava.io.tmpdir={folder}", "-cp", str(libraries),
         str(PROGRAMS / f"{program}.java"), *arguments],
        capture_output=True, text=True, check=False, timeout=DEADLINE_S,
    )  # fmt: skip
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("program", "argument"),
    [(program, argument) for program, (_, _, arguments) in CASES.items()
     for argument in ("", *arguments)],
)  # fmt: skip
def test_the_defect_is_there_and_vanishes(program: str, argument: str, tmp_path: Path) -> None:
    module, says, _ = CASES[program]
    code, printed = run(program, module, tmp_path, *filter(None, [argument]))
    assert code == (0 if argument else 1), printed
    # a program that fails, which ends with 1 too, shows nothing
    assert "Exception in thread" not in printed and "error:" not in printed
    assert argument or says in printed


def test_every_program_has_a_page_and_a_case() -> None:
    shown = "".join(page.read_text() for page in PAGES.glob("*.md"))
    names = {path.stem for path in PROGRAMS.glob("*.java")}
    assert names == set(CASES)
    assert [name for name in names if f"programs/{name}.java" not in shown] == []
