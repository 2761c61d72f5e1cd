"""Derived tables on disk: complete, described, and the same at every run."""

import json

import pandas as pd
import pytest
import sick
import synthetic

from modelstress.analysis import columns, derive, write


@pytest.fixture
def written(study_data, study_plan, tmp_path):
    asked = sick.study()
    result = derive(study_data, synthetic.STUDY, synthetic.PROFILE, study_plan, asked=asked)
    return result, write(result, tmp_path)


def tables_of(folder):
    package = json.loads((folder / "datapackage.json").read_text(encoding="utf-8"))
    return [each for each in package["resources"] if each["path"].endswith(".csv")]


def test_csv_and_parquet_hold_the_same(written):
    result, folder = written
    for name in columns.TABLES:
        csv = pd.read_csv(folder / f"{name}.csv", keep_default_na=False, na_values=[""])
        parquet = pd.read_parquet(folder / f"{name}.parquet")
        assert list(csv.columns) == list(parquet.columns) == list(getattr(result, name).columns)
        assert len(csv) == len(parquet) == len(getattr(result, name))
        # one tool only, neither faults nor mixes
        assert len(csv) > 0 or name in ("groups", "faults", "operations")
    cells = pd.read_parquet(folder / "cells.parquet")
    pd.testing.assert_series_equal(cells["median_ms"], result.cells["median_ms"])


def test_every_column_is_described(written):
    result, folder = written
    readme = (folder / "README.md").read_text(encoding="utf-8")
    resources = tables_of(folder)
    assert {resource["name"] for resource in resources} == set(columns.TABLES)
    for resource in resources:
        header = (folder / resource["path"]).read_text(encoding="utf-8").splitlines()[0]
        fields = resource["schema"]["fields"]
        assert header == ",".join(field["name"] for field in fields)
        for field in fields:
            assert field["description"]
            assert f"| `{field['name']}` |" in readme
            if field["name"].endswith(("_ms", "_s")):
                assert field["unit"] in ("ms", "s", "1/s")
    assert set(result.factors) <= {f["name"] for f in resources[0]["schema"]["fields"]}


def test_values_have_the_declared_types(written):
    _, folder = written
    for resource in tables_of(folder):
        table = pd.read_csv(folder / resource["path"], dtype=str, keep_default_na=False)
        for field in resource["schema"]["fields"]:
            values = [value for value in table[field["name"]] if value != ""]
            if field["type"] == "integer":
                assert all(str(int(value)) == value for value in values), field
            elif field["type"] == "number":
                assert all(float(value) == float(value) for value in values), field
            elif field["type"] == "boolean":
                assert set(values) <= {"True", "False"}, field


def test_a_second_run_writes_the_same_bytes(written, study_data, study_plan, tmp_path):
    _, folder = written
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    where = study_data, synthetic.STUDY, synthetic.PROFILE
    again = derive(*where, study_plan, asked=sick.study())
    assert write(again, tmp_path) == folder
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    assert len(before) == 2 * len(columns.TABLES) + 3


def test_levels_of_mixed_types_can_be_written(tmp_path):
    for level in (True, "auto", 3):
        levels = synthetic.LEVELS | {"pool": level}
        synthetic.write(tmp_path, levels, 0, synthetic.samples([5.0]))
    folder = write(derive(tmp_path, synthetic.STUDY, synthetic.PROFILE), tmp_path)
    pools = pd.read_parquet(folder / "cells.parquet")["pool"]
    assert sorted(pools) == ["3", "True", "auto"]
