"""The rate of all threads, if each had that of the last one."""

from __future__ import annotations

import pytest
import synthetic
from small_studies import study

from modelstress.analysis.derive import derive
from modelstress.config.figures import OverFactor

PLACE = (synthetic.STUDY, synthetic.PROFILE)


def test_it_is_there_where_a_figure_asks(tmp_path):
    # thread 0 has two executions while thread 1 has one: 3 a second together, 2 as extrapolated
    table = synthetic.samples([500.0, 1000.0, 500.0], threads=2)
    synthetic.write(tmp_path, synthetic.LEVELS | {"threads": 2}, 0, table)
    figure = OverFactor(topic="updates", title="t", over="threads",
                        measure="extrapolated throughput", only={})  # fmt: skip
    asked = study().model_copy(update={"figures": [figure]})
    rows = derive(tmp_path, *PLACE, asked=asked).invocations
    assert rows["throughput_per_s"].tolist() == pytest.approx([3.0])
    assert rows["extrapolated_per_s"].tolist() == pytest.approx([2.0])
    assert "extrapolated_per_s" not in derive(tmp_path, *PLACE, asked=study()).invocations
