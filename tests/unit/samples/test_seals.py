"""One changed byte in an invocation is refused or told, never taken for what was measured."""

import json
import random
import shutil

import captures
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import sick
import synthetic
from click.testing import CliRunner

from modelstress import analysis
from modelstress.analysis import merging, raw
from modelstress.cli import main
from modelstress.config.errors import ConfigError, MeasureError
from modelstress.samples import seals
from modelstress.samples.files import write_json, write_parquet
from modelstress.samples.record import read_record
from modelstress.samples.schema import SCHEMA
from modelstress.samples.tables import impossible

FLIPPED = (
    "samples.parquet", "histograms.parquet", "anatomy.parquet", "messages.parquet",
    "capture.pcap", "cell.json",
)  # fmt: skip
FLIPS = [24, pytest.param(400, marks=pytest.mark.long)]


@pytest.fixture
def sealed(tmp_path):
    """A sealed invocation with everything that one can consist of."""
    data, levels = tmp_path / "data", synthetic.LEVELS
    folder = captures.capture(data, levels, lambda i: captures.tcp([(300, 120)] * (i + 1)))
    table = synthetic.samples(synthetic.latencies(20, 60, 1))
    write_parquet(folder / "samples.parquet", table)
    write_parquet(folder / "histograms.parquet", table.select(["sequence", "duration_ns"]))
    (folder / "capture.pcap").write_bytes(random.Random(1).randbytes(3000))
    write_json(folder / "cell.json", seals.sealed(read_record(folder / "cell.json"), folder))
    assert raw.read(folder, 0).state == "complete"
    return folder


@pytest.mark.parametrize("flips", FLIPS)
@pytest.mark.parametrize("name", FLIPPED)
def test_every_flipped_byte_that_changes_content_is_told(sealed, name, flips):
    file, dice = sealed / name, random.Random(name)
    whole = file.read_bytes()
    content = json.loads(whole) if name == "cell.json" else None
    for _ in range(flips):
        data = bytearray(whole)
        data[dice.randrange(len(data))] ^= 1 << dice.randrange(8)
        file.write_bytes(data)
        found = raw.read(sealed, 0)
        if found.state != "damaged":
            assert content is not None and json.loads(data) == content
            continue
        assert name in found.problems[-1].message
        assert not found.table.num_rows or name == "cell.json"


def test_derive_keeps_a_damaged_invocation_out_and_says_so(sealed, tmp_path):
    shutil.copytree(sealed, sealed.with_name("i01"))  # which stays whole
    flip(sealed / "samples.parquet")
    (tmp_path / "config" / "studies").mkdir(parents=True)
    for name in ("config.yaml", f"studies/{synthetic.STUDY}.yaml"):
        shutil.copy(sick.ROOT / "config" / name, tmp_path / "config" / name)
    plan = {(synthetic.STUDY, synthetic.PROFILE): []}
    (tmp_path / "data" / analysis.PLANNED).write_text(analysis.planned_text(plan))
    options = ["--study", synthetic.STUDY, "--profile", synthetic.PROFILE]
    done = CliRunner().invoke(main, ["derive", *options, "--data-dir", str(tmp_path / "data")])
    assert done.exit_code == 0, done.output
    assert "damaged, kept out" in done.stderr and "samples.parquet" in done.stderr
    derived = analysis.derive(tmp_path / "data", synthetic.STUDY, synthetic.PROFILE)
    assert derived.invocations["state"].tolist() == ["damaged", "complete"]
    [sentence] = analysis.damaged(derived)
    assert "samples.parquet" in sentence and "i00" in sentence


def test_a_damaged_invocation_is_not_archived(sealed, tmp_path):
    flip(sealed / "messages.parquet")
    (tmp_path / "config" / "studies").mkdir(parents=True)
    for name in ("config.yaml", f"studies/{synthetic.STUDY}.yaml"):
        shutil.copy(sick.ROOT / "config" / name, tmp_path / "config" / name)
    shutil.copytree(sick.ROOT / "config" / "profiles", tmp_path / "config" / "profiles")
    plan = {(synthetic.STUDY, synthetic.PROFILE): []}
    (tmp_path / "data" / analysis.PLANNED).write_text(analysis.planned_text(plan))
    options = ["--study", synthetic.STUDY, "--profile", synthetic.PROFILE]
    done = CliRunner().invoke(main, ["--project", str(tmp_path), "archive", *options])
    assert done.exit_code == 2, done.output
    assert "i00: messages.parquet is damaged" in done.stderr


