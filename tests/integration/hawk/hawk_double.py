"""A server that answers as a real Hawk does on the wire, where that differs from this project's.

It is not Hawk: queries are evaluated by this project's own server behind it. What it does otherwise
is written from what was seen of mondo-hawk (commit cc87ed5f) and from what its sources say:

- elements are encoded as ``hawk_encoding`` says;
- no enumeration is known to queries (``Signal#GO`` fails); its literals are strings;
- the reason of ``FailedQuery`` is a stack trace, that of ``InvalidQuery`` begins with a class;
- an engine that it does not have is an "Internal error", not ``UnknownQueryLanguage``;
- while it updates its index, queries are ``FailedQuery``, not ``HawkInstanceNotRunning``;
- ``asyncQuery`` takes every text; whatever fails is a ``FailedQuery`` with the text of the Java
  exception when the result is fetched;
- ``getModel`` nests contained elements only if it sends references.

Over the tuple protocol only, in zlib over TCP and over HTTP.
"""

from __future__ import annotations

import re
import socketserver
import sys
import threading
import uuid
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.request import Request, urlopen

from thriftpy2.thrift import TApplicationException, TException, TMessageType

from tests.integration.hawk import hawk_structs as hawk
from tests.integration.hawk import tuple_protocol
from tests.integration.hawk.hawk_encoding import ResultEncoder, whole_model

INTERNAL_ERROR = 6
OWN_INSTANCE = "modelstress"
STACK_TRACE = "Internal error: {}\n" + "".join(
    f"\tat org.hawk.epsilon.emc.EOLQueryEngine.step{n}(EOLQueryEngine.java:{n})\n"
    for n in range(20)
)
UPDATING = (
    "Cannot run the query, as the indexer is not in the RUNNING state: it is UPDATING instead."
)
MALFORMED = "org.hawk.core.query.InvalidQueryException: Query failed to parse correctly:\n"


class HawkDouble:
    """Answers calls; ``behind`` is the address of this project's server, over HTTP, tuple."""

    def __init__(self, behind: str, instance: str, engines: tuple[str, ...]) -> None:
        self.behind = behind
        self.instance = instance
        self.engines = engines
        self.running = True
        self.updating = False
        self.last_first = False
        self.pending: dict[str, Any] = {}

    def answer(self, request: bytes) -> bytes:
        """The message that answers a message."""
        reader = tuple_protocol.Reader(request)
        name, seqid = reader.request()
        arguments = reader.struct(getattr(hawk.Hawk, f"{name}_args"))
        assert reader.at == len(request), "nothing follows the arguments"
        result = getattr(hawk.Hawk, f"{name}_result")()
        try:
            result.success = getattr(self, name)(arguments)
        except TApplicationException as failure:
            return tuple_protocol.failure(name, INTERNAL_ERROR, str(failure), seqid)
        except TException as failure:
            thrown = [f[1] for f in result.thrift_spec.values() if f[2] is type(failure)]
            setattr(result, thrown[0], failure)
        return tuple_protocol.message(name, TMessageType.REPLY, result, seqid)

    def query(self, arguments: Any) -> Any:
        self._find(arguments.name)
        if arguments.language not in self.engines:
            raise TApplicationException(message="Internal error processing query")
        if self.updating:
            raise hawk.FailedQuery(reason=UPDATING)
        without_comments = re.sub(r"//[^\n]*", "", arguments.query)
        if "#" in without_comments:
            raise hawk.FailedQuery(reason=STACK_TRACE.format("UnsupportedOperationException"))
        options = arguments.options
        options.includeNodeIDs = True  # the original leaves identifiers out of whole models only
        result = self._own("query", query=arguments.query, language=hawk.EOL, options=options)
        return ResultEncoder().value(result)

    def asyncQuery(self, arguments: Any) -> str:
        self._find(arguments.name)
        number = str(uuid.uuid4())
        self.pending[number] = arguments
        return number

    def fetchAsyncQueryResults(self, arguments: Any) -> Any:
        query = self.pending.pop(arguments.queryID, None)
        if query is None:
            raise hawk.InvalidQuery(reason="no such query")
        try:
            result = self.query(query)
        except TApplicationException as failure:
            said = "org.apache.thrift.TException: java.util.NoSuchElementException"
            raise hawk.FailedQuery(reason=said) from failure
        except (hawk.FailedQuery, hawk.InvalidQuery) as failure:
            said = f"{type(failure).__name__}(reason:{failure.reason})"
            raise hawk.FailedQuery(reason=said) from failure
        return hawk.QueryReport(result=result, wallMillis=1, isCancelled=False)

    def getModel(self, arguments: Any) -> Any:
        self._find(arguments.name)
        options = arguments.options
        identifiers = bool(options.includeNodeIDs)
        options.includeNodeIDs = True
        if options.includeReferences is False:
            options.includeContained = False
        elements = self._own("getModel", options=options)
        return whole_model(elements, last_first=self.last_first, identifiers=identifiers)

    def _find(self, name: str) -> None:
        if name != self.instance:
            raise hawk.InstanceNotFound(instanceName=name)
        if not self.running:
            raise hawk.InstanceNotRunning(instanceName=name)

    def _own(self, method: str, **arguments: Any) -> Any:
        """What this project's server answers."""
        given = getattr(hawk.Hawk, f"{method}_args")(name=OWN_INSTANCE, **arguments)
        headers = {"Content-Type": "application/x-thrift"}
        request = Request(self.behind, tuple_protocol.call(method, given), headers)
        with urlopen(request, timeout=60) as response:
            data = response.read()
        result = tuple_protocol.Reader(data).reply(method, getattr(hawk.Hawk, f"{method}_result"))
        for number in range(1, 6):
            failure = getattr(result, f"err{number}", None)
            if isinstance(failure, hawk.FailedQuery):
                raise hawk.FailedQuery(reason=STACK_TRACE.format(failure.reason))
            if isinstance(failure, hawk.InvalidQuery):
                raise hawk.InvalidQuery(reason=MALFORMED + failure.reason)
            if failure is not None:
                raise failure
        return result.success


class Quiet(socketserver.BaseServer):
    """Says nothing of clients that close their connection while it is read."""

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


class TcpServer(Quiet, socketserver.ThreadingTCPServer):
    daemon_threads = True


class HttpServer(Quiet, ThreadingHTTPServer):
    pass


@contextmanager
def serving(double: HawkDouble) -> Iterator[dict[str, str]]:
    """Serves it on free ports; protocol to address."""

    class Tcp(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            unzip, zipped = zlib.decompressobj(), zlib.compressobj()
            data, plain = b"", b""
            while received := self.request.recv(1 << 16):
                data += received
                plain += unzip.decompress(received)
                if data.endswith(b"\x00\x00\xff\xff"):  # a flushed message
                    answer = zipped.compress(double.answer(plain))
                    self.request.sendall(answer + zipped.flush(zlib.Z_SYNC_FLUSH))
                    data, plain = b"", b""

    class Http(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            answer = double.answer(body)
            self.send_response(200)
            self.send_header("Content-Type", "application/x-thrift")
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: Any) -> None:
            """Says nothing."""

    tcp = TcpServer(("127.0.0.1", 0), Tcp)
    http = HttpServer(("127.0.0.1", 0), Http)
    servers = (tcp, http)
    for server in servers:
        threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield {
            "tcp": f"tcp://127.0.0.1:{tcp.server_address[1]}",
            "http": f"http://127.0.0.1:{http.server_address[1]}/thrift/hawk/tuple",
        }
    finally:
        for server in servers:
            server.shutdown()
            server.server_close()
