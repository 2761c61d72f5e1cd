"""The notebook of the configuration space, on cells whose truth is known."""

import itertools
import shutil
import warnings

import pytest
import synthetic

from modelstress import analysis
from modelstress.analysis.planned import PLANNED, PlannedCell, planned_text
from tests.integration.notebooks.executed import FOLDER
from tests.integration.notebooks.test_questions import executed, text

STUDY, PROFILE = "configuration-space", "demo"
VARIED = {
    "protocol": ["tcp", "unix"], "threadPerConnectionPolicy": [1, 0],
    "threadPoolWatchConnection": [1, 0], "threadPolicy": ["ORB_CTRL", "SINGLE"],
    "oneCallPerConnection": [1, 0],
}  # fmt: skip
SAME = {"tool": "omniorb", "operation": "call", "optimisation": "O2", "threads": 1,
        "connection": "reused"}  # fmt: skip


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """All 32 combinations: a pool that does not watch its connections takes twice as long."""
    root = tmp_path_factory.mktemp("space")
    shutil.copytree(FOLDER.parent / "config", root / "config")
    plan = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(synthetic, "STUDY", STUDY)
        for place, bits in enumerate(itertools.product(*VARIED.values())):
            levels = SAME | dict(zip(VARIED, bits, strict=True))
            slow = 2.0 if bits[1] == bits[2] == 0 else 1.0
            cell = f"call_{place:08x}"
            patch.setattr(synthetic, "cell_id", lambda _, cell=cell: cell)
            plan.append(PlannedCell("omniorb", cell, "omniORB", levels, 2, synthetic.CONTENTS))
            for number in range(2):
                median = 0.02 * slow * (0.65 if bits[0] == "unix" else 1.0)
                values = synthetic.latencies(median, 40, 1000 * place + number)
                table = synthetic.samples(values, number=number)
                synthetic.write(root / "data", levels, number, table)
    file = root / "data" / PLANNED
    file.write_text(planned_text({(STUDY, PROFILE): plan}), encoding="utf-8")
    return root / "data"


def test_both_use_cases_are_walked_through(data, tmp_path):
    asked = analysis.study_beside(data, STUDY)
    plan = analysis.planned_beside(data, STUDY, PROFILE)
    analysis.write(analysis.derive(data, STUDY, PROFILE, plan, asked=asked), data)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        items = executed("configuration-space", data, tmp_path)
        whole = "\n".join(map(text, items))
    assert "threadPerConnectionPolicy × threadPoolWatchConnection" in whole
    assert "16 of 32 cells have threadPoolWatchConnection = 0" in whole
    assert "Worst 25 %: 8 of 8 worst cells have thread" in whole
    assert "All 32 cells, nested by the options of the tree of the worst 25 %" in whole
    assert "Expected latency" in whole and "same" in whole
    kinds = {getattr(item, "kind", "") for item in items}
    assert {"subspace", "screening", "tree", "treemap", "weighted", "against"} <= kinds
    assert list(tmp_path.iterdir()) == []  # it shows and writes nothing
