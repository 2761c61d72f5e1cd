"""Damaged input for every reader: each ends with a value or with one sentence, never a traceback.

``python tests/fuzzing.py --inputs 200000`` prints what became of the inputs of each target; the
unit tests take a few thousand of them. Inputs depend on the seed only.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import captures
import pyarrow as pa
import synthetic
from click.testing import CliRunner
from hdrh.histogram import HdrHistogram

from modelstress.analysis import raw
from modelstress.analysis.anatomy import _read as read_capture
from modelstress.cli import main as command
from modelstress.config.errors import MeasureError, ModelstressError
from modelstress.config.project import Project
from modelstress.measure import collect, histograms, recheck, server, state
from modelstress.measure.invocation import Expected, read_oracle
from modelstress.measure.traffic.tables import ANATOMY
from modelstress.measure.verify import verify
from modelstress.samples import archive
from modelstress.samples.files import write_json, write_parquet
from modelstress.samples.mssf import ids_table, read_mssf

ROOT = Path(__file__).parents[1]
GOLDEN = ROOT / "java-shims/harness/src/test/resources/golden.mssf"
ODD = (
    "1e400", "-1", "1e308", "9" * 25, "9" * 5000, "null", "true", "[]", "{}", '""', '"\\u0000"',
    "0.5", "[" * 3000, "NaN", "-Infinity", '"\\ud800"', '"' + "x" * 400 + '"', '"../../x"',
    "2001-99-99", "!!int abc", "!!bool abc", "!!timestamp abc", "*a", ".inf",
)  # fmt: skip
"""Texts in the place of a value."""
VALUES: tuple[object, ...] = (
    None, True, -1, 0, 2**31, 2**63, 10**30, 1.5, float("inf"), float("nan"), "", "x", "\0",
    "\ud800", "a" * 300, [], {}, [[]], {"a": 1}, "../x", -(2**63),
)  # fmt: skip
Read = Callable[[Path], object]


@dataclass(frozen=True)
class Target:
    """A reader, and an undamaged input for it.

    Attributes:
        seeds: undamaged content, text or not.
        name: of the file, below a folder that is the reader's own.
        read: the reader; whatever it raises beside ``ModelstressError`` is a defect.
        share: of all inputs, in relation to the other targets.
    """

    seeds: tuple[bytes, ...]
    name: str
    read: Read
    share: int


def targets(folder: Path) -> dict[str, Target]:
    """All readers, with folders of their own for what they need beside the damaged file."""
    project = Project(ROOT)
    there = _invocation(folder)
    seeds = {file.name: file.read_bytes() for file in there.iterdir()}
    rest = {name: data for name, data in seeds.items() if name.endswith((".json", ".parquet"))}

    def invocation(file: Path) -> object:
        for name, data in rest.items():
            if name != file.name and not file.with_name(name).exists():
                file.with_name(name).write_bytes(data)
        found = raw.read(file.parent, 0)
        recheck.recheck(project, file.parent)
        state.read_record(file.parent)
        if found.state == "damaged":
            raise MeasureError(found.problems[-1].message)
        return found.executions.counts()

    line = synthetic_line()
    oracle = {"queries": {"q": {"count": 3, "digest": "18446744073709551611", "texts": ["a"]}}}
    return {
        "cell.json": Target((seeds["cell.json"],), "i00/cell.json", invocation, 10),
        "samples.parquet": Target(
            (seeds["samples.parquet"],), "i00/samples.parquet", invocation, 10
        ),
        "anatomy.parquet": Target(
            (seeds["anatomy.parquet"],), "a.parquet", lambda f: read_capture(f, ANATOMY), 5
        ),
        "mssf": Target((GOLDEN.read_bytes(),), "client-0.mssf", _samples, 20),
        "ids": Target((_ids(folder),), "ids.mssf", lambda f: ids_table(read_mssf(f)), 10),
        "histogram lines": Target((line,), "client-0.mssf.histograms.jsonl", _lines, 10),
        "histograms.parquet": Target(
            (_histograms(folder, line),), "histograms.parquet", _histogram_file, 5
        ),
        "archive": Target((_archive(folder),), "a.zip", _unpacked, 5),
        "package": Target((_package(folder),), "datapackage.json", _repacked, 5),
        "oracle": Target(
            (json.dumps(oracle).encode(),), "m.json", lambda f: read_oracle(f, ["q"]), 10
        ),
        "ready line": Target(
            (b'READY {"endpoints": {"tcp": "tcp://127.0.0.1:2036"}, "pid": 4711}',), "line",
            lambda f: server.parse_ready("server", f.read_text(errors="replace")), 5,
        ),
    }  # fmt: skip


def others(folder: Path) -> dict[str, Target]:
    """Configuration and commands."""
    config = ROOT / "config"
    shutil.copytree(config, folder / "project" / "config")
    shutil.copytree(ROOT / "queries", folder / "project" / "queries")
    project = Project(folder / "project")
    every = {"study": "studies", "profile": "profiles", "tool": "tools"}
    found = {}
    for kind, below in every.items():
        file = sorted((config / below).glob("*.yaml"))[0]  # its name is in it
        read = _configured(project, kind, below)
        found[f"{kind}.yaml"] = Target((file.read_bytes(),), file.name, read, 4)
    words = b"cells --study model-queries --profile smoke --json verify derive unpack merge x.zip"
    found["command line"] = Target(
        (words, b"verify data --json", b"derive --data-dir data --study x", b"unpack a.zip --to b"),
        "words", _commanded(folder / "project"), 4,
    )  # fmt: skip
    return found


def _configured(project: Project, kind: str, below: str) -> Read:
    def read(file: Path) -> object:
        shutil.copy(file, project.root / "config" / below / file.name)
        return getattr(Project(project.root), kind)(file.stem)

    return read


def _commanded(root: Path) -> Read:
    (root / "data").mkdir(exist_ok=True)

    def read(file: Path) -> object:
        words = file.read_bytes().decode("utf-8", "surrogateescape").split()
        harmless = {"cells", "verify", "derive", "unpack", "merge", "report", "compare"}
        if not words or words[0] not in harmless:
            words = ["verify", *words]
        done = CliRunner().invoke(command, ["--project", str(root), *words])
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        return done.exit_code

    return read


def run(
    every: dict[str, Target], inputs: int, seed: int, folder: Path
) -> tuple[dict[str, Counter[str]], list[str]]:
    """Feed damaged inputs to targets.

    Returns:
        What became of them, by target (``accepted``, ``refused``, or the exception), and the first
        traceback of each kind.
    """
    whole = sum(target.share for target in every.values())
    found: dict[str, Counter[str]] = {}
    told: dict[tuple[str, str], str] = {}
    for name, target in every.items():
        dice, counts = random.Random(f"{seed} {name}"), Counter[str]()
        file = folder / "fuzzed" / target.name
        for number in range(-(-inputs * target.share // whole)):
            shutil.rmtree(folder / "fuzzed", ignore_errors=True)
            file.parent.mkdir(parents=True)
            data = target.seeds[0] if not number else damaged(dice, dice.choice(target.seeds))
            file.write_bytes(data)
            try:
                target.read(file)
                counts["accepted"] += 1
            except ModelstressError as error:
                counts["refused"] += 1
                if not number:
                    told[name, "seed"] = f"{name}: undamaged, and refused: {error}"
                if not str(error) or ("\n" in str(error).strip() and not name.endswith(".yaml")):
                    told.setdefault((name, "lines"), f"{name}: not a sentence: {error!s:.300}")
            except Exception as error:  # what is looked for
                kind = type(error).__name__
                counts[kind] += 1
                trace = "".join(traceback.format_exception(error)[-3:])
                told.setdefault((name, kind), f"{name}: {data[:200]!r}\n{trace}")
        found[name] = counts
    return found, list(told.values())


def damaged(dice: random.Random, data: bytes) -> bytes:
    """The input with one to four things wrong with it."""
    if data[:1] == b"{" and dice.random() < 0.5:
        return _json_damaged(dice, data)
    changed = bytearray(data)
    for _ in range(dice.choice((1, 1, 1, 2, 4))):
        at = dice.randrange(len(changed)) if changed else 0
        way = dice.randrange(6)
        if way <= 1 and changed:
            changed[at] ^= 1 << dice.randrange(8)
        elif way == 2:
            del changed[at : at + dice.choice((1, 2, 8, 1000))]
        elif way == 3:
            changed[at:at] = dice.randbytes(dice.choice((1, 4, 8)))
        elif way == 4 and dice.random() < 0.3:
            del changed[at:]
        else:
            end = at + dice.choice((1, 2, 4, 8))
            changed[at:end] = dice.choice(ODD).encode() if dice.random() < 0.5 else b"\xff" * 4
    return bytes(changed)


def _json_damaged(dice: random.Random, data: bytes) -> bytes:
    """JSON in which a value, somewhere, is another one."""
    try:
        whole = json.loads(data)
    except ValueError:  # several lines
        first, _, rest = data.partition(b"\n")
        return _json_damaged(dice, first) + b"\n" + rest
    place = whole
    while isinstance(place, dict | list) and place:
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        key = dice.choice(keys)
        if not isinstance(place[key], dict | list) or not place[key] or dice.random() < 0.3:
            if dice.random() < 0.15:
                del place[key]
            else:
                place[key] = dice.choice(VALUES)
            break
        place = place[key]
    return json.dumps(whole).encode("utf-8", "surrogatepass") + b"\n"


def _invocation(folder: Path) -> Path:
    """An invocation without a seal, so that its readers see all of the damage."""
    make = lambda i: captures.tcp([(300, 120)] * (i + 1))  # noqa: E731
    there = captures.capture(folder / "seeds", captures.LEVELS, make)
    record = json.loads((there / "cell.json").read_text())
    record |= {
        "format": 1, "seconds": 60.0, "outcomes": {"measure": {"ok": 3}, "warmup": {"ok": 1}},
        "clients": [{"client": 0, "threads": 1, "executions": 3, "offset_ns": 0}],
        "window": {"begin_ns": synthetic.ORIGIN_NS, "end_ns": synthetic.ORIGIN_NS + 10**11},
        "server": {"restarts": [{"phase": "measure", "at_ns": 5, "ready_s": 1.0}], "pid": 1},
        "fault": {"kind": "pause", "begun_ns": 1, "ended_ns": 2, "notes": ["a"]},
        "hosts": {"machines": ["a", None], "kernels": ["6.1", None]},
        "samples": "rows",
    }  # fmt: skip
    write_json(there / "cell.json", record)
    return there


def synthetic_line() -> bytes:
    """Lines of a histogram file."""
    histogram = HdrHistogram(1, 10**12, 3)
    histogram.record_value(5_000_000, 10)
    text = histogram.encode().decode()
    line = {
        "invocation": 0, "client": 0, "thread": 0, "second_ns": 5 * 10**9, "phase": "measure",
        "operation": "q", "outcome": "ok", "result_count": 3, "result_digest": "7",
        "executions": 10, "verify_ns": 100, "bytes_sent": -1, "bytes_received": 5,
        "duration_ns": text, "lateness_ns": text,
    }  # fmt: skip
    return (json.dumps(line) + "\n").encode() * 3


def _histograms(folder: Path, line: bytes) -> bytes:
    (folder / "client-0.mssf.histograms.jsonl").write_bytes(line)
    table = pa.Table.from_pylist(histograms.read_lines(folder / "client-0.mssf"), histograms.SCHEMA)
    write_parquet(folder / "h.parquet", table)
    return (folder / "h.parquet").read_bytes()


def _samples(file: Path) -> object:
    table = collect.read_samples(file)
    verified, _ = verify(table, {"PosLength": Expected(3, 7)})
    return collect.traffic(verified)


def _lines(file: Path) -> object:
    found = histograms.read_lines(file.with_name("client-0.mssf"))
    return _judged(found)


def _histogram_file(file: Path) -> object:
    return _judged(histograms.read_parquet(file.parent))


def _judged(lines: list[histograms.Line]) -> object:
    checked, _ = histograms.verified(lines, {"q": Expected(3, 7)})
    filling = {"invocation": 0, "client": 0, "outcome": "error", "at_ns": 5}
    whole = histograms.completed(checked, executions=2**50, **filling)
    every = histograms.Histograms(whole, [], 0)
    return every.reasons({}, open_loop=True), every.window({}), every.traffic()


def _archive(folder: Path) -> bytes:
    package = {"name": "p", archive.KEY: {"format": 1, "study": "s", "profile": "p"}}
    files: dict[str, Path | bytes] = {"data/raw/a/b.txt": b"x" * 500, "README.md": b"read me"}
    archive.pack(folder / "a.zip", files, package)
    return (folder / "a.zip").read_bytes()


def _unpacked(file: Path) -> object:
    return archive.unpack(file, file.with_name("out"), 1 << 20)


def _package(folder: Path) -> bytes:
    return json.dumps(archive.read_package(folder / "a.zip")).encode()


def _repacked(file: Path) -> object:
    """A zip that is whole, with this package."""
    import zipfile

    path = file.with_name("b.zip")
    with zipfile.ZipFile(path, "w") as zipped:
        zipped.writestr(archive.PACKAGE, file.read_bytes())
        zipped.writestr("README.md", b"read me")
        zipped.writestr("data/raw/a/b.txt", b"x" * 500)
    return archive.unpack(path, file.with_name("out"), 1 << 20)


def _ids(folder: Path) -> bytes:
    columns = [
        {"name": "id", "type": "uint32", "offset": 0, "dictionary": "id"},
        {"name": "index", "type": "int64", "offset": 4},
    ]
    header = {"record_size": 12, "columns": columns, "dictionaries": {"id": ["a", "b"]}, "meta": {}}
    text = json.dumps(header).encode()
    text += b" " * (-(12 + len(text)) % 64)
    begin = b"MSSF" + (1).to_bytes(4, "little") + len(text).to_bytes(4, "little") + text
    return begin + b"".join(i.to_bytes(4, "little") + i.to_bytes(8, "little") for i in (1, 0))


def main() -> int:
    """Fuzz all targets and print counts; 1 when anything ended in a traceback."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inputs", type=int, default=200_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", help="target to fuzz alone")
    asked = parser.parse_args()
    begun, bad = time.monotonic(), 0
    memory = Path("/dev/shm")  # files are synced, which takes a disk its time
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        every = {**targets(Path(folder)), **others(Path(folder))}
        if asked.only:
            every = {asked.only: every[asked.only]}
        found, told = run(every, asked.inputs, asked.seed, Path(folder))
    for name, counts in found.items():
        bad += counts.total() - counts["accepted"] - counts["refused"]
        print(f"{name:20} {counts.total():8}  {dict(counts)}")
    print(*told, sep="\n")
    whole = sum(counts.total() for counts in found.values())
    print(f"{whole} inputs, {bad} tracebacks, {time.monotonic() - begun:.0f} s")
    return 1 if bad or told else 0


if __name__ == "__main__":
    sys.exit(main())
