"""Every mistake in a YAML file is one sentence with file, field, value and the nearest name."""

from pathlib import Path

import pytest

from modelstress.config.base import read_model
from modelstress.config.errors import ConfigError
from modelstress.config.profile import Profile
from modelstress.config.project import Project
from modelstress.config.tool import Tool
from modelstress.workloads.queries.attributes import Attributes
from modelstress.workloads.queries.study import QueriesStudy

STUDY = """
study: s
title: t
models: {m: {case: train, line: "2016", scenario: repair, size: 1}}
factors:
  tool: [cdo]
  backend: [h2]
  language: [ocl]
  protocol: [tcp]
  model: [m]
  query: [PosLength]
  threads: [1]
"""


def refused(kind, text: str, tmp_path: Path) -> str:
    file = tmp_path / "f.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        read_model(kind, file)
    message = str(caught.value)
    assert message.startswith(str(file))
    assert "\n" not in message
    return message


def test_a_right_study_is_read(tmp_path):
    file = tmp_path / "s.yaml"
    file.write_text(STUDY, encoding="utf-8")
    assert read_model(QueriesStudy, file).factors["threads"] == [1]


@pytest.mark.parametrize(
    ("change", "parts"),
    [
        (("title: t", "tilte: t"), ["'tilte'", "did you mean 'title'"]),
        (("size: 1", "size: big"), ["models.m.size", "'big'"]),
        (("scenario: repair", "scenario: repare"), ["models.m.scenario", "did you mean 'repair'"]),
        (("  threads: [1]\n", ""), ["factors needs 'threads'"]),
        (("threads: [1]", "thread: [1]"), ["factors needs 'threads'", "'thread'"]),
        (("title: t", "tilte: t\nsampels: rows"), ["'tilte'", "'sampels'", "'samples'"]),
        (("[PosLength]", "[PosLength]\n  query: [SwitchSet]"), ["'query' stands there twice"]),
        (("[PosLength]", '[PosLength]\n  host: ["a\\nb"]'), ["factors.host", "printable"]),
        (("[PosLength]", f"[PosLength]\n  host: [{'x' * 90}]"), ["factors.host", "1 to 80"]),
        (
            ("title: t", "title: t\nfaults: {f: {kind: server-kiled, at_s: 1}}"),
            ["faults.f.kind", "'server-kiled'", "did you mean 'server-killed'"],
        ),
        (("{m: {", "{'m; n': {"), ["models.m; n", "pattern"]),
        (("model: [m]", "model: [n]"), ["unknown model 'n'", "valid: m"]),
        (("threads: [1]", "threads: []"), ["factors.threads"]),
        (("factors:", "constraints: [{when: {threds: 1}}]\nfactors:"), ["'threds'", "threads"]),
        (
            ("title: t", "title: t\nsamples: histogram\nwindows: {seconds: 0.5}"),
            ["windows.seconds is 0.5", "histograms are of seconds", "whole number"],
        ),
        (("title: t", "title: t\nwindows: {}"), ["windows", "either 'seconds' or 'executions'"]),
        (
            ("factors:", "constraints: [{when: {}, at_most: {exections: 1}}]\nfactors:"),
            ["'constraints.0.at_most.exections' is 'exections'", "did you mean 'executions'"],
        ),
        (("factors:", "constraints: [{wen: {}}]\nfactors:"), ["constraints.0.wen", "when"]),
        (("title: t", "title: [t"), ["line"]),
        (("[1]", "[1]\n  attributes: [declard]"), ["factors.attributes", "'declared'"]),
        (("[1]", "[1]\n  type_check: [1]"), ["factors.type_check", "1"]),
        (("[1]", "[1]\n  navigation: [backwards]"), ["factors.navigation", "'backward'"]),
        (("[1]", "[1]\n  connection: [reusd]"), ["factors.connection", "'reused'"]),
    ],
)
def test_a_wrong_study_is_refused(change, parts, tmp_path):
    message = refused(QueriesStudy, STUDY.replace(*change), tmp_path)
    for part in parts:
        assert part in message


