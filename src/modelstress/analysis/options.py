"""All tables of the options of a configuration space."""

from __future__ import annotations

from typing import Any

from modelstress.analysis.derived import Derived
from modelstress.analysis.screened import machines, screened
from modelstress.analysis.trees import trees
from modelstress.analysis.weighted import weighted
from modelstress.config.screening import Screening


def of_options(derived: Derived, asked: Screening) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of the tables that a study with ``effects`` has, by the tables' names."""
    cells, invocations, projection = derived.cells, derived.invocations, derived.projection
    tables = {
        "effects": screened(cells, invocations, projection, asked.chance),
        "trees": trees(cells, projection, asked.worst, asked.chance),
        "machines": machines(cells, invocations, projection),
    }
    if asked.weights:
        tables["weighted"] = weighted(cells, invocations, projection, asked.weights)
    return tables
