"""Checks of ``load``."""

from __future__ import annotations

import json
import time
from pathlib import Path

import numpy as np

from modelstress.measure.conformance.bench import BrokenError, Ended, expect
from modelstress.samples.mssf import read_mssf
from modelstress.workloads.queries.conformance.bench import QueriesBench


def writes_ids(bench: QueriesBench) -> str:
    """The first load: fills the store that all later checks use."""
    ended = bench.load(bench.store)
    ended.expect_code(0, "load")
    _progress(ended)
    return f"{_complete_ids(bench)} identifiers, one for each element of the model"


def can_be_repeated(bench: QueriesBench) -> str:
    """Loading again replaces what is there, and gives the same."""
    store = bench.copy_of_store("twice")
    bench.load(store).expect_code(0, "load into a loaded store")
    _complete_ids(bench, store=store)
    return "a second load into the same folder gives a complete store"


def survives_a_kill(bench: QueriesBench) -> str:
    """What an interrupted load left does not disturb the next one."""
    folder = bench.place("interrupted")
    store = folder / "store"
    program, _ = bench.start("load", bench.config(store), folder)
    deadline = time.monotonic() + bench.tool.load_timeout_s
    while program.lines.read(0.1) is None and time.monotonic() < deadline:
        if program.lines.ended:
            break
    program.stop(0)
    bench.load(store).expect_code(0, "load after a killed load")
    _complete_ids(bench, store=store)
    return "a load after a killed one gives a complete store"


def takes_several_files(bench: QueriesBench) -> str:
    """A model of another metamodel, in files that refer to one another."""
    folder = bench.place("several-files")
    model, elements = bench.several_files(folder)
    store = folder / "store"
    ended = bench.load(store, model=str(model))
    ended.expect_code(0, "load of a model.json")
    _complete_ids(bench, store, elements)
    model.parent.rename(folder / "away")  # a store has all that it needs, metamodels too
    with bench.serving(store):
        return f"{elements} elements of three files and another metamodel"


def refuses_unknown_keys(bench: QueriesBench) -> str:
    """Exit code 2, with the key in the sentence."""
    ended = bench.load(bench.place("unknown-key") / "store", nosuchkey=1)
    ended.expect_code(2, "unknown key in the configuration")
    expect("nosuchkey" in (ended.error or ""), f"the sentence does not name the key: {ended.error}")
    return f"refused: {ended.error}"


def refuses_a_missing_model(bench: QueriesBench) -> str:
    """Exit code 3."""
    folder = bench.place("missing-model")
    ended = bench.load(folder / "store", model=str(folder / "no-such-model.bin"))
    ended.expect_code(3, "missing model")
    return f"refused: {ended.error}"


def refuses_a_truncated_model(bench: QueriesBench) -> str:
    """Exit code 3."""
    folder = bench.place("truncated-model")
    content = bench.model.read_bytes()
    short = folder / "model.bin"
    short.write_bytes(content[: len(content) // 2])
    ended = bench.load(folder / "store", model=str(short))
    ended.expect_code(3, "model cut in half")
    return f"refused: {ended.error}"


def _progress(ended: Ended) -> None:
    for line in ended.lines:
        try:
            word, _, rest = line.partition(" ")
            progress = json.loads(rest)
            right = word == "PROGRESS" and 0 <= progress["done"] <= progress["total"]
        except (ValueError, KeyError, TypeError):
            right = False
        expect(right, f"standard output of load has a line that is no PROGRESS: {line[:100]!r}")


def _complete_ids(
    bench: QueriesBench, store: Path | None = None, elements: int | None = None
) -> int:
    """Every element of the model exactly once, under an identifier of its own."""
    file = (store or bench.store) / "ids.mssf"
    elements = elements or bench.elements
    if not file.is_file():
        raise BrokenError(f"load wrote no {file.name} into the store")
    records = read_mssf(file).records
    expect(len(np.unique(records["id"])) == len(records), "ids.mssf has the same identifier twice")
    expect(
        np.array_equal(np.sort(records["index"]), np.arange(elements)),
        f"ids.mssf does not have every index from 0 to {elements - 1} exactly once",
    )
    return len(records)


CHECKS = (
    ("load writes a complete ids.mssf", writes_ids),
    ("load can be repeated", can_be_repeated),
    ("load can be restarted after a kill", survives_a_kill),
    ("load takes a model of several files", takes_several_files),
    ("load refuses an unknown configuration key", refuses_unknown_keys),
    ("load refuses a missing model", refuses_a_missing_model),
    ("load refuses a truncated model", refuses_a_truncated_model),
)
