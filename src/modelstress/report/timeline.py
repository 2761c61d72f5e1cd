"""A cell over time: latency by phase and outcome, CPU of server and clients below."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from modelstress.report.style import GREY, OUTCOMES, SIDES, laid_out, log_axis, new_figure, style

CLIENT_LIMIT = 80
"""Busy share (%) of the clients' CPUs above which a cell is invalid (DESIGN.md, section 3)."""
PHASES = {"warmup": "warm-up", "cooldown": "cool-down"}


def timeline(
    executions: pd.DataFrame, cpu: pd.DataFrame, title: str, noun: str = "execution"
) -> Figure:
    """Draw one invocation.

    `executions` has the columns `start_s`, `latency_ms`, `end_s`, `phase`, `outcome`; `cpu` the
    columns `begin_s`, `end_s`, `server_cpu`, `client_cpu` (shares); without rows the lower part
    says so. `noun` is what one row is of, an execution or the median of a second.
    """
    with style():
        figure = new_figure(7.5, 4.3)
        upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(2.4, 1))
        _latencies(upper, executions, noun)
        _cpu(lower, cpu)
        end = executions["end_s"].max()
        begin, width = _span(executions, float(end))
        for axes in (upper, lower):
            _phases(axes, executions, float(end), named=axes is upper)
            axes.set_xlim(begin, begin + width)
        lower.set_xlabel("time since the first execution (s)")
        figure.suptitle(title, fontsize=9)
        return laid_out(figure)


def _span(executions: pd.DataFrame, end: float) -> tuple[float, float]:
    begin = float(executions["start_s"].min())
    width = max(end - begin, 1e-6)
    return begin - 0.01 * width, 1.02 * width


def _latencies(axes: Axes, executions: pd.DataFrame, noun: str) -> None:
    positive = executions.loc[executions["latency_ms"] > 0, "latency_ms"]
    low, high = (float(positive.min()), float(positive.max())) if len(positive) else (1.0, 1.0)
    # Executions that never began, because their server had died, lie at the bottom.
    latency = executions["latency_ms"].clip(lower=low)
    for outcome, (colour, marker) in OUTCOMES.items():
        mask = executions["outcome"] == outcome
        if not mask.any():
            continue
        measured = mask & (executions["phase"] == "measure")
        outside = mask & ~measured
        size, count = (9 if outcome == "ok" else 26), int(measured.sum())
        label = f"{outcome} ({count} {'measured' if noun == 'execution' else 'points'})"
        axes.scatter(
            executions.loc[measured, "start_s"], latency[measured], s=size, color=colour,
            marker=marker, linewidths=0, alpha=0.85, label=label,
        )  # fmt: skip
        # Not measured, within the window too: small grey rings, whatever came of them.
        axes.scatter(
            executions.loc[outside, "start_s"], latency[outside], s=0.6 * size, facecolors="none",
            edgecolors="#aaaaaa", marker=marker, linewidths=0.5, zorder=0.8,
        )  # fmt: skip
    axes.set_ylabel("latency (ms, log scale)")
    log_axis(axes, low, high)
    if (executions["phase"] != "measure").any():
        axes.scatter(
            [], [], s=6, facecolors="none", edgecolors="#aaaaaa", linewidths=0.7,
            label="not measured",
        )  # fmt: skip
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.1), ncols=6, markerscale=1.4)


def _phases(axes: Axes, executions: pd.DataFrame, end: float, named: bool) -> None:
    """Grey background where executions are not measured."""
    measured = executions.loc[executions["phase"] == "measure"]
    if measured.empty:
        return
    first = float(measured["start_s"].min())
    last = float(measured["end_s"].max())
    spans = {"warmup": (float(executions["start_s"].min()), first), "cooldown": (last, end)}
    for phase, (begin, stop) in spans.items():
        if not (executions["phase"] == phase).any() or stop <= begin:
            continue
        axes.axvspan(begin, stop, color="#eeeeee", zorder=0, linewidth=0)
        if named:
            side, x = ("left", begin) if phase == "warmup" else ("right", stop)
            axes.text(
                x, 1.02, PHASES[phase], ha=side, va="bottom", fontsize=8, color=GREY,
                transform=axes.get_xaxis_transform(),
            )  # fmt: skip


def _cpu(axes: Axes, cpu: pd.DataFrame) -> None:
    axes.set_ylim(0, 105)
    axes.set_ylabel("CPU busy (%)")
    if cpu.empty:
        axes.text(
            0.5, 0.5, "no telemetry was recorded", ha="center", va="center", color=GREY,
            transform=axes.transAxes,
        )  # fmt: skip
        return
    edges = [*cpu["begin_s"], float(cpu["end_s"].iloc[-1])]
    for side, (colour, line) in SIDES.items():
        axes.stairs(
            cpu[f"{side}_cpu"] * 100, edges, baseline=None, color=colour, linestyle=line,
            linewidth=1.3, label=f"{side} CPU set",
        )  # fmt: skip
    axes.axhline(CLIENT_LIMIT, color=GREY, linewidth=0.7, linestyle=":", label="client limit")
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3)
