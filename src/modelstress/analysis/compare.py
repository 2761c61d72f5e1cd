"""Two datasets beside each other, or two selections of one: did anything get worse?"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from modelstress.analysis.contrasts import adjusted, beside, flags, lasted, latencies, ranked
from modelstress.analysis.derived import Derived
from modelstress.analysis.flags import has_flag
from modelstress.analysis.placebos import calibration, rates
from modelstress.analysis.projection import Projection
from modelstress.config.base import nearest
from modelstress.config.errors import ConfigError
from modelstress.config.levels import parsed, written
from modelstress.config.outcomes import FAILURES
from modelstress.stats.results import Values
from modelstress.stats.shares import more_often
from modelstress.stats.thresholds import THRESHOLDS

Selection = Mapping[str, Sequence[str]]
"""Factor to the levels chosen of it, as they are written."""

VERDICTS = ("worse", "unclear", "better", "same")
"""Outcomes of an execution that was not answered."""
THRESHOLD = 0.05


@dataclass(frozen=True)
class DatasetComparison:
    """What became of each cell of A in B.

    ``cells`` has a row per pair of cells that agree in ``matched``: these factors,
    ``<factor>_a`` and ``<factor>_b`` for those that were selected on, and the columns of
    ``compare``. ``unmatched`` has the cells without a partner: ``side``, ``tool``, ``cell``,
    ``why``. ``projection`` is that of A, with the factors in ``matched``; ``placebo_rates`` are of
    the pairs of equals of A and B together.
    """

    matched: tuple[str, ...]
    selected: tuple[str, ...]
    threshold: float
    confidence: float
    cells: pd.DataFrame
    unmatched: pd.DataFrame
    projection: Projection
    placebo_rates: pd.DataFrame

    def count(self, verdict: str) -> int:
        """Number of pairs with this verdict."""
        return int((self.cells["verdict"] == verdict).sum())

    @property
    def decided(self) -> int:
        """Number of pairs that say something of what the tools are now.

        An unclear pair does not, nor one with a stale side, nor one of a measurement with itself.
        """
        told = (self.cells["stale"] == "") & ~self.cells["identical"].astype(bool)
        return int((told & (self.cells["verdict"] != "unclear")).sum())


def compare(
    a: Derived,
    b: Derived,
    select_a: Selection | None = None,
    select_b: Selection | None = None,
    threshold: float = THRESHOLD,
) -> DatasetComparison:
    """Compare every cell of B with the cell of A that agrees with it in all factors.

    Factors whose selected levels differ between A and B are what is compared, so cells need not
    agree in them; nor in what is no factor, such as the version of the tool.

    Args:
        a: before, or the baseline.
        b: after.
        select_a: the cells of A to be taken; all without it.
        select_b: likewise of B.
        threshold: how much slower is worse, as a fraction; 0 or more.

    Returns:
        ``DatasetComparison``: rows with both cells' numbers, the ratio B / A of the medians over
        invocations (``over_ratio``, ``_low``, ``_high``: primary), ``u``, ``p``, ``p_adjusted``
        (Holm), ``delta``, ``shift_ms`` with intervals (within one start), ``outcomes_p`` (Fisher,
        Holm over the cells), ``verdict``, ``why`` and ``flags``. A verdict is ``worse`` when the
        whole interval of the ratio lies above 1 + threshold, or failed or wrong answers became
        more; ``better`` when it lies below 1 / (1 + threshold), or they became fewer; ``same``
        when it lies between the two; else ``unclear``.

    Raises:
        ConfigError: an unknown factor or level, or no cell of A has a partner in B.
        ValueError: the threshold is negative.
    """
    if not threshold >= 0:
        raise ValueError("the threshold must not be negative")
    chosen_a, chosen_b = dict(select_a or {}), dict(select_b or {})
    selected = tuple(
        name
        for name in dict.fromkeys((*chosen_a, *chosen_b))
        if set(chosen_a.get(name, ())) != set(chosen_b.get(name, ()))
    )
    factors_a = a.projection.factors
    factors = (*factors_a, *(name for name in b.factors if name not in factors_a))
    matched = tuple(name for name in factors if name not in selected)
    cells_a, cells_b = _chosen(a, chosen_a, "A"), _chosen(b, chosen_b, "B")
    common = [name for name in matched if name in cells_a and name in cells_b]
    pairs, unmatched = _pairs(cells_a, cells_b, common)
    if not pairs:
        raise ConfigError(
            f"no cell of A ({len(cells_a)}) has a partner in B ({len(cells_b)}) that agrees with "
            f"it in {', '.join(common)}; select on the factors in which they differ"
        )
    rows = [_row(a, b, cell_a, cell_b, matched, selected) for cell_a, cell_b in pairs]
    frame = pd.DataFrame(rows)
    levels = (*matched, *(f"{name}_{side}" for name in selected for side in "ab"))
    for name in levels:  # 5000 must not become 5000.0 where another cell has no such factor
        frame[name] = pd.Series([row[name] for row in rows], dtype="object")
    frame["p_adjusted"] = adjusted(frame["p"], "holm")
    for name in ("failed_p", "incorrect_p"):
        frame[name] = adjusted(frame[name], "holm")
    judged = [_judged(row, threshold) for row in frame.to_dict("records")]
    frame["verdict"] = [verdict for verdict, _ in judged]
    frame["why"] = [why for _, why in judged]
    shown = frame[[*levels, *COLUMNS]]
    projection = replace(a.projection, factors=matched)
    return DatasetComparison(
        matched, selected, threshold, a.confidence, shown, unmatched, projection, _placebos(a, b)
    )


def _placebos(a: Derived, b: Derived) -> pd.DataFrame:
    """The rates of the papers' rule over the pairs of equals of both datasets, each once."""
    both = pd.concat([a.placebos, b.placebos])
    keys = ["kind", "tool", "cell", "invocation", "other_invocation", "delta"]
    return rates(both.drop_duplicates(keys), calibration())


