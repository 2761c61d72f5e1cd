"""Models of benchmarks: what is generated of them, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from benchmark_generator.assembly import flatten
from benchmark_generator.generate import generate
from benchmark_generator.model import read_model

from modelstress.config.errors import ConfigError
from modelstress.config.project import Project

PROJECT = Path(__file__).parents[3]
ROUNDTRIPS = PROJECT / "orb" / "models" / "roundtrips.yaml"


def small() -> dict[str, Any]:
    return {
        "benchmark": "small", "title": "Small", "types": {"Text": {"sequence": "char"}},
        "interfaces": {"Echo": {"say": {"arguments": {"said": "Text"}, "returns": "Text"}}},
        "components": {
            "Caller": {"receptacles": {"to": "Echo"}, "sources": {"out": "Text"}},
            "Responder": {"facets": {"echo": "Echo"}, "sinks": {"inbox": "Text"}},
        },
        "assemblies": {
            "main": {
                "parts": {"client": "Caller", "server": "Responder"},
                "connections": [
                    {"start": "client.to", "end": "server.echo"},
                    {"start": "client.out", "end": "server.inbox"},
                ],
            }
        },
        "metrics": {
            "say": {"port": "client.to", "operation": "say"}, "send": {"port": "client.out"},
        },
    }  # fmt: skip


def written(folder: Path, model: dict[str, Any]) -> Path:
    path = folder / "model.yaml"
    path.write_text(yaml.safe_dump(model))
    return path


def written_files(folder: Path, model: dict[str, Any]) -> list[Path]:
    folder.mkdir()
    return list(generate(written(folder, model), folder / "out").files)


def test_most_lines_of_the_benchmark_are_generated(tmp_path: Path) -> None:
    made = generate(ROUNDTRIPS, tmp_path / "out")
    assert made.share >= 0.9
    names = {path.name for path in made.files}
    assert {"roundtrips.idl", "server.cpp", "client.cpp", "Makefile", "run"} <= names
    assert sum(made.files.values()) == sum(
        bool(line.strip()) for path in made.files for line in path.read_text().splitlines()
    )


def test_what_does_not_change_is_left_alone(tmp_path: Path) -> None:
    first = generate(ROUNDTRIPS, tmp_path)
    times = {path: path.stat().st_mtime_ns for path in first.files}
    generate(ROUNDTRIPS, tmp_path)
    assert {path: path.stat().st_mtime_ns for path in first.files} == times


def test_the_study_has_the_operations_of_its_benchmark(tmp_path: Path) -> None:
    generate(ROUNDTRIPS, tmp_path)
    generated = yaml.safe_load((tmp_path / "operations.yaml").read_text())["operations"]
    file = PROJECT / "config" / "studies" / "configuration-space.yaml"
    assert yaml.safe_load(file.read_text())["operations"] == generated
    model, tool = read_model(ROUNDTRIPS), Project(PROJECT).tool("omniorb")
    assert [str(level) for level in tool.supports["compiler"]] == model.build.compilers
    assert [str(level) for level in tool.supports["optimisation"]] == model.build.options


def test_parts_of_nested_assemblies_are_connected_through_their_ports(tmp_path: Path) -> None:
    model = small()
    model["components"]["Relay"] = {
        "facets": {"echo": "Echo"}, "receptacles": {"next": "Echo"}, "forwards": {"echo": "next"},
    }  # fmt: skip
    model["assemblies"]["Pair"] = {
        "parts": {"first": "Relay", "last": "Responder"},
        "connections": [{"start": "first.next", "end": "last.echo"}],
        "exports": {"echo": "first.echo", "inbox": "last.inbox"},
    }
    model["assemblies"]["main"]["parts"]["server"] = "Pair"
    path = written(tmp_path, model)
    flat = flatten(read_model(path), str(path))
    assert list(flat.parts) == ["client", "server.first", "server.last"]
    assert [link.target for link in flat.links_of("client", "to")] == ["server.first.echo"]
    assert [link.target for link in flat.links_of("server.first", "next")] == ["server.last.echo"]
    generate(path, tmp_path / "out")
    assert 'found["server.first.echo"]' in (tmp_path / "out" / "server.cpp").read_text()


def test_calls_are_followed_where_the_model_says_so(tmp_path: Path) -> None:
    model = small()
    plain = {path.name: path.read_text() for path in written_files(tmp_path / "plain", model)}
    model["metrics"]["say"]["path"] = True
    followed = {path.name: path.read_text() for path in written_files(tmp_path / "path", model)}
    for name, word in (("client.cpp", "modelstress::Path path;"), ("server.cpp", "Work work_;")):
        assert word in followed[name] and "path" not in plain[name].lower(), name
    model["interfaces"]["Echo"]["say"] = {"arguments": {"said": "Text"}, "one_way": True}
    with pytest.raises(ConfigError, match="nothing comes back of say"):
        written_files(tmp_path / "one-way", model)


WRONG: list[tuple[str, list[Any], Any, str]] = [
    ("a source to a facet", ["assemblies", "main", "connections", 1, "end"], "server.echo",
     "sources are connected to sinks, not to facets"),
    ("a facet that calls", ["assemblies", "main", "connections", 0, "start"], "server.echo",
     "must be a receptacle or source"),
    ("two interfaces", ["components", "Responder", "facets", "echo"], "Other",
     "is of Echo at one end and of Other at the other"),
    ("an open receptacle", ["assemblies", "main", "connections"],
     [{"start": "client.out", "end": "server.inbox"}], "client.to is not connected"),
    ("an unknown part", ["assemblies", "main", "parts", "server"], "Respondr",
     "unknown kind 'Respondr'"),
    ("an unknown port", ["assemblies", "main", "connections", 0, "end"], "server.ech",
     "has no port 'ech'"),
    ("an assembly in itself", ["assemblies", "main", "parts", "server"], "main",
     "contains itself"),
    ("the way of an event", ["metrics", "send", "path"], True, "nothing comes back of an event"),
    ("an unknown operation", ["metrics", "say", "operation"], "sya", "unknown operation 'sya'"),
    ("an operation of a source", ["metrics", "send", "operation"], "say", "a source has none"),
    ("a port of the server", ["metrics", "say", "port"], "server.echo",
     "no port of a part that runs in clients"),
    ("an unknown type", ["interfaces", "Echo", "say", "arguments", "more"], "Txt",
     "unknown type 'Txt'"),
    ("an answer that did not come", ["interfaces", "Echo", "say", "returns"], "long",
     "the type of none of its arguments"),
    ("a one-way answer", ["interfaces", "Echo", "say", "one_way"], True,
     "a one-way operation returns nothing"),
    ("a word of IDL", ["interfaces", "Echo", "switch"], {}, "a word of IDL or C++"),
    ("names that differ in case", ["interfaces", "text"], {"say": {}}, "the name of two things"),
    ("an operation called as a type", ["interfaces", "Echo", "text"], {}, "is the name of a type"),
    ("code for a name", ["benchmark"], "x; rm -rf", "benchmark"),
    ("an unknown compiler", ["build"], {"compilers": ["sh -c true"]}, "build.compilers"),
    ("an unknown field", ["metric"], {}, "metric"),
    ("no main", ["assemblies"], {"other": {"parts": {"a": "Caller"}}}, "has no 'main'"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("place", "value", "message"), [w[1:] for w in WRONG], ids=[w[0] for w in WRONG]
)
def test_a_model_that_breaks_a_rule_is_refused(
    tmp_path: Path, place: list[Any], value: Any, message: str
) -> None:
    model = small()
    model["interfaces"]["Other"] = {"do_it": {}}
    at: Any = model
    for step in place[:-1]:
        at = at[step]
    at[place[-1]] = value
    path = written(tmp_path, model)
    with pytest.raises(ConfigError, match=r"model\.yaml") as refused:
        generate(path, tmp_path / "out")
    assert message in str(refused.value)
    assert not (tmp_path / "out").exists()


def test_a_receptacle_has_one_connection_and_calls_come_to_an_end(tmp_path: Path) -> None:
    model = small()
    model["assemblies"]["main"]["connections"].append({"start": "client.to", "end": "server.echo"})
    with pytest.raises(ConfigError, match="one connection"):
        generate(written(tmp_path, model), tmp_path / "out")
    model = small()
    model["components"]["Responder"] |= {
        "receptacles": {"again": "Echo"}, "forwards": {"echo": "again"},
    }  # fmt: skip
    model["assemblies"]["main"]["connections"].append(
        {"start": "server.again", "end": "server.echo"}
    )
    with pytest.raises(ConfigError, match="in a circle"):
        generate(written(tmp_path, model), tmp_path / "out")
