"""This project's IDL says what Hawk's own says, as written down in ``original_api.yaml``."""

from __future__ import annotations

import re
from typing import Any

from tests.integration.hawk.hawk_program import ROOT
from tests.integration.hawk.hawk_structs import FACTS

IDL = ROOT / "java-shims/hawk-api/src/main/thrift/hawk.thrift"
FIELD = re.compile(
    r"(\d+):\s*((?:required|optional)\s+)?([\w<>, ]+?)\s+(\w+)(?:\s*=\s*[^,]+)?\s*(?:,|$)"
)
METHOD = re.compile(
    r"([\w<>, ]+?)\s+(\w+)\s*\(([^()]*)\)(?:\s*throws\s*\(([^()]*)\))?\s*(?=[\w]|$)"
)


def text() -> str:
    """The IDL without comments, on one line."""
    idl = re.sub(r"/\*.*?\*/|//[^\n]*", " ", IDL.read_text(encoding="utf-8"), flags=re.DOTALL)
    return re.sub(r"\s+", " ", idl)


def fields(body: str) -> dict[int, str]:
    """Number to requiredness, type and name."""
    found = {}
    for number, requiredness, kind, name in FIELD.findall(body.strip()):
        kind = re.sub(r"\bi8\b", "byte", kind.replace(" ", ""))
        found[int(number)] = f"{requiredness.strip()} {kind} {name}".strip()
    return found


def declared(kind: str) -> dict[str, str]:
    return dict(re.findall(rf"\b{kind} (\w+) {{([^}}]*)}}", text()))


def test_enumerations_are_those_of_hawk() -> None:
    ours = {name: [v.strip() for v in body.split(",")] for name, body in declared("enum").items()}
    assert ours == FACTS["enums"]


def test_structures_are_those_of_hawk() -> None:
    for kind, key in (("struct", "structs"), ("union", "unions"), ("exception", "exceptions")):
        ours = {name: fields(body) for name, body in declared(kind).items()}
        assert ours == FACTS[key]


def test_methods_are_those_of_hawk() -> None:
    ours: dict[str, Any] = {}
    for returns, name, arguments, throws in METHOD.findall(declared("service")["Hawk"].strip()):
        thrown = {number: one.split()[0] for number, one in fields(throws).items()}
        ours[name] = {"returns": returns.replace(" ", ""), "arguments": fields(arguments)}
        ours[name] |= {"throws": thrown}
    theirs = {name: {"arguments": {}, "throws": {}} | m for name, m in FACTS["methods"].items()}
    assert ours == theirs
