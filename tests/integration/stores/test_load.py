"""Loading a store of the real CDO, once."""

from __future__ import annotations

import json
import os

import pyarrow.parquet as pq
import pytest

from modelstress.config.errors import ConfigError, MeasureError, MissingError
from modelstress.measure.stores import MARKER, read_marker
from modelstress.workloads.queries import files
from modelstress.workloads.queries.stores import load_store

NAME = "train-2016-repair-1"


@pytest.mark.timeout(240)
def test_load_once_and_again_when_contents_change(small_project):
    tool = small_project.tool("cdo")
    told = []
    folder, fresh = load_store(small_project, tool, "h2", NAME, lambda *at: told.append(at))
    assert fresh and told and told[-1][0] == told[-1][1]
    ids = pq.read_table(folder / "ids.parquet").to_pandas()
    assert sorted(ids["index"]) == list(range(len(ids)))
    assert ids["id"].is_unique
    marker = read_marker(folder)
    assert marker["elements"] == len(ids) and marker["bytes"] > 0
    assert 0 < marker["cpu_seconds"] < os.cpu_count() * marker["seconds"]
    assert load_store(small_project, tool, "h2", NAME) == (folder, False)

    marker["content"]["model"] = "other"
    (folder / MARKER).write_text(json.dumps(marker), encoding="utf-8")
    (folder / "left-over").touch()
    assert load_store(small_project, tool, "h2", NAME) == (folder, True)
    assert not (folder / "left-over").exists()


def test_truncated_model_leaves_no_store(small_project):
    model = files.model_file(small_project, NAME)
    model.write_bytes(model.read_bytes()[:500])
    with pytest.raises((ConfigError, MissingError), match=rf"{NAME}\.bin"):
        load_store(small_project, small_project.tool("cdo"), "h2", NAME)
    assert read_marker(files.store_folder(small_project, "cdo", "h2", NAME)) == {}


def test_missing_model(small_project):
    with pytest.raises(MissingError, match="modelstress model build nothing"):
        load_store(small_project, small_project.tool("cdo"), "h2", "nothing")


def test_a_load_that_takes_too_long_is_ended(small_project):
    tool = small_project.tool("cdo").model_copy(update={"load_timeout_s": 0})
    with pytest.raises(MeasureError, match="load_timeout_s"):
        load_store(small_project, tool, "h2", NAME)
    assert read_marker(files.store_folder(small_project, "cdo", "h2", NAME)) == {}
