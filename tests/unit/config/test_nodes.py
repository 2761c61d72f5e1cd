"""Nodes of a tool: names, needs, their order, and what programs and cells say of them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from modelstress.config.faults import Fault
from modelstress.config.programs import ServerConfig
from modelstress.config.tool import Tool

TOOL = {
    "tool": "t", "title": "T", "jar": "t.jar", "driver": "t", "options": {"cache": 1},
    "supports": {"backend": ["none"], "protocol": ["tcp"], "language": ["ocl"]},
}  # fmt: skip


def tool(nodes: dict[str, Any], **more: Any) -> Tool:
    return Tool.model_validate({**TOOL, "nodes": nodes, **more})


def test_a_tool_without_nodes_has_one_server() -> None:
    one = Tool.model_validate(TOOL)
    assert one.node_names == ["server"] == one.start_order


def test_nodes_start_after_those_that_they_need() -> None:
    found = tool({"front": {"needs": ["back", "store"]}, "back": {"needs": ["store"]}, "store": {}})
    assert found.node_names == ["front", "back", "store"]
    assert found.start_order == ["store", "back", "front"]


@pytest.mark.parametrize(
    ("nodes", "more", "sentence"),
    [
        ({"a": {"needs": ["b"]}, "bb": {}}, {}, "nodes.a.needs names unknown node 'b'"),
        ({"a": {"needs": ["a"]}}, {}, "nodes.a.needs names unknown node 'a'"),
        ({"a": {"needs": ["b"]}, "b": {"needs": ["a"]}}, {}, "one of them must start first"),
        ({"a": {"options": {"cach": 2}}}, {}, "unknown option 'cach' .did you mean 'cache'"),
        ({"client": {}}, {}, "clients have this name"),
        ({"client-0": {}}, {}, "clients have this name"),
        ({"Writer": {}}, {}, "pattern"),
        ({"a": {}}, {"endpoint": {"tcp": "tcp://h:1"}, "ids": "ids.mssf"}, "somebody else's"),
    ],
)  # fmt: skip
def test_nodes_that_cannot_be_are_refused(
    nodes: dict[str, Any], more: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(ValidationError, match=sentence):
        tool(nodes, **more)


SHAPES = {"supports": {"protocol": ["tcp"], "shape": ["one", "two", "three"]}}


def test_nodes_are_there_for_the_levels_that_ask_for_them() -> None:
    found = tool(
        {
            "front": {"needs": ["back", "far"]},
            "back": {"when": {"shape": ["two", "three"]}},
            "far": {"when": {"shape": ["three"]}, "needs": ["back"]},
        },
        **SHAPES,
    )
    assert found.at({"shape": "three"}) is found
    two = found.at({"shape": "two"})
    assert two.start_order == ["back", "front"] and two.nodes["front"].needs == ["back"]
    assert found.at({"shape": "one"}).start_order == ["front"]
    assert found.nodes["front"].needs == ["back", "far"]  # the tool's own is as it was


@pytest.mark.parametrize(
    ("nodes", "more", "sentence"),
    [
        ({"a": {}, "b": {"when": {"shpe": ["one"]}}}, {}, "nodes.b.when names unknown factor"),
        ({"a": {}, "b": {"when": {"shape": ["four"]}}}, {}, "nodes.b.when.shape names unknown"),
        ({"a": {"when": {"shape": ["one"]}}}, {}, "the first node is the main one"),
        ({}, {"in_clients": {"shpe": ["one"]}}, "in_clients names unknown factor 'shpe'"),
        ({}, {"in_clients": {"shape": ["four"]}}, "in_clients.shape names unknown level"),
        ({}, {"loaded_by": ["shpe"]}, "loaded_by names unknown factor 'shpe'.*'shape'"),
        ({}, {"texts": {"x": ["config/{shpe}.yaml"]}}, "texts.x names unknown factor 'shpe'"),
        ({}, {"texts": {"x": ["config/../secret"]}}, "texts.x leaves the folder config"),
        ({}, {"texts": {"x": ["/etc/passwd"]}}, "texts.x.0"),
        ({}, {"texts": {"x": ["config/{shape"]}}, "texts|brace|expected"),
    ],
)  # fmt: skip
def test_conditions_and_texts_that_mean_nothing_are_refused(
    nodes: dict[str, Any], more: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(ValidationError, match=sentence):
        tool(nodes, **SHAPES, **more)


def test_texts_are_of_the_cells_levels_and_load_gets_its_own() -> None:
    found = tool(
        {},
        **SHAPES,
        loaded_by=["protocol"],
        texts={"all": ["config/t.yaml", "config/{shape}.yaml"], "few": ["config/{protocol}.yaml"]},
    )
    levels = {"shape": "two", "protocol": "tcp", "threads": 1}
    assert found.text_files(levels) == {
        "all": ["config/t.yaml", "config/two.yaml"], "few": ["config/tcp.yaml"],
    }  # fmt: skip
    assert found.text_files(levels, loading=True) == {"few": ["config/tcp.yaml"]}


def test_a_circle_is_named() -> None:
    with pytest.raises(ValidationError) as caught:
        tool({"a": {"needs": ["c"]}, "b": {"needs": ["a"]}, "c": {"needs": ["b"]}})
    circles = [
        "a needs c needs b needs a",
        "b needs a needs c needs b",
        "c needs b needs a needs c",
    ]
    assert any(circle in str(caught.value) for circle in circles), caught.value


def test_a_program_from_before_there_were_nodes_gets_no_new_key() -> None:
    config = ServerConfig(tool="t", backend="none", store="/s", work="/w")
    said = json.loads(config.text())
    assert not {"node", "role", "peers", "resume"} & said.keys() and said["store"] == "/s"
    peers = {"writer": {"tcp": "tcp://h:1"}}
    node = config.model_copy(update={"node": "replica", "role": "reader", "peers": peers})
    said = json.loads(node.text())
    assert (said["node"], said["role"], said["peers"]) == ("replica", "reader", peers)


def test_a_fault_without_a_node_is_written_as_before() -> None:
    adapter: TypeAdapter[Any] = TypeAdapter(Fault)
    given = {"kind": "server-killed", "at_s": 1.0, "restart_s": None}
    assert adapter.validate_python(given).model_dump() == given
    assert adapter.validate_python({**given, "node": "a"}).model_dump()["node"] == "a"
    with pytest.raises(ValidationError, match="node"):
        adapter.validate_python({"kind": "client-killed", "at_s": 1.0, "node": "a"})
