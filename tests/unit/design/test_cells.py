"""Cells: factors, constraints, ids and settings."""

import dataclasses
from collections import Counter

import pytest
from small_studies import HAWK, MOGWAI, PROJECT, captured, cells, profile, study

from modelstress.config.errors import ConfigError
from modelstress.config.project import Project
from modelstress.config.roles import Roles
from modelstress.config.tool import Tool
from modelstress.design.cells import cells_of
from modelstress.design.contents import contents_of, hash_json
from modelstress.design.lookup import find_cell
from modelstress.design.plan import plan_of
from modelstress.workloads.queries import files
from modelstress.workloads.queries.study import QueriesStudy
from modelstress.workloads.queries.work import attributes_of, query_file, store_of


def test_full_product():
    assert len(cells()) == 6
    assert len({cell.id for cell in cells()}) == 6


def test_a_profile_restricts_levels_and_ignores_others():
    few = cells(profile_=profile(levels={"threads": [1, 4], "model": ["m", "jdt0"]}))
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


def test_a_cap_on_executions_lowers_what_a_window_of_seconds_waits_for():
    limited = study(constraints=[{"when": {"query": "SwitchSet"}, "at_most": {"executions": 7}}])
    window = {"seconds": 2, "per_thread": 10, "most_s": 60}
    found = cells(limited, profile(settings={"window": window}))
    waits = {
        (cell.levels["query"], cell.levels["threads"]): cell.settings.window.per_thread
        for cell in found
    }
    assert waits["SwitchSet", 1] == 7 and waits["SwitchSet", 2] == 3 and waits["SwitchSet", 64] == 1
    assert {n for (query, _), n in waits.items() if query != "SwitchSet"} == {10}
    plain = cells(limited, profile(settings={"window": {"seconds": 2}}))
    assert {cell.settings.window.seconds for cell in plain} == {2.0}


def test_a_cap_on_executions_is_refused_beside_a_window_of_objects():
    limited = study(constraints=[{"when": {"query": "SwitchSet"}, "at_most": {"executions": 7}}])
    with pytest.raises(ConfigError, match="profile p: its windows end after a number of objects"):
        cells(limited, profile(settings={"window": {"objects": 2000}}))


