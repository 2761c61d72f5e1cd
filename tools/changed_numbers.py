"""List the published numbers that changed: the CSV tables of one commit beside those of now.

``python tools/changed_numbers.py OLD [NEW] [--to FILE]``; OLD is a commit or a folder, NEW a
folder, by default the tables beside the archive. FILE gets a row per changed number, with what
changed it. A Markdown table is printed: in how many rows and which columns of each table numbers
changed. The exit code is 1 when a number changed that nothing accounts for.
"""

from __future__ import annotations

import argparse
import io
import subprocess
import sys
from pathlib import Path

import pandas as pd

ROOT = Path(__file__).resolve().parent.parent
TABLES = Path("archives") / "model-queries-reduced"
KEY = ("query", "tool", "threads", "baseline_cell", "cell")
FAMILY = frozenset({"p_adjusted", "dunn_p"})
"""P-values that are adjusted for those of other cells."""
ITEMS = {
    "invalid": "an invalid invocation of a cell in the row is left out",
    "adjusted": "invalid invocations of other cells are left out, for whose number or values p is "
    "adjusted (Holm, Bonferroni, Kruskal–Wallis)",
    "not-significant": "where Dunn's test does not reject, the interval is printed, not 1–1",
    "outside": "wrong answers of warm-up and cool-down are counted",
    "flags": "flags only: bursts, and what is said of invalid invocations",
    "unexplained": "nothing accounts for it",
}


def tables(where: str) -> dict[str, pd.DataFrame]:
    """The CSV tables of a folder, or of a commit, by name."""
    folder = Path(where)
    if folder.is_dir():
        return {file.name: pd.read_csv(file) for file in sorted(folder.glob("*.csv"))}
    listed = _git("ls-tree", "--name-only", where, f"{TABLES}/").split()
    names = [name for name in listed if name.endswith(".csv")]
    return {
        Path(name).name: pd.read_csv(io.StringIO(_git("show", f"{where}:{name}"))) for name in names
    }


def changes(old: pd.DataFrame, new: pd.DataFrame) -> pd.DataFrame:
    """A row per number that differs: ``cell``, ``column``, ``old``, ``new``, ``item``.

    Rows are told by the columns of KEY. A row or column of one table only has blanks on the other
    side; every number of a column that is new counts.
    """
    keys = [name for name in KEY if name in old and name in new]
    both = old.merge(new, on=keys, how="outer", suffixes=(" (old)", " (new)"), indicator=True)
    found = []
    columns = dict.fromkeys([*old.columns, *new.columns])
    for column in (name for name in columns if name not in keys):
        sides = [_side(both, column, side, column in old, column in new) for side in ("old", "new")]
        differ = ~((sides[0] == sides[1]) | (sides[0].isna() & sides[1].isna()))
        for place in both.index[differ]:
            row = {"cell": both.at[place, "cell"], "column": column}
            row |= {"old": sides[0][place], "new": sides[1][place]}
            there = column in old and both.at[place, "_merge"] != "right_only"
            found.append(row | {"item": item(column, row["old"], there, both.loc[place])})
    return pd.DataFrame(found, columns=["cell", "column", "old", "new", "item"])


def item(column: str, old: object, was_there: bool, row: pd.Series) -> str:
    """What changed a number, one of ITEMS; `was_there`: the old table has such a number."""
    flags = str(row.get("flags (new)", row.get("flags", ""))).split(";")
    if column == "flags":
        return "flags"
    if not was_there and "incorrect_any" in row and row["incorrect_any"] == row["incorrect_any"]:
        return "outside"
    if column.startswith("printed_") and old == 1:
        return "not-significant"
    if "some-invalid" in flags or "invalid" in flags:
        return "invalid"
    return "adjusted" if column in FAMILY else "unexplained"


def _side(both: pd.DataFrame, column: str, side: str, in_old: bool, in_new: bool) -> pd.Series:
    """A column of one side; blank where that table does not have it."""
    if in_old and in_new:
        return both[f"{column} ({side})"]
    if (side == "old") == in_old:
        return both[column]
    return pd.Series(pd.NA, index=both.index, dtype="object")


def summary(found: dict[str, pd.DataFrame], old: dict[str, pd.DataFrame]) -> str:
    """A Markdown table: rows and columns that changed in each table, by item."""
    lines = ["| table | changed by | rows | of | columns |", "|---|---|--:|--:|---|"]
    for name, rows in found.items():
        for what, here in rows.groupby("item", sort=False):
            columns = ", ".join(f"`{column}`" for column in dict.fromkeys(here["column"]))
            count, of = here["cell"].nunique(), len(old.get(name, ()))
            lines.append(f"| {name} | {what} | {count} | {of} | {columns} |")
    return "\n".join(lines)


def _git(*arguments: str) -> str:
    command = ["git", "-C", str(ROOT), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def main() -> int:
    """Compare, print, and write the list."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("old")
    parser.add_argument("new", nargs="?", default=str(ROOT / TABLES))
    parser.add_argument("--to", type=Path)
    asked = parser.parse_args()
    old, new = tables(asked.old), tables(asked.new)
    found = {name: changes(old[name], new[name]) for name in old if name in new}
    found = {name: rows for name, rows in found.items() if len(rows)}
    print(summary(found, old))
    for name in sorted(old.keys() ^ new.keys()):
        print(f"\n{name} is only in {'the old' if name in old else 'the new'} tables")
    every = pd.concat([rows.assign(table=name) for name, rows in found.items()])
    if asked.to:
        shown = every[every["column"] != "flags"]
        shown[["table", "cell", "column", "old", "new", "item"]].to_csv(asked.to, index=False)
    return int((every["item"] == "unexplained").any())


if __name__ == "__main__":
    sys.exit(main())
