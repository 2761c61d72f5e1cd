"""Columns of the derived tables that only some studies ask for."""

from modelstress.analysis.columns import CELLS, COMPARISONS, INVOCATIONS, Column
from modelstress.config.outcomes import OUTCOMES

_INVOCATIONS = "of the cell's invocations"
CONTRASTS = {
    **{name: CELLS[name] for name in ("study", "profile")},
    "comparison": COMPARISONS["comparison"],
    "measure": Column("string", "", "what is compared, as the study names it"),
    "unit": Column("string", "", "of the values and their difference; empty: a share from 0 to 1"),
    **{name: CELLS[name] for name in ("tool", "cell")},
    "task": CELLS["task"],
    **{name: CELLS[name] for name in ("tool_title", "executor", "topology")},
    "baseline_tool": COMPARISONS["baseline_tool"],
    "baseline_cell": COMPARISONS["baseline_cell"],
    "value": Column("number", "see unit", "median of the cell's values; of shares their mean"),
    "value_low": Column("number", "see unit", f"lowest {_INVOCATIONS}"),
    "value_high": Column("number", "see unit", f"highest {_INVOCATIONS}"),
    "baseline_value": Column("number", "see unit", "that of the baseline's cell"),
    "baseline_value_low": Column("number", "see unit", "lowest of the baseline's invocations"),
    "baseline_value_high": Column("number", "see unit", "highest of the baseline's invocations"),
    "difference": Column("number", "see unit", "value - baseline_value, over invocations"),
    "difference_low": Column("number", "see unit", "lower end of its interval"),
    "difference_high": Column("number", "see unit", "upper end of its interval"),
    "ratio": Column("number", "", "value / baseline_value, over invocations; none of shares"),
    "ratio_low": Column("number", "", "lower end of its interval"),
    "ratio_high": Column("number", "", "upper end of its interval"),
    "n": Column("integer", "", "values of the cell, of executions or of invocations"),
    "baseline_n": Column("integer", "", "values of the baseline's cell"),
    "better": Column(
        "string",
        "",
        "'better' or 'worse' than the baseline where the interval of the ratio, or else of the "
        "difference, lies on one side; of shares only where Fisher's exact test rejects, too",
    ),
    "flags": COMPARISONS["flags"],
}

WINDOWS = {
    **{name: INVOCATIONS[name] for name in ("study", "profile", "tool", "cell", "invocation")},
    "number": Column("integer", "", "number of the stretch of the window, from 0"),
    "begin_s": Column("number", "s", "its begin, from the begin of the window"),
    "seconds": Column("number", "s", "its length; the last one of an invocation may be shorter"),
    "executions": Column("integer", "executions", "measured executions that ended in it"),
    "rate_per_s": Column(
        "number", "1/s", "ok executions per second; of histograms, of its seconds that are whole"
    ),
    "median_ms": Column("number", "ms", "median latency of ok executions"),
    "p99_ms": Column("number", "ms", "latency that 99 % of ok executions do not exceed"),
    **{name: CELLS[name] for name in OUTCOMES},
    "objects": Column("integer", "objects", "in right answers since the begin of the window"),
}

PARTS = {
    **{name: INVOCATIONS[name] for name in ("study", "profile", "tool", "cell", "invocation")},
    "number": Column("integer", "", "place of the part in the execution, from 0"),
    "part": Column("string", "", "name that the tool gives it; rest: what is in no part"),
    "executions": Column("integer", "executions", "ok executions of the window with parts"),
    "median_ms": Column("number", "ms", "median of how long it took"),
    "p99_ms": Column("number", "ms", "time that 99 % of executions do not exceed"),
    "share": Column("number", "", "mean of how long it took / mean latency of these executions"),
}

_STARTS = {name: INVOCATIONS[name] for name in ("study", "profile", "tool", "cell", "invocation")}
GROWTH = {
    **_STARTS,
    "operation": Column("string", "", "operation whose cost it is"),
    "number": Column("integer", "", "number of the stretch, from 0"),
    "objects": Column(
        "number", "objects", "there were when its executions began (mean), warm-up included"
    ),
    "executions": Column("integer", "executions", "ok executions that began in it"),
    "cost_ms": Column("number", "ms", "their duration per object that they were about"),
    "median_ms": Column("number", "ms", "their median latency"),
    "p99_ms": Column("number", "ms", "latency that 99 % of them do not exceed"),
}
GROWTH_FITS = {
    **_STARTS,
    "operation": GROWTH["operation"],
    "stretches": Column("integer", "", "that are whole and have a cost"),
    "from_objects": Column("number", "objects", "at the first of them"),
    "to_objects": Column("number", "objects", "at the last of them"),
    "exponent": Column("number", "", "slope of log(cost) over log(objects): 0 constant, 1 linear"),
    "exponent_low": Column("number", "", "lower end of its 99 % interval"),
    "exponent_high": Column("number", "", "upper end of its 99 % interval"),
    "over_log": Column("number", "", "the same slope over log(log(objects)); below 1: better than "
                       "the logarithm"),
    "over_log_low": Column("number", "", "lower end of its 99 % interval"),
    "over_log_high": Column("number", "", "upper end of its 99 % interval"),
    "laws": Column("string", "", "laws that the data do not tell apart, the best first, by ';'"),
    "error": Column("number", "", "error of the best one on sizes that it was not fitted to: the "
                    "root mean square of log(cost / prediction)"),
    "period_objects": Column("number", "objects", "of a cost that rises and falls; empty: none"),
    "period_p": Column("number", "", "probability that noise has so strong a period"),
    "store_mib": Column("number", "MiB", "files of the servers after the window"),
    "memory_mib": Column("number", "MiB", "memory of the servers: their limit, else the machine's"),
    "flags": Column("string", "", "what a reader must know, codes by ';'"),
}  # fmt: skip

