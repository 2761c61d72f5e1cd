"""How often something happens, in one sample and in another."""

from scipy.stats import fisher_exact


def more_often(first: tuple[int, int], second: tuple[int, int]) -> float:
    """Two-sided p of Fisher's exact test that two shares are equal; NaN without any trials.

    Each sample is (how many of them, of how many). Trials are taken as independent, which failures
    of one start often are not: p is a lower bound then.

    Raises:
        ValueError: more hits than trials, or a negative number.
    """
    (a, n), (b, m) = first, second
    if min(a, b) < 0 or a > n or b > m:
        raise ValueError("hits must lie between 0 and the number of trials")
    if not n or not m:
        return float("nan")
    return float(fisher_exact([[a, n - a], [b, m - b]]).pvalue)
