"""Readers of what people, programs and archives give: one target for each kind of input."""

from __future__ import annotations

import contextlib
import json
import random
import shutil
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import captures as captured
import synthetic
from click.testing import CliRunner
from fake_wire import Wire
from fuzz_mutations import (
    Damage,
    damage_bytes,
    damage_json,
    damage_yaml,
    either,
)
from hdrh.histogram import HdrHistogram

from modelstress.analysis import cell_record, raw
from modelstress.cli import main
from modelstress.config.base import read_model
from modelstress.config.errors import ConfigError
from modelstress.config.papers import Paper
from modelstress.config.profile import Profile
from modelstress.config.project import Project
from modelstress.config.tool import Tool
from modelstress.design.kinds import Expected
from modelstress.measure import folders, histograms, server, verify_dataset
from modelstress.measure.traffic import pcap
from modelstress.measure.traffic.tables import ANATOMY
from modelstress.samples import histograms as files
from modelstress.samples.archive import KEY, PACKAGE, pack, read_package, unpack
from modelstress.samples.mssf import ids_table, read_mssf, samples_table
from modelstress.samples.tables import read_parquet
from modelstress.workloads.queries.case import Case
from modelstress.workloads.queries.prepare import read_oracle
from modelstress.workloads.queries.study import QueriesStudy

PROJECT = Project.find(Path(__file__))
GOLDEN = PROJECT.root / "java-shims/harness/src/test/resources/golden.mssf"


@dataclass(frozen=True)
class Target:
    """A reader and inputs that it accepts.

    Attributes:
        name: of the kind of input.
        seeds: undamaged inputs.
        damage: what is done to them.
        read: reads one input; raises a ``ModelstressError`` to refuse it.
    """

    name: str
    seeds: tuple[bytes, ...]
    damage: Damage
    read: Callable[[bytes], object]


def targets(folder: Path) -> list[Target]:
    """All targets, which write their inputs below ``folder``."""
    makers = (
        studies, profiles, tools, cases, papers, cell_records, sample_files, mssf_samples,
        mssf_ids, histogram_lines, histogram_files, anatomies, packages, zips, oracles, captures,
        owners, ready_lines, commands,
    )  # fmt: skip
    found = []
    for maker in makers:
        place = folder / maker.__name__
        place.mkdir()
        found.append(maker(place))
    return found


def _yaml(name: str, model: Any, folder: Path, files: list[str]) -> Target:
    file = folder / f"{name}.yaml"

    def read(data: bytes) -> None:
        file.write_bytes(data)
        read_model(model, file)

    seeds = tuple((PROJECT.root / path).read_bytes() for path in files)
    return Target(name, seeds, either(damage_yaml, damage_yaml, damage_bytes), read)


STUDY = """\
study: s
title: A study
models:
  m: {case: train, line: "2016", scenario: repair, size: 1}
factors:
  tool: [cdo, hawk]
  backend: [h2, neo4j]
  language: [ocl, eol]
  protocol: [tcp, http]
  model: [m]
  query: [PosLength, SwitchSet]
  threads: [1, 2, 64]
constraints:
  - when: {tool: cdo}
    only: {backend: [h2], language: [ocl]}
comparisons:
  protocol: {title: t, why: w, level: {protocol: http}, baseline: {protocol: tcp}}
"""


def studies(folder: Path) -> Target:
    """``config/studies/*.yaml``."""
    whole = _yaml("study", QueriesStudy, folder, [])
    return Target("study", (STUDY.encode(),), whole.damage, whole.read)


def profiles(folder: Path) -> Target:
    """``config/profiles/*.yaml``."""
    names = ("anatomy-demo", "faults", "ladder", "smoke")
    return _yaml("profile", Profile, folder, [f"config/profiles/{name}.yaml" for name in names])


def tools(folder: Path) -> Target:
    """``config/tools/*.yaml``."""
    names = ("cdo", "example", "hawk")
    return _yaml("tool", Tool, folder, [f"config/tools/{name}.yaml" for name in names])


