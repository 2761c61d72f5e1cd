"""The list of changed numbers, against two small tables."""

import subprocess
import sys
from pathlib import Path

import pandas as pd

SCRIPT = Path(__file__).parents[3] / "tools" / "changed_numbers.py"
HEAD = "query,tool,threads,cell,baseline_cell,printed_low,p,p_adjusted,flags\n"
OLD = (
    "Q,t,1,a,z,1,0.5,0.9,invalid;client-busy\n"
    "Q,t,2,b,z,1,0.4,0.8,\n"
    "Q,t,4,c,z,2.5,0.1,0.2,\n"
    "Q,t,8,d,z,2.5,,0.3,few\n"
)  # fmt: skip
NEW = (
    "Q,t,2,b,z,1.5,0.4,0.8,\n"
    "Q,t,1,a,z,1,0.6,0.9,some-invalid\n"
    "Q,t,4,c,z,2.5,0.1,0.25,\n"
    "Q,t,8,d,z,2.5,,0.3,few\n"
)  # fmt: skip


def listed(tmp_path, new):
    for name, text in (("old", OLD), ("new", new)):
        (tmp_path / name).mkdir(exist_ok=True)
        (tmp_path / name / "table-09.csv").write_text(HEAD + text)
    out = tmp_path / "changes.csv"
    done = subprocess.run(
        [sys.executable, SCRIPT, tmp_path / "old", tmp_path / "new", "--to", out],
        capture_output=True, text=True,
    )  # fmt: skip
    assert not done.stderr, done.stderr
    return done, pd.read_csv(out)


def test_each_changed_number_is_listed_once_with_what_changed_it(tmp_path):
    done, found = listed(tmp_path, NEW)
    assert found[["cell", "column", "old", "new", "item"]].to_numpy().tolist() == [
        ["b", "printed_low", 1, 1.5, "not-significant"],
        ["a", "p", 0.5, 0.6, "invalid"],
        ["c", "p_adjusted", 0.2, 0.25, "adjusted"],
    ]
    assert "| table-09.csv | invalid | 1 | 4 | `p` |" in done.stdout
    assert done.returncode == 0


def test_a_number_that_nothing_accounts_for_is_an_error(tmp_path):
    done, found = listed(tmp_path, NEW.replace("d,z,2.5,,", "d,z,2.5,0.7,"))
    [row] = found[found["item"] == "unexplained"].to_dict("records")
    assert (row["cell"], row["column"], row["new"]) == ("d", "p", 0.7)
    assert done.returncode == 1
