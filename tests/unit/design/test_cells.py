"""Cells, constraints and the order of measurement."""

import dataclasses
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from modelstress.config.errors import ConfigError
from modelstress.config.profile import Profile
from modelstress.config.project import Project
from modelstress.config.study import Study
from modelstress.config.tool import Tool
from modelstress.design.cells import cells_of, find_cell
from modelstress.design.contents import contents_of, hash_json
from modelstress.design.estimate import OVERHEAD_S, Medians, estimate
from modelstress.design.plan import plan_of

PROJECT = Project.find(Path(__file__))


def study(**changes) -> Study:
    factors = {
        "tool": ["cdo"],
        "backend": ["h2"],
        "language": ["ocl"],
        "protocol": ["tcp"],
        "model": ["m"],
        "query": ["PosLength", "SwitchSet"],
        "threads": [1, 2, 64],
        **changes.pop("factors", {}),
    }
    models = {"m": {"case": "train", "line": "2016", "scenario": "repair", "size": 1}}
    return Study.model_validate(
        {"study": "s", "title": "t", "models": models, "factors": factors, **changes}
    )


def profile(**changes) -> Profile:
    return Profile.model_validate({"profile": "p", "title": "t", "invocations": 2, **changes})


def cells(study_=None, profile_=None):
    return cells_of(PROJECT, study_ or study(), profile_ or profile())


def test_full_product():
    assert len(cells()) == 6
    assert len({cell.id for cell in cells()}) == 6


def test_a_profile_restricts_levels_and_ignores_others():
    few = cells(profile_=profile(levels={"threads": [1, 4], "model": ["m", "other"]}))
    assert {cell.levels["threads"] for cell in few} == {1}
    with pytest.raises(ConfigError, match=r"levels.threads.*none"):
        cells(profile_=profile(levels={"threads": [3]}))


def test_constraints_take_away_and_cap():
    limited = study(
        constraints=[
            {
                "when": {"query": "SwitchSet"},
                "only": {"threads": [1]},
                "at_most": {"executions": 7, "invocations": 1, "warmup_executions": 3},
            }
        ]
    )
    found = cells(limited)
    assert [c.levels["threads"] for c in found if c.levels["query"] == "SwitchSet"] == [1]
    capped = next(c for c in found if c.levels["query"] == "SwitchSet")
    assert (capped.settings.executions, capped.settings.warmup.executions) == (7, 3)
    assert capped.invocations == 1
    assert sum(c.levels["query"] == "PosLength" for c in found) == 3


def test_unsupported_levels_are_left_out_and_nothing_left_is_an_error():
    assert len(cells(study(factors={"protocol": ["tcp", "carrier-pigeon"]}))) == 6
    with pytest.raises(ConfigError, match="no cell is left"):
        cells(study(factors={"protocol": ["carrier-pigeon"]}))


def test_unknown_factor_and_query():
    with pytest.raises(ConfigError, match="unknown factor 'thread_count'"):
        cells(study(factors={"thread_count": [1]}))
    with pytest.raises(ConfigError, match="unknown query 'PosLenght'.*did you mean 'PosLength'"):
        cells(study(factors={"query": ["PosLenght"]}))


def test_an_option_is_a_factor_of_the_tools_that_have_it():
    factors = {
        "tool": ["cdo", "example"],
        "backend": ["h2", "memory"],
        "language": ["ocl", "eol"],
        "protocol": ["tcp", "http"],
        "pool_size": [0, 10],
    }
    found = cells(study(factors=factors))
    of_cdo = [c for c in found if c.tool.tool == "cdo"]
    of_example = [c for c in found if c.tool.tool == "example"]
    assert len(of_cdo) == 24 and len(of_example) == 6
    assert {c.levels["pool_size"] for c in of_cdo} == {0, 10}
    assert all("pool_size" not in c.levels for c in of_example)
    assert sum("pool-size=10" in c.id for c in of_cdo) == 12
    assert not any("pool-size=0" in c.id for c in of_cdo)


