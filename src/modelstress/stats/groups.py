"""Several samples beside one another: does any differ, and which?"""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from scipy.stats import kruskal, norm, rankdata
from statsmodels.stats.multitest import multipletests

from modelstress.stats.centre import clean
from modelstress.stats.results import Caveat, Comparison, RankTest, Values

ADJUSTMENTS = ("holm", "bonferroni")


def kruskal_wallis(groups: Sequence[Values]) -> RankTest:
    """Kruskal–Wallis H, corrected for ties, with p from chi-squared (k - 1 degrees of freedom).

    Groups without values are left out, with a caveat.
    """
    there = [group for group in map(clean, groups) if group.size]
    caveats: tuple[Caveat, ...] = ()
    if len(there) < len(groups):
        text = f"{len(groups) - len(there)} of {len(groups)} samples have no values"
        caveats = (Caveat("empty", text),)
    nan = float("nan")
    if len(there) < 2:
        return RankTest("kruskal-wallis", nan, nan, "none", caveats)
    if min(group[0] for group in there) == max(group[-1] for group in there):
        same = Caveat("constant", "all values are the same")
        return RankTest("kruskal-wallis", 0.0, 1.0, "none", (*caveats, same))
    found = kruskal(*there)
    method = "chi-squared, corrected for ties"
    return RankTest("kruskal-wallis", float(found.statistic), float(found.pvalue), method, caveats)


def dunn(groups: Sequence[Values], adjustment: str = "holm") -> list[Comparison]:
    """Dunn's test of all pairs of groups after Kruskal–Wallis, two-sided (Dunn 1964).

    z is the difference of mean ranks over its standard error with the correction for ties; p is
    adjusted by Holm's method, or Bonferroni's, which the papers used. Pairs with an empty group
    have NaN and do not count in the adjustment. scikit-posthocs has the same test but neither
    z nor p below 1e-16, which it computes as one minus a probability near one.

    Raises:
        ValueError: unknown adjustment.
    """
    if adjustment not in ADJUSTMENTS:
        raise ValueError(f"adjustment {adjustment!r} is none of {', '.join(ADJUSTMENTS)}")
    arrays = [clean(group) for group in groups]
    sizes = np.array([array.size for array in arrays])
    pool = np.concatenate(arrays) if arrays else np.empty(0)
    ranks = np.split(rankdata(pool), np.cumsum(sizes)[:-1])
    total, ties = pool.size, np.unique(pool, return_counts=True)[1].astype(np.float64)
    correction = float((ties**3 - ties).sum()) / (12 * (total - 1)) if total > 1 else 0.0
    variance = total * (total + 1) / 12 - correction
    pairs = list(combinations(range(len(arrays)), 2))
    z = np.full(len(pairs), np.nan)
    for at, (i, j) in enumerate(pairs):
        if sizes[i] and sizes[j] and variance > 0:
            error = np.sqrt(variance * (1 / sizes[i] + 1 / sizes[j]))
            z[at] = (ranks[i].mean() - ranks[j].mean()) / error
    p = 2 * norm.sf(np.abs(z))
    known = np.isfinite(p)
    if known.any():
        p[known] = multipletests(p[known], method=adjustment)[1]
    return [Comparison(i, j, float(z[at]), float(p[at])) for at, (i, j) in enumerate(pairs)]