COMPARED = (
    STUDY.replace("  protocol: [tcp]", "  protocol: [tcp, http]")
    + """
tasks: {length: [PosLength]}
comparisons:
  protocol: {title: t, level: {protocol: http}, baseline: {protocol: tcp}, only: {threads: 1}}
  tools: {title: t, match: [task, model], baseline: {tool: cdo}, only: {threads: [1]}, groups: true}
"""
)


def test_tasks_and_comparisons_are_read(tmp_path):
    file = tmp_path / "s.yaml"
    file.write_text(COMPARED, encoding="utf-8")
    study = read_model(QueriesStudy, file)
    assert (study.task("PosLength"), study.task("OQ")) == ("length", "OQ")
    others = ["tool", "backend", "language", "model", "query"]
    assert study.comparisons["protocol"].matched(study.factors) == others
    assert study.comparisons["tools"].matched(study.factors) == ["task", "model"]


def test_factors_with_several_levels_left_are_matched(tmp_path):
    file = tmp_path / "s.yaml"
    file.write_text(COMPARED.replace("only: {threads: 1}", "only: {threads: [1]}"))
    study = read_model(QueriesStudy, file)
    assert "threads" in study.comparisons["protocol"].matched(study.factors)


@pytest.mark.parametrize(
    ("change", "parts"),
    [
        (("[PosLength]}\n", "[PosLengt]}\n"), ["tasks.length", "'PosLengt'", "'PosLength'"]),
        (("length: [PosLength]", "length: [PosLength], b: [PosLength]"), ["tasks.b", "'length'"]),
        (("length: [PosLength]", "length: [PosLength, PosLength]"), ["name it once"]),
        (("{protocol: http}", "{protocl: http}"), [".protocol.level", "did you mean 'protocol'"]),
        (("{protocol: http}", "{protocol: htp}"), ["level.protocol", "'htp'", "'http'"]),
        (("{protocol: http}", "{protocol: tcp}"), ["comparisons.protocol.level", "different"]),
        (("{threads: 1}", "{threads: [2]}"), ["only.threads", "level 2"]),
        (("{threads: 1}", "{threads: true}"), ["only.threads", "level True"]),
        (("{tool: cdo}", "{}"), ["comparisons.tools.baseline"]),
        (("[task, model]", "[tasks, model]"), ["tools.match", "did you mean 'task'"]),
        (("level: {pr", "match: [protocol], level: {pr"), ["match has 'protocol'", "take it out"]),
        (("groups: true", "group: true"), ["comparisons.tools.group", "did you mean 'groups'"]),
    ],
)
def test_wrong_tasks_and_comparisons_are_refused(change, parts, tmp_path):
    message = refused(QueriesStudy, COMPARED.replace(*change), tmp_path)
    for part in parts:
        assert part in message


def test_a_task_must_not_hide_another_query(tmp_path):
    text = COMPARED.replace("query: [PosLength]", "query: [PosLength, SwitchSet]")
    text = text.replace("length: [PosLength]", "SwitchSet: [PosLength]")
    assert "tasks.SwitchSet" in refused(QueriesStudy, text, tmp_path)


def test_a_list_is_no_study(tmp_path):
    assert "found list" in refused(QueriesStudy, "- a\n", tmp_path)


def test_types_of_a_profile(tmp_path):
    message = refused(Profile, "profile: p\ntitle: t\ninvocations: many\n", tmp_path)
    assert "invocations" in message and "'many'" in message


def test_an_external_tool_needs_its_id_map(tmp_path):
    text = (
        "tool: t\ntitle: t\njar: j.jar\ndriver: d\nbackends: [b]\nprotocols: [tcp]\n"
        "languages: [ocl]\nendpoint: {tcp: tcp://127.0.0.1:1}\n"
    )
    assert "ids" in refused(Tool, text, tmp_path)


DERIVED = """
case: train
attributes:
  - {kind: derived, metamodel: m, type: T, name: a, value_type: Integer, language: EOL, logic: "1"}
  - {kind: indexed, metamodel: m, type: T, name: b}
"""


