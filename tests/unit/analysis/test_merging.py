"""Datasets of several hosts become one."""

import json
import shutil

import pytest
import synthetic

from modelstress import analysis
from modelstress.analysis import PLANNED, PlannedCell, merging, planned_text
from modelstress.config.errors import ConfigError

CELLS = [
    synthetic.LEVELS | {"query": query, "threads": threads}
    for query in ("PosLength", "RouteSensor")
    for threads in (1, 4)
]


def measured(root, median_ms, name=None, contents=None, cells=CELLS):
    """A project's folder with samples of two invocations per cell, and their plan."""
    data = root / "data"
    for levels in cells:
        for number in range(2):
            durations = synthetic.latencies(median_ms, 40, number)
            folder = synthetic.write(data, levels, number, synthetic.samples(durations))
            if name:
                record = json.loads((folder / "cell.json").read_text())
                record["provenance"]["machine"]["name"] = name
                (folder / "cell.json").write_text(json.dumps(record))
    plan = [
        PlannedCell(
            "cdo", synthetic.cell_id(levels), "CDO", levels, 2, contents or synthetic.CONTENTS
        )
        for levels in CELLS
    ]
    text = planned_text({(synthetic.STUDY, synthetic.PROFILE): plan})
    (data / PLANNED).write_text(text)
    return root


@pytest.fixture
def two(tmp_path):
    return [
        merging.part_of(f"lab-{letter}={measured(tmp_path / letter, median)}")
        for letter, median in (("a", 10), ("b", 20))
    ]


def derived(root):
    data = root / "data"
    plan = analysis.planned_beside(data, synthetic.STUDY, synthetic.PROFILE)
    return analysis.derive(data, synthetic.STUDY, synthetic.PROFILE, plan)


def test_host_is_a_factor_of_every_cell(two, tmp_path):
    merged = merging.merge(two, tmp_path / "both")
    assert (merged.copied, merged.kept, merged.cells, dict(merged.differ)) == (16, 0, 4, {})
    found = derived(tmp_path / "both")
    assert "host" in found.factors
    assert not found.cells["flags"].str.contains("unplanned|missing|stale|incomplete").any()
    medians = found.cells.groupby("host")["median_ms"].median()
    assert 1.8 < medians["lab-b"] / medians["lab-a"] < 2.2
    assert len(found.cells) == 8 and found.cells["cell"].is_unique


def test_samples_stay_what_they_are_and_the_old_id_is_kept(two, tmp_path):
    merging.merge(two, tmp_path / "both")
    [source] = two[0].root.glob("data/raw/*/*/*/*PosLength_t1_*/i00")
    [target] = (tmp_path / "both").glob("data/raw/*/*/*/*PosLength_t1_*host=lab-a/i00")
    assert (source / "samples.parquet").read_bytes() == (target / "samples.parquet").read_bytes()
    record = json.loads((target / "cell.json").read_text())
    assert record["merged"] == {"cell": source.parent.name}
    assert record["cell"] == target.parent.name and record["levels"]["host"] == "lab-a"


def test_again_nothing_is_copied_and_new_invocations_are_added(two, tmp_path):
    merging.merge(two, tmp_path / "both")
    levels = synthetic.LEVELS | {"query": "SwitchSet"}
    synthetic.write(two[1].root / "data", levels, 0, synthetic.samples([1.0] * 40))
    merged = merging.merge(two, tmp_path / "both")
    assert (merged.copied, merged.kept) == (1, 16)


def test_what_a_host_did_not_measure_is_missing_there_only(two, tmp_path):
    part = merging.part_of(f"lab-c={measured(tmp_path / 'c', 11, cells=CELLS[:1])}")
    merging.merge([two[0], part], tmp_path / "both")
    cells = derived(tmp_path / "both").cells
    assert set(cells.loc[cells["state"] == "missing", "host"]) == {"lab-c"}
    assert (cells["state"] == "missing").sum() == 3


def test_other_programs_are_told(two, tmp_path):
    contents = {**synthetic.CONTENTS, "jar": "c" * 64}
    part = merging.part_of(f"lab-c={measured(tmp_path / 'c', 11, contents=contents)}")
    merged = merging.merge([two[0], part], tmp_path / "both")
    assert dict(merged.differ) == {"jar": 4}