EFFECTS = {
    "study": INVOCATIONS["study"],
    "profile": INVOCATIONS["profile"],
    "tool": INVOCATIONS["tool"],
    "cells": Column("integer", "cells", "that differ in nothing but the options"),
    "options": Column("integer", "", "factors with two levels that they vary"),
    "terms": Column("string", "", "options, or interactions of two ('×'), that the design cannot "
                    "tell apart, by ' or '"),
    "likely": Column("string", "", "those of them that are likely where interactions come with "
                     "their main effects"),
    "terms_order": Column("integer", "", "options in the simplest of them"),
    "ratio": Column("number", "", "of geometric means of the median latencies: second levels over "
                    "first ones; of an interaction, cells with both or none over those with one"),
    "margin_ratio": Column("number", "", "noise alone hardly has a ratio beyond it or its inverse"),
    "strong": Column("boolean", "", "whether the ratio is beyond, and ranks confirm it"),
    "variance_share": Column("number", "", "of the variance of all logarithms of latencies"),
    "partly": Column("string", "", "terms that are not estimated, each with its share in this "
                     "estimate; of designs that are not regular"),
    "method": Column("string", "", "contrasts, or least squares where the design is not regular or "
                     "starts are from several machines; then how machines are told"),
    "flags": Column("string", "", "why there are no effects, codes by ';'"),
    "executor": INVOCATIONS["executor"],
    "topology": INVOCATIONS["topology"],
}  # fmt: skip

_GROUP = {name: EFFECTS[name] for name in ("study", "profile", "tool", "cells")}
_SETTING = {name: EFFECTS[name] for name in ("executor", "topology")}
TREES = {
    **_GROUP,
    "options": Column("integer", "", "factors in which they differ"),
    "left_out": Column("integer", "cells", "without a median, and not for timeouts"),
    "worst_share": Column("number", "", "of the cells that count as the worst, as asked"),
    "cutoff_ms": Column("number", "ms", "median latency from which on they do; inf: timeouts"),
    "quality": Column("number", "", "balanced accuracy of the tree on cells that it was not fitted "
                      "to; 0.5: guessing"),
    "placebo_quality": Column("number", "", "the best of trees of permuted classes"),
    "placebos": Column("integer", "", "how many of these there are"),
    "told": Column("boolean", "", "whether there is a tree: the quality is beyond all of these"),
    "node": Column("integer", "", "number of the node, from 0, the root"),
    "node_parent": Column("integer", "", "node that it is a part of; empty: the root"),
    "node_depth": Column("integer", "", "options from the root"),
    "option": Column("string", "", "option that sets it apart within its parent"),
    "level": Column("string", "", "its levels of that option"),
    "split": Column("string", "", "option that divides it; empty: a leaf"),
    "node_cells": Column("integer", "cells", "in the node"),
    "node_worst": Column("integer", "cells", "of them among the worst"),
    "node_share": Column("number", "", "of the worst when both classes weigh the same in all"),
    "bad": Column("boolean", "", "whether the tree takes its cells for the worst: above 0.5"),
    "flags": Column("string", "", "why there is no tree, codes by ';'"),
    **_SETTING,
}  # fmt: skip
WEIGHTED = {
    **_GROUP,
    "left_out": Column("integer", "cells", "without a median"),
    "option": Column("string", "", "option whose level it is"),
    "level": Column("string", "", "the level"),
    "level_cells": Column("integer", "cells", "with that level and a weight above 0"),
    "expected_ms": Column("number", "ms", "mean of their median latencies, weighted by the use of "
                          "all other options"),
    "ratio": Column("number", "", "to the same of cells with other levels of the option"),
    "ratio_low": Column("number", "", "lower end of its 99 % interval over starts"),
    "ratio_high": Column("number", "", "upper end of its 99 % interval over starts"),
    "flags": Column("string", "", "why there is no number, codes by ';'"),
    **_SETTING,
}  # fmt: skip
MACHINES = {
    **_GROUP,
    "machine": INVOCATIONS["machine"],
    "starts": Column("integer", "starts", "that it measured of these cells"),
    "ratio": Column("number", "", "of its latencies to those of all machines, cell by cell"),
    "method": Column("string", "", "random intercept, or paired: only starts on one machine are "
                     "held against one another"),
    "reason": Column("string", "", "why it is the paired form"),
    **_SETTING,
}  # fmt: skip

ASKED = {
    "effects": ("one row per contrast of options that are screened", EFFECTS),
    "trees": ("one row per node of the trees of the worst cells", TREES),
    "weighted": ("one row per level of an option, the others weighted by their use", WEIGHTED),
    "machines": ("one row per machine of cells that several machines measured", MACHINES),
    "growth": ("one row per operation and stretch of a store that grows", GROWTH),
    "growth_fits": ("one row per operation and used invocation: how its cost grows", GROWTH_FITS),
    "parts": ("one row per part of the executions of every used invocation that has some", PARTS),
    "windows": ("one row per stretch of the window of every used invocation", WINDOWS),
    "contrasts": (
        "one row per compared cell of each comparison of a measure other than latency", CONTRASTS
    ),
}  # fmt: skip
"""Tables of studies that ask for them, or whose tools tell what they are made of."""