def test_right_declarations_are_read(tmp_path):
    file = tmp_path / "attributes.yaml"
    file.write_text(DERIVED, encoding="utf-8")
    assert [str(a) for a in read_model(Attributes, file).attributes] == [
        "derived T.a", "indexed T.b",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("change", "parts"),
    [
        (("kind: derived", "kind: derivd"), ["attributes.0.kind", "did you mean 'derived'"]),
        ((', logic: "1"', ""), ["attributes.0", "'a' needs 'logic'"]),
        (("Integer", "Int"), ["attributes.0.value_type", "did you mean 'Integer'"]),
        (("name: b", "name: b, logic: x"), ["attributes.1", "'b' has 'logic'"]),
        (("metamodel: m, type: T, name: b", "metamodel: m, name: b"), ["attributes.1.type"]),
    ],
)
def test_wrong_declarations_are_refused(change, parts, tmp_path):
    message = refused(Attributes, DERIVED.replace(*change), tmp_path)
    for part in parts:
        assert part in message


def test_a_missing_file_names_its_neighbour(tmp_path):
    (tmp_path / "demo.yaml").touch()
    with pytest.raises(ConfigError, match="did you mean 'demo.yaml'"):
        read_model(Profile, tmp_path / "dmo.yaml")


def test_unknown_names_in_the_project():
    project = Project.find(Path(__file__))
    with pytest.raises(ConfigError, match="unknown tool 'cod'.*did you mean 'cdo'"):
        project.tool("cod")
    with pytest.raises(ConfigError, match="unknown profile 'paaper'.*did you mean 'paper'"):
        project.profile("paaper")


def test_no_project(tmp_path):
    with pytest.raises(ConfigError, match="no modelstress project"):
        Project.find(tmp_path)


@pytest.mark.parametrize(
    ("named", "text", "message"),
    [
        ("wire", None, "unknown profile 'wire'"),
        ("wire", "{}", "profile 'wire' captures nothing; give it 'settings.capture'"),
        ("wire", "{settings: {capture: {}}, anatomy: smoke}", "has a field 'anatomy' itself"),
    ],
)
def test_a_profile_to_capture_must_capture(named, text, message, tmp_path):
    folder = tmp_path / "config" / "profiles"
    folder.mkdir(parents=True)
    head = "{{profile: {0}, title: t, invocations: 1, {1}"
    (folder / "p.yaml").write_text(head.format("p", f"anatomy: {named}}}"), encoding="utf-8")
    if text is not None:
        (folder / f"{named}.yaml").write_text(head.format(named, text[1:]), encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        Project(tmp_path).anatomy_of("p")
    assert str(folder / "p.yaml") in str(caught.value) and "'anatomy'" in str(caught.value)
    assert message in str(caught.value)


def test_a_profile_that_captures_nothing_beside_it():
    project = Project.find(Path(__file__))
    assert project.anatomy_of("smoke") is None
    beside = project.anatomy_of("reduced")
    assert beside is not None and beside.settings.capture is not None


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        ("unique_condition: {olc: x}", ["unique_condition", "'olc'", "did you mean 'ocl'"]),
        ("endpoint: {tpc: 'tcp://127.0.0.1:1'}\nids: i", ["endpoint", "'tpc'", "'tcp'"]),
        ("option_protocols: {a: [tcp]}\noptions: {b: 1}", ["applies_to", "'a'", "valid: b"]),
        ("optoins: {b: 1}", ["'optoins'", "did you mean 'options'"]),
        ("jvm: {sever: []}", ["'jvm.sever'", "did you mean 'server'"]),
    ],
)
def test_words_of_a_descriptor_that_mean_nothing(line, parts, tmp_path):
    head = "tool: t\ntitle: t\njar: j.jar\ndriver: d\nbackends: [b]\nprotocols: [tcp]\n"
    message = refused(Tool, f"{head}languages: [ocl]\n{line}\n", tmp_path)
    for part in parts:
        assert part in message
