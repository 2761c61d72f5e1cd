"""A small configuration space, and the derived tables of its options."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pandas as pd

from modelstress.analysis.asked_columns import ASKED
from modelstress.analysis.projection import Projection
from modelstress.analysis.to_frame import framed

OPTIONS = ("protocol", "pool", "watch", "size", "lock")
PROJECTION = Projection(factors=("tool", "operation", *OPTIONS), operation="operation")


def cells(operation: str = "call", noise: float = 0.0) -> pd.DataFrame:
    """All 32 combinations: unix is faster, a pool that does not watch takes twice as long."""
    rng = np.random.default_rng(1)
    rows: list[dict[str, Any]] = []
    for levels in itertools.product(["tcp", "unix"], [1, 0], [1, 0], [10, 100], [1, 0]):
        slow = (1.0 if levels[0] == "tcp" else 0.6) * (2.1 if levels[1:3] == (0, 0) else 1.0)
        rows.append({
            "tool": "orb", "operation": operation, **dict(zip(OPTIONS, levels, strict=True)),
            "flags": "", "executor": "process", "topology": "2 CPUs",
            "cell": f"{operation}{levels}", "median_ms": slow * float(np.exp(rng.normal(0, noise))),
        })  # fmt: skip
    return pd.DataFrame(rows)


def starts(table: pd.DataFrame, count: int = 3, machines: int = 1) -> pd.DataFrame:
    """Starts of all cells; each further machine is a fifth slower."""
    parts = []
    for number in range(count):
        rng = np.random.default_rng(number)
        on = rng.integers(0, machines, len(table))
        medians = table["median_ms"] * np.exp(rng.normal(0, 0.02, len(table))) * 1.2**on
        parts.append(
            table.assign(
                invocation=number, used=True, machine=[f"m{one}" for one in on], median_ms=medians
            )
        )
    return pd.concat(parts)


def table(name: str, rows: list[dict[str, Any]]) -> pd.DataFrame:
    """A derived table with the columns that it has."""
    there = {factor for row in rows for factor in row}
    factors = [factor for factor in PROJECTION.factors if factor in there and factor != "tool"]
    return framed(ASKED[name][1], rows, factors, "space", "demo")


SHARED = {
    "tool": "orb", "operation": "call", "executor": "process", "topology": "2 CPUs", "cells": 64,
}  # fmt: skip


def tree_rows() -> list[dict[str, Any]]:
    """A tree of three leaves, and one that is not told."""
    about = {
        **SHARED, "options": 5, "left_out": 0, "worst_share": 0.25, "cutoff_ms": 1.26,
        "quality": 0.97, "placebo_quality": 0.66, "placebos": 99, "told": True, "flags": "",
    }  # fmt: skip
    nodes = (
        (0, None, 0, "", "", "pool", 64, 16, 0.5, False),
        (1, 0, 1, "pool", "1", "", 32, 0, 0.0, False),
        (2, 0, 1, "pool", "0", "watch", 32, 16, 0.75, True),
        (3, 2, 2, "watch", "1", "", 16, 1, 0.17, False),
        (4, 2, 2, "watch", "0", "", 16, 15, 0.98, True),
    )
    names = (
        "node", "node_parent", "node_depth", "option", "level", "split", "node_cells", "node_worst",
        "node_share", "bad",
    )  # fmt: skip
    found = [{**about, **dict(zip(names, node, strict=True))} for node in nodes]
    none = {
        **found[0], "worst_share": 0.1, "cutoff_ms": 2.1, "quality": 0.58, "told": False,
        "split": "", "node_worst": 6, "flags": "no-tree",
    }  # fmt: skip
    return [*found, none]


def weighted_rows() -> list[dict[str, Any]]:
    """Two options, of which one matters."""
    values = (
        ("pool", "1", 1.12, 0.65, 0.63, 0.67), ("pool", "0", 1.72, 1.54, 1.49, 1.59),
        ("lock", "1", 1.42, 1.003, 0.98, 1.03), ("lock", "0", 1.42, None, None, None),
    )  # fmt: skip
    names = ("option", "level", "expected_ms", "ratio", "ratio_low", "ratio_high")
    return [
        {**SHARED, "left_out": 2, "level_cells": 32, "flags": "",
         **dict(zip(names, row, strict=True))}
        for row in values
    ]  # fmt: skip


def machine_rows() -> list[dict[str, Any]]:
    """Two machines."""
    return [
        {**SHARED, "machine": name, "starts": count, "ratio": ratio, "method": "paired",
         "reason": "two machines have no variance"}
        for name, count, ratio in (("m0, cpu, 6.1", 100, 0.91), ("m1, cpu, 6.1", 92, 1.1))
    ]  # fmt: skip


def effect_rows() -> list[dict[str, Any]]:
    """Two strong effects, an alias and noise."""
    values = (
        ("pool", "pool", 1.45, True, 0.4), ("watch", "watch", 1.42, True, 0.3),
        ("pool × watch or size × lock", "pool × watch", 1.4, True, 0.28),
        ("lock", "lock", 1.003, False, 0.0),
    )  # fmt: skip
    names = ("terms", "likely", "ratio", "strong", "variance_share")
    return [
        {**SHARED, "options": 5, "terms_order": 1, "margin_ratio": 1.04, "partly": "",
         "method": "contrasts", "flags": "", **dict(zip(names, row, strict=True))}
        for row in values
    ]  # fmt: skip