def test_a_third_host_comes_to_the_first_two(two, tmp_path):
    merging.merge(two, tmp_path / "both")
    third = merging.part_of(f"lab-c={measured(tmp_path / 'c', 30)}")
    assert merging.merge([two[0], third], tmp_path / "both").copied == 8
    cells = derived(tmp_path / "both").cells
    assert set(cells["host"]) == {"lab-a", "lab-b", "lab-c"} and len(cells) == 12
    assert not cells["flags"].str.contains("unplanned|missing").any()


def test_a_home_folder_is_found_behind_a_name(two, monkeypatch):
    monkeypatch.setenv("HOME", str(two[0].root.parent))
    assert merging.part_of("lab-a=~/a").root == two[0].root


def test_a_project_of_its_own_is_not_merged_into(two, tmp_path):
    with pytest.raises(ConfigError, match="no merge has brought"):
        merging.merge(two, measured(tmp_path / "c", 10))


def test_the_recorded_name_is_the_hosts(tmp_path):
    root = measured(tmp_path / "a", 10, name="node7")
    assert merging.part_of(str(root)).host == "node7"


def test_invocations_of_one_cell_on_several_hosts_are_flagged(tmp_path):
    root = measured(tmp_path / "a", 10)
    [file] = root.glob("data/raw/*/*/*/*PosLength_t1_*/i01/cell.json")
    record = json.loads(file.read_text())
    record["provenance"]["machine"]["name"] = "node7"
    file.write_text(json.dumps(record))
    cells = derived(root).cells
    [flagged] = cells[cells["flags"].str.contains("several-hosts")].to_dict("records")
    assert "2 machines (Example CPU, 6.1; node7, Example CPU, 6.1)" in flagged["remarks"]
    assert flagged["invocations"] == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["a={a}", "a={b}"], "given twice"),
        (["a={a}"], "at least two"),
        (["a={a}", "b c={b}"], "no name of a host"),
        (["a={a}", "{b}"], "no host; say NAME="),
        (["a={a}", "b=nowhere"], "no folder data/raw"),
    ],
)  # fmt: skip
def test_what_cannot_be_merged_is_refused(two, tmp_path, arguments, said):
    places = {"a": two[0].root, "b": two[1].root}
    with pytest.raises(ConfigError, match=said):
        parts = [merging.part_of(argument.format(**places)) for argument in arguments]
        merging.merge(parts, tmp_path / "both")


def test_other_samples_are_not_written_over(two, tmp_path):
    merging.merge(two, tmp_path / "both")
    other = merging.part_of(f"lab-a={measured(tmp_path / 'other', 11)}")
    with pytest.raises(ConfigError, match="holds other samples"):
        merging.merge([other, two[1]], tmp_path / "both")


def test_what_is_being_measured_is_not_merged(two, tmp_path):
    [cell] = two[0].root.glob("data/raw/*/*/*/*PosLength_t1_*")
    (cell / "i02.work").mkdir()
    with pytest.raises(ConfigError, match="is being measured"):
        merging.merge(two, tmp_path / "both")


def test_the_same_measurement_under_two_names_is_refused(two, tmp_path):
    """It would be compared with itself: `merge a=X b=X`, or with a copy of X."""
    same = merging.part_of(f"lab-c={two[0].root}")
    copied = shutil.copytree(two[0].root, tmp_path / "copied")
    for other in (same, merging.part_of(f"lab-d={copied}")):
        with pytest.raises(ConfigError, match="have the same measurement"):
            merging.merge([two[0], other], tmp_path / "both")
    assert not (tmp_path / "both").exists()


@pytest.mark.parametrize("place", ["data/raw/*/*/*/*/i00/notes", "queries/x", "LICENSE"])
def test_a_link_in_a_dataset_brings_no_file_of_its_target(two, tmp_path, place):
    secret = tmp_path / "secret"
    secret.write_text("top-secret")
    parent, _, name = place.rpartition("/")
    (two[0].root / "queries").mkdir()
    folder = next(two[0].root.glob(parent)) if parent else two[0].root
    (folder / name).symlink_to(secret)
    with pytest.raises(ConfigError, match=r"is no plain file but a link"):
        merging.merge(two, tmp_path / "both")
    assert all("top-secret" not in f.read_text("latin-1")
               for f in (tmp_path / "both").rglob("*") if f.is_file())  # fmt: skip
