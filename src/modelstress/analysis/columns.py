"""What the columns of the derived tables mean: the source of their README and data package."""

from modelstress.analysis.column import SHARED as _SHARED
from modelstress.analysis.column import Column as Column
from modelstress.analysis.estimate_columns import ESTIMATED
from modelstress.config.measures import RESOURCES
from modelstress.config.outcomes import OUTCOMES

_COUNTS = {
    outcome: Column("integer", "executions", f"measured executions with outcome {outcome}")
    for outcome in OUTCOMES
}
_AROUND = {
    "incorrect_warmup": Column("integer", "executions", "wrong answers in the warm-up"),
    "failed_warmup": Column("integer", "executions", "without an answer in the warm-up"),
    "incorrect_cooldown": Column("integer", "executions", "wrong answers in the cool-down"),
    "failed_cooldown": Column("integer", "executions", "without an answer in the cool-down"),
    "incorrect_any": Column(
        "integer", "executions", "wrong answers in warm-up, window and cool-down"
    ),
    "checked_any": Column(
        "integer", "executions", "answers checked (ok or incorrect) in warm-up, window, cool-down"
    ),
    "least_per_thread": Column(
        "integer",
        "executions",
        "measured executions of the thread that has the fewest, in any used invocation",
    ),
}
_STATE = {
    "state": Column(
        "string",
        "",
        "complete, invalid, attempt (was invalid), partial, aborted, damaged or missing",
    ),
    "flags": Column("string", "", "what a reader must know, as codes separated by ';'"),
    "remarks": Column("string", "", "the same in sentences, separated by ' | '"),
}

_TIMEOUT = Column(
    "number", "ms", "how long every timeout lasted at least; blank where there is none"
)
_TASK = Column("string", "", "what the query asks: queries of one task ask the same")

CELLS = {
    **_SHARED,
    "task": _TASK,
    "tool_title": Column("string", "", "name of the tool for readers"),
    "executor": Column("string", "", "how the hosts came to be"),
    "topology": Column("string", "", "what server and clients ran on"),
    "client_processes": Column("integer", "", "processes among which the threads were divided"),
    **_STATE,
    "invocations": Column("integer", "starts", "complete invocations used in the statistics"),
    "invocations_found": Column("integer", "starts", "invocations in any state"),
    "invocations_invalid": Column(
        "integer", "starts", "invalid invocations, which are in no number of the cell"
    ),
    "executions": Column("integer", "executions", "measured executions, whatever the outcome"),
    **_COUNTS,
    **_AROUND,
    "timeout_share": Column("number", "", "timeouts / (ok + timeouts)"),
    "timeout_ms": _TIMEOUT,
    "median_ms": Column(
        "number",
        "ms",
        "median latency of ok executions and timeouts, which rank as longest; blank from 50 % "
        "timeouts on, where it is above timeout_ms, or where the server died and at most 50 % "
        "were ok",
    ),
    "median_low_ms": Column("number", "ms", "lower end of the median's interval"),
    "median_high_ms": Column(
        "number", "ms", "upper end of the median's interval; inf where it lies among timeouts"
    ),
    "median_confidence": Column("number", "", "confidence asked of the interval"),
    "median_coverage": Column(
        "number", "", "coverage that can be relied on, whatever the starts do"
    ),
    "median_interval": Column("string", "", "'over invocations' or 'within one start'"),
    "cod": Column(
        "number",
        "",
        "coefficient of dispersion of ok executions: mean |latency - median| / median; blank "
        "where median_ms is",
    ),
    "q1_ms": Column("number", "ms", "first quartile, as median_ms; blank among timeouts"),
    "q3_ms": Column("number", "ms", "third quartile, as median_ms; blank among timeouts"),
    "notch_low_ms": Column("number", "ms", "median - IQR / sqrt(n)"),
    "notch_high_ms": Column("number", "ms", "median + IQR / sqrt(n)"),
    "whisker_low_ms": Column("number", "ms", "smallest latency within 1.5 IQR of the quartiles"),
    "whisker_high_ms": Column("number", "ms", "largest latency within 1.5 IQR of the quartiles"),
    "throughput_per_s": Column("number", "1/s", "ok executions per second, median of invocations"),
    "throughput_low_per_s": Column("number", "1/s", "lowest of the invocations"),
    "throughput_high_per_s": Column("number", "1/s", "highest of the invocations"),
}