def test_verify_names_the_damaged_file_and_marks_the_unsealed(sealed, tmp_path):
    synthetic.write(tmp_path / "data", synthetic.LEVELS, 1, synthetic.samples([5.0] * 3))
    flip(sealed / "anatomy.parquet")
    argv = ["--project", str(sick.ROOT), "verify", str(tmp_path / "data")]
    done = CliRunner().invoke(main, argv)
    assert done.exit_code == 1
    lines = done.stdout.splitlines()
    [at] = [number for number, line in enumerate(lines) if line.startswith(str(sealed))]
    assert "unsealed" not in lines[at]
    assert lines[at + 1].startswith("  problem: anatomy.parquet is damaged")
    [older] = [line for line in lines if line.startswith(str(sealed.with_name("i01")))]
    assert older.endswith("(unsealed)")


def test_a_damaged_invocation_is_not_merged(sealed, tmp_path):
    flip(sealed / "capture.pcap")
    other = tmp_path / "other"
    synthetic.write(other / "data", synthetic.LEVELS, 0, synthetic.samples([5.0]))
    parts = [merging.part_of(f"a={tmp_path}"), merging.part_of(f"b={other}")]
    with pytest.raises(ConfigError, match=r"i00: capture.pcap is damaged"):
        merging.merge(parts, tmp_path / "both")


def test_what_is_merged_stays_sealed(sealed, tmp_path):
    other = tmp_path / "other"
    synthetic.write(other / "data", synthetic.LEVELS, 0, synthetic.samples([5.0]))
    parts = [merging.part_of(f"a={tmp_path}"), merging.part_of(f"b={other}")]
    merging.merge(parts, tmp_path / "both")
    [mine] = (tmp_path / "both").glob("data/raw/*/*/*/*host=a/i00")
    record = read_record(mine / "cell.json")
    assert seals.is_sealed(record) and seals.broken(record, mine) == []
    [older] = (tmp_path / "both").glob("data/raw/*/*/*/*host=b/i00")
    assert not seals.is_sealed(read_record(older / "cell.json"))
    assert raw.read(older, 0).state == "complete"


def test_a_lost_file_and_a_foreign_one_are_told(sealed):
    record = read_record(sealed / "cell.json")
    (sealed / "messages.parquet").rename(sealed / "foreign.parquet")
    assert seals.broken(record, sealed) == [
        "messages.parquet is missing or cannot be read (No such file or directory)",
        "foreign.parquet is not of this invocation: cell.json does not name it",
    ]


@pytest.mark.parametrize("field", ["seal", "files"])
def test_a_record_cannot_lose_half_of_its_seal(sealed, field):
    record = read_record(sealed / "cell.json")
    del record[field]
    assert seals.broken(record, sealed)


def test_a_seal_is_of_content_not_of_spaces(sealed):
    record = json.loads((sealed / "cell.json").read_text())
    backward = dict(reversed(record.items()))
    (sealed / "cell.json").write_text(json.dumps(backward, separators=(",", ":")))
    assert raw.read(sealed, 0).state == "complete"


RECORD = {
    "levels": {"threads": 1}, "seconds": 5.0,
    "clients": [{"client": 0, "threads": 1, "offset_ns": -7}],
    "window": {
        "begin_ns": synthetic.ORIGIN_NS + 7, "end_ns": synthetic.ORIGIN_NS + 2_000_000_007,
    },
}  # fmt: skip
IMPOSSIBLE = {
    "duration_ns below 0": ("duration_ns", -1),
    "verify_ns below 0": ("verify_ns", -5),
    "bytes_sent below -1": ("bytes_sent", -2),
    "bytes_received below -1": ("bytes_received", -300),
    "result_count below 0": ("result_count", -1),
    "a client that": ("client", 3),
    "a thread beyond": ("thread", 1),
    "one sequence number": ("sequence", 1),
    "a latency longer than": ("duration_ns", 10**16),
    "before the intended": ("intended_start_ns", synthetic.ORIGIN_NS + 10**12),
    "not intended in a closed loop": ("intended_start_ns", 5),
    "outside the invocation's": ("start_ns", 2**62),
    "outside the window": ("start_ns", synthetic.ORIGIN_NS + 2_000_000_001),
}


