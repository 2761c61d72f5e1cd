"""A client that shares no code with the server gets what the in-memory evaluation gets."""

from __future__ import annotations

import json
import socket
import subprocess
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from thriftpy2.http import THttpClient
from thriftpy2.protocol import TApacheJSONProtocol, TBinaryProtocol, TCompactProtocol
from thriftpy2.thrift import TApplicationException, TClient, TException
from thriftpy2.transport import TBufferedTransport

from modelstress.measure.conformance.bench import QUICK_JVM
from modelstress.measure.java import find_java
from modelstress.samples.mssf import read_mssf
from tests.integration.hawk import hawk_structs as hawk
from tests.integration.hawk import tuple_protocol
from tests.integration.hawk.hawk_program import ROOT, Served

INSTANCE = "modelstress"
QUERIES = ROOT / "queries/train"
TUPLES = {
    "PosLength": ["segment"],
    "SwitchSet": ["semaphore", "route", "swP", "sw"],
    "RouteSensor": ["route", "sensor", "swP", "sw"],
}
IDENTIFIERS = hawk.HawkQueryOptions(
    includeAttributes=False, includeReferences=False, includeContained=False, includeNodeIDs=True
)
MASK = (1 << 64) - 1
Call = Callable[..., Any]


def by_thriftpy2(protocol: type) -> Callable[[Served], Call]:
    """Calls through thriftpy2 over HTTP."""
    name = {TBinaryProtocol: "binary", TCompactProtocol: "compact", TApacheJSONProtocol: "json"}

    def connect(served: Served) -> Call:
        def call(method: str, **arguments: Any) -> Any:
            transport = THttpClient(served.http(name[protocol]), timeout=30_000)
            buffered = TBufferedTransport(transport)
            buffered.open()
            try:
                client = TClient(hawk.Hawk, protocol(buffered))
                return getattr(client, method)(*arguments.values())
            finally:
                buffered.close()

        return call

    return connect


def answer_of(method: str, data: bytes) -> Any:
    result = tuple_protocol.Reader(data).reply(method, getattr(hawk.Hawk, f"{method}_result"))
    for failure in (f"err{i}" for i in range(1, 6)):
        if getattr(result, failure, None) is not None:
            raise getattr(result, failure)
    return getattr(result, "success", None)


def request_of(method: str, arguments: dict[str, Any]) -> bytes:
    return tuple_protocol.call(method, getattr(hawk.Hawk, f"{method}_args")(**arguments))


def tuple_over_http(served: Served) -> Call:
    def call(method: str, **arguments: Any) -> Any:
        transport = THttpClient(served.http("tuple"), timeout=30_000)
        transport.open()
        try:
            transport.write(request_of(method, arguments))
            transport.flush()
            return answer_of(method, transport.response.read())
        finally:
            transport.close()

    return call


def tuple_over_tcp(served: Served) -> Call:
    """Each call between two others on one connection: it has to stay in step, whatever comes."""

    def call(method: str, **arguments: Any) -> Any:
        with socket.create_connection(("127.0.0.1", served.port("tcp")), timeout=30) as connection:
            zip_, unzip = zlib.compressobj(), zlib.decompressobj()

            def ask(method: str, arguments: dict[str, Any]) -> bytes:
                request = zip_.compress(request_of(method, arguments))
                connection.sendall(request + zip_.flush(zlib.Z_SYNC_FLUSH))
                data = b""
                while not flushed(data):
                    received = connection.recv(1 << 16)
                    if not received:
                        raise ConnectionError("the server closed the connection")
                    data += received
                return unzip.decompress(data)

            assert answer_of("listInstances", ask("listInstances", {}))
            plain = ask(method, arguments)
            if method in hawk.FACTS["methods"]:
                assert answer_of("listInstances", ask("listInstances", {}))
            return answer_of(method, plain)

    return call


def flushed(data: bytes) -> bool:
    """Whether the other side's zlib stream is at the end of a message."""
    return data.endswith(b"\x00\x00\xff\xff")


CLIENTS = {
    "binary": by_thriftpy2(TBinaryProtocol),
    "compact": by_thriftpy2(TCompactProtocol),
    "json": by_thriftpy2(TApacheJSONProtocol),
    "tuple": tuple_over_http,
    "tuple over tcp": tuple_over_tcp,
}


@pytest.fixture(params=CLIENTS)
def call(request: pytest.FixtureRequest, served: Served) -> Call:
    return CLIENTS[request.param](served)


@pytest.fixture(scope="session")
def expected(models_jar: Path, small_model: Path) -> dict[str, tuple[int, str]]:
    """Count and digest per query, by evaluation in memory."""
    argv = [find_java().program, *QUICK_JVM, "-jar", str(models_jar), "evaluate", str(small_model)]
    argv += ["--language", "eol", "--json"]
    for query, names in TUPLES.items():
        argv += ["--query", str(QUERIES / f"eol/{query}.eol"), "--tuple", ",".join(names)]
    done = subprocess.run(argv, check=True, timeout=120, capture_output=True, text=True)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    found = [(answer["count"], str(answer["digest"])) for answer in answers]
    return dict(zip(TUPLES, found, strict=True))


