"""Several samples beside one another: does any differ, and which?"""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from scipy.stats import kruskal, norm, rankdata
from statsmodels.stats.multitest import multipletests

from modelstress.stats.centre import clean
from modelstress.stats.results import Caveat, Comparison, RankTest, Values

ADJUSTMENTS = ("holm", "bonferroni")
MOST = 2_097_151
"""Equal values whose cube an integer of 64 bits holds: scikit-posthocs counts ties in such."""


def kruskal_wallis(groups: Sequence[Values]) -> RankTest:
    """Kruskal–Wallis H, corrected for ties, with p from chi-squared (k - 1 degrees of freedom).

    Groups without values are left out, with a caveat. Timeouts may be infinities and rank as
    longest (``censoring``).
    """
    there = [group for group in map(_cleaned, groups) if group.size]
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
    test = kruskal(*there)
    method = "chi-squared, corrected for ties"
    return RankTest("kruskal-wallis", float(test.statistic), float(test.pvalue), method, caveats)


def dunn(groups: Sequence[Values], adjustment: str = "holm") -> list[Comparison]:
    """Dunn's test of all pairs of groups after Kruskal–Wallis, two-sided (Dunn 1964).

    p belongs to the difference of mean ranks over its standard error, corrected for ties, and is
    adjusted over all pairs by Holm's method, or by Bonferroni's, which the papers used. Pairs with
    a group without values have NaN and do not count in the adjustment. Timeouts may be infinities
    and rank as longest (``censoring``).

    Raises:
        ValueError: unknown adjustment.
    """
    if adjustment not in ADJUSTMENTS:
        raise ValueError(f"adjustment {adjustment!r} is none of {', '.join(ADJUSTMENTS)}")
    arrays = [_cleaned(group) for group in groups]
    there = [at for at, array in enumerate(arrays) if array.size]
    p = np.full((len(arrays), len(arrays)), np.nan)
    inside = np.ix_(there, there)
    if there and np.unique(np.concatenate(arrays)).size == 1:
        p[inside] = 1.0  # no rank differs
    elif len(there) > 1:
        p[inside] = _adjusted([arrays[at] for at in there], adjustment)
    z = _z(arrays)
    raw = 2 * norm.sf(np.abs(z))
    told = np.nonzero(np.triu(np.isfinite(p), 1))
    if sum(array.size for array in arrays) > MOST and told[0].size:
        p[told] = multipletests(raw[told], method=adjustment)[1]
    return [
        Comparison(i, j, float(p[i, j]), float(z[i, j]), float(raw[i, j]))
        for i, j in combinations(range(len(arrays)), 2)
    ]


def _cleaned(group: Values) -> Values:
    """The group sorted, with the largest number for a timeout: libraries need only rank it."""
    return np.nan_to_num(clean(group, censored=True), posinf=np.finfo(np.float64).max)


def _adjusted(arrays: Sequence[Values], adjustment: str) -> Values:
    """Adjusted p of all pairs of groups that have values, a square of them."""
    # late: they import matplotlib, half a second
    from pandas import DataFrame
    from scikit_posthocs import posthoc_dunn

    places = np.repeat(np.arange(len(arrays)), [array.size for array in arrays])
    values = DataFrame({"value": np.concatenate(arrays), "group": places})
    p: Values = posthoc_dunn(values, "value", "group", p_adjust=adjustment, sort=False).to_numpy()
    return p


def _z(arrays: Sequence[Values]) -> Values:
    """Differences of mean ranks over their standard errors, corrected for ties (Dunn 1964)."""
    sizes = np.array([array.size for array in arrays], float)
    ranks = rankdata(np.concatenate(arrays)) if sizes.sum() else np.array([])
    n = ranks.size
    parts = np.split(ranks, np.cumsum(sizes.astype(int))[:-1])
    means = np.array([part.mean() if part.size else np.nan for part in parts])
    ties = np.unique(ranks, return_counts=True)[1].astype(float)
    variance = n * (n + 1) / 12 - (ties**3 - ties).sum() / (12 * max(n - 1, 1))
    with np.errstate(divide="ignore", invalid="ignore"):
        errors = np.sqrt(variance * np.add.outer(1 / sizes, 1 / sizes))
        z: Values = np.subtract.outer(means, means) / errors
    z[(errors == 0) & np.isfinite(np.subtract.outer(means, means))] = 0.0  # no rank differs
    return z
