"""What a reader sees of cells that time out: bounds, and never a number that was made up."""

import re
import warnings

import numpy as np
import pytest
import sick
import synthetic

from modelstress.analysis import derive, selection
from modelstress.report import claims, results, selection_report

TIMEOUT_MS = 30_000.0
SHARES = {("http", 1): 0.3, ("http", 4): 0.7, ("tcp", 1): 0.0, ("tcp", 4): 0.02}


@pytest.fixture(scope="module")
def derived(tmp_path_factory):
    """Of HTTP with 4 threads most executions time out, of TCP hardly any; a warning is an error."""
    data = tmp_path_factory.mktemp("data")
    for levels in sick.write(data, "nothing", invocations=0):
        for start in range(3):
            rng = np.random.default_rng(start)
            values = rng.lognormal(2, 0.3, 100)
            share = SHARES[levels["protocol"], levels["threads"]]
            late = rng.permutation(100) < 100 * share
            values[late] = TIMEOUT_MS
            outcomes = ["timeout" if each else "ok" for each in late]
            table = synthetic.samples(values, outcomes, threads=levels["threads"], number=start)
            synthetic.write(data, levels, start, table)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return derive(data, synthetic.STUDY, synthetic.PROFILE, asked=sick.study())


@pytest.mark.filterwarnings("error")
def test_tables_and_figures(derived):
    found = results(derived)
    texts = [e.text for table in found.tables for _, row in table.rows for e in row]
    assert not [text for text in texts if re.search("nan|inf|None|<NA>", text)]
    medians = [text for text in texts if text.startswith(">\u00a030\u202f000\u00a0(")]
    assert len(medians) == derived.cells["median_ms"].isna().sum() > 0
    deltas = next(t for t in found.tables if t.kind == "deltas" and "http" in t.caption)
    assert "+0.68" in str(deltas.rows)  # http with 4 threads is slower than tcp
    kinds = {drawn.kind for drawn in found.figures}
    assert {"boxes", "medians", "deltas", "ratios", "ecdf", "curve"} <= kinds
    for drawn in found.figures:
        figure = drawn.draw()
        figure.canvas.draw()


@pytest.mark.filterwarnings("error")
def test_sentences(derived):
    said = [
        say(derived, "protocol")
        for say in (claims.directions, claims.by_query, claims.largest, claims.gains,
                    claims.overhead, claims.deltas_by_threads, claims.ratios_by_threads)
    ]  # fmt: skip
    said += [say(derived) for say in (claims.outcomes, claims.spread, claims.care, claims.ranks)]
    assert not [text for text in said if re.search(r"\bnan\b|\binf\b|–\s*times", text)]
    directions, largest = said[0], said[2]
    assert re.search(r"http was slower than tcp in (\d+) of \1 ", directions)
    assert "a side mostly timed out, and how much slower is not known" in largest
    assert "at least half of the executions timed out" in said[7]


def test_a_comparison_of_selections(derived):
    found = selection.compare(derived, {"protocol": ["http"]}, {"protocol": ["tcp"]})
    rows = found.rows
    [open_row] = rows[rows["over_ratio"].isna()].head(1).to_dict("index").values()
    row = rows[rows["cell"] == open_row["cell"]].iloc[0]
    lines = " ".join(selection_report.pair_sentences(row, found, derived.confidence))
    assert "an unknown number of times as long" in lines and "interval at least" in lines
    assert not re.search(r"\bnan\b|\binf\b", lines)
    table = selection_report.table(found)
    assert table["ratio over invocations"].str.contains("at least").any()
    assert selection_report.curves(row, found, derived).axes