def mix(x: int) -> int:
    x = (x + 0x9E3779B97F4A7C15) & MASK
    x = ((x ^ x >> 30) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ x >> 27) * 0x94D049BB133111EB) & MASK
    return x ^ x >> 31


def digest(matches: list[list[int]]) -> str:
    total = 0
    for match in matches:
        folded = 0
        for index in match:
            folded = mix(folded ^ index)
        total += folded
    return str(total & MASK)


def matches_of(result: Any, names: list[str]) -> list[list[str]]:
    """Identifiers, match by match; of lists in order, of maps in the order of the names."""
    if result.vList is not None:
        flat = [m for one in result.vList for m in matches_of(one, names)]
        joined = [i for match in flat for i in match]
        return [joined[i : i + len(names)] for i in range(0, len(joined), len(names))]
    if result.vMap is not None:
        return [[result.vMap[name].vModelElement.id for name in names]]
    return [[result.vModelElement.id]]


@pytest.mark.parametrize("language", ["eol", "epl"])
@pytest.mark.parametrize("query", TUPLES)
def test_queries_have_the_result_of_the_oracle(
    served: Served,
    call: Call,
    expected: dict[str, tuple[int, str]],
    query: str,
    language: str,
) -> None:
    text = (QUERIES / f"{language}/{query}.{language}").read_text(encoding="utf-8")
    engine = hawk.EOL if language == "eol" else hawk.EPL
    result = call("query", name=INSTANCE, query=text, language=engine, options=IDENTIFIERS)
    ids = read_mssf(served.store / "ids.mssf")
    texts = ids.dictionaries["id"]
    index = {texts[record["id"]]: int(record["index"]) for record in ids.records}
    matches = [[index[i] for i in match] for match in matches_of(result, TUPLES[query])]
    assert (len(matches), digest(matches)) == expected[query]
    assert len(matches) > 0


def test_every_scalar_arrives(call: Call) -> None:
    for text, field, value in [
        ("return true;", "vBoolean", True),
        ("return -70000;", "vInteger", -70000),
        ("return 0.1d;", "vDouble", 0.1),
        ("return 'Käse';", "vString", "Käse"),
    ]:
        result = run(call, text)
        assert getattr(result, field) == value
    assert [r.vInteger for r in run(call, "return Sequence{1..300};").vList] == [*range(1, 301)]
    assert run(call, "return Map{'a' = 1};").vMap["a"].vInteger == 1
    assert run(call, "return null;").vList == []


def run(call: Call, text: str, language: str = hawk.EOL, options: Any = IDENTIFIERS) -> Any:
    return call("query", name=INSTANCE, query=text, language=language, options=options)


def test_attributes_arrive(call: Call) -> None:
    options = hawk.HawkQueryOptions(includeReferences=False, includeContained=False)
    result = run(call, "return Segment.all.select(s | s.length = 1000).first();", options=options)
    element = result.vModelElement
    assert element.typeName == "Segment"
    assert element.metamodelUri == "http://www.semanticweb.org/ontologies/2015/trainbenchmark"
    assert {a.name: a.value.vInteger for a in element.attributes}["length"] == 1000


def test_failures_arrive(call: Call) -> None:
    with pytest.raises(hawk.InvalidQuery) as invalid:
        run(call, "return 1 +;")
    assert "1" in invalid.value.reason
    with pytest.raises(hawk.FailedQuery):
        run(call, "return 1.nothing();")
    with pytest.raises(hawk.UnknownQueryLanguage) as unknown:
        run(call, "return 1;", language="OCL")
    assert unknown.value.queryLanguage == "OCL"
    with pytest.raises(hawk.InstanceNotFound):
        call("query", name="other", query="return 1;", language=hawk.EOL, options=IDENTIFIERS)


def test_a_timed_query_and_the_list_of_instances(call: Call) -> None:
    report = call(
        "timedQuery", name=INSTANCE, query="return 1;", language=hawk.EOL, options=IDENTIFIERS
    )
    assert report.result.vInteger == 1
    assert report.wallMillis >= 0 and report.isCancelled is False
    (instance,) = call("listInstances")
    assert (instance.name, instance.state) == (INSTANCE, 0)


UNSERVED: dict[str, dict[str, Any]] = {
    "createInstance": {
        "name": "other", "backend": "b", "minimumDelayMillis": 1, "maximumDelayMillis": 2,
        "enabledPlugins": ["p"], "indexFactory": "f",
    },
    "removeInstance": {"name": INSTANCE},
    "addRepository": {
        "name": INSTANCE,
        "repo": hawk.structure("Repository")(uri="file:///r/", type="t", isFrozen=False),
        "credentials": hawk.structure("Credentials")(username="u", password="p"),
    },
    "setFrozen": {"name": INSTANCE, "uri": "file:///r/", "isFrozen": True},
    "removeRepository": {"name": INSTANCE, "uri": "file:///r/"},
    "updateRepositoryCredentials": {
        "name": INSTANCE, "uri": "file:///r/",
        "cred": hawk.structure("Credentials")(username="u", password="p"),
    },
    "configurePolling": {"name": INSTANCE, "base": 1, "max": 2},
    "watchStateChanges": {"name": INSTANCE},
    "watchModelChanges": {
        "name": INSTANCE, "repositoryUri": "*", "filePath": ["*"], "clientID": "c",
        "durableEvents": 0,
    },
}  # fmt: skip


