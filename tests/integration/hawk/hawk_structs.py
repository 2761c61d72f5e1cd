"""Hawk's structures for thriftpy2, written from the field numbers in Hawk's documentation.

Not generated from this project's IDL: two independent readings of the same numbers have to agree.
A field is (type, name, [type of what it holds,] required).
"""

from __future__ import annotations

from typing import Any

from thriftpy2.thrift import TException, TPayload, TPayloadMeta, TType

EOL = "org.hawk.epsilon.emc.EOLQueryEngine"
EPL = "org.hawk.epsilon.emc.EPLQueryEngine"

Spec = dict[int, tuple[Any, ...]]


def payload(name: str, spec: Spec, base: type = TPayload, **extra: Any) -> Any:
    """A structure with these fields, all unset at first."""
    defaults = [(field[1], None) for field in spec.values()]
    return TPayloadMeta(name, (base,), {"thrift_spec": spec, "default_spec": defaults, **extra})


FEATURES = (TType.STRING, (TType.SET, TType.STRING))

HawkQueryOptions = payload(
    "HawkQueryOptions",
    {
        1: (TType.STRING, "repositoryPattern", False),
        2: (TType.LIST, "filePatterns", TType.STRING, False),
        3: (TType.STRING, "defaultNamespaces", False),
        4: (TType.BOOL, "includeAttributes", False),
        5: (TType.BOOL, "includeReferences", False),
        6: (TType.BOOL, "includeNodeIDs", False),
        7: (TType.BOOL, "includeContained", False),
        8: (
            TType.MAP, "effectiveMetamodelIncludes",
            (TType.STRING, (TType.MAP, FEATURES)), False,
        ),
        9: (
            TType.MAP, "effectiveMetamodelExcludes",
            (TType.STRING, (TType.MAP, FEATURES)), False,
        ),
        10: (TType.BOOL, "includeDerived", False),
    },
)  # fmt: skip

SlotValue = payload(
    "SlotValue",
    {
        1: (TType.BOOL, "vBoolean", False),
        4: (TType.I32, "vInteger", False),
        5: (TType.I64, "vLong", False),
        6: (TType.DOUBLE, "vDouble", False),
        7: (TType.STRING, "vString", False),
    },
    is_union=True,
)

AttributeSlot = payload(
    "AttributeSlot",
    {1: (TType.STRING, "name", True), 2: (TType.STRUCT, "value", SlotValue, False)},
)

ModelElement = payload(
    "ModelElement",
    {
        1: (TType.STRING, "id", False),
        2: (TType.STRING, "repositoryURL", False),
        3: (TType.STRING, "file", False),
        4: (TType.STRING, "metamodelUri", False),
        5: (TType.STRING, "typeName", False),
        6: (TType.LIST, "attributes", (TType.STRUCT, AttributeSlot), False),
    },
)

QueryResult = payload(
    "QueryResult",
    {
        1: (TType.BOOL, "vBoolean", False),
        2: (TType.BYTE, "vByte", False),
        3: (TType.I16, "vShort", False),
        4: (TType.I32, "vInteger", False),
        5: (TType.I64, "vLong", False),
        6: (TType.DOUBLE, "vDouble", False),
        7: (TType.STRING, "vString", False),
        8: (TType.STRUCT, "vModelElement", ModelElement, False),
        10: (TType.MAP, "vMap", None, False),
        11: (TType.LIST, "vList", None, False),
    },
    is_union=True,
)
# it holds itself
HELD = (TType.STRUCT, QueryResult)
QueryResult.thrift_spec[10] = (TType.MAP, "vMap", (TType.STRING, HELD), False)
QueryResult.thrift_spec[11] = (TType.LIST, "vList", HELD, False)


def reason(name: str, field: str) -> Any:
    return payload(name, {1: (TType.STRING, field, True)}, TException)


InstanceNotFound = reason("HawkInstanceNotFound", "instanceName")
InstanceNotRunning = reason("HawkInstanceNotRunning", "instanceName")
UnknownQueryLanguage = reason("UnknownQueryLanguage", "queryLanguage")
InvalidQuery = reason("InvalidQuery", "reason")
FailedQuery = reason("FailedQuery", "reason")

QueryReport = payload(
    "QueryReport",
    {
        1: (TType.STRUCT, "result", QueryResult, True),
        2: (TType.I64, "wallMillis", True),
        3: (TType.BOOL, "isCancelled", True),
    },
)

QUERY_ARGUMENTS: Spec = {
    1: (TType.STRING, "name", True),
    2: (TType.STRING, "query", True),
    3: (TType.STRING, "language", True),
    4: (TType.STRUCT, "options", HawkQueryOptions, True),
}
QUERY_FAILURES: Spec = {
    1: (TType.STRUCT, "err1", InstanceNotFound, False),
    2: (TType.STRUCT, "err2", InstanceNotRunning, False),
    3: (TType.STRUCT, "err3", UnknownQueryLanguage, False),
    4: (TType.STRUCT, "err4", InvalidQuery, False),
    5: (TType.STRUCT, "err5", FailedQuery, False),
}


HawkInstance = payload(
    "HawkInstance",
    {
        1: (TType.STRING, "name", True),
        2: (TType.I32, "state", True),
        3: (TType.STRING, "message", True),
    },
)


class Hawk:
    """The part of the service that the tests call."""

    thrift_services = ["query", "timedQuery", "listInstances"]


def add_method(service: type, name: str, arguments: Spec, result: Spec) -> None:
    """Adds a method as thriftpy2 wants it."""
    setattr(service, f"{name}_args", payload(f"{name}_args", arguments))
    setattr(service, f"{name}_result", payload(f"{name}_result", result, oneway=False))


RESULT = (TType.STRUCT, "success", QueryResult, False)
REPORT = (TType.STRUCT, "success", QueryReport, False)
INSTANCES = (TType.LIST, "success", (TType.STRUCT, HawkInstance), False)
add_method(Hawk, "query", QUERY_ARGUMENTS, {0: RESULT, **QUERY_FAILURES})
add_method(Hawk, "timedQuery", QUERY_ARGUMENTS, {0: REPORT, **QUERY_FAILURES})
add_method(Hawk, "listInstances", {}, {0: INSTANCES})
