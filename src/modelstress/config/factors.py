"""Factors that the harness itself understands, each once: unit, levels and meaning."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from modelstress.config.base import Level
from modelstress.config.faults import NO_FAULT
from modelstress.config.roles import Noun


@dataclass(frozen=True)
class Factor:
    """A factor of the harness.

    Attributes:
        meaning: for people.
        unit: of its levels, where they are quantities.
        levels: all that there are; None: any.
        least: smallest level, where they are numbers.
        usual: level of a study that does not have the factor; ids do not name it.
        of_tools: whether only tools that list it in their descriptor's ``supports`` have it.
        beside: levels of other factors beside which alone it means something.
        noun: of one and several of it, for sentences.
        short: what ids write before its level, where that alone says nothing.
        bare: place among the factors of which ids have the level alone, at their end; 0: named.
    """

    meaning: str
    unit: str = ""
    levels: tuple[Level, ...] | None = None
    least: float | None = None
    usual: Level | None = None
    of_tools: bool = False
    beside: Mapping[str, list[Level]] = field(default_factory=dict)
    noun: Noun | None = None
    short: str = ""
    bare: int = 0


THREADS = "threads"
"""Factor of the client threads, each of which waits for one answer at a time."""

WAITED = "waited_percent"
"""Factor that the client itself understands, whatever the driver."""
HEAP, COLLECTOR = "heap_mib", "collector"
"""Factors of the Java virtual machines."""
COLLECTORS: Mapping[str, str] = {
    "g1": "-XX:+UseG1GC", "parallel": "-XX:+UseParallelGC", "serial": "-XX:+UseSerialGC",
}  # fmt: skip
"""Garbage collector to the flag that asks for it."""
PLACEBO = "placebo"
"""Level of a cell that is measured a second time beside itself: no factor of a study."""
ONE_START, TWO_STARTS, TWO_MACHINES = "one start", "two starts", "two machines"
"""How two equals are measured: in turns in one start, in two starts, on two machines."""

HARNESS: Mapping[str, Factor] = {
    "tool": Factor("system under test"),
    THREADS: Factor(
        "client threads, over all client processes", least=1,
        noun=Noun(one="thread", many="threads", title="client threads"), short="t",
    ),
    "clients": Factor(
        "client processes, over which the threads are divided", least=1,
        noun=Noun(one="client", many="clients", title="client processes"),
    ),
    "connection": Factor(
        "whether every execution has a session of its own",
        levels=("per-execution", "reused"), usual="per-execution", bare=1,
    ),
    "mode": Factor(
        "whether a thread waits for an answer before it asks again (closed), or asks on schedule",
        levels=("closed", "open"), usual="closed", bare=3,
    ),
    "rate_per_s": Factor(
        "executions begun per second, over all threads", unit="1/s", least=0.001,
        beside={"mode": ["open"]},
        noun=Noun(one="per second", many="per second", title="executions asked per second"),
    ),
    "arrivals": Factor(
        "gaps between the begins of executions", levels=("constant", "poisson"),
        beside={"mode": ["open"]},
    ),
    "think_ms": Factor(
        "pause of a thread between two executions", unit="ms", least=0,
        noun=Noun(one="ms", many="ms", title="think time (ms)"),
    ),
    "executor": Factor(
        "how hosts come to be", levels=("process", "namespace", "docker"), usual="process",
    ),
    "host": Factor("group of machines", beside={"executor": ["docker"]}),
    "link_mbit_s": Factor(
        "rate of the link between client and server; 0: as fast as it is", unit="Mbit/s", least=0,
        usual=0,
    ),
    "link_delay_ms": Factor("delay of the link, each way", unit="ms", least=0, usual=0),
    "link_loss_percent": Factor("packets lost on the link", unit="%", least=0, usual=0),
    "server_memory_mib": Factor(
        "limit of the server's memory; 0: none", unit="MiB", least=0, usual=0,
    ),
    "node_cpu_percent": Factor(
        "limit of the CPU time of each node that the tool lets be limited, in percent of one CPU; "
        "0: none", unit="%", least=0, usual=0,
        noun=Noun(one="limit", many="limits", title="limit of a node (% of a CPU; 0: none)"),
    ),
    HEAP: Factor(
        "largest heap of each of the tool's Java programs that the descriptor gives none of its "
        "own; 0: the descriptor's", unit="MiB", least=0, usual=0, of_tools=True,
        noun=Noun(one="heap", many="heaps", title="Java heap (MiB; 0: the tool's)"),
    ),
    COLLECTOR: Factor(
        "garbage collector of the same programs", levels=("own", *COLLECTORS), usual="own",
        of_tools=True,
        noun=Noun(one="collector", many="collectors", title="garbage collector"),
    ),
    WAITED: Factor(
        "share of every execution that the client waits within it, a known truth for statistics",
        unit="%", least=0, usual=0,
    ),
    "fault": Factor("what goes wrong on purpose", usual=NO_FAULT),
}  # fmt: skip
"""Name to definition."""

OF_STARTS = frozenset({
    "tool", THREADS, "clients", "executor", "host", "link_mbit_s", "link_delay_ms",
    "link_loss_percent", "server_memory_mib", "node_cpu_percent", HEAP, COLLECTOR, "fault",
})  # fmt: skip
"""Those in which whole starts differ: no cells of one start differ in them."""

NOUNS: Mapping[str, Noun] = {
    name: factor.noun for name, factor in HARNESS.items() if factor.noun is not None
}

RESERVED = frozenset({
    "aborted", "all_per_s", "attempts", "boot", "cell", "change", "checked_any", "client_cpu",
    "client_libraries_mib", "client_loaded_mib", "client_preemptions", "client_processes",
    "client_program_mib", "client_ready_mib", "client_switches", "cod", "correlation_p", "energy_j",
    "energy_per_execution_j", "error",
    "executions", "extrapolated_per_s", "failed_cooldown", "failed_warmup", "flags", "git_commit",
    "incorrect", "incorrect_any", "incorrect_cooldown", "incorrect_warmup", "invocation",
    "invocations", "invocations_found", "invocations_invalid", "jitter_ms2", "least_per_thread",
    "machine", "median_confidence", "median_coverage", "median_high_ms", "median_interval",
    "median_low_ms", "median_ms", "notch_high_ms", "notch_low_ms", "objects_per_s", "ok", "placebo",
    "profile", "q1_ms", "q3_ms", "rejected", "remarks", "server_cpu", "server_disk_mib",
    "server_libraries_mib",
    "server_loaded_mib", "server_preemptions", "server_program_mib", "server_ready_mib",
    "server_switches", "settled_at", "start", "state", "steady", "study", "task",
    "throughput_high_per_s", "throughput_low_per_s", "throughput_per_s", "timeout", "timeout_ms",
    "timeout_share", "tool_title", "topology", "trend_p", "unfinished", "used", "whisker_high_ms",
    "whisker_low_ms", "window_s",
})  # fmt: skip
"""Columns of the derived tables of cells and invocations: no factor can be called so."""
