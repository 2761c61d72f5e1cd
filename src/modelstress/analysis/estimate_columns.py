"""Columns of the tables of what is estimated over starts, and of placebos."""

from modelstress.analysis.column import SHARED, Column

_STUDY = {name: SHARED[name] for name in ("study", "profile")}
_SETTING = {
    "executor": Column("string", "", "how the hosts came to be"),
    "topology": Column("string", "", "what server and clients ran on"),
}
_COMPARISON = Column("string", "", "comparison of the study")
_RATIO = {
    "ratio": Column("number", "", "median of the cell / median of the baseline, over blocks"),
    "ratio_low": Column("number", "", "lower end of its interval"),
    "ratio_high": Column("number", "", "upper end of its interval"),
}
_STATUS = "slower, faster, same (the interval lies within the margin) or undecided"

ESTIMATES = {
    **_STUDY,
    "comparison": _COMPARISON,
    "tool": SHARED["tool"],
    "cell": SHARED["cell"],
    "task": Column("string", "", "what the operation asks"),
    **_SETTING,
    "baseline_tool": Column("string", "", "tool of the baseline"),
    "baseline_cell": Column("string", "", "cell of the baseline"),
    "blocks": Column("integer", "", "starts of both sides with one number and on one machine"),
    "shared": Column("integer", "", "of these, those measured in turns in one start"),
    "machines": Column("integer", "", "machines on which they were measured"),
    **_RATIO,
    "error": Column("number", "", "standard error of the ratio's natural logarithm"),
    "degrees": Column("number", "", "degrees of freedom of the error, with those borrowed"),
    "status": Column("string", "", _STATUS),
    "flags": Column("string", "", "what a reader must know, as codes separated by ';'"),
}
DECISIONS = {
    **_STUDY,
    "comparison": _COMPARISON,
    "tool": SHARED["tool"],
    **_SETTING,
    "comparisons": Column("integer", "", "compared cells whose ratio has an interval"),
    "without_interval": Column("integer", "", "compared cells whose ratio has none"),
    "slower": Column("integer", "", "compared cells that are slower than their baselines"),
    "faster": Column("integer", "", "compared cells that are faster"),
    "same": Column("integer", "", "compared cells whose interval lies within the margin"),
    "undecided": Column("integer", "", "compared cells with any other interval"),
    "false_expected": Column("number", "", "directions that chance alone is allowed"),
    "least": Column("number", "", "smallest ratio of a compared cell"),
    "largest": Column("number", "", "largest ratio of a compared cell"),
    "ratio": Column("number", "", "geometric mean of the ratios; queries and loads are fixed"),
    "ratio_low": _RATIO["ratio_low"],
    "ratio_high": _RATIO["ratio_high"],
    "status": Column(
        "string", "", f"{_STATUS}; opposed where some cells are slower and others are faster"
    ),
}
PLACEBOS = {
    **_STUDY,
    "kind": Column(
        "string",
        "",
        "'one start' (a cell and its copy in turns, or halves of one window), 'two starts' (of a "
        "cell, or one of it and one of its copy, on one machine) or 'two machines'",
    ),
    "tool": SHARED["tool"],
    "cell": SHARED["cell"],
    "other_cell": Column("string", "", "its copy, measured as a placebo; blank: the same cell"),
    "load": Column("string", "", "level of the load"),
    "invocation": Column("integer", "", "number of the first start"),
    "other_invocation": Column("integer", "", "number of the other; of halves the same"),
    "n": Column("integer", "", "latencies of the first side"),
    "other_n": Column("integer", "", "latencies of the other side"),
    "p": Column("number", "", "Mann–Whitney, two-sided"),
    "delta": Column("number", "", "Cliff's delta, other against first"),
    "within": Column(
        "string",
        "",
        "the papers' rule: slower or faster (p < 0.01 and |delta| >= 0.147), unclear, few",
    ),
    "blocks": Column("integer", "", "pairs of this cell and kind; at its first pair only"),
    "over": Column(
        "string",
        "",
        "the rule over starts: what those pairs decide (as in estimates); blank without a variance",
    ),
    "mean_of": Column("integer", "", "cells of a mean of equals; at the first pair of its first"),
    "mean": Column("string", "", "the rule of means: what they decide together (as in decisions)"),
}
PLACEBO_RATES = {
    **_STUDY,
    "rule": Column(
        "string", "", "'within starts' (the papers'), 'over starts' or 'mean over starts'"
    ),
    "kind": Column("string", "", "kind of the pairs, as in placebos"),
    "tool": Column("string", "", "tool under test; blank: all"),
    "pairs": Column("integer", "", "pairs (or cells, or means) that the rule was asked about"),
    "directions": Column("integer", "", "pairs of which it said slower or faster"),
    "rate": Column("number", "", "their share"),
    "limit": Column("number", "", "upper 95 % limit of the share (Clopper–Pearson, one-sided)"),
    "calibration_pairs": Column(
        "integer", "", "pairs of the calibration dataset; 0 where there are 100 pairs or more"
    ),
    "calibration_directions": Column("integer", "", "of these, slower or faster"),
    "calibration_limit": Column("number", "", "upper 95 % limit of their share"),
    "calibration_of": Column("string", "", "tools of the calibration's pairs: this one, or 'all'"),
}
ESTIMATED = {
    "estimates": ("one row per compared cell: its ratio to the baseline over starts", ESTIMATES),
    "decisions": ("one row per comparison and tool: what the ratios decide together", DECISIONS),
    "placebos": ("one row per pair of equals (A/A), and what each rule says of it", PLACEBOS),
    "placebo_rates": ("one row per rule, kind and tool: how often pairs of equals have a direction",
                      PLACEBO_RATES),
}  # fmt: skip