COLUMNS = (
    "cell_a", "cell_b", "setting", "invocations_a", "invocations_b", "invalid_a", "invalid_b",
    "n_a", "n_b", "median_a_ms", "median_b_ms", "over_ratio", "over_ratio_low", "over_ratio_high",
    "u", "p", "p_adjusted", "delta", "delta_low", "delta_high", "magnitude", "shift_ms",
    "shift_low_ms", "shift_high_ms", "executions_a", "executions_b", "failed_a", "failed_b",
    "failed_p", "incorrect_a", "incorrect_b", "incorrect_p", "verdict", "why", "stale",
    "identical", "flags",
)  # fmt: skip
"""Columns after the factors; docs/compare.md says what they mean."""


def _chosen(derived: Derived, selection: Selection, side: str) -> pd.DataFrame:
    """The measured cells with the chosen levels."""
    cells = derived.cells[derived.cells["state"] != "missing"]
    factors = derived.projection.factors
    for name, levels in selection.items():
        if name not in factors:
            raise ConfigError(f"{side} has no factor {name!r}{nearest(name, factors)}")
        words = cells[name].map(written)
        for level in levels:
            vocabulary = {word for word in derived.cells[name].map(written) if word}
            if parsed(level) not in vocabulary:
                raise ConfigError(
                    f"{side} has no level {level!r} of factor {name!r}{nearest(level, vocabulary)}"
                )
        cells = cells[words.isin([parsed(level) for level in levels])]
    return cells


def _pairs(
    a: pd.DataFrame, b: pd.DataFrame, matched: Sequence[str]
) -> tuple[list[tuple[dict[str, Any], dict[str, Any]]], pd.DataFrame]:
    """Cells that agree in the matched factors, in the order of A; the others with a reason."""
    sides: list[dict[tuple[str, ...], list[dict[str, Any]]]] = []
    for cells in (a, b):
        grouped: dict[tuple[str, ...], list[dict[str, Any]]] = {}
        words = cells[list(matched)].map(written)
        keys = words.itertuples(index=False, name=None)
        for key, cell in zip(keys, cells.to_dict("records"), strict=True):
            grouped.setdefault(key, []).append({str(name): level for name, level in cell.items()})
        sides.append(grouped)
    pairs, alone = [], []
    for groups, partners, side in ((sides[0], sides[1], "A"), (sides[1], sides[0], "B")):
        for key, cells_here in groups.items():
            there = len(partners.get(key, ()))
            if len(cells_here) == there == 1:
                if side == "A":
                    pairs.append((cells_here[0], partners[key][0]))
                continue
            beside = "B" if side == "A" else "A"
            why = (
                f"{len(cells_here)} cells of {side} and {there} of {beside} agree; select one"
                if there
                else f"not in {beside}"
            )
            alone += [{"side": side, "tool": c["tool"], "cell": c["cell"], "why": why}
                      for c in cells_here]  # fmt: skip
    return pairs, pd.DataFrame(alone, columns=["side", "tool", "cell", "why"])


