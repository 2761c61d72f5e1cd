"""Tables as LaTeX fit a page, however wide and long they are."""

import re
import shutil
import subprocess
from dataclasses import replace

import example_cells as example
import pandas as pd
import pytest

from modelstress.report import render, tables
from modelstress.report.render import Entry, Table


def table(columns: int, rows: int) -> Table:
    names = tuple(f"{2**n} threads" for n in range(columns))
    row = (("RouteSensor", "hawk / neo4j / eol"), (Entry("12 345", "i"),) * columns)
    return Table(
        "table-02", "Median latency; of [all] cells & more. Long.", ("query", "configuration"),
        (("client threads", names),), (row,) * rows, (("i", "invalid"),), ("A remark.",),
        pd.DataFrame(),
    )  # fmt: skip


def test_a_small_table_is_upright_and_one_float():
    text = render.tex(table(2, 3))
    assert text.count(r"\begin{table}") == text.count(r"\end{table}") == 1
    assert r"\caption[Median latency]{Median latency; of {[}all{]} cells \& more. Long.}" in text


def test_a_wide_table_is_turned_and_shrunk():
    text = render.tex(table(14, 3))
    assert text.count(r"\begin{sidewaystable}") == 1 and r"\begin{table}" not in text
    assert r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{\begin" in text


@pytest.mark.parametrize("columns", [2, 14])
def test_a_long_table_has_several_floats_under_one_number_and_loses_no_row(columns):
    text = render.tex(table(columns, 120))
    floats = len(re.findall(r"\\begin\{(?:sidewaystable|table)\}", text))
    assert floats > 2 and text.count(r"\addtocounter{table}{-1}") == floats - 1
    assert text.count(r"12 345\textsuperscript{i}") == 120 * columns
    assert text.count("A remark.") == text.count(r"\label{") == 1


def test_compiled_no_table_leaves_its_page(tmp_path):
    if not shutil.which("pdflatex"):
        pytest.skip("needs LaTeX with booktabs and rotating")
    made = tables.medians("table-02", example.cells(), example.PROJECTION, example.SETTING)
    wide = replace(table(14, 60), number="table-03")
    text = "".join(map(render.tex, (made, wide, table(2, 3))))
    packages = "booktabs,graphicx,rotating"
    (tmp_path / "all.tex").write_text(
        rf"\documentclass{{article}}\usepackage[T1]{{fontenc}}\usepackage{{{packages}}}"
        "\n" rf"\begin{{document}}{text}\end{{document}}",
        encoding="utf-8",
    )  # fmt: skip
    argv = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "all.tex"]
    done = subprocess.run(argv, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout[-2000:]
    assert "Overfull \\hbox" not in done.stdout and "Float too large" not in done.stdout
