"""What the study and the profiles of this project ask for."""

import pandas as pd
import pytest
from small_studies import MOGWAI, PROJECT, cells

from modelstress.analysis.contrasts import groups
from modelstress.config.factors import ONE_START, PLACEBO, TWO_STARTS
from modelstress.design.cells import cells_of
from modelstress.workloads.queries import files
from modelstress.workloads.queries.work import attributes_of, query_file


def test_the_shipped_study_measures_mogwai_both_ways():
    shipped = PROJECT.study("model-queries")
    found = [c for c in cells(shipped, PROJECT.profile("paper")) if c.tool.tool == "mogwai"]
    assert all(query_file(PROJECT, c).is_file() for c in found)
    slow = [c for c in found if c.levels["query"] == "SemaphoreNeighbor"]
    ways = {way: [c for c in slow if c.levels["navigation"] == way] for way in MOGWAI["navigation"]}
    assert {c.levels["protocol"] for c in ways["forward"]} == {"tcp", "http"}
    assert {c.levels["threads"] for c in ways["forward"]} == {1}
    assert {c.settings.executions for c in ways["forward"]} == {10}
    assert {c.settings.warmup.executions for c in ways["forward"]} == {1}
    assert {c.levels["threads"] for c in ways["backward"]} == set(shipped.factors["threads"])
    assert {c.settings.executions for c in ways["backward"]} == {1000}
    others = [c for c in found if c not in slow]
    assert {c.levels["navigation"] for c in others} == {"forward"}
    checks = {
        (c.levels["query"], c.levels["query_text"], c.levels["cached_queries"])
        for c in others
        if c.levels["threads"] == 1 and c.levels["protocol"] == "tcp"
    }
    kinds = (("same", 1000), ("same", 0), ("unique", 1000))
    assert checks == {(c.levels["query"], *kind) for c in others for kind in kinds}


def test_the_shipped_study_has_asynchronous_queries_of_hawk():
    shipped = PROJECT.study("model-queries")
    found = cells(shipped, PROJECT.profile("paper"))
    other = [c for c in found if c.levels.get("querying") == "asynchronous"]
    assert {c.tool.tool for c in other} == {"hawk"}
    assert {c.levels["language"] for c in other} == {"eol"}
    assert {attributes_of(c) for c in other} == {"none"}
    assert len(other) == 2 * 2 * 3 * len(shipped.factors["threads"])
    ids = {c.id for c in found}
    for cell in other:
        *words, _ = cell.id.split("_")
        assert words.pop() == "querying=asynchronous"
        assert any(name.startswith("_".join(words) + "_") for name in ids - {cell.id})


CDO_OPTIONS = (
    "protocol", "http_transport", "poll_interval_ms", "tcp_nodelay", "pool_size", "share_pool",
)  # fmt: skip


def test_the_shipped_study_varies_one_thing_at_a_time():
    """All protocols and transports by query and threads; everything else on a few cells."""
    shipped = PROJECT.study("model-queries")
    counts = set(shipped.factors["threads"])
    five = set(files.case(PROJECT, "train").queries) - {"SemaphoreNeighbor"}
    found = [
        c for c in cells(shipped, PROJECT.profile("paper"))
        if c.levels["query_text"] == "same" and c.work.model.case == "train"
    ]  # fmt: skip
    of_cdo: dict[tuple[object, ...], list[tuple[object, object]]] = {}
    for cell in found:
        if cell.tool.tool == "cdo" and cell.levels["query"] != "SemaphoreNeighbor":
            key = tuple(cell.levels.get(name) for name in CDO_OPTIONS)
            at = (cell.levels["query"], cell.levels["threads"])
            of_cdo.setdefault(key, []).append(at)
    whole = {(query, count) for query in five for count in counts}
    two = {(query, count) for query in ("PosLength", "SwitchSet") for count in counts}
    assert {key: set(cells_) for key, cells_ in of_cdo.items()} == {
        ("tcp", None, None, False, 0, False): whole,
        ("http", "stock", 5000, None, 0, False): whole,
        ("http", "long-poll", 5000, None, 0, False): whole,
        ("websocket", None, None, False, 0, False): whole,
        ("tcp", None, None, True, 0, False): two,
        ("websocket", None, None, True, 0, False): two,
        ("http", "stock", 1000, None, 0, False): {("RouteSensor", 1)},
        ("tcp", None, None, False, 10, True): {
            ("ConnectedSegments", 8), ("ConnectedSegments", 16),
        },
    }  # fmt: skip