def cases(folder: Path) -> Target:
    """``queries/*/case.yaml``."""
    return _yaml("case", Case, folder, ["queries/train/case.yaml"])


def papers(folder: Path) -> Target:
    """``config/papers/*.yaml``."""
    target = _yaml("paper", Paper, folder, ["config/papers/ecmfa2016.yaml"])
    lines = target.seeds[0].decode().split("\n")
    return Target("paper", ("\n".join(lines[:60]).encode(),), target.damage, target.read)


def _invocation(folder: Path) -> Path:
    durations = synthetic.latencies(5, 40, 1)
    phases = ["warmup"] * 5 + ["measure"] * 30 + ["cooldown"] * 5
    table = synthetic.samples(durations, phases=phases, operations=["PosLength"] * 40)
    return synthetic.write(folder / "data", synthetic.LEVELS, 0, table)


def _read_invocation(invocation: Path) -> None:
    """Read an invocation in every way in which tables, figures and ``verify`` do."""
    found = raw.read(invocation, 0)
    _ = found.samples, found.executions.latencies_ms, found.executions.counts(), found.levels
    for reader in (
        cell_record.executor, cell_record.topology, cell_record.machine, cell_record.host,
        cell_record.title, cell_record.client_processes, cell_record.commit,
        cell_record.validity, cell_record.facts, cell_record.cpu_shares, cell_record.messages,
        cell_record.clock_offsets, cell_record.telemetry,
    ):  # fmt: skip
        reader(found.record)
    checks = verify_dataset.recheck(PROJECT, invocation)
    assert checks, "verify must look at it"


def cell_records(folder: Path) -> Target:
    """``cell.json``."""
    invocation = _invocation(folder)
    file = invocation / "cell.json"

    def read(data: bytes) -> None:
        file.write_bytes(data)
        _read_invocation(invocation)

    return Target("cell.json", (file.read_bytes(),), either(damage_json, damage_bytes), read)


def sample_files(folder: Path) -> Target:
    """``samples.parquet``."""
    invocation = _invocation(folder)
    file = invocation / "samples.parquet"

    def read(data: bytes) -> None:
        file.write_bytes(data)
        _read_invocation(invocation)

    return Target("samples.parquet", (file.read_bytes(),), damage_bytes, read)


def mssf_samples(folder: Path) -> Target:
    """A client's sample file."""
    file = folder / "client-0.mssf"

    def read(data: bytes) -> None:
        file.write_bytes(data)
        samples_table(read_mssf(file))

    return Target("MSSF samples", (GOLDEN.read_bytes(),), damage_bytes, read)


