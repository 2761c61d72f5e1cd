"""A program: HTTP over the proxy, while packets between client and proxy are counted.

Prints one line of JSON: what each of the two saw of every execution. With the argument ``small``
the counter gets a ring of two packets.
"""

from __future__ import annotations

import http.client
import json
import sys
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from modelstress.hosts import private
from modelstress.measure.traffic import counter, pcap
from modelstress.measure.traffic.decode import Decoded, Decoder, Share
from modelstress.measure.traffic.proxy import Proxy

BIG = b"0123456789" * 5000
PAUSE_S = 0.3


class Answer(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for piece in (body, BIG):
            self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
        self.wfile.write(b"0\r\n\r\n")

    def log_message(self, *_: object) -> None:
        pass


def execute(host: str, port: int) -> Share:
    """Two requests over one connection."""
    begin = time.monotonic_ns()
    link = http.client.HTTPConnection(host, port, timeout=60)
    for path in ("/first?secret=1", "/second"):
        link.request("POST", path, body=b"question")
        assert link.getresponse().read() == b"question" + BIG
    link.close()
    end = time.monotonic_ns()
    time.sleep(PAUSE_S)
    return Share(begin, end, time.monotonic_ns())


def described(decoded: Decoded) -> list[dict[str, Any]]:
    return [
        {
            "payload": [totals.payload[True], totals.payload[False]],
            "connections": totals.connections,
            "round_trips": totals.round_trips,
            "http": [
                [m.part.kind, m.part.http_path, m.part.http_status, m.part.header_bytes,
                 m.part.body_bytes, m.part.end - m.part.start]
                for m in decoded.messages
                if m.execution == number and m.part.kind.startswith("http")
            ],
        }
        for number, totals in enumerate(decoded.totals)
    ]  # fmt: skip


def main() -> None:
    if why_not := private.enter():
        sys.exit(why_not)
    if sys.argv[1:] == ["small"]:
        counter.BUFFER_BYTES = 4096
    server = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    with tempfile.TemporaryDirectory() as folder:
        proxy = Proxy()
        host, port = proxy.forward("127.0.0.1", server.server_address[1])
        counting = counter.Counter(Path(folder) / "c.pcap")
        counting.watch(1)  # the filter is replaced while packets may come
        counting.watch(port)
        shares = [execute(host, port) for _ in range(3)]
        counting.stop()
        proxy.stop()
        server.shutdown()
        decoded = Decoder(shares).packets(
            pcap.read(counting.file), counting.ports, counting.clock_ns
        )
        lengths = [len(frame) for _, frame in pcap.read(counting.file)]
        # server_close does not wait for the threads of its connections, which have ended by now
        left = {thread.name for thread in threading.enumerate()} & {"counter", "proxy"}
        said = {
            "packets": described(decoded), "proxy": described(Decoder(shares).seen(proxy.seen)),
            "outside": sum(decoded.outside.packets.values()), "dropped": counting.dropped,
            "counted": [counting.packets, len(lengths), max(lengths, default=0)],
            "in_executions": sum(sum(t.packets.values()) for t in decoded.totals),
            "failure": counting.failure, "threads_left": sorted(left),
        }  # fmt: skip
    print(json.dumps(said))


if __name__ == "__main__":
    main()
