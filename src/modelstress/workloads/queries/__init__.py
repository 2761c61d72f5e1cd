"""Workload kind ``queries``: queries on models, in several languages, checked by an oracle."""

from modelstress.config.roles import Noun, OnTheWire, Roles, TableLayout
from modelstress.workloads import WorkloadKind

KIND = WorkloadKind(
    required=("backend", "language", "protocol", "model", "query", "threads"),
    # for studies and archives from before roles, nouns and layouts could be given
    roles=Roles(
        operation="query", load="threads", dataset="model",
        series=["tool", "backend", "language", "protocol"], panel="protocol",
    ),
    nouns={"query": Noun(one="query", many="queries")},
    layout=TableLayout(
        medians={
            1: ["OQ", "MQ", "HQ1", "HQ2", "HQ3", "HQ4"],
            2: ["ConnectedSegments", "PosLength"],
            3: ["RouteSensor", "SwitchMonitored"],
            4: ["SemaphoreNeighbor", "SwitchSet"],
        },
        cases=[[1], [2, 3, 4]], failures=5, incorrect=6,
        comparisons={"protocol": [7, 8], "tools": [9, 10]},
        wire=[
            OnTheWire(
                levels={"tool": "cdo", "protocol": "http"},
                packets=58, bytes=10_203, requests=11, gap="about 6\u202f000",
            ),
            OnTheWire(
                levels={"tool": "hawk", "protocol": "http"},
                packets=14, bytes=2_804, requests=1,
            ),
        ],
    ),
)  # fmt: skip
