"""The comparisons of a study, made ready for printing: what differs, and between what."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import pandas as pd

from modelstress.analysis import Derived
from modelstress.analysis.projection import Projection
from modelstress.config.measures import LATENCY, MEASURES, Measure
from modelstress.report import grouping, paper_layout


@dataclass(frozen=True)
class Compared:
    """Rows of one comparison of the study.

    `factor`, `level` and `base` say what is compared (``protocol``, ``http``, ``tcp``); `ranked`
    is true where configurations were compared in groups, with Dunn's test. `cells` are the rows of
    the derived cells that stand on either side, and `note` says in what the setting is not that of
    the papers. `placebo_rates` are those of the derived tables.
    """

    name: str
    rows: pd.DataFrame
    cells: pd.DataFrame
    factor: str
    level: str
    base: str
    ranked: bool
    note: str = ""
    measure: Measure = LATENCY
    placebo_rates: pd.DataFrame = field(default_factory=pd.DataFrame, compare=False)

    def telling(self, projection: Projection) -> Projection:
        """Factors that may tell rows apart: the compared one where it has several levels."""
        several = self.factor in self.rows and self.rows[self.factor].nunique() > 1
        return projection.only(n for n in projection.factors if several or n != self.factor)

    def cases(self, projection: Projection) -> Iterator[tuple[int, "Compared"]]:
        """The comparison divided by the paper's cases; operations that it does not have last."""
        operations = list(self.rows[projection.operation])
        for place, wanted in enumerate(paper_layout.cases(projection.layout, operations)):
            if part := self.within(projection, wanted):
                yield place, part

    def within(self, projection: Projection, operations: Sequence[str]) -> "Compared | None":
        """The rows of some operations; None where there are none."""
        rows = grouping.of_operation(self.rows, projection, *operations)
        if rows.empty:
            return None
        return replace(self, rows=rows, cells=_sides(self.cells, rows))


def comparisons(derived: Derived, setting: grouping.Setting) -> Iterator[Compared]:
    """Every comparison that has rows in a setting, in the order of the study."""
    if derived.comparisons.empty:
        return
    ranked = set(derived.groups["comparison"]) if len(derived.groups) else set()
    setting_rows = grouping.belong(derived.comparisons, setting)
    for name, rows in setting_rows.groupby("comparison", sort=False):
        cells = _sides(derived.cells, rows)
        factor, level, base = _difference(rows, cells, derived.projection)
        grouped = name in ranked or rows["dunn_p"].notna().any()
        yield Compared(
            str(name), rows, cells, factor, level, base, bool(grouped), derived.note,
            placebo_rates=derived.placebo_rates,
        )  # fmt: skip


def contrasts(derived: Derived, setting: grouping.Setting) -> Iterator[Compared]:
    """Every comparison of another measure than latency that has rows in a setting."""
    if derived.contrasts is None or derived.contrasts.empty:
        return
    setting_rows = grouping.belong(derived.contrasts, setting)
    for name, rows in setting_rows.groupby("comparison", sort=False):
        cells = _sides(derived.cells, rows)
        sides = _difference(rows, cells, derived.projection)
        measure = MEASURES[rows["measure"].iloc[0]]
        yield Compared(str(name), rows, cells, *sides, False, derived.note, measure)


def _sides(cells: pd.DataFrame, rows: pd.DataFrame) -> pd.DataFrame:
    """The cells that are compared and those that they are compared with, each once."""
    keys = {*zip(rows["tool"], rows["cell"], strict=True)}
    keys |= {*zip(rows["baseline_tool"], rows["baseline_cell"], strict=True)}
    wanted = [key in keys for key in zip(cells["tool"], cells["cell"], strict=True)]
    return cells[wanted]


def _difference(
    rows: pd.DataFrame, cells: pd.DataFrame, projection: Projection
) -> tuple[str, str, str]:
    """The factor in which every cell differs from its baseline, its levels and the baseline's.

    A factor that only one of both has goes with another one (polling goes with HTTP).
    """
    names = [name for name in projection.factors if name in cells]
    told = cells.drop_duplicates(["tool", "cell"]).set_index(["tool", "cell"], drop=False)
    told = told[names].map(grouping.words)
    cell_levels = told.loc[list(zip(rows["tool"], rows["cell"], strict=True))]
    baseline_levels = told.loc[list(zip(rows["baseline_tool"], rows["baseline_cell"], strict=True))]
    for name in names:
        level, base = cell_levels[name].to_numpy(), baseline_levels[name].to_numpy()
        if ((level != base) & (level != "") & (base != "")).all():
            return name, _either(level), _either(base)
    return "", "the cell", _either(rows["baseline_tool"])


def _either(levels: Iterable[object]) -> str:
    names = list(dict.fromkeys(str(level) for level in levels))
    return " or ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))