def some(type_name: str) -> Any:
    """A value of a type of the API, with everything in it that can be."""
    plain = {"bool": True, "byte": 1, "i16": 2, "i32": 3, "i64": 4, "double": 0.5, "binary": b"b"}
    if type_name == "string":
        return "nothing"
    if type_name in plain or type_name in hawk.FACTS["enums"]:
        return plain.get(type_name, 0)
    if container := hawk.CONTAINER.fullmatch(type_name):
        if container[1] == "map":
            key, _, value = container[2].partition(",")
            return {some(key): some(value)}
        return [some(container[2])]
    fields = hawk.FACTS["structs"][type_name].values()
    return hawk.structure(type_name)(**{f.split()[-1]: some(f.split()[-2]) for f in fields})


@pytest.mark.timeout(60)
@pytest.mark.parametrize("method", hawk.FACTS["methods"])
def test_every_call_of_the_original_is_answered(call: Call, method: str) -> None:
    """With all arguments, of an instance that is not there; the connection stays in step."""
    fields = hawk.FACTS["methods"][method].get("arguments", {}).values()
    try:
        call(method, **{f.split()[-1]: some(f.split()[-2]) for f in fields})
    except TException as refused:
        assert type(refused).__name__ not in ("TTransportException", "TProtocolException")


@pytest.mark.parametrize("method", UNSERVED)
def test_a_call_that_is_not_served_is_refused_and_the_connection_goes_on(
    call: Call, method: str
) -> None:
    with pytest.raises(TApplicationException, match=f"Invalid method name: '{method}'"):
        call(method, **UNSERVED[method])


def test_no_repository_is_frozen(call: Call) -> None:
    assert call("isFrozen", name=INSTANCE, uri="file:///r/") is False


def test_a_method_that_the_api_does_not_have_is_refused(call: Call, monkeypatch: Any) -> None:
    arguments = {1: hawk.field("required string username"), 2: hawk.field("required i32 age")}
    hawk.add_method(hawk.Hawk, "createUser", arguments, {})
    monkeypatch.setattr(hawk.Hawk, "thrift_services", [*hawk.Hawk.thrift_services, "createUser"])
    with pytest.raises(TApplicationException, match="Invalid method name: 'createUser'"):
        call("createUser", username="u" * 7, age=-3)


@pytest.mark.parametrize("size", [3, 4, 11, 130])
def test_names_in_exceptions_arrive_whatever_their_length(call: Call, size: int) -> None:
    """A length that is read as a bit set would say that a field follows, or that none does."""
    name = "x" * size
    with pytest.raises(hawk.UnknownQueryLanguage) as language:
        run(call, "return 1;", language=name)
    assert language.value.queryLanguage == name
    with pytest.raises(hawk.InstanceNotFound) as instance:
        call("listMetamodels", name=name)
    assert instance.value.instanceName == name


def test_a_stopped_instance_says_so_and_the_connection_goes_on(call: Call) -> None:
    call("stopInstance", name=INSTANCE)
    try:
        for ask in (
            lambda: run(call, "return 1;"),
            lambda: call("listMetamodels", name=INSTANCE),
            lambda: call("syncInstance", name=INSTANCE, blockUntilDone=True),
        ):
            with pytest.raises(hawk.InstanceNotRunning) as stopped:
                ask()
            assert stopped.value.instanceName == INSTANCE
    finally:
        call("startInstance", name=INSTANCE)
    assert run(call, "return 1;").vInteger == 1


@pytest.mark.parametrize(
    ("engine", "logic"),
    [(hawk.EOL, "return self.length < 500;"), (hawk.ECLIPSE_EOL, "self.length < 500")],
)
def test_engines_have_the_names_of_both_hawks(call: Call, engine: str, logic: str) -> None:
    """Hawk knows the logic of derived attributes as a program only."""
    assert run(call, "return 1;", language=engine).vInteger == 1
    spec = hawk.structure("DerivedAttributeSpec")(
        metamodelUri="http://www.semanticweb.org/ontologies/2015/trainbenchmark",
        typeName="Segment", attributeName="isShort", attributeType="Boolean", isMany=False,
        isOrdered=False, isUnique=False, derivationLanguage=engine,
        derivationLogic=logic,
    )  # fmt: skip
    call("addDerivedAttribute", name=INSTANCE, spec=spec)
    try:
        short = run(call, "return Segment.all.select(s | s.isShort).size();")
        plain = run(call, "return Segment.all.select(s | s.length < 500).size();")
        assert short.vInteger == plain.vInteger > 0
    finally:
        call("removeDerivedAttribute", name=INSTANCE, spec=spec)
