"""Captured cells of the fake tool through the proxy; what goes wrong costs no samples."""

from __future__ import annotations

import dataclasses
import json
import random
import struct
import threading
import zipfile
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from fake_cells import codes, fake_invocation, read_record, read_rows
from measuring import measure, nothing_left

from modelstress.config.errors import MeasureError
from modelstress.config.profile import Capture as CaptureSettings
from modelstress.hosts import private
from modelstress.measure import calibration
from modelstress.measure.invocation import Invocation, workload_of
from modelstress.measure.traffic import capture, pcap
from modelstress.measure.traffic.capture import Capture
from modelstress.measure.traffic.counter import Counter, port_filter, realtime_offset
from modelstress.samples.tables import read_samples

ROOT = Path(__file__).parents[3]


@pytest.fixture
def invocation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Invocation:
    monkeypatch.setattr(calibration, "SECONDS", 0.02)
    one = fake_invocation(tmp_path, threads=1, executions=3)
    settings = one.cell.settings.model_copy(update={"capture": CaptureSettings(pause_ms=50)})
    return dataclasses.replace(one, cell=dataclasses.replace(one.cell, settings=settings))


def test_executions_are_apart(invocation):
    assert [one.think_ms for one in workload_of(invocation, 0).operations] == [50]


def test_a_captured_cell_leaves_nothing_behind(invocation, tmp_path):
    assert measure(invocation, tmp_path).fresh
    nothing_left(tmp_path, invocation, "i00")
    assert not {thread.name for thread in threading.enumerate()} & {"proxy", "counter"}
    rows = pq.read_table(invocation.folder / "anatomy.parquet").to_pylist()
    assert [row["phase"] for row in rows] == ["warmup"] * 2 + ["measure"] * 3
    samples = {(r["phase"], r["sequence"]): r for r in read_rows(invocation).to_pylist()}
    for row in rows:
        sample = samples[row["phase"], row["sequence"]]
        for name in ("start_ns", "duration_ns", "operation", "outcome"):
            assert row[name] == sample[name]
    starts = sorted(row["start_ns"] for row in rows)
    ends = sorted(row["start_ns"] + row["duration_ns"] for row in rows)
    pairs = zip(ends, starts[1:], strict=False)
    assert all(start - end >= 50e6 for end, start in pairs), "between phases, too"


@pytest.mark.timeout(120)
def test_a_server_that_was_restarted_is_captured_too(tmp_path, monkeypatch):
    monkeypatch.setattr(calibration, "SECONDS", 0.02)
    one = fake_invocation(
        tmp_path, threads=1, executions=6, server={"hangs": 1, "hang_after": 4},
        driver={"endless": 1}, cell_timeout_s=120,
        settings={"wedge_s": 1.5, "capture": CaptureSettings(pause_ms=20)},
    )  # fmt: skip
    assert measure(one, tmp_path).outcomes == {"ok": 5, "timeout": 1}
    rows = pq.read_table(one.folder / "anatomy.parquet").to_pylist()
    for row in rows:
        assert row["connections"] == 1 and row["payload_sent"] == 6
        assert row["payload_received"] == (6 if row["outcome"] == "ok" else 0)


@pytest.mark.parametrize("broken", ["write_parquet", "_decode"])
def test_a_capture_that_fails_does_not_cost_the_samples(invocation, tmp_path, monkeypatch, broken):
    def full(*_: object) -> None:
        raise MeasureError("anatomy.parquet: the disk is full")

    monkeypatch.setattr(capture if broken == "write_parquet" else Capture, broken, full)
    measured = measure(invocation, tmp_path)
    assert read_rows(invocation).num_rows == 5
    assert measured.valid is False and "capture-failed" in measured.reasons
    assert "disk is full" in str(read_record(invocation)["validity"])
    assert codes(invocation) >= {"capture-failed"}


@pytest.mark.parametrize("error", [struct.error("unpack"), AttributeError("__name__"), KeyError(3)])
def test_whatever_decoding_raises_costs_no_samples(invocation, tmp_path, monkeypatch, error):
    def broken(*_: object) -> None:
        raise error

    monkeypatch.setattr(Capture, "_decode", broken)
    measured = measure(invocation, tmp_path)
    assert read_rows(invocation).num_rows == 5 and "capture-failed" in measured.reasons
    assert type(error).__name__ in str(read_record(invocation)["validity"])
    nothing_left(tmp_path, invocation, "i00")