def test_unsupported_levels_are_left_out_and_nothing_left_is_an_error():
    everybodys = {"backend": ["memory", "h2", "neo4j", "neoemf"], "protocol": ["tcp", "http"]}
    assert len(cells(study(factors=everybodys))) == 2 * 6
    with pytest.raises(ConfigError, match="no cell is left"):
        cells(study(factors={"backend": ["memory"]}))


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
    assert Counter(attributes_of(c) for c in of_hawk) == {"none": 16, "declared": 16}
    for cell in of_hawk:
        named = "attributes=declared" in cell.id
        assert named == (attributes_of(cell) == "declared")
        assert store_of(PROJECT, cell).name == ("m+declared" if named else "m")
    one, two = (
        next(c for c in of_hawk if attributes_of(c) == level and c.levels["query"] == "SwitchSet")
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
    names = {query_file(PROJECT, c).name for c in unchecked}
    assert names == {"SemaphoreNeighbor.untyped.epl"}


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
    assert query_file(Project(tmp_path), forward) == folder / "SemaphoreNeighbor.ocl"
    expected = folder / "mogwai/SemaphoreNeighbor.backward.ocl"
    assert query_file(Project(tmp_path), backward) == expected
    expected.rename(folder / "SemaphoreNeighbor.backward.ocl")
    assert query_file(Project(tmp_path), backward) == folder / "SemaphoreNeighbor.backward.ocl"


def test_a_profile_may_leave_a_tool_out_with_its_options():
    both = study(factors={**HAWK, "fidelity": ["improved", "paper"]})
    assert {c.tool.tool for c in cells(both)} == {"cdo", "hawk"}
    one = cells(both, profile(levels={"tool": ["cdo"]}))
    assert {c.tool.tool for c in one} == {"cdo"}
    assert all("fidelity" not in c.levels for c in one)


def test_an_external_server_has_no_store_and_may_use_another_tools_texts():
    hawk = PROJECT.tool("hawk").model_dump() | {
        "tool": "other-hawk", "endpoint": {"tcp": "tcp://127.0.0.1:1"}, "ids": "ids.mssf",
    }  # fmt: skip
    factors = {**HAWK, "tool": ["hawk"], "query": ["SemaphoreNeighbor"]}
    cell = next(c for c in cells(study(factors=factors)) if c.levels["language"] == "eol")
    own = files.query_file(PROJECT, "train", "eol", "SemaphoreNeighbor")
    for queries, expected in (("", own), ("hawk", query_file(PROJECT, cell))):
        tool = Tool.model_validate({**hawk, "queries": queries})
        outside = dataclasses.replace(cell, tool=tool)
        assert store_of(PROJECT, outside) is None
        assert query_file(PROJECT, outside) == expected
    assert query_file(PROJECT, cell) != own


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


def test_an_option_for_one_protocol_is_no_factor_of_others():
    factors = {"protocol": ["tcp", "http"], "http_transport": ["stock", "long-poll"]}
    found = cells(study(factors=factors))
    transports = Counter((c.levels["protocol"], c.levels.get("http_transport")) for c in found)
    assert transports == {("tcp", None): 6, ("http", "stock"): 6, ("http", "long-poll"): 6}
    assert len({c.id for c in found}) == 18
    tool = PROJECT.tool("cdo").model_dump()
    for wrong, named in (({"http_transprt": {"protocol": ["http"]}}, "http_transport"),
                         ({"http_transport": {"protocl": ["http"]}}, "protocol"),
                         ({"http_transport": {"protocol": ["htp"]}}, "http")):  # fmt: skip
        with pytest.raises(ValueError, match=f"applies_to.*did you mean '{named}'"):
            Tool.model_validate({**tool, "applies_to": wrong})


@pytest.mark.parametrize("name", ["query", "model", "language", "threads"])
def test_a_study_with_roles_needs_the_factors_of_its_kind(name):
    asked = study()
    factors = {factor: levels for factor, levels in asked.factors.items() if factor != name}
    roles = Roles(operation="", load="", dataset="", series=["tool"])
    lacking = asked.model_copy(update={"factors": factors, "roles": roles})
    with pytest.raises(ConfigError, match=f"factors needs '{name}'.*workload kind 'queries'"):
        cells_of(PROJECT, lacking, profile())
    unknown = asked.model_copy(update={"workload": "dreams"})
    with pytest.raises(ConfigError, match="there is no workload kind 'dreams'"):
        cells_of(PROJECT, unknown, profile())


def test_descriptors_from_before_supports_are_read():
    """Archives have them."""
    old = {
        "tool": "t", "title": "T", "jar": "t.jar", "driver": "t", "backends": ["b"],
        "protocols": ["tcp", "http"], "languages": ["ocl"], "attributes": True,
        "navigation": False, "options": {"poll_ms": 1}, "option_protocols": {"poll_ms": ["http"]},
    }  # fmt: skip
    tool = Tool.model_validate(old)
    assert tool.supports == {
        "backend": ["b"], "protocol": ["tcp", "http"], "language": ["ocl"],
        "attributes": ["none", "declared"],
    }  # fmt: skip
    assert tool.applies_to == {"poll_ms": {"protocol": ["http"]}}
    with pytest.raises(ValueError, match="attributes must be true or false, not 'yes'"):
        Tool.model_validate({**old, "attributes": "yes"})


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
    other = QueriesStudy.model_validate({**study().model_dump(), "models": models})
    assert before.isdisjoint(cell.id for cell in cells(other))


def test_find_cell():
    known = cells()
    assert find_cell(known, known[0].id) is known[0]
    assert find_cell(known, known[0].id[-8:]) is known[0]
    with pytest.raises(ConfigError, match="not unique"):
        find_cell(known, "cdo_")
    with pytest.raises(ConfigError, match="unknown cell"):
        find_cell(known, "nothing-like-it")


def test_cells_are_captured_with_one_thread_in_a_closed_loop():
    assert cells(profile_=captured(levels={"threads": [1]}))
    with pytest.raises(ConfigError, match=r"profiles/p\.yaml: field 'levels\.threads'.*use \[1\]"):
        cells(profile_=captured())
    open_loop = study(factors={"threads": [1], "mode": ["open"], "rate_per_s": [10]})
    with pytest.raises(ConfigError, match=r"profiles/p\.yaml: field 'levels\.mode'"):
        cells(open_loop, captured())
    histograms = study(factors={"threads": [1]}).model_copy(update={"samples": "histogram"})
    with pytest.raises(ConfigError, match=r"studies/s\.yaml: field 'samples'"):
        cells(histograms, captured())
    with pytest.raises(ConfigError, match=r"profiles/p\.yaml: field 'samples'"):
        cells(profile_=captured(levels={"threads": [1]}, samples="histogram"))


@pytest.mark.parametrize(
    ("studys", "profiles", "expected"),
    [
        ("rows", None, "rows"),
        ("histogram", None, "histogram"),
        ("rows", "histogram", "histogram"),
        ("histogram", "rows", "rows"),
    ],
)
def test_a_profile_may_have_other_samples_than_its_study(studys, profiles, expected):
    of_study = study().model_copy(update={"samples": studys})
    made = cells(of_study, profile(samples=profiles))
    assert {cell.samples for cell in made} == {expected}


def test_a_setting_that_is_not_set_makes_no_cell_stale():
    """Contents of cells measured before there was such a setting."""
    [plain, *_] = cells()
    settings = contents_of(PROJECT, plain)["settings"]
    later = {"capture", "wedge_s", "restarts", "window"}
    settings_then = plain.settings.model_dump(exclude_none=True)
    then = {k: v for k, v in settings_then.items() if k not in later}
    whole = {
        "settings": {**then, "repeat_unsettled": False},  # there was one more
        "jvm": {"server": plain.tool.jvm.server, "client": plain.tool.jvm.client},
        "options": plain.tool.options,
        "driver_options": plain.tool.driver_options,
    }
    assert settings == hash_json(whole)
    [one, *_] = cells(profile_=captured(levels={"threads": [1]}))
    assert contents_of(PROJECT, one)["settings"] != settings
