"""Every comparison of a study in the statistics that readers of other papers know."""

import numpy as np
import pandas as pd

from modelstress.analysis.contrasts import latencies
from modelstress.analysis.derived import Derived
from modelstress.analysis.estimates import MARGIN, pairs
from modelstress.stats.conventional import effect_sizes, equivalence_p


def conventional(derived: Derived, margin: float = MARGIN) -> pd.DataFrame:
    """Hedges' g, the common-language effect size, and the p of an equivalence test.

    Args:
        derived: with its comparisons of latencies.
        margin: 0.10 for ±10 %, of the ratio of medians.

    Returns:
        One row per row of ``derived.comparisons``: ``comparison``, ``tool``, ``cell``, the
        baseline's, ``delta`` (Cliff's, as there); ``hedges_g`` of the logarithms of all latencies,
        and ``common_language``, both within the starts that were measured; ``blocks`` and
        ``equivalence_p``, the p that the ratio over blocks is within the margin, by the
        comparison's own variance.
    """
    rows = []
    for pair in pairs(derived):
        cell = {"tool": pair.row["tool"], "cell": pair.row["cell"]}
        baseline = {"tool": pair.row["baseline_tool"], "cell": pair.row["baseline_cell"]}
        sizes = effect_sizes(_logarithms(derived, cell), _logarithms(derived, baseline))
        rows.append({
            "comparison": pair.row["comparison"], **cell,
            "baseline_tool": baseline["tool"], "baseline_cell": baseline["cell"],
            "delta": pair.row["delta"],
            "hedges_g": sizes.hedges_g, "common_language": sizes.common_language,
            "blocks": len(pair.differences),
            "equivalence_p": equivalence_p(pair.differences, float(np.log1p(margin))),
        })  # fmt: skip
    return pd.DataFrame(rows)


def _logarithms(
    derived: Derived, cell: dict[str, str]
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Of all latencies above 0."""
    values = [np.asarray(start, np.float64) for start in latencies(derived, cell)]
    joined = np.concatenate(values) if values else np.empty(0)
    return np.log(joined[joined > 0])