INVOCATIONS = {
    **_SHARED,
    "invocation": Column("integer", "", "number of the invocation, from 0"),
    **_STATE,
    "executor": CELLS["executor"],
    "topology": CELLS["topology"],
    "machine": Column("string", "", "name, processor and kernel of the machine that measured"),
    "boot": Column("string", "", "from one start of that machine to the next, the same"),
    "start": Column("string", "", "start of the servers; cells that share one have the same"),
    "client_processes": CELLS["client_processes"],
    "executions": CELLS["executions"],
    **_COUNTS,
    **_AROUND,
    "median_ms": Column(
        "number",
        "ms",
        "median latency of this start, as that of the cell; blank where it is invalid",
    ),
    "timeout_ms": _TIMEOUT,
    "window_s": Column("number", "s", "first start to last end of the measured executions"),
    "throughput_per_s": Column("number", "1/s", "ok executions per second of the window"),
    "all_per_s": Column("number", "1/s", "executions per second of the window, any outcome"),
    "objects_per_s": Column("number", "1/s", "objects in right answers per second of the window"),
    "extrapolated_per_s": Column(
        "number", "1/s", "rate of right answers of the last thread, times the threads"
    ),
    "attempts": Column("number", "", "mean tries of the driver in a measured execution"),
    "jitter_ms2": Column("number", "ms²", "variance of the latencies of ok executions"),
    **{name: Column("number", of.unit.strip("1"), of.axis) for name, of in RESOURCES.items()},
    "steady": Column("boolean", "", "in a steady state; blank: too few executions to say"),
    "settled_at": Column(
        "integer", "executions", "executions (of histograms: seconds) before the level settled"
    ),
    "change": Column("number", "", "level of the last stretch against the first, as a fraction"),
    "trend_p": Column("number", "", "p of Kendall's tau of latency against order"),
    "correlation_p": Column(
        "number", "", "Ljung and Box's p: small where executions resemble their neighbours"
    ),
    "used": Column("boolean", "", "whether its executions are in the statistics of its cell"),
    "server_cpu": Column("number", "", "busy share of the server's CPU set during measurement"),
    "client_cpu": Column("number", "", "busy share of the clients' CPU set during measurement"),
    "git_commit": Column("string", "", "commit of modelstress that measured"),
}

ONLY_ASKED = ("objects_per_s", "extrapolated_per_s", "attempts", "jitter_ms2", *RESOURCES)
"""Columns of invocations that studies need not have."""

OUTLIERS = {
    **_SHARED,
    "latency_ms": Column("number", "ms", "a latency more than 1.5 IQR outside the quartiles"),
}

MESSAGES = {
    **_SHARED,
    "invocation": Column("integer", "", "number of the invocation"),
    "operation": Column("string", "", "operation that failed; empty: the whole invocation"),
    "outcome": Column("string", "", "outcome that it had"),
    "message": Column("string", "", "what the driver, the client or the controller said"),
}

PROVENANCE = {
    **{name: _SHARED[name] for name in ("study", "profile")},
    "key": Column("string", "", "field of the recorded provenance"),
    "value": Column("string", "", "one of its values"),
    "invocations": Column("integer", "starts", "invocations that recorded this value"),
}

_WITHIN = "within one start"
_FLAGS = Column("string", "", "codes of this statement and of the cells behind it, by ';'")
_VALUES = Column("integer", "executions", "latencies of ok executions of the cell")
_RANKED = "latencies of the {}, and its timeouts, which rank as longest"

SHAPES = {
    **_SHARED,
    "n": _VALUES,
    "w": Column("number", "", f"Shapiro–Wilk's W, {_WITHIN}"),
    "p": Column("number", "", "its p: chance of such a W where latencies are normal"),
    "skewness": Column("number", "", "adjusted Fisher–Pearson skewness; 0 where symmetric"),
    "flags": _FLAGS,
}

_NAMED = Column("string", "", "comparison, as the study names it")

