"""Two sides of a comparison, for sentences: pairs of cells, verdicts and words for both."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from modelstress.analysis import Derived
from modelstress.analysis.projection import Projection
from modelstress.analysis.within_starts import FEW, UNKNOWN, verdicts
from modelstress.config.measures import LATENCY, Measure
from modelstress.report import claims_words as words
from modelstress.report import compared, grouping
from modelstress.report.claims_places import places
from modelstress.report.compared import Compared
from modelstress.report.grouping import Setting


@dataclass(frozen=True)
class Pairs:
    """The pairs of one comparison in one setting, and words for its two sides.

    `rows` are those of `Derived.comparisons` or `Derived.contrasts` with these columns more:
    `verdict` (how the cell stands to its baseline by the papers' rule, `within_starts.verdicts`;
    higher or lower of other measures than latency) and `place` (the configuration without what is
    compared, the operation and the load); of latencies `status` (what `Derived.estimates` decides
    over starts; few where there are too few starts for an interval, or unknown), `blocks`, `shared`
    (of these, those measured in turns), `paired`, `paired_low` and `paired_high` (its ratio).
    `alone` counts cells of the compared level that are in no pair; `placebo_rates` and `decisions`
    are those of the derived tables.
    """

    setting: Setting
    rows: pd.DataFrame
    factor: str
    level: str
    base: str
    alone: int
    confidence: float
    projection: Projection
    measure: Measure = LATENCY
    placebo_rates: pd.DataFrame = field(default_factory=pd.DataFrame)
    decisions: pd.DataFrame = field(default_factory=pd.DataFrame)

    def known(self) -> pd.DataFrame:
        """The pairs of which both sides have latencies."""
        return self.rows[self.rows["verdict"] != UNKNOWN]


def pairs(derived: Derived, comparison: str) -> list[Pairs]:
    """The pairs of a comparison by setting; an empty list where the profile has none."""
    rows = derived.comparisons
    comparison_rows = rows[rows["comparison"] == comparison] if len(rows) else rows
    alone = replace(derived, comparisons=comparison_rows)
    return [
        of_sides(
            derived, replace(one, rows=_with_estimates(one.rows, derived.estimates)), setting,
            verdicts(one.rows),
        )
        for setting, _ in grouping.settings(derived.cells)
        for one in compared.comparisons(alone, setting)
    ]  # fmt: skip


def _with_estimates(rows: pd.DataFrame, estimates: pd.DataFrame) -> pd.DataFrame:
    """Rows of comparisons with what is estimated of each over starts."""
    names = {"ratio": "paired", "ratio_low": "paired_low", "ratio_high": "paired_high"}
    keys = ["comparison", "tool", "cell", "baseline_tool", "baseline_cell"]
    told = estimates[[*keys, "status", "blocks", "shared", *names]].rename(columns=names)
    merged = rows.merge(told, on=keys, how="left").set_axis(rows.index)
    blank = rows["p"].isna() | rows["delta"].isna()
    chosen = [blank, merged["paired_low"].isna()]
    return merged.assign(status=np.select(chosen, [UNKNOWN, FEW], merged["status"]))


def absent(comparison: str) -> str:
    """What is said where a profile has no cells for a comparison."""
    return (
        f"*This profile has no two cells that differ only in what “{words.plain(comparison)}” "
        "compares, so "
        "nothing is said about it here.*"
    )


def each(
    derived: Derived,
    comparison: str,
    say: Callable[[Pairs], str],
    find: Callable[[Derived, str], list[Pairs]] = pairs,
) -> str:
    """What is said of every setting; its name stands before it where there are several."""
    all_sides = find(derived, comparison)
    if not all_sides:
        return absent(comparison)
    parts = []
    for sides in all_sides:
        named = f"*Measured with {words.plain(sides.setting)}.*" if len(all_sides) > 1 else ""
        parts.append(words.paragraphs(named, say(sides)))
    return words.paragraphs(*parts)


def of_sides(
    derived: Derived, one: Compared, setting: Setting, verdict: "np.ndarray[Any, Any]"
) -> Pairs:
    """The pairs of a comparison in a setting, with their verdicts and places."""
    projection = derived.projection
    named = projection.only(n for n in projection.factors if n != one.factor or n == "tool")
    rows = one.rows.assign(verdict=verdict, place=places(one.rows, named))
    between = one.factor in ("tool", "")
    plain = one.factor in (*projection.series, projection.operation)
    level = "the other configuration" if between else one.level if plain else ""
    return Pairs(
        setting, rows, one.factor, level or f"{one.factor} {one.level}", one.base,
        0 if between else _alone(derived, one, setting), derived.confidence, projection,
        one.measure, derived.placebo_rates, _of_setting(derived.decisions, one, setting),
    )  # fmt: skip


def _of_setting(decisions: pd.DataFrame, one: Compared, setting: Setting) -> pd.DataFrame:
    """The decisions of a comparison in a setting."""
    rows = decisions[decisions["comparison"] == one.name]
    return grouping.belong(rows, setting) if len(rows) else rows


def _alone(derived: Derived, comparison: Compared, setting: Setting) -> int:
    """How many cells have a compared level and are in no pair."""
    cells = grouping.belong(derived.cells, setting)
    levels = set(comparison.rows[comparison.factor].map(grouping.words))
    paired = set(zip(comparison.rows["tool"], comparison.rows["cell"], strict=True))
    cell_levels = zip(
        cells["tool"], cells["cell"], cells[comparison.factor].map(grouping.words), strict=True
    )
    return sum(level in levels and (tool, cell) not in paired for tool, cell, level in cell_levels)


def where(row: Any, projection: Projection) -> str:
    """`SwitchSet on hawk / neo4j / eol with 4 threads`."""
    return loaded(what(row, projection), row, projection)


def loaded(what: str, row: Any, projection: Projection) -> str:
    """What a row is about, with its load."""
    load = words.with_load(projection, words.load_of(row, projection))
    return " ".join(filter(None, [what, load]))


def what(row: Any, projection: Projection) -> str:
    """`SwitchSet on hawk / neo4j / eol`."""
    return words.plain(f"{row[projection.operation]} on {row['place']}")


def title(found: Pairs, between: str = " against ") -> str:
    """Both sides: `http against tcp`."""
    return f"{words.plain(found.level)}{between}{words.plain(found.base)}"


def alike(found: Pairs) -> str:
    """In what the two sides of a pair agree."""
    if found.factor in ("tool", ""):
        return f"that did the same task{_same(found)}"
    return f"that differ in {words.plain(found.factor)} (and what follows from it) only"


def _same(sides: Pairs) -> str:
    """` on the same model with as many threads`, as far as the study has a dataset and a load."""
    projection = sides.projection
    text = f" on the same {projection.noun(projection.dataset).one}" if projection.dataset else ""
    if not projection.load:
        return text
    noun = projection.noun(projection.load)
    counted = not any(isinstance(load, str) for load in grouping.loads(sides.rows, projection))
    return f"{text} with {f'as many {noun.many}' if counted else f'the same {noun.one}'}"


def left_out(found: Pairs) -> str:
    """How many pairs and cells nothing can be said of."""
    blank = len(found.rows) - len(found.known())
    text = ""
    if blank:
        text = (
            f"Of {words.many(blank, 'pair')} nothing can be said: a side was not measured, or has "
            f"no {found.measure.title} that may be used."
        )
    if found.alone:
        singular = found.alone == 1
        text += (
            f" {words.many(found.alone, 'further cell')} with {words.plain(found.level)} "
            f"{'is' if singular else 'are'} in no pair: {'it has' if singular else 'they have'} no "
            "counterpart in this profile, or the study leaves such cells out."
        )
    return text.strip()
