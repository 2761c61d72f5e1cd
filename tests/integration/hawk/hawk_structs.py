"""Hawk's structures for thriftpy2, made of the facts of the original API in ``original_api.yaml``.

Not of this project's IDL: two independent readings of the same numbers have to agree. A field is
(type, name, what it holds, required), as thriftpy2 has it.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from thriftpy2.thrift import TException, TPayload, TPayloadMeta, TType, gen_init

EOL = "org.hawk.epsilon.emc.EOLQueryEngine"
EPL = "org.hawk.epsilon.emc.EPLQueryEngine"
ECLIPSE_EOL = "org.eclipse.hawk.epsilon.emc.EOLQueryEngine"

Spec = dict[int, tuple[Any, ...]]
FACTS = yaml.safe_load(Path(__file__).with_name("original_api.yaml").read_text(encoding="utf-8"))
PLAIN = {
    "bool": TType.BOOL, "byte": TType.BYTE, "i16": TType.I16, "i32": TType.I32, "i64": TType.I64,
    "double": TType.DOUBLE, "string": TType.STRING, "binary": TType.BINARY,
}  # fmt: skip
CONTAINER = re.compile(r"(list|set|map)<(.+)>")


def payload(name: str, spec: Spec, base: type = TPayload, **extra: Any) -> Any:
    """A structure with these fields, all unset at first."""
    defaults = [(field[1], None) for field in spec.values()]
    return TPayloadMeta(name, (base,), {"thrift_spec": spec, "default_spec": defaults, **extra})


def held(name: str) -> Any:
    """A type as thriftpy2 writes it inside of a container: a number, or (number, of what)."""
    kind, of = type_of(name)
    return kind if of is None else (kind, of)


def type_of(name: str) -> tuple[Any, Any]:
    """Number of a type, and what it holds (None, a structure, or types)."""
    if name in PLAIN:
        return PLAIN[name], None
    if name in FACTS["enums"]:
        return TType.I32, None
    container = CONTAINER.fullmatch(name)
    if container is None:
        return TType.STRUCT, structure(name)
    if container[1] == "map":
        key, _, value = container[2].partition(",")
        return TType.MAP, (held(key), held(value))
    return (TType.LIST if container[1] == "list" else TType.SET), held(container[2])


def field(fact: str) -> tuple[Any, ...]:
    """A field from such words as ``required string name``."""
    *requiredness, type_name, name = fact.split()
    kind, of = type_of(type_name)
    return (kind, name, of, requiredness == ["required"])


@cache
def structure(name: str) -> Any:
    """A structure, union or exception of the API; its fields come by ``_fill``."""
    base = TException if name in FACTS["exceptions"] else TPayload
    if name in FACTS["unions"]:
        return payload(name, {}, base, is_union=True)
    return payload(name, {}, base)


def _fill() -> None:
    """Gives every structure its fields; some hold themselves."""
    for kind in ("structs", "unions", "exceptions"):
        for name, facts in FACTS[kind].items():
            spec = {number: field(fact) for number, fact in facts.items()}
            gen_init(structure(name), spec, [(one[1], None) for one in spec.values()])


_fill()
HawkQueryOptions = structure("HawkQueryOptions")
ModelElement = structure("ModelElement")
QueryResult = structure("QueryResult")
QueryReport = structure("QueryReport")
ReferenceSlot = structure("ReferenceSlot")
MixedReference = structure("MixedReference")
InstanceNotFound = structure("HawkInstanceNotFound")
InstanceNotRunning = structure("HawkInstanceNotRunning")
UnknownQueryLanguage = structure("UnknownQueryLanguage")
MetamodelNotFound = structure("HawkMetamodelNotFound")
InvalidQuery = structure("InvalidQuery")
FailedQuery = structure("FailedQuery")


class Hawk:
    """The service."""

    thrift_services = list(FACTS["methods"])


def add_method(service: type, name: str, arguments: Spec, result: Spec) -> None:
    """Adds a method as thriftpy2 wants it."""
    setattr(service, f"{name}_args", payload(f"{name}_args", arguments))
    setattr(service, f"{name}_result", payload(f"{name}_result", result, oneway=False))


for _name, _facts in FACTS["methods"].items():
    _result: Spec = (
        {} if _facts["returns"] == "void" else {0: field(f"{_facts['returns']} success")}
    )
    for _number, _thrown in _facts.get("throws", {}).items():
        _result[_number] = field(f"{_thrown} err{_number}")
    _arguments = {n: field(fact) for n, fact in _facts.get("arguments", {}).items()}
    add_method(Hawk, _name, _arguments, _result)
