"""Executions per thread, and answers outside the window: counted by hand."""

import json

import numpy as np
import pyarrow as pa
import pytest
import synthetic

from modelstress.analysis import derive
from modelstress.report import claims, results

LEVELS = synthetic.LEVELS


def only(data_dir, table="cells"):
    frame = getattr(derive(data_dir, synthetic.STUDY, synthetic.PROFILE), table)
    assert len(frame) == 1
    return frame.iloc[0]


def threads(counts, client=0, number=0):
    """Measured executions of each thread of one client, in turns."""
    who = [t for turn in range(max(counts)) for t, count in enumerate(counts) if turn < count]
    table = synthetic.samples(np.linspace(5, 6, len(who)), number=number, client=client)
    column = pa.array(who, pa.int16())
    return table.set_column(table.schema.get_field_index("thread"), "thread", column)


@pytest.mark.parametrize(
    ("counts", "level", "least", "burst"),
    [
        ((10, 10), 2, 10, False),
        ((30, 9), 2, 9, True),
        ((40,), 2, 0, True),  # the other thread had no turn
        ((10,), 1, 10, False),
        ((9,), 1, 9, True),
    ],
)
def test_a_cell_is_a_burst_when_a_thread_has_fewer_than_ten(tmp_path, counts, level, least, burst):
    synthetic.write(tmp_path, LEVELS | {"threads": level}, 0, threads(counts))
    cell = only(tmp_path)
    assert cell["least_per_thread"] == least
    assert ("burst" in cell["flags"].split(";")) is burst
    assert only(tmp_path, "invocations")["least_per_thread"] == least


def test_threads_of_two_clients_are_told_apart(tmp_path):
    both = pa.concat_tables([threads((12, 11)), threads((11, 8), client=1)]).unify_dictionaries()
    synthetic.write(tmp_path, LEVELS | {"threads": 4}, 0, both)
    assert only(tmp_path)["least_per_thread"] == 8


def test_only_the_window_counts(tmp_path):
    table = synthetic.samples(
        [5.0] * 30, phases=["warmup"] * 15 + ["measure"] * 9 + ["cooldown"] * 6
    )
    synthetic.write(tmp_path, LEVELS, 0, table)
    assert only(tmp_path)["least_per_thread"] == 9


def test_one_start_is_enough_and_an_invalid_one_is_not(tmp_path):
    levels = LEVELS | {"threads": 2}
    synthetic.write(tmp_path, levels, 0, threads((20, 20)))
    synthetic.write(tmp_path, levels, 1, threads((20, 3), number=1), valid=False)
    assert "burst" not in only(tmp_path)["flags"].split(";")
    synthetic.write(tmp_path, levels, 2, threads((20, 4), number=2))
    assert only(tmp_path)["least_per_thread"] == 4
    assert "burst" in only(tmp_path)["flags"].split(";")


def test_an_open_loop_is_no_burst(tmp_path):
    synthetic.write(tmp_path, LEVELS | {"threads": 2, "mode": "open"}, 0, threads((20, 3)))
    cell = only(tmp_path)
    assert cell["least_per_thread"] == 3 and "burst" not in cell["flags"].split(";")


@pytest.fixture
def wrong(tmp_path):
    """Two wrong answers in the warm-up, one in the window, three in the cool-down."""
    for number in (0, 1):
        outcomes = ["incorrect", "ok", "error", "incorrect", *["ok"] * 19, "incorrect"]
        outcomes += ["timeout", "incorrect", "incorrect", "incorrect"]
        phases = ["warmup"] * 4 + ["measure"] * 20 + ["cooldown"] * 4
        table = synthetic.samples(np.linspace(5, 6, 28), outcomes, phases, number=number)
        synthetic.write(tmp_path, LEVELS, number, table, valid=number == 0)
    return tmp_path


def test_wrong_answers_of_warm_up_and_cool_down_are_counted(wrong):
    cell = only(wrong)
    assert (cell["incorrect"], cell["executions"]) == (1, 20)
    assert (cell["incorrect_warmup"], cell["incorrect_cooldown"]) == (2, 3)
    assert (cell["failed_warmup"], cell["failed_cooldown"]) == (1, 1)
    assert (cell["incorrect_any"], cell["checked_any"]) == (6, 26)


def test_answers_of_a_long_warm_up_that_have_no_row_are_counted(wrong):
    [record] = wrong.rglob("i00/cell.json")
    counts = {"warmup": {"ok": 5001, "incorrect": 2, "error": 1}}
    content = json.loads(record.read_text()) | {"outcomes": counts}
    record.write_text(json.dumps(content))
    cell = only(wrong)
    assert (cell["incorrect_warmup"], cell["failed_warmup"], cell["checked_any"]) == (2, 1, 5026)


def test_wrong_answers_of_warm_up_and_cool_down_are_shown(wrong):
    derived = derive(wrong, synthetic.STUDY, synthetic.PROFILE)
    said = claims.outcomes(derived)
    assert "1 of 20 executions ended with a wrong one" in said
    assert "**6 of 26 answers** were wrong, in 1 cell" in said
    assert "2 of them in the warm-up, 3 in the cool-down" in said
    assert "in no other number, 12 of 52 answers" in said, "those of the invalid start as well"
    assert "2 further executions of warm-up and cool-down ended without an answer" in said
    failures, incorrect = results(derived).outcomes()
    assert any("6 of 26 checked answers are wrong, in 1 cells" in r for r in incorrect.remarks)
    row = incorrect.data.iloc[0]
    assert (row["incorrect_warmup"], row["incorrect_cooldown"], row["incorrect_any"]) == (2, 3, 6)
    assert "1 more failed in the warm-up, 1 in the cool-down" in failures.remarks[-1]


def test_a_cell_that_was_wrong_in_its_warm_up_only_is_in_the_file(tmp_path):
    table = synthetic.samples(
        [5.0] * 21, ["incorrect", *["ok"] * 20], ["warmup", *["measure"] * 20]
    )
    synthetic.write(tmp_path, LEVELS, 0, table)
    [table] = results(derive(tmp_path, synthetic.STUDY, synthetic.PROFILE)).tables_of("incorrect")
    assert table.data["incorrect_warmup"].tolist() == [1]
    assert (
        "With warm-up (1) and cool-down (0), 1 of 21 checked answers are wrong" in table.remarks[-1]
    )