@pytest.mark.parametrize("name", ["demo", "reduced", "factors", "paper"])
def test_the_shipped_study_asks_the_papers_queries_of_their_tools(name):
    shipped = PROJECT.study("model-queries")
    found = [c for c in cells(shipped, PROJECT.profile(name)) if c.work.model.case == "grabats"]
    assert all(query_file(PROJECT, c).is_file() for c in found)
    assert len({c.levels["model"] for c in found}) == 1
    tools = {"OQ": "cdo", "MQ": "mogwai"}
    for cell in found:
        query = str(cell.levels["query"])
        assert cell.tool.tool == tools.get(query, "hawk")
        if query.startswith("HQ"):
            assert attributes_of(cell) == ("none" if query == "HQ1" else "declared")
    if name == "paper":
        hawks = {
            tuple(c.levels[n] for n in ("query", "language", "backend", "protocol"))
            for c in found if c.tool.tool == "hawk" and c.levels["fidelity"] == "paper"
        }  # fmt: skip
        stores = 2 * 2
        assert len(hawks) == 4 * stores + stores, "HQ1 to HQ4 in EOL, HQ1 also in EPL"
        assert {c.levels["threads"] for c in found} == set(shipped.factors["threads"])
    if name == "demo":
        assert {c.levels["query"] for c in found} == {"HQ1", "HQ4"} and len(found) == 2


def test_reduced_has_the_papers_combinations_and_no_others():
    """44 configurations (10 of GraBaTs'09, 34 of the Train Benchmark) x 2 protocols x 7 threads."""
    every = cells(PROJECT.study("model-queries"), PROJECT.profile("reduced"))
    found = [cell for cell in every if PLACEBO not in cell.levels]
    copies = [cell.levels[PLACEBO] for cell in every if PLACEBO in cell.levels]
    assert copies.count(ONE_START) == 6, "six starts have a copy of a cell in them"
    assert 6 * 2 <= copies.count(TWO_STARTS) <= 6 * 4, "six are copied as they are"
    names = ("tool", "backend", "language", "query", "protocol", "threads")
    told = [{n: c.levels.get(n) for n in names} for c in found]
    assert len({tuple(levels.values()) for levels in told}) == len(found) == 616
    assert sum(c.work.model.case == "grabats" for c in found) == 140
    assert {c.levels["tool"] for c in found if c.levels["query"] == "SemaphoreNeighbor"} == {"hawk"}
    assert {c.levels["fidelity"] for c in found if c.tool.tool == "hawk"} == {"paper"}
    assert all(c.settings.executions >= 30 and c.invocations >= 3 for c in found)
    assert all(c.settings.executions >= min(c.levels["threads"], 32) for c in found)


def test_cells_over_polled_http_are_short():
    shipped = PROJECT.study("model-queries")
    found = cells(shipped, PROJECT.profile("paper"))
    polled = [
        c for c in found
        if c.tool.tool == "cdo" and c.levels["protocol"] == "http"
        and c.levels["http_transport"] == "stock"
    ]  # fmt: skip
    for cell in polled:
        seconds = 6 * (cell.settings.executions + cell.settings.warmup.executions)
        assert seconds / int(cell.levels["threads"]) < 600


@pytest.mark.parametrize("name", ["demo", "reduced", "factors", "paper"])
def test_what_is_captured_beside_a_profile_are_cells_with_one_thread(name):
    beside = PROJECT.anatomy_of(name)
    assert beside is not None
    cells = cells_of(PROJECT, PROJECT.study("model-queries"), beside)
    assert cells
    for cell in cells:
        assert cell.levels["threads"] == cell.settings.clients == 1
        assert cell.settings.capture is not None
        assert cell.levels["query"] in ("SwitchSet", "SemaphoreNeighbor")


EXTENDED = ("faults", "faults-demo", "links", "delays", "memory", "mixed", "executors", "baseline")


def test_every_cell_of_the_profile_baseline_has_the_bare_database_beside_it():
    shipped = PROJECT.study("model-queries-extended")
    found = cells(shipped, PROJECT.profile("baseline", shipped.study))
    asked = {
        tool: {(c.levels["query"], c.levels["threads"]) for c in found if c.tool.tool == tool}
        for tool in ("postgresql", "cdo", "hawk", "mogwai")
    }
    assert len(asked["postgresql"]) == 12 == len(asked["hawk"])
    for tool, cases in asked.items():
        assert len(cases) >= 11 and cases <= asked["postgresql"], tool


def test_every_comparison_of_the_extended_study_has_cells_in_some_profile():
    shipped = PROJECT.study("model-queries-extended")
    compared = dict.fromkeys(shipped.comparisons, 0)
    for name in EXTENDED:
        found = cells(shipped, PROJECT.profile(name, shipped.study))
        nowhere = {"executor": "unknown", "topology": "unknown"}
        frame = pd.DataFrame([{**c.levels, **nowhere, "tool": c.tool.tool} for c in found])
        for title, asked in shipped.comparisons.items():
            only = {name: of for name, of in asked.only.items() if name in frame}
            if {*asked.baseline, *asked.level, *only} <= set(frame):
                match = [name for name in asked.matched(shipped.factors) if name in frame]
                sides = groups(frame, match, asked.baseline, asked.level, only)
                compared[title] += sum(len(g.compared) for g in sides if len(g.baselines) == 1)
    assert all(compared.values()), compared