@pytest.mark.parametrize("said", IMPOSSIBLE)
def test_impossible_values_are_refused_without_a_seal(said):
    column, value = IMPOSSIBLE[said]
    table = synthetic.samples([20.0] * 30)
    assert impossible(table, RECORD) == []
    values = table[column].to_numpy().copy()
    values[0] = value
    columns = {column: values}
    if said == "outside the invocation's" or said == "outside the window":
        columns["intended_start_ns"] = values
    for name, changed in columns.items():
        at = SCHEMA.get_field_index(name)
        table = table.set_column(at, SCHEMA.field(at), pa.array(changed, SCHEMA.field(at).type))
    [sentence] = impossible(table, RECORD)
    assert said in sentence


@pytest.mark.parametrize("column", ["outcome", "phase"])
def test_a_word_that_nobody_knows_is_impossible(column):
    table = synthetic.samples([20.0] * 3)
    words = pa.array(["ok", "odd", "ok"] if column == "outcome" else ["measure", "x", "measure"])
    table = table.set_column(SCHEMA.get_field_index(column), column, words.dictionary_encode())
    assert impossible(table, RECORD) == [f"impossible samples: an unknown {column}"]


def test_an_unsealed_invocation_with_a_negative_latency_is_damaged(tmp_path):
    table = synthetic.samples([5.0, 6.0])
    folder = synthetic.write(tmp_path, synthetic.LEVELS, 0, table)
    at = SCHEMA.get_field_index("duration_ns")
    values = np.array([5_000_000, -(2**60)])
    pq.write_table(
        table.set_column(at, SCHEMA.field(at), pa.array(values)), folder / "samples.parquet"
    )
    found = raw.read(folder, 0)
    assert (found.state, found.table.num_rows) == ("damaged", 0)


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000, "[]", '{"levels": 3}', '{"seconds": -1}', '{"seconds": 1e400}',
        '{"validity": {"reasons": [5]}}', '{"window": {"begin_ns": 1}}',
        '{"clients": [{"client": 1e400}]}', '{"outcomes": {"measure": {"fine": 3}}}',
        '{"telemetry": {"columns": {"t_ns": ["x"]}}}', '{"invocation": ' + "9" * 5000 + "}",
    ],
)  # fmt: skip
def test_a_damaged_record_is_one_sentence(tmp_path, text):
    (tmp_path / "cell.json").write_text(text)
    with pytest.raises(MeasureError, match=r"^cell.json is damaged"):
        read_record(tmp_path / "cell.json")


def flip(file):
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)


def test_damage_is_told_without_the_other_remarks(sealed, tmp_path):
    """What a damaged file says of load and steadiness says nothing."""
    record = read_record(sealed / "cell.json")
    reason = {"code": "client-busy", "kind": "invalid", "message": "100 % busy"}
    record["validity"] = {"valid": False, "reasons": [reason]}
    write_json(sealed / "cell.json", seals.resealed(record))
    flip(sealed / "samples.parquet")
    derived = analysis.derive(tmp_path / "data", synthetic.STUDY, synthetic.PROFILE)
    [said] = analysis.damaged(derived)
    assert "i00: samples.parquet is damaged" in said
    assert "busy" not in said and " | " not in said and "steadiness" not in said


def test_verify_tells_a_record_that_is_gone(sealed, tmp_path):
    """Without it an invocation would be in no list at all."""
    argv = ["--project", str(sick.ROOT), "verify", str(tmp_path / "data")]
    (sealed / "cell.json").unlink()
    done = CliRunner().invoke(main, argv)
    assert done.exit_code == 1 and "1 invocations checked, 1 with problems" in done.stdout
    assert "problem: cell.json is missing: " in done.stdout
    sealed.with_name(f"{sealed.name}.work").mkdir()
    assert "no samples below" in CliRunner().invoke(main, argv).stderr, "it is being written"
