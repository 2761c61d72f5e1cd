"""Synthetic samples of the cells that a project plans, with every kind of trouble."""

import synthetic

from modelstress.analysis import planned_cells

PROFILE = """
profile: demo
title: four cells of two tools
invocations: 2
settings: {executions: 12}
levels:
  tool: [cdo, hawk]
  backend: [h2, neo4j]
  language: [ocl, eol]
  protocol: [tcp, http]
  model: [train-2016-repair-4]
  query: [RouteSensor]
  threads: [1, 4]
  query_text: [same]
  attributes: [none]
  fidelity: [paper]
  http_transport: [stock]
  poll_interval_ms: [5000]
  tcp_nodelay: [false]
  pool_size: [0]
  querying: [synchronous]
"""


def write_planned(project, study=synthetic.STUDY, profile=synthetic.PROFILE, factor=1.0, left_out=1):
    """Samples of all cells but the last; returns the plan.

    ``factor`` multiplies all latencies. The second cell has failures, the third an attempt that
    was stopped.
    """
    plan = planned_cells(project, study, profile)
    data = project.root / "data"
    for place, cell in enumerate(plan[: len(plan) - left_out]):
        levels = dict(cell.levels)
        for number in range(cell.invocations):
            seed = 100 * place + number
            values = factor * synthetic.latencies(20 * (1 + place), 16, seed)
            outcomes = ["ok"] * 16
            if place == 1:
                outcomes[5], outcomes[6], outcomes[7] = "error", "timeout", "incorrect"
            phases = ["warmup"] * 3 + ["measure"] * 12 + ["cooldown"]
            table = synthetic.samples(
                values, outcomes, phases, threads=int(levels["threads"]), number=number
            )
            synthetic.write(
                data, levels, number, table, cell=cell.cell, contents=dict(cell.contents)
            )
        if place == 2:
            synthetic.write(data, levels, 0, table.slice(0, 5), ".aborted-0", cell=cell.cell)
    return plan