def mssf_ids(folder: Path) -> Target:
    """A store's id map."""
    file = folder / "ids.mssf"
    header = json.dumps(
        {
            "record_size": 12,
            "columns": [
                {"name": "id", "type": "int32", "offset": 0, "dictionary": "words"},
                {"name": "index", "type": "int64", "offset": 4},
            ],
            "dictionaries": {"words": ["#21:0", "#21:1", "#22:0"]},
            "meta": {"model": "m"},
        }
    ).encode()
    head = b"MSSF" + (1).to_bytes(4, "little") + len(header).to_bytes(4, "little") + header
    rows = b"".join(i.to_bytes(4, "little") + i.to_bytes(8, "little") for i in range(3))
    whole = head.ljust(-(-len(head) // 64) * 64) + rows

    def read(data: bytes) -> None:
        file.write_bytes(data)
        ids_table(read_mssf(file))

    return Target("MSSF ids", (whole,), damage_bytes, read)


def histogram_lines(folder: Path) -> Target:
    """A client's histogram file."""
    samples = folder / "client-0.mssf"
    samples.write_bytes(GOLDEN.read_bytes())
    file = folder / "client-0.mssf.histograms.jsonl"
    durations = HdrHistogram(1, files.LONGEST_NS, 3)
    durations.record_value(5_000_000, 10)
    line = {
        "invocation": 0, "client": 0, "thread": 0, "second_ns": 10**9, "phase": "measure",
        "operation": "PosLength", "outcome": "ok", "result_count": 3, "result_digest": "7",
        "executions": 10, "verify_ns": 1000, "bytes_sent": -1, "bytes_received": -1,
        "duration_ns": durations.encode().decode(), "lateness_ns": durations.encode().decode(),
        "items": 30, "attempts": 12, "think_ns": 5,
    }  # fmt: skip

    def read(data: bytes) -> None:
        file.write_bytes(data + b"\n")
        lines = files.read_lines(samples)
        lines, unverified = histograms.verified(lines, {"PosLength": Expected(3, 7)})
        lines = histograms.completed(
            lines, invocation=0, client=0, executions=20, outcome="error", at_ns=5
        )
        whole = histograms.Histograms(lines, unverified, 0)
        whole.reasons({}, open_loop=True)
        whole.traffic()
        whole.write(folder)
        [*files.read_parquet(folder, 2)]

    damage = either(damage_json, damage_bytes)
    return Target("histogram lines", (json.dumps(line).encode(),), damage, read)


def histogram_files(folder: Path) -> Target:
    """``histograms.parquet``."""
    lines = histogram_lines(folder)
    lines.read(lines.seeds[0])
    file = folder / "histograms.parquet"

    def read(data: bytes) -> None:
        file.write_bytes(data)
        histograms.Histograms([*files.read_parquet(folder, 2)], [], 0).reasons({}, open_loop=True)

    return Target("histograms.parquet", (file.read_bytes(),), damage_bytes, read)


def anatomies(folder: Path) -> Target:
    """``anatomy.parquet`` of a capture."""
    there = captured.capture(
        folder, captured.LEVELS, lambda i: captured.tcp([(300, 120)] * (i + 1))
    )
    file = there / "anatomy.parquet"

    def read(data: bytes) -> None:
        file.write_bytes(data)
        read_parquet(file, ANATOMY)

    return Target("anatomy.parquet", (file.read_bytes(),), damage_bytes, read)


def ready_lines(folder: Path) -> Target:
    """What a server says when it can be asked."""
    seed = b'{"endpoints": {"tcp": "tcp://127.0.0.1:2036"}, "pid": 4711}'

    def read(data: bytes) -> None:
        server.parse_ready(str(folder), f"READY {data.decode(errors='replace')}")

    return Target("ready line", (seed,), either(damage_json, damage_bytes), read)


def _archive(folder: Path) -> Path:
    about = {"name": "x", KEY: {"format": 1, "study": "s", "profile": "p", "captured": None}}
    files = {
        "data/raw/s/p/cdo/c/i00/cell.json": b"{}\n",
        "data/raw/s/p/cdo/c/i00/samples.parquet": bytes(range(256)),
        "README.md": b"text\n",
    }
    pack(folder / "whole.zip", files, about)
    return folder / "whole.zip"


def _unpack(folder: Path, archive: Path) -> None:
    """Unpack into ``out``; nothing may be written beside it."""
    out = folder / "box" / "out"
    shutil.rmtree(folder / "box", ignore_errors=True)
    out.parent.mkdir()
    try:
        unpack(archive, out, most_bytes=10_000)
    finally:
        assert {path.name for path in out.parent.iterdir()} <= {"out"}, "written outside"
        written = sum(path.stat().st_size for path in out.rglob("*") if path.is_file())
        assert written <= 2 * 10_000 + 100_000, "more written than allowed"


def packages(folder: Path) -> Target:
    """``datapackage.json`` of an archive that is whole otherwise."""
    archive = _archive(folder)
    with zipfile.ZipFile(archive) as opened:
        members = {name: opened.read(name) for name in opened.namelist()}
    package = members.pop(PACKAGE)
    damaged = folder / "damaged.zip"

    def read(data: bytes) -> None:
        with zipfile.ZipFile(damaged, "w") as opened:
            for name, content in members.items():
                opened.writestr(name, content)
            opened.writestr(PACKAGE, data)
        read_package(damaged)
        _unpack(folder, damaged)

    return Target("data package", (package,), either(damage_json, damage_bytes), read)


def zips(folder: Path) -> Target:
    """The bytes of an archive."""
    archive = _archive(folder)
    damaged = folder / "damaged.zip"

    def read(data: bytes) -> None:
        damaged.write_bytes(data)
        _unpack(folder, damaged)

    return Target("archive", (archive.read_bytes(),), damage_bytes, read)


def oracles(folder: Path) -> Target:
    """Results of an oracle."""
    file = folder / "oracle.json"
    queries = {
        "PosLength": {"count": 3, "digest": str(2**64 - 1)},
        "SwitchSet": {"count": 0, "digest": "0"},
    }

    def read(data: bytes) -> None:
        file.write_bytes(data)
        read_oracle(file, ["PosLength", "SwitchSet", "unknown"])

    seed = json.dumps({"model": "m", "queries": queries}).encode()
    return Target("oracle", (seed,), either(damage_json, damage_bytes), read)


def captures(folder: Path) -> Target:
    """Packets of a capture."""
    file = folder / "capture.pcap"
    wire = Wire().open()
    wire.put(True, b"POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\nhi")
    wire.put(False, b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nho")
    wire.close()
    packets = b"".join(pcap.record(at, frame) for at, frame in wire.packets)

    def read(data: bytes) -> None:
        file.write_bytes(data)
        list(pcap.read(file))

    return Target("capture", (pcap.HEADER + packets,), damage_bytes, read)


def owners(folder: Path) -> Target:
    """What a killed run left: its work folder is kept, and no process of another is touched."""
    seed = {"pid": 2**22 - 1, "started": 1.0, "boot": "x", "mark": "modelstress-1"}

    def read(data: bytes) -> None:
        target = folder / "i00"
        for old in folder.iterdir():
            shutil.rmtree(old)
        work = folders.work_folder(target)
        work.mkdir()
        (work / folders.OWNER).write_bytes(data)
        folders.recover(target)

    damage = either(damage_json, damage_bytes)
    return Target("owner of a work folder", (json.dumps(seed).encode(),), damage, read)


WORDS = (
    "verify", "derive", "report", "cells", "compare", "merge", "archive", "unpack", "cell", "run",
    "a.zip", "data", "--study", "--profile", "--to", "--out", "--json", "--select", "demo", "smoke",
    "model-queries", "a=b", "--rerun", "stale", "--all", "-h", "--", "0", "x" * 300, "\0", "\ud800",
    "../..", "", "tool=cdo", "--threshold", "10%", "--format", "markdown", "--data-dir", "a\nb",
    "--most-gb", "nan", "inf", "-1", "--project", "/dev/null", "é", "--strict", "--profile=",
)  # fmt: skip
"""What command lines are made of."""


def commands(folder: Path) -> Target:
    """Words of a command line, in a project that has nothing to measure."""
    project = folder / "above" / "project"  # "../.." is a folder of this test, too
    for name in ("config", "queries"):
        shutil.copytree(PROJECT.root / name, project / name)
    runner = CliRunner()

    def read(data: bytes) -> None:
        arguments = json.loads(data)
        with contextlib.chdir(project):
            result = runner.invoke(main, ["--project", str(project), *arguments])
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        if result.exit_code:
            raise ConfigError(result.output[-200:])

    def draw(dice: random.Random, _: bytes) -> bytes:
        known = ("verify", "derive", "cells", "compare", "merge", "unpack", "archive", "report")
        words = [dice.choice(known), *dice.choices(WORDS, k=dice.randrange(5))]
        return json.dumps(words).encode()

    return Target("command line", (b'["cells"]',), draw, read)