HAWK = {
    "tool": ["cdo", "hawk"],
    "backend": ["h2", "neo4j", "orientdb"],
    "language": ["ocl", "eol", "epl"],
    "protocol": ["tcp", "http"],
    "threads": [1],
}


def test_only_what_a_tool_supports_is_combined():
    found = cells(study(factors={**HAWK, "query": ["SwitchSet"]}))
    combined = Counter(
        tuple(c.levels[name] for name in ("tool", "backend", "language", "protocol")) for c in found
    )
    of_hawk = {
        ("hawk", backend, language, protocol)
        for backend in ("neo4j", "orientdb")
        for language in ("eol", "epl")
        for protocol in ("tcp", "http")
    }
    of_cdo = {key for key in combined if key[0] == "cdo"}
    assert set(combined) - of_cdo == of_hawk
    assert {key[1:3] for key in of_cdo} == {("h2", "ocl")}
    assert set(combined.values()) == {1}


def test_attributes_are_a_factor_of_tools_that_know_them():
    found = cells(study(factors={**HAWK, "attributes": ["none", "declared"]}))
    assert all("attributes" not in c.levels for c in found if c.tool.tool == "cdo")
    of_hawk = [c for c in found if c.tool.tool == "hawk"]
    assert Counter(c.attributes for c in of_hawk) == {"none": 16, "declared": 16}
    for cell in of_hawk:
        named = "attributes=declared" in cell.id
        assert named == (cell.attributes == "declared")
        assert cell.store(PROJECT).name == ("m+declared" if named else "m")
    one, two = (
        next(c for c in of_hawk if c.attributes == level and c.levels["query"] == "SwitchSet")
        for level in ("none", "declared")
    )
    assert "attributes" not in contents_of(PROJECT, one)
    assert "attributes" in contents_of(PROJECT, two)


def test_type_check_is_a_factor_of_epl():
    factors = {**HAWK, "query": ["SemaphoreNeighbor"], "type_check": [True, False]}
    found = cells(study(factors=factors))
    unchecked = [c for c in found if c.levels.get("type_check") is False]
    assert {c.levels["language"] for c in unchecked} == {"epl"} and len(unchecked) == 4
    assert all("type_check" not in c.levels for c in found if c.levels["language"] != "epl")
    assert len({c.id for c in found}) == len(found)
    names = {c.query_file(PROJECT).name for c in unchecked}
    assert names == {"SemaphoreNeighbor.untyped.epl"}


MOGWAI = {
    "tool": ["cdo", "hawk", "mogwai"],
    "backend": ["h2", "neo4j", "neoemf"],
    "language": ["ocl", "eol"],
    "query": ["SemaphoreNeighbor"],
    "threads": [1],
    "navigation": ["forward", "backward"],
}