COMPARISONS = {
    **{name: _SHARED[name] for name in ("study", "profile")},
    "comparison": _NAMED,
    **{name: _SHARED[name] for name in ("tool", "cell")},
    "task": _TASK,
    **{name: CELLS[name] for name in ("tool_title", "executor", "topology")},
    "baseline_tool": Column("string", "", "tool of the baseline's cell"),
    "baseline_cell": Column("string", "", "the cell that this one stands beside"),
    "n": Column("integer", "executions", _RANKED.format("cell")),
    "baseline_n": Column("integer", "executions", _RANKED.format("baseline's cell")),
    "u": Column(
        "number", "pairs", f"Mann–Whitney's U: pairs in which the cell is slower, {_WITHIN}"
    ),
    "p": Column("number", "", "its two-sided p; 0: smaller than a double can hold"),
    "p_adjusted": Column("number", "", "that p by Holm's method over the whole comparison"),
    "dunn_p": Column("number", "", "Dunn's p, by Bonferroni over all pairs of the group"),
    "delta": Column("number", "", f"Cliff's delta; +1: the cell is always slower, {_WITHIN}"),
    "delta_low": Column("number", "", "lower end of its interval"),
    "delta_high": Column("number", "", "upper end of its interval"),
    "magnitude": Column("string", "", "of the delta: negligible, small, medium or large"),
    "shift_ms": Column("number", "ms", f"Hodges–Lehmann: the cell is slower by it, {_WITHIN}"),
    "shift_low_ms": Column("number", "ms", "lower end of its interval"),
    "shift_high_ms": Column("number", "ms", "upper end of its interval"),
    "ratio": Column("number", "", f"median of the ratios cell / baseline of all pairs, {_WITHIN}"),
    "ratio_low": Column("number", "", "lower end of its interval; 0 among timeouts"),
    "ratio_high": Column("number", "", "upper end of its interval; inf among timeouts"),
    "over_ratio": Column(
        "number",
        "",
        "ratio of the medians, cell / baseline, over invocations; blank where one lies among "
        "timeouts",
    ),
    "over_ratio_low": Column(
        "number", "", "lower end of its interval, the one to go by; 0: it is 'at most' the upper"
    ),
    "over_ratio_high": Column(
        "number", "", "upper end of its interval, the one to go by; inf: it is 'at least' the lower"
    ),
    "flags": _FLAGS,
}

GROUPS = {
    **{name: _SHARED[name] for name in ("study", "profile")},
    "comparison": _NAMED,
    "tool": Column("string", "", "tool, where the cells of a group agree in it"),
    "task": _TASK,
    **{name: CELLS[name] for name in ("executor", "topology")},
    "cells": Column("integer", "cells", "cells of the group, the baseline's with them"),
    "n": Column("integer", "executions", "latencies of all of them, and their timeouts"),
    "h": Column("number", "", f"Kruskal–Wallis' H, {_WITHIN}"),
    "p": Column("number", "", "its p: chance of such an H where all cells are alike"),
    "flags": _FLAGS,
}

FAULTS = {
    **_SHARED,
    "invocation": Column("integer", "", "number of the invocation, from 0"),
    "kind": Column("string", "", "what went wrong on purpose"),
    "executor": CELLS["executor"],
    "topology": CELLS["topology"],
    "flags": Column("string", "", "what a reader must know of the invocation, codes by ';'"),
    "begun_s": Column("number", "s", "begin of the fault, from the begin of the measured window"),
    "lasted_s": Column(
        "number", "s", "from its begin to its end; that of a killed server is its next start"
    ),
    "ready_s": Column(
        "number", "s", "from its end until a server that was started again was ready"
    ),
    "executions": CELLS["executions"],
    "ok": _COUNTS["ok"],
    "lost": Column("integer", "executions", "without an answer, and ended after the fault's begin"),
    "wrong": Column("integer", "executions", "incorrect, and ended after the fault's begin"),
    "before": Column("integer", "executions", "not ok, and ended before it"),
    "first_correct_s": Column(
        "number",
        "s",
        "from the fault's begin to the first correct answer to an execution meant to start "
        "when it was in effect",
    ),
    "after_end_s": Column(
        "number", "s", "from the fault's end to the first correct answer to a later execution"
    ),
    "last_failure_s": Column(
        "number", "s", "from the fault's end to the last lost execution; negative: before it"
    ),
    "recovered": Column(
        "string",
        "",
        "'by itself' or 'with help' (the harness started the server again) when most of the last "
        "ten executions meant to start after its end were ok; 'no'; or 'not seen' (nothing was "
        "asked after its end)",
    ),
    "remarks": Column("string", "", "what was noted, separated by ' | '"),
}

OPERATIONS = {
    **_SHARED,
    "operation": Column("string", "", "query of the mix"),
    "executor": CELLS["executor"],
    "topology": CELLS["topology"],
    "flags": Column("string", "", "what a reader must know of the cell, codes by ';'"),
    "executions": CELLS["executions"],
    **_COUNTS,
    **{
        name: CELLS[name]
        for name in (
            "timeout_ms", "median_ms", "median_low_ms", "median_high_ms", "median_interval",
            "q1_ms", "q3_ms",
        )
    },
}  # fmt: skip

