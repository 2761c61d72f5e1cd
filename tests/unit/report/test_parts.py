"""The figure of where the time of executions goes."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import synthetic
from figure_texts import assert_no_overlap
from small_studies import study

from modelstress.analysis.derive import derive
from modelstress.report import parts, results

LEVELS = synthetic.LEVELS | {"threads": 1}
SPENT = {"marshal": 0.2, "wait": 0.7}


def write_parts(folder, values):
    whole = [round(1e6 * value) for value in values]
    n = len(whole)
    columns = {"client": [0] * n, "thread": [0] * n, "sequence": list(range(n)),
               "operation": ["q"] * n, "start_ns": [0] * n, "duration_ns": whole}  # fmt: skip
    spent = {f"{name}_ns": [round(share * one) for one in whole] for name, share in SPENT.items()}
    pq.write_table(pa.table({**columns, **spent}), folder / "parts.parquet")


def made(folder, told=True):
    """Two cells; of each execution 70 % is waiting, and 10 % in no part."""
    for protocol, scale in (("tcp", 1.0), ("http", 3.0)):
        values = [scale] * 50
        where = synthetic.write(folder, LEVELS | {"protocol": protocol}, 0,
                                synthetic.samples(values))  # fmt: skip
        if told:
            write_parts(where, values)
    whole = study(factors={"protocol": ["tcp", "http"]})
    return derive(folder, synthetic.STUDY, synthetic.PROFILE, asked=whole)


def test_a_tool_that_tells_no_parts_has_no_figure(tmp_path):
    assert not results(made(tmp_path, told=False)).of("parts")


def test_bars_are_shares_in_the_order_in_which_parts_happen(tmp_path):
    [drawn] = results(made(tmp_path)).of("parts")
    assert "wait takes 70 % of the time, marshal 20 %" in drawn.caption
    [axes] = drawn.figure.axes
    widths = [[round(bar.get_width()) for bar in bars] for bars in axes.containers]
    assert widths == [[20, 20], [70, 70], [10, 10]]
    labels = [label.get_text() for label in axes.get_yticklabels()]
    assert labels == ["http (3.0 ms)", "tcp (1.0 ms)"]
    assert [bars.get_label() for bars in axes.containers] == ["marshal", "wait", parts.REST]
    assert axes.get_xlabel() == "share of the mean latency (%)"
    assert_no_overlap(drawn.figure)