def test_navigation_is_a_factor_of_tools_that_have_the_choice(tmp_path):
    found = cells(study(factors=MOGWAI))
    of_mogwai = {c.levels["navigation"]: c for c in found if c.tool.tool == "mogwai"}
    assert set(of_mogwai) == {"forward", "backward"} and len(found) == 4
    assert all("navigation" not in c.levels for c in found if c.tool.tool != "mogwai")
    forward, backward = of_mogwai["forward"], of_mogwai["backward"]
    assert "navigation" not in forward.id and "navigation=backward" in backward.id
    folder = tmp_path / "queries/train/ocl"
    for name in ("SemaphoreNeighbor.ocl", "mogwai/SemaphoreNeighbor.backward.ocl"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()
    assert forward.query_file(Project(tmp_path)) == folder / "SemaphoreNeighbor.ocl"
    expected = folder / "mogwai/SemaphoreNeighbor.backward.ocl"
    assert backward.query_file(Project(tmp_path)) == expected
    expected.rename(folder / "SemaphoreNeighbor.backward.ocl")
    assert backward.query_file(Project(tmp_path)) == folder / "SemaphoreNeighbor.backward.ocl"


def test_the_shipped_study_measures_mogwai_both_ways():
    shipped = PROJECT.study("model-queries")
    found = [c for c in cells(shipped, PROJECT.profile("paper")) if c.tool.tool == "mogwai"]
    assert all(c.query_file(PROJECT).is_file() for c in found)
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


def test_a_profile_may_leave_a_tool_out_with_its_options():
    both = study(factors={**HAWK, "fidelity": ["improved", "paper"]})
    assert {c.tool.tool for c in cells(both)} == {"cdo", "hawk"}
    one = cells(both, profile(levels={"tool": ["cdo"]}))
    assert {c.tool.tool for c in one} == {"cdo"}
    assert all("fidelity" not in c.levels for c in one)


def test_an_external_server_has_no_store_and_may_use_another_tools_texts():
    hawk = PROJECT.tool("hawk").model_dump() | {
        "tool": "real-hawk", "endpoint": {"tcp": "tcp://127.0.0.1:1"}, "ids": "ids.mssf",
    }  # fmt: skip
    factors = {**HAWK, "tool": ["hawk"], "query": ["SemaphoreNeighbor"]}
    cell = next(c for c in cells(study(factors=factors)) if c.levels["language"] == "eol")
    own = PROJECT.query_file("train", "eol", "SemaphoreNeighbor")
    for queries, expected in (("", own), ("hawk", cell.query_file(PROJECT))):
        tool = Tool.model_validate({**hawk, "queries": queries})
        outside = dataclasses.replace(cell, tool=tool)
        assert outside.store(PROJECT) is None
        assert outside.query_file(PROJECT) == expected
    assert cell.query_file(PROJECT) != own


def test_a_dropped_factor_changes_no_id():
    before = {c.id for c in cells()}
    more = {
        "attributes": ["none", "declared"],
        "type_check": [True, False],
        "navigation": ["forward", "backward"],
        "fidelity": ["paper"],
    }
    with_others = study(factors={**more, "tool": ["cdo", "hawk", "mogwai"]})
    assert {c.id for c in cells(with_others)} == before


def test_an_option_at_its_default_changes_no_id():
    before = {c.id for c in cells()}
    options = {"pool_size": [0, 10], "tcp_nodelay": [False], "http_transport": ["stock"]}
    more = cells(study(factors=options))
    assert {c.id for c in more if c.levels["pool_size"] == 0} == before
    others = {c.id for c in more if c.levels["pool_size"] == 10}
    assert others.isdisjoint(before) and len(others) == len(before)


def test_the_shipped_study_has_asynchronous_queries_of_hawk():
    shipped = PROJECT.study("model-queries")
    found = cells(shipped, PROJECT.profile("paper"))
    other = [c for c in found if c.levels.get("querying") == "asynchronous"]
    assert {c.tool.tool for c in other} == {"hawk"}
    assert {c.levels["language"] for c in other} == {"eol"}
    assert {c.attributes for c in other} == {"none"}
    assert len(other) == 2 * 2 * 3 * len(shipped.factors["threads"])
    ids = {c.id for c in found}
    for cell in other:
        *words, _ = cell.id.split("_")
        assert words.pop() == "querying=asynchronous"
        assert any(name.startswith("_".join(words) + "_") for name in ids - {cell.id})


def test_an_option_for_one_protocol_is_no_factor_of_others():
    factors = {"protocol": ["tcp", "http"], "http_transport": ["stock", "long-poll"]}
    found = cells(study(factors=factors))
    transports = Counter((c.levels["protocol"], c.levels.get("http_transport")) for c in found)
    assert transports == {("tcp", None): 6, ("http", "stock"): 6, ("http", "long-poll"): 6}
    assert len({c.id for c in found}) == 18
    tool = PROJECT.tool("cdo").model_dump()
    for wrong, named in (({"http_transprt": ["http"]}, "http_transport"),
                         ({"http_transport": ["htp"]}, "http")):  # fmt: skip
        with pytest.raises(ValueError, match=f"option_protocols.*did you mean '{named}'"):
            Tool.model_validate({**tool, "option_protocols": wrong})


CDO_OPTIONS = (
    "protocol", "http_transport", "poll_interval_ms", "tcp_nodelay", "pool_size", "share_pool",
)  # fmt: skip


def test_the_shipped_study_varies_one_thing_at_a_time():
    """All protocols and transports by query and threads; everything else on a few cells."""
    shipped = PROJECT.study("model-queries")
    counts = set(shipped.factors["threads"])
    five = set(PROJECT.case("train").queries) - {"SemaphoreNeighbor"}
    found = [
        c for c in cells(shipped, PROJECT.profile("paper"))
        if c.levels["query_text"] == "same" and c.model.case == "train"
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


GRABATS = {
    "models": {"jdt": {"case": "grabats", "step": 0}, "train": {
        "case": "train", "line": "2016", "scenario": "repair", "size": 1,
    }},
    "factors": {
        **HAWK, "tool": ["cdo", "hawk", "mogwai"], "backend": ["h2", "neo4j", "neoemf"],
        "protocol": ["tcp"], "model": ["train", "jdt"], "query": ["PosLength", "MQ", "HQ1", "HQ4"],
        "attributes": ["none", "declared"],
    },
}  # fmt: skip


def test_each_model_is_asked_the_queries_of_its_case_in_their_languages():
    found = cells(study(**GRABATS))
    asked = Counter((c.levels["model"], c.levels["query"], c.levels["language"]) for c in found)
    assert asked == {
        ("train", "PosLength", "ocl"): 2, ("train", "PosLength", "eol"): 2,
        ("train", "PosLength", "epl"): 2, ("jdt", "MQ", "ocl"): 2, ("jdt", "HQ1", "eol"): 2,
        ("jdt", "HQ1", "epl"): 2, ("jdt", "HQ4", "eol"): 2,
    }  # fmt: skip


def test_a_comparison_names_a_known_tool():
    """One that the study leaves out is none of its errors, and hides none of them."""
    beside = {"tools": {"title": "t", "match": ["query"], "baseline": {"tool": "hawk"}}}
    assert cells(study(comparisons=beside))
    with pytest.raises(ConfigError, match="unknown tool 'cod'.*did you mean 'cdo'"):
        cells(study(comparisons=beside, factors={"tool": ["cod"]}))
    beside["tools"]["baseline"] = {"tool": "hwk"}
    wanted = "s.yaml: comparisons.tools.baseline.tool: unknown tool 'hwk'.*did you mean 'hawk'"
    with pytest.raises(ConfigError, match=wanted):
        cells(study(comparisons=beside))


def test_a_query_of_a_case_without_a_model_is_unknown():
    factors = {**GRABATS["factors"], "model": ["train"], "query": ["HQ4"]}
    with pytest.raises(ConfigError, match="unknown query 'HQ4'"):
        cells(study(models=GRABATS["models"], factors=factors))


@pytest.mark.parametrize("name", ["demo", "reduced", "factors", "paper"])
def test_the_shipped_study_asks_the_papers_queries_of_their_tools(name):
    shipped = PROJECT.study("model-queries")
    found = [c for c in cells(shipped, PROJECT.profile(name)) if c.model.case == "grabats"]
    assert all(c.query_file(PROJECT).is_file() for c in found)
    assert len({c.levels["model"] for c in found}) == 1
    tools = {"OQ": "cdo", "MQ": "mogwai"}
    for cell in found:
        query = str(cell.levels["query"])
        assert cell.tool.tool == tools.get(query, "hawk")
        if query.startswith("HQ"):
            assert cell.attributes == ("none" if query == "HQ1" else "declared")
    if name == "paper":
        hawks = {
            tuple(c.levels[n] for n in ("query", "language", "backend", "protocol"))
            for c in found if c.tool.tool == "hawk" and c.levels["fidelity"] == "paper"
        }  # fmt: skip
        stores = 2 * 2
        assert len(hawks) == 4 * stores + stores, "HQ1 to HQ4 in EOL, HQ1 also in EPL"
        assert {c.levels["threads"] for c in found} == set(shipped.factors["threads"])
    if name == "demo":
        assert len(found) == 4 and {c.invocations for c in found} == {1}


def test_reduced_has_the_papers_combinations_and_no_others():
    """44 configurations (10 of GraBaTs'09, 34 of the Train Benchmark) x 2 protocols x 7 threads."""
    found = cells(PROJECT.study("model-queries"), PROJECT.profile("reduced"))
    names = ("tool", "backend", "language", "query", "protocol", "threads")
    told = [{n: c.levels.get(n) for n in names} for c in found]
    assert len({tuple(levels.values()) for levels in told}) == len(found) == 616
    assert sum(c.model.case == "grabats" for c in found) == 140
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


def test_a_profile_has_constraints_of_its_own():
    shared = study(factors={**HAWK, "threads": [1, 2]})
    rule = {
        "when": {"tool": "hawk"},
        "only": {"query": ["SwitchSet"], "threads": [2], "fidelity": ["paper"]},
        "at_most": {"invocations": 1},
    }
    found = cells(shared, profile(constraints=[rule]))
    of_hawk = [c for c in found if c.tool.tool == "hawk"]
    assert {(c.levels["query"], c.levels["threads"]) for c in of_hawk} == {("SwitchSet", 2)}
    assert {c.invocations for c in of_hawk} == {1}
    assert {c.invocations for c in found if c.tool.tool == "cdo"} == {2}
    everywhere = {c.id for c in cells(shared) if c.tool.tool == "cdo"}
    assert {c.id for c in found if c.tool.tool == "cdo"} == everywhere
    plan = plan_of(found, 1)
    assert sum(run.invocation == 1 for run in plan) == len(found) - len(of_hawk)


def test_a_profile_that_names_no_factor_at_all_is_refused():
    wrong = profile(constraints=[{"when": {"tool": "hawk"}, "only": {"fidellity": ["paper"]}}])
    with pytest.raises(ConfigError, match=r"config/profiles/p.yaml.*'fidellity'.*'fidelity'"):
        cells(profile_=wrong)


def test_clients_never_outnumber_threads():
    found = cells(profile_=profile(settings={"clients": 2}))
    assert {(c.levels["threads"], c.settings.clients) for c in found} == {(1, 1), (2, 2), (64, 2)}


def test_id_changes_with_levels_and_model_but_not_with_the_profile():
    before = {cell.id for cell in cells()}
    assert before == {cell.id for cell in cells(profile_=profile(settings={"executions": 5}))}
    models = {"m": {"case": "train", "line": "2016", "scenario": "repair", "size": 2}}
    other = Study.model_validate({**study().model_dump(), "models": models})
    assert before.isdisjoint(cell.id for cell in cells(other))


def test_find_cell():
    known = cells()
    assert find_cell(known, known[0].id) is known[0]
    assert find_cell(known, known[0].id[-8:]) is known[0]
    with pytest.raises(ConfigError, match="not unique"):
        find_cell(known, "cdo_")
    with pytest.raises(ConfigError, match="unknown cell"):
        find_cell(known, "nothing-like-it")


@given(st.integers())
def test_plan_is_in_blocks_and_repeatable(seed):
    known = cells()
    plan = plan_of(known, seed)
    assert plan == plan_of(list(reversed(known)), seed)
    assert [run.invocation for run in plan] == sorted(run.invocation for run in plan)
    assert [run.position for run in plan] == list(range(12))
    assert set(Counter((run.cell.id, run.invocation) for run in plan).values()) == {1}


def test_blocks_have_orders_of_their_own():
    plan = plan_of(cells(study(factors={"threads": list(range(1, 30))})), 1)
    half = len(plan) // 2
    first, second = ([run.cell.id for run in part] for part in (plan[:half], plan[half:]))
    assert sorted(first) == sorted(second) and first != second != sorted(first) != first


def test_a_cell_more_changes_no_other_seed():
    few = {(r.cell.id, r.invocation): r.seed for r in plan_of(cells(), 1)}
    many = plan_of(cells(study(factors={"threads": [1, 2, 64, 65]})), 1)
    more = {(r.cell.id, r.invocation): r.seed for r in many}
    assert few.items() <= more.items()
    assert len(set(more.values())) == len(more)


def test_estimates_prefer_the_same_cell_and_keep_tools_apart():
    of_cdo = cells(study(factors={"protocol": ["tcp", "http"], "query": ["SwitchSet"]}))
    medians = Medians()
    medians.add(next(c for c in of_cdo if c.levels["threads"] == 1), 3.0)
    assert {medians.of(c) for c in of_cdo} == {3.0}
    of_hawk = cells(study(factors={**HAWK, "tool": ["hawk"], "query": ["SwitchSet"]}))
    assert {medians.of(c) for c in of_hawk} == {None}
    for cell, seconds in zip(of_hawk, range(1, 9), strict=True):
        medians.add(cell, float(seconds))
    assert [medians.of(c) for c in of_hawk] == [float(n) for n in range(1, 9)]


def test_estimate_counts_what_it_guesses():
    plan = plan_of(cells(profile_=profile(settings={"executions": 100})), 1)
    medians = Medians()
    medians.add(next(c for c in cells() if c.levels["query"] == "PosLength"), 0.5)
    cost = estimate(plan, medians)
    assert (cost.runs, cost.guessed) == (12, 6)
    known, guessed = (OVERHEAD_S + 10 * each + 100 * each for each in (0.5, 1.0))
    assert cost.hours == pytest.approx((6 * known + 6 * guessed) / 3600)


def captured(**more) -> Profile:
    return profile(settings={"capture": {"pause_ms": 300}}, **more)


def test_pauses_between_captured_executions_are_estimated():
    one = {"threads": [1]}
    [few, more] = (
        estimate(plan_of(cells(profile_=made), 1), Medians()).hours
        for made in (profile(levels=one), captured(levels=one))
    )
    runs, executions = 4, 200 + 10
    assert (more - few) * 3600 == pytest.approx(runs * executions * 0.3)


def test_cells_are_captured_with_one_thread_in_a_closed_loop():
    assert cells(profile_=captured(levels={"threads": [1]}))
    with pytest.raises(ConfigError, match=r"profiles/p\.yaml: field 'levels\.threads'.*use \[1\]"):
        cells(profile_=captured())
    open_loop = study(factors={"threads": [1], "mode": ["open"], "rate_per_s": [10]})
    with pytest.raises(ConfigError, match=r"profiles/p\.yaml: field 'levels\.mode'"):
        cells(open_loop, captured())
    histograms = study(factors={"threads": [1]}, samples="histogram")
    with pytest.raises(ConfigError, match=r"studies/s\.yaml: field 'samples'"):
        cells(histograms, captured())


def test_a_setting_that_is_not_set_makes_no_cell_stale():
    """Contents of cells measured before there was such a setting."""
    [plain, *_] = cells()
    settings = contents_of(PROJECT, plain)["settings"]
    later = {"capture", "wedge_s", "restarts"}
    whole = {
        "settings": {k: v for k, v in plain.settings.model_dump().items() if k not in later},
        "jvm": {"server": plain.tool.jvm.server, "client": plain.tool.jvm.client},
        "options": plain.tool.options,
        "driver_options": plain.tool.driver_options,
    }
    assert settings == hash_json(whole)
    [one, *_] = cells(profile_=captured(levels={"threads": [1]}))
    assert contents_of(PROJECT, one)["settings"] != settings


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
