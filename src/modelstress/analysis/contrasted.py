"""The comparisons of a study whose measure is not latency."""

from itertools import repeat
from pathlib import Path
from typing import Any

from modelstress.analysis import measures
from modelstress.analysis.comparisons import asked_of, pairs_of
from modelstress.analysis.contrasts import compared_row
from modelstress.analysis.derived import Derived
from modelstress.analysis.workers import Apply, plain
from modelstress.config.measures import LATENCY
from modelstress.config.study import Study


def asks(study: Study | None) -> bool:
    """Whether a study has a comparison of another measure than latency."""
    return study is not None and any(c.of != LATENCY for c in study.comparisons.values())


def contrasted(
    derived: Derived, study: Study, data_dir: Path, apply: Apply = plain
) -> list[dict[str, Any]]:
    """Rows of the table `contrasts`, comparison by comparison, in the order of the cells.

    Raises:
        ConfigError: a file of a capture cannot be read.
    """
    made: list[dict[str, Any]] = []
    for request in asked_of(derived, study):
        measure = request.comparison.of
        if measure == LATENCY:
            continue
        pairs = sorted(pairs_of(derived, request), key=lambda pair: pair.place)
        of = measures.starts_of(derived, measure, data_dir)
        results = apply(
            measures.beside, repeat(measure), [of(pair.cell) for pair in pairs],
            [of(pair.baseline) for pair in pairs], repeat(derived.confidence),
        )  # fmt: skip
        named = {"comparison": request.name, "measure": measure.name, "unit": measure.unit}
        made += [
            {**named, **compared_row(derived, pair.cell, pair.baseline, *statistics)}
            for pair, statistics in zip(pairs, results, strict=True)
        ]
    return made