def _row(
    a: Derived,
    b: Derived,
    cell_a: Mapping[str, Any],
    cell_b: Mapping[str, Any],
    matched: Sequence[str],
    selected: Sequence[str],
) -> dict[str, Any]:
    """Everything about one pair but the verdict."""
    before, after = latencies(a, cell_a), latencies(b, cell_b)
    timeout_ms = lasted(cell_a["timeout_ms"], cell_b["timeout_ms"])
    statistics, caveats = beside(ranked(b, cell_b), ranked(a, cell_a), a.confidence, timeout_ms)
    settings = [f"{cell['executor']}; {cell['topology']}" for cell in (cell_a, cell_b)]
    row: dict[str, Any] = {
        **{name: cell_a.get(name, cell_b.get(name)) for name in matched},
        **{f"{name}_a": cell_a.get(name) for name in selected},
        **{f"{name}_b": cell_b.get(name) for name in selected},
        "setting": " | ".join(dict.fromkeys(settings)),
        **statistics,
        "n_a": statistics["baseline_n"],
        "n_b": statistics["n"],
        "stale": ", ".join(
            side
            for side, cell in (("A", cell_a), ("B", cell_b))
            if has_flag(flags((), cell), "stale")
        ),
        "identical": _identical(before, after),
        "flags": flags(caveats, cell_a, cell_b),
    }
    for side, cell in (("a", cell_a), ("b", cell_b)):
        row |= {
            f"cell_{side}": cell["cell"],
            f"invocations_{side}": int(cell["invocations"]),
            f"invalid_{side}": int(cell["invocations_invalid"]),
            f"median_{side}_ms": cell["median_ms"],
            f"executions_{side}": int(cell["executions"]),
            f"failed_{side}": int(sum(cell[name] for name in FAILURES)),
            f"incorrect_{side}": int(cell["incorrect"]),
        }
    for kind in ("failed", "incorrect"):
        row[f"{kind}_p"] = more_often(
            (row[f"{kind}_b"], row["executions_b"]), (row[f"{kind}_a"], row["executions_a"])
        )
    return row


def _identical(before: Sequence[Values], after: Sequence[Values]) -> bool:
    """Whether both sides are one measurement, the same latencies to the last digit."""
    if len(before) != len(after) or not any(map(len, before)):
        return False
    return all(
        np.array_equal(values_a, values_b) for values_a, values_b in zip(before, after, strict=True)
    )


def _judged(row: Mapping[Any, Any], threshold: float) -> tuple[str, str]:
    """The verdict on a pair, with its reason; outcomes come before latencies."""
    outcome, why = _of_outcomes(row)
    if outcome == "worse":
        return outcome, why
    latency, reason = _of_latency(row, threshold)
    if not outcome:
        return latency, reason
    if latency == "worse":
        return "unclear", f"{why}, but {reason}"
    return outcome, why


def _of_outcomes(row: Mapping[Any, Any]) -> tuple[str, str]:
    """Whether failed or wrong answers became more or fewer; empty when neither can be said."""
    became = []
    for kind, words in (("failed", "failed"), ("incorrect", "were answered wrongly")):
        before, after = row[f"{kind}_a"], row[f"{kind}_b"]
        of_before, of_after = row["executions_a"], row["executions_b"]
        if not of_before or not of_after:
            continue
        sentence = f"{after} of {of_after} executions {words}, {before} of {of_before} before"
        differ = bool(row[f"{kind}_p"] < THRESHOLDS.alpha)
        more = after / of_after > before / of_before
        if more and (differ or not before):
            became.append(("worse", sentence))
        elif before and not more and (differ or not after):
            became.append(("better", sentence))
    return min(became, key=lambda verdict: verdict[0] != "worse", default=("", ""))


def _of_latency(row: Mapping[Any, Any], threshold: float) -> tuple[str, str]:
    """What the interval of the ratio over invocations says, where it can be relied on."""
    if doubts := list(_doubts(row)):
        return "unclear", "; ".join(doubts)
    low, high = row["over_ratio_low"], row["over_ratio_high"]
    limit, sentence = 1 + threshold, _ends(low, high)
    if low > limit:
        return "worse", f"{sentence}: all of it above {limit:.4g}"
    if high < 1 / limit:
        return "better", f"{sentence}: all of it below {1 / limit:.4g}"
    if low >= 1 / limit and high <= limit:
        return "same", f"{sentence}: between {1 / limit:.4g} and {limit:.4g}"
    return "unclear", f"{sentence}: neither beyond the threshold nor within it"


def _ends(low: float, high: float) -> str:
    """The interval of a ratio, one-sided where the median of a start lies among timeouts."""
    if np.isinf(high):
        return f"ratio at least {low:.3g}, as B timed out"
    if not low:
        return f"ratio at most {high:.3g}, as A timed out"
    return f"ratio within {low:.3g} and {high:.3g}"


def _doubts(row: Mapping[Any, Any]) -> Iterator[str]:
    """Why latencies cannot be compared."""
    if " | " in row["setting"]:
        yield "measured in different settings"
    codes = set(str(row["flags"]).split(";"))
    for side in "ab":
        if not row[f"n_{side}"]:
            invalid = row[f"invalid_{side}"] and not row[f"invocations_{side}"]
            yield f"{side.upper()} has {'invalid invocations only' if invalid else 'no latency'}"
    if pd.isna(row["over_ratio_low"]):
        if min(row["n_a"], row["n_b"]) and min(row["invocations_a"], row["invocations_b"]) < 2:
            left_out = int(row["invalid_a"] + row["invalid_b"])
            yield "fewer than two invocations: other starts may differ as much" + (
                f" ({left_out} invalid left out)" if left_out else ""
            )
        elif "not-positive" in codes:
            yield "a latency is 0"
        elif "censored" in codes:
            yield "medians of both sides lie among timeouts"