LATENCIES = {
    **{name: _SHARED[name] for name in ("tool", "cell")},
    "invocation": Column("integer", "", "number of the invocation, from 0"),
    "latency_ms": Column("number", "ms", "latency of an ok execution in the statistics"),
}
"""Parquet only: what the tables are computed from, so that they can be read back."""

TABLES = {
    "cells": ("one row per cell", CELLS),
    "invocations": ("one row per invocation, whatever its state", INVOCATIONS),
    "outliers": ("one row per outlier of a box plot", OUTLIERS),
    "messages": ("one row per distinct failure message of an invocation", MESSAGES),
    "faults": ("one row per invocation in which something went wrong on purpose", FAULTS),
    "operations": ("one row per query of every cell that has a mix of several", OPERATIONS),
    "provenance": ("one row per recorded value of provenance", PROVENANCE),
    "shapes": ("one row per cell: whether its latencies are normal", SHAPES),
    "comparisons": ("one row per compared cell of each comparison of the study", COMPARISONS),
    "groups": ("one row per group of cells that were tested together", GROUPS),
    **ESTIMATED,
}

MEASURES = {
    "packets": ("packets", "packets of an execution, both ways; blank with a proxy"),
    "packets_sent": ("packets", "packets sent by the client"),
    "packets_received": ("packets", "packets received by the client"),
    "bytes": ("bytes", "whole frames with their Ethernet headers, both ways; blank with a proxy"),
    "bytes_sent": ("bytes", "frames sent by the client"),
    "bytes_received": ("bytes", "frames received by the client"),
    "payload": ("bytes", "TCP payload, both ways"),
    "payload_sent": ("bytes", "TCP payload sent by the client"),
    "payload_received": ("bytes", "TCP payload received by the client"),
    "connections": ("connections", "TCP connections opened"),
    "round_trips": ("round trips", "how often the client had to wait for the server"),
    "requests": ("requests", "HTTP requests; 0 where the protocol has none"),
    "retransmissions": ("packets", "packets that TCP sent again"),
    "longest_gap_ms": ("ms", "longest silence between two messages"),
    "duration_ms": ("ms", "duration of the execution"),
}
"""What is counted of every captured execution: unit and meaning."""

_METHOD = Column("string", "", "'packets': on the wire; 'proxy': bytes of messages only")
_OF_CELLS = ("tool_title", "executor", "topology", "state", "flags", "remarks", "invocations")

ANATOMY = {
    **_SHARED,
    **{name: CELLS[name] for name in _OF_CELLS},
    "method": _METHOD,
    "captured": Column("integer", "executions", "captured executions with outcome ok"),
    **{
        f"{name}{end}": Column("number", unit, f"{which} of: {meaning}")
        for name, (unit, meaning) in MEASURES.items()
        for end, which in (("", "median"), ("_low", "smallest"), ("_high", "largest"))
    },
}

ANATOMY_MESSAGES = {
    **_SHARED,
    "invocation": Column("integer", "", "number of the invocation"),
    "sequence": Column("integer", "", "number of the execution, that of the median duration"),
    "method": _METHOD,
    "duration_ms": Column("number", "ms", "duration of the execution"),
    "connection": Column("integer", "", "number of the connection in the execution, from 0"),
    "number": Column("integer", "", "number of the message, from 0"),
    "begin_ms": Column("number", "ms", "its first byte, from the start of the execution"),
    "end_ms": Column("number", "ms", "its last byte, from the start of the execution"),
    "direction": Column("string", "", "sent or received, as the client sees it"),
    "packets": Column("integer", "packets", "packets; blank with a proxy"),
    "bytes": Column("integer", "bytes", "whole frames; blank with a proxy"),
    "payload": Column("integer", "bytes", "TCP payload"),
    "kind": Column(
        "string",
        "",
        "handshake, data, http-request, http-response, websocket, http2-data, "
        "http2-trailers, http2-control, close",
    ),
    "http_method": Column("string", "", "method of an HTTP request"),
    "http_path": Column("string", "", "path of an HTTP request"),
    "http_status": Column("integer", "", "status of an HTTP response"),
    "header_bytes": Column("integer", "bytes", "its HTTP header"),
    "body_bytes": Column("integer", "bytes", "its HTTP body"),
}

CAPTURED = {
    "anatomy": ("one row per cell, medians and ranges over its captured executions", ANATOMY),
    "anatomy_messages": ("one row per message of one captured execution", ANATOMY_MESSAGES),
}
"""Tables of a profile whose executions are captured, beside the others."""


def factor(name: str) -> Column:
    """The column of a factor; its type is whatever its levels are."""
    return Column("any", "", f"level of the factor {name}")
