"""Summary of the cells: percentiles, correct answers per second and errors."""

import numpy as np
import pandas as pd
import pytest
import sick
import synthetic

from modelstress.analysis import derive
from modelstress.report.cell_summary import COLUMNS, cell_summary, save


@pytest.fixture(scope="module")
def found(study_data, study_plan):
    return derive(study_data, synthetic.STUDY, synthetic.PROFILE, study_plan)


@pytest.fixture(scope="module")
def summary(found):
    return cell_summary(found)


def test_a_row_per_measured_cell_with_loads_ascending(found, summary):
    measured = found.cells[found.cells["invocations"] > 0]
    assert tuple(summary.columns) == COLUMNS
    assert set(summary["cell"]) == set(measured["cell"]) and len(summary) == len(measured)
    changes = (summary["operation"] != summary["operation"].shift()).sum()
    assert changes == summary["operation"].nunique() > 1  # those of one stand together
    for _, rows in summary.groupby(["operation", "configuration"]):
        loads = [int(load.split()[0]) for load in rows["load"]]
        assert loads == sorted(loads)


def test_percentiles_are_of_all_answers(found, summary):
    for row in summary.to_dict("records"):
        values = np.concatenate(found.latencies[("cdo", row["cell"])])
        cell = found.cells.set_index("cell").loc[row["cell"]]
        if cell["timeout"] == 0:
            assert row["p50_ms"] == pytest.approx(np.median(values))
            assert row["p95_ms"] == pytest.approx(np.quantile(values, 0.95))
        assert row["correct_per_s"] == cell["throughput_per_s"]


def test_a_percentile_among_timeouts_is_infinite_and_errors_are_counted(found, summary):
    rows = summary.set_index("cell")
    cells = found.cells.set_index("cell")
    late = cells[cells["timeout"] > 20].index
    assert len(late) == 1
    assert np.isinf(rows.loc[late[0], ["p50_ms", "p95_ms"]].astype(float)).all()
    [odd] = cells[cells["incorrect"] > 0].index
    assert rows.loc[odd, "errors"] == 2 * 3  # a wrong answer, an error and a timeout, two starts
    assert np.isfinite(rows.loc[odd, "p95_ms"])
    assert rows["errors"].sum() == rows.loc[[odd, late[0]], "errors"].sum()


def test_the_file_has_the_rows(summary, tmp_path):
    path = save(summary, "study", tmp_path)
    assert path == tmp_path / "study" / "summary.csv"
    read = pd.read_csv(path)
    assert list(read["errors"]) == list(summary["errors"])
    assert read["p50_ms"].to_numpy() == pytest.approx(summary["p50_ms"].to_numpy(float), rel=1e-5)


@pytest.mark.parametrize("kind", sick.KINDS)
def test_whatever_the_data_are_every_measured_cell_has_a_row(tmp_path, kind):
    found = sick.derived(tmp_path, kind)
    made = cell_summary(found)
    assert len(made) == (found.cells["invocations"] > 0).sum()
    assert (made["errors"] <= made["executions"]).all()
