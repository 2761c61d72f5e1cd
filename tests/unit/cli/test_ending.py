"""How ``modelstress results``, and with it ``make run``, ends: sentences and a table of cells."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from modelstress.cli import ending

COLUMNS = (
    "study", "profile", "cell", "operation", "configuration", "load", "p50_ms", "p95_ms",
    "correct_per_s", "errors", "executions",
)  # fmt: skip
FRONT = """\
# Latency changes most with http instead of tcp on cdo (×7.36)

*Study s, profile p.*

![http instead of tcp](front.png)

*Left: each dot is one query.*

- **http instead of tcp on cdo**: slower, 7.36 times &#60;b&#62; the latency.

Chance alone is allowed 0.1 of 5 directions.
"""


def row(operation="q", configuration="cdo / tcp", load="1 thread", **more):
    values = {
        "study": "s", "profile": "p", "cell": "c", "operation": operation,
        "configuration": configuration, "load": load, "p50_ms": "12.345", "p95_ms": "inf",
        "correct_per_s": "81.2", "errors": "0", "executions": "100",
    }  # fmt: skip
    return values | more


@pytest.fixture
def shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """What is said of some rows; ``front.md`` is beside them."""

    def show(rows, profile="p", text=FRONT):
        with (tmp_path / "summary.csv").open("w", newline="") as stream:
            writer = csv.DictWriter(stream, COLUMNS)
            writer.writeheader()
            writer.writerows(rows)
        (tmp_path / "front.md").write_text(text, encoding="utf-8")
        ending.show(tmp_path, profile)
        return capsys.readouterr().out

    return show


def test_sentences_then_a_row_per_cell(shown):
    said = shown([row(), row(load="4 threads", p50_ms="1234.5", errors="7", correct_per_s="")])
    lines = [" ".join(line.split()) for line in said.splitlines() if line.strip()]
    assert said.splitlines()[:3] == [
        "Latency changes most with http instead of tcp on cdo (×7.36)",
        "- http instead of tcp on cdo: slower, 7.36 times <b> the latency.",
        "Chance alone is allowed 0.1 of 5 directions.",
    ]
    assert lines[3] == "operation configuration load p50 ms p95 ms correct/s errors"
    assert lines[4] == "q cdo / tcp 1 thread 12.3 timeout 81.2 0"
    assert lines[5] == "cdo / tcp 4 threads 1234 timeout – 7 of 100"
    assert len(lines) == 6 and "\x1b" not in said


def test_of_many_cells_each_configuration_of_one_operation_at_its_ends(shown):
    rows = [
        row(operation, f"tool{tool}", f"{load} threads", cell=f"{operation}{tool}{load}")
        for operation, count in (("few", 1), ("most", 3))
        for tool in range(count)
        for load in range(1, 9)
    ]  # fmt: skip
    rows[0] |= {"errors": "5"}
    chosen, remark = ending.chosen(rows)
    assert [one["cell"] for one in chosen] == [
        f"most{tool}{load}" for tool in range(3) for load in (1, 8)
    ]
    assert remark.startswith("6 of 32 cells") and "5 of 3200 executions, in 1 cells" in remark
    assert ending.chosen(rows[:25]) == (rows[:25], "")
    assert remark in shown(rows)


def test_results_of_another_profile_are_not_shown(shown):
    said = shown([row()], profile="other")
    assert said.count("\n") == 1 and "of profile p;" in said and "--profile other" in said


def test_a_long_line_is_one_line_and_no_word_is_markup(shown):
    name = "[red]" + "x" * 300
    said = shown([row(configuration="[bold]c[/bold]")], text=f"- {name}\n")
    assert said.splitlines()[0] == f"- {name}" and "[bold]c[/bold]" in said


def test_without_a_report_nothing_is_said(tmp_path, capsys):
    ending.show(tmp_path, "p")
    assert capsys.readouterr().out == ""


def test_control_characters_do_not_reach_a_terminal(shown):
    said = shown([row(configuration="a\x1b[31mb\nc")])
    assert "\x1b" not in said
