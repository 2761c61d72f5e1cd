"""Costs of operations against the objects that had come to be, and how they grow."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
import synthetic
from small_studies import study

from modelstress.analysis.derive import derive
from modelstress.analysis.load import load
from modelstress.analysis.write import write
from modelstress.config.windows import GrowthStretches
from modelstress.samples.files import read_json, write_json
from modelstress.samples.schema import SCHEMA

PLACE = (synthetic.STUDY, synthetic.PROFILE)
LEVELS = synthetic.LEVELS | {"threads": 1}
BATCHES = 400
OF_BATCH = 50


def growing(folder, exponent=0.5, levels=LEVELS):
    """A thread that creates a batch of objects, then reads one of them: reading becomes slower."""
    objects = np.arange(1, BATCHES + 1) * OF_BATCH
    noise = np.exp(np.random.default_rng(1).normal(size=BATCHES) * 0.05)
    latencies = np.ravel(np.column_stack([np.full(BATCHES, 5.0), objects**exponent * noise]))
    table = synthetic.samples(latencies, operations=["create", "read"] * BATCHES)
    at = SCHEMA.get_field_index("items")
    items = pa.array([OF_BATCH, 1] * BATCHES, SCHEMA.field(at).type)
    made = synthetic.write(folder, levels, 0, table.set_column(at, SCHEMA.field(at), items))
    marked = [{"name": "create", "objects": True}, {"name": "read", "objects": False}]
    write_json(made / "cell.json", read_json(made / "cell.json") | {"operations": marked})


def asked(objects=500):
    return study().model_copy(update={"growth": GrowthStretches(objects=objects)})


def test_costs_stand_beside_the_objects_there_were(tmp_path):
    growing(tmp_path)
    found = derive(tmp_path, *PLACE, asked=asked()).growth
    assert found is not None
    created, read = (found[found["operation"] == name] for name in ("create", "read"))
    assert len(created) == BATCHES * OF_BATCH // 500 and len(read) == len(created) + 1
    assert created["cost_ms"].to_numpy() == pytest.approx(5.0 / OF_BATCH)
    assert created["executions"].tolist() == [10] * 40
    assert created["objects"].tolist() == pytest.approx([225 + 500 * n for n in range(40)])
    assert read["cost_ms"].to_numpy() == pytest.approx(read["objects"] ** 0.5, rel=0.12)


def test_how_they_grow_is_fitted(tmp_path):
    growing(tmp_path)
    fits = derive(tmp_path, *PLACE, asked=asked()).growth_fits
    assert fits is not None
    by_operation = fits.set_index("operation")
    read, created = by_operation.loc["read"], by_operation.loc["create"]
    assert read["exponent_low"] < 0.5 < read["exponent_high"] and read["over_log_low"] > 1
    assert "power" in read["laws"].split(";") and "constant" not in read["laws"].split(";")
    assert created["exponent"] == pytest.approx(0, abs=1e-9)
    assert (read["from_objects"], read["to_objects"]) == (250, 19_725)


def test_few_stretches_are_said_to_be_too_few(tmp_path):
    growing(tmp_path)
    fits = derive(tmp_path, *PLACE, asked=asked(objects=2000)).growth_fits
    assert fits is not None and set(fits["flags"]) == {"too-few"}
    assert fits["exponent"].isna().all() and (fits["laws"] == "").all()


@pytest.mark.parametrize(("limit", "memory_mib"), [(0, 16_384), (512, 512)])
def test_the_store_stands_beside_the_memory_it_had(tmp_path, limit, memory_mib):
    growing(tmp_path, levels=LEVELS | {"server_memory_mib": limit})
    [file] = tmp_path.rglob("cell.json")
    record = read_json(file)
    machine = {"memory": f"{16 << 20} kB"}
    more = {"server": {"disk_bytes": 3 << 30}, "provenance": {"machine": machine}}
    write_json(file, record | more)
    fits = derive(tmp_path, *PLACE, asked=asked()).growth_fits
    assert fits is not None
    assert set(fits["store_mib"]) == {3072} and set(fits["memory_mib"]) == {memory_mib}


def test_a_store_that_does_not_grow_has_no_size(tmp_path):
    table = synthetic.samples([5.0] * 40, outcomes=["error", "ok"] * 20,
                              operations=["create", "read"] * 20)  # fmt: skip
    made = synthetic.write(tmp_path, LEVELS, 0, table)
    marked = [{"name": "create", "objects": True}, {"name": "read", "objects": False}]
    write_json(made / "cell.json", read_json(made / "cell.json") | {"operations": marked})
    derived = derive(tmp_path, *PLACE, asked=asked())
    assert derived.growth is not None and derived.growth["objects"].tolist() == [0]
    assert derived.growth_fits is not None
    assert derived.growth_fits["stretches"].tolist() == [0]
    assert derived.growth_fits["flags"].tolist() == ["too-few"]


def test_they_are_written_and_read_back(tmp_path):
    growing(tmp_path)
    whole = derive(tmp_path, *PLACE, asked=asked())
    folder = write(whole, tmp_path)
    package = (folder / "datapackage.json").read_text(encoding="utf-8")
    assert "growth.csv" in package and "growth_fits.csv" in package
    back = load(tmp_path, *PLACE)
    assert back.growth is not None and back.growth.equals(whole.growth)
    assert back.growth_fits is not None and back.growth_fits.equals(whole.growth_fits)
    write(derive(tmp_path, *PLACE, asked=study()), tmp_path)
    assert not (folder / "growth.csv").exists() and not (folder / "growth_fits.csv").exists()