@pytest.fixture(scope="module")
def real(tmp_path_factory):
    """A capture of CDO over HTTP, from the archive: its packets, samples and record."""
    folder = tmp_path_factory.mktemp("real")
    with zipfile.ZipFile(ROOT / "archives" / "model-queries-claims.zip") as archive:
        names = [n for n in archive.namelist() if "/anatomy/cdo/cdo_h2_ocl_http" in n]
        found = [n for n in names if "long-poll" in n and n.endswith("capture.pcap")]
        place = min(found).removesuffix("capture.pcap")
        for name in ("capture.pcap", "samples.parquet", "cell.json"):
            (folder / name).write_bytes(archive.read(place + name))
    return folder


def decoded(folder, frames, monkeypatch):
    monkeypatch.setattr(private, "missing", lambda: None)
    one = Capture(folder, 300)
    samples = read_samples(folder / "samples.parquet", 1)
    ports = json.loads((folder / "cell.json").read_text())["capture"]["ports"]
    assert one._counter is not None
    one._counter.file = folder / "changed.pcap"
    one._counter.file.write_bytes(pcap.HEADER + b"".join(pcap.record(*frame) for frame in frames))
    one._counter.ports = set(ports)
    one._counter.clock_ns = frames[0][0] - min(samples["start_ns"].to_pylist())
    one.decode(samples, offset_ns=0, rtt_ns=0, reused=False)
    return one


@pytest.mark.parametrize("swaps", [60, pytest.param(2000, marks=pytest.mark.long)])
def test_swapped_packets_cost_no_invocation(real, monkeypatch, swaps):
    frames = list(pcap.read(real / "capture.pcap"))
    assert decoded(real, frames, monkeypatch)._tables["anatomy"].num_rows > 1
    places = range(len(frames) - 1)
    chosen = random.Random(4).sample(places, min(swaps, len(places)))
    failed = 0
    for at in chosen:
        (first, one), (second, other) = frames[at : at + 2]
        swapped = [*frames[:at], (first, other), (second, one), *frames[at + 2 :]]
        capture_ = decoded(real, swapped, monkeypatch)
        assert bool(capture_._tables) == (capture_.reasons() == [])
        failed += not capture_._tables
    assert 0 < failed < len(chosen)


def test_dropped_packets_make_the_invocation_invalid(tmp_path, monkeypatch):
    monkeypatch.setattr(private, "missing", lambda: None)
    one = Capture(tmp_path, 1)
    assert one.method == "packets" and one.reasons() == []
    assert isinstance(one._counter, Counter)
    one._counter.dropped = 3
    [reason] = one.reasons()
    assert (reason.code, reason.kind) == ("capture-dropped", "invalid") and "3" in reason.message


def test_an_address_without_a_port_is_refused(tmp_path):
    with pytest.raises(MeasureError, match="has no port"):
        Capture(tmp_path, 1).begin("http://host/path")


def test_path_and_scheme_of_an_address_stay(tmp_path, monkeypatch):
    monkeypatch.setattr(private, "missing", lambda: "no network of its own")
    one = Capture(tmp_path, 1)
    assert one.method == "proxy"
    try:
        through = one.begin("http://127.0.0.1:9/thrift/hawk/tuple?x=y")
        assert through.startswith("http://127.0.0.1:")
        assert through.endswith("/thrift/hawk/tuple?x=y") and ":9/" not in through
    finally:
        one.end()
        one.end()


@pytest.mark.parametrize("ports", [[80], [80, 8080, 9]])
def test_jumps_of_the_filter_stay_inside(ports):
    """A classic BPF program as the kernel takes it; what it lets through is tested with packets."""
    program = port_filter(ports)
    for at, (code, if_true, if_false, _) in enumerate(program):
        assert len(struct.pack("HBBI", *program[at])) == 8
        if code & 7 == 5:
            assert at + 1 + max(if_true, if_false) < len(program)
    accepting, rejecting = program[-1], program[-2]
    assert accepting[3] == 0xFFFF_FFFF and rejecting[3] == 0


def test_two_readings_of_the_clocks_agree():
    assert abs(realtime_offset() - realtime_offset()) < 1_000_000
