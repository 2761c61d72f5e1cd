"""What analysis makes of raw samples: frames, and the latencies behind them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pandas as pd

from modelstress.analysis.projection import Projection
from modelstress.stats import censoring
from modelstress.stats.results import Values


@dataclass(frozen=True)
class Derived:
    """The derived tables of a study's profile; columns as in `columns`, factors after `cell`.

    `factors` are the factor names in the order of the study; `confidence` that of all intervals.
    `latencies` has, by tool and cell, the latencies (ms) of each used invocation, in start order;
    a cell whose server died early has none, since only what it answered before has a latency.
    `projection` says which factors are rows, series and axes. `source` is the digest of the plan
    and of the study's tasks and comparisons; `note`, which is read beside the data and not
    written, says in what the setting differs from the papers'. `copies` has the cells, invocations
    and latencies of cells that were measured a second time, as placebos: they are in the table of
    placebos only, and not read back. `contrasts` is None where the study
    compares nothing but latencies, `parts` where no tool tells parts of executions, `windows`,
    `growth`, `growth_fits`, `effects`, `trees` and `machines` where it asks for none, `weighted`
    where it has no weights.
    """

    study: str
    profile: str
    factors: tuple[str, ...]
    confidence: float
    cells: pd.DataFrame
    invocations: pd.DataFrame
    outliers: pd.DataFrame
    messages: pd.DataFrame
    faults: pd.DataFrame
    operations: pd.DataFrame
    provenance: pd.DataFrame
    shapes: pd.DataFrame
    comparisons: pd.DataFrame
    groups: pd.DataFrame
    estimates: pd.DataFrame
    decisions: pd.DataFrame
    placebos: pd.DataFrame
    placebo_rates: pd.DataFrame
    projection: Projection
    source: str = ""
    note: str = ""
    contrasts: pd.DataFrame | None = None
    parts: pd.DataFrame | None = None
    windows: pd.DataFrame | None = None
    growth: pd.DataFrame | None = None
    growth_fits: pd.DataFrame | None = None
    effects: pd.DataFrame | None = None
    trees: pd.DataFrame | None = None
    weighted: pd.DataFrame | None = None
    machines: pd.DataFrame | None = None
    copies: "Derived | None" = field(default=None, repr=False, compare=False)
    latencies: Mapping[tuple[str, str], Sequence[Values]] = field(
        default_factory=dict, repr=False, compare=False
    )

    @cached_property
    def ranked(self) -> Mapping[tuple[str, str], Sequence[Values]]:
        """As ``latencies``, with an infinity for each timeout: what rank statistics are made of.

        Of histograms, timeouts are as many in proportion to the values that stand for all answers.
        """
        rows = self.invocations[self.invocations["used"].fillna(False).astype(bool)]
        found = dict(self.latencies)
        for (tool, cell), starts in rows.groupby(["tool", "cell"], sort=False):
            key, unanswered = (str(tool), str(cell)), not starts["ok"].any()
            if starts["timeout"].any() and (key in found or unanswered):
                values = found.get(key, [np.empty(0)] * len(starts))
                counts = zip(values, starts["timeout"], starts["ok"], strict=True)
                found[key] = [censoring.ranked(each, int(t), int(ok)) for each, t, ok in counts]
        return found


def damaged(derived: Derived) -> list[str]:
    """What is damaged, a sentence for each invocation that is kept out of the numbers for it.

    Without what else is remarked of it, for what is in a damaged file says nothing.
    """
    rows = derived.invocations[derived.invocations["state"] == "damaged"]
    return [
        f"{row['tool']}/{row['cell']}: {_damage(str(row['remarks']), int(row['invocation']))}"
        for row in rows.to_dict("records")
    ]


def _damage(remarks: str, number: int) -> str:
    """Of an invocation's remarks, those about its files: they begin with the folder's name."""
    parts = remarks.split(" | ")
    return "; ".join(part for part in parts if part.startswith(f"i{number:02d}")) or remarks
