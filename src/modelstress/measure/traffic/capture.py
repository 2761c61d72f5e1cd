"""The capture of one invocation, from before its client starts until its server has stopped."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit, urlunsplit

from modelstress.config.errors import MeasureError
from modelstress.hosts import private
from modelstress.measure.interrupt import TICK_S, Interrupt
from modelstress.measure.traffic.counter import Counter
from modelstress.measure.traffic.proxy import Proxy
from modelstress.measure.validity import Reason
from modelstress.samples.files import write_once, write_parquet

if TYPE_CHECKING:
    import pyarrow as pa

    from modelstress.measure.traffic.decode import Decoded

Method = Literal["packets", "proxy"]
FILE = "capture.pcap"
PROXIED = "loopback, through a byte-counting proxy"


class Capture:
    """Counts packets where it can, else stands between client and server as a proxy.

    Args:
        work: the work folder; packets are kept there until ``write``.
        pause_ms: between executions.

    Attributes:
        method: ``packets`` or ``proxy``.
    """

    def __init__(self, work: Path, pause_ms: int) -> None:
        self._pause_ms = pause_ms
        why_not = private.missing()
        self._tap: Counter | Proxy = Counter(work / FILE) if why_not is None else Proxy()
        self.method: Method = "packets" if why_not is None else "proxy"
        self.network = private.NETWORK if why_not is None else PROXIED
        self._link = (
            {"mtu": private.mtu(), "offloads": private.offloads()} if why_not is None else {}
        )
        self._why_not = why_not
        self._tables: dict[str, pa.Table] = {}
        self._decoded: Decoded | None = None
        self._failure: str | None = None

    def begin(self, endpoint: str) -> str:
        """Capture what goes to and from a server, from now on; the address for its clients.

        Raises:
            MeasureError: nothing can be captured, or the address has no port.
        """
        url = urlsplit(endpoint)
        if url.port is None:
            raise MeasureError(f"server: endpoint {endpoint!r} has no port; nothing to capture")
        if isinstance(self._tap, Counter):
            self._tap.watch(url.port)
            return endpoint
        host, port = self._tap.forward(url.hostname or "127.0.0.1", url.port)
        who, at, _ = url.netloc.rpartition("@")
        return urlunsplit(url._replace(netloc=f"{who}{at}{host}:{port}"))

    def settle(self, interrupt: Interrupt) -> None:
        """Let what is late of the warm-up come before the first measured execution begins.

        Raises:
            InterruptedRunError: the controller was told to end.
        """
        end = time.monotonic() + self._pause_ms / 1000
        while (left := end - time.monotonic()) > 0:
            interrupt.check()
            time.sleep(min(left, TICK_S))

    def end(self) -> None:
        """Stop; may be called again."""
        self._tap.stop()

    def decode(self, samples: pa.Table, *, offset_ns: int, rtt_ns: int, reused: bool) -> None:
        """Attribute everything to executions; a failure is kept as a reason, the samples count.

        Args:
            samples: of the client.
            offset_ns: its clock minus ours, within half of ``rtt_ns``: on one machine a smaller
                difference than that is the measurement's, and both clocks are the same.
            rtt_ns: see above.
            reused: whether the session is closed after the last execution, which is then cut at
                its end.
        """
        from modelstress.measure.traffic import tables
        from modelstress.measure.traffic.decode import Decoder

        try:
            pause_ns = 0 if reused else self._pause_ms * 1_000_000
            offset = offset_ns if abs(offset_ns) > rtt_ns else 0
            executions, shares = tables.shares(samples, offset, pause_ns)
            self._decoded = self._decode(Decoder(shares))
            self._tables = {
                "anatomy": tables.anatomy(executions, self._decoded, self.method),
                "messages": tables.messages(executions, shares, self._decoded, self.method),
            }
        except Exception as error:  # whatever packets do to h11 or to us: the samples are whole
            self._decoded, self._tables = None, {}
            cause = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
            self._failure = f"it could not be decoded: {cause}"

    def _decode(self, decoder: Any) -> Decoded:
        from modelstress.measure.traffic import pcap

        if isinstance(self._tap, Counter):
            packets = pcap.read(self._tap.file)
            decoded: Decoded = decoder.packets(packets, self._tap.ports, self._tap.clock_ns)
        else:
            decoded = decoder.seen(self._tap.seen)
        return decoded

    @property
    def _counter(self) -> Counter | None:
        """What counts packets, where they are counted."""
        return self._tap if isinstance(self._tap, Counter) else None

    def reasons(self) -> list[Reason]:
        """What the capture says against the cell."""
        reasons = []
        if self._counter is not None and self._counter.dropped:
            message = f"{self._counter.dropped} packets were dropped before they were counted"
            reasons.append(Reason("capture-dropped", "invalid", message))
        failure = self._failure or (self._counter.failure if self._counter else None)
        if failure:
            message = f"the capture failed, the samples did not: {failure}"
            reasons.append(Reason("capture-failed", "invalid", message))
        return reasons

    def record(self) -> dict[str, Any]:
        """For ``cell.json``."""
        outside = self._decoded.outside if self._decoded is not None else None
        counter = self._counter
        return {
            "method": self.method,
            "why_not_packets": self._why_not,
            "ports": sorted(counter.ports) if counter is not None else None,
            "packets": counter.packets if counter is not None else None,
            "dropped": counter.dropped if counter is not None else None,
            "connections": self._decoded.connections if self._decoded is not None else None,
            "outside_packets": sum(outside.packets.values()) if outside and counter else None,
            "outside_payload": sum(outside.payload.values()) if outside else None,
            "pause_ms": self._pause_ms,
            "mtu": self._link.get("mtu"),
            "offloads": self._link.get("offloads"),
            "file": FILE if counter is not None else None,
        }

    def write(self, folder: Path) -> None:
        """Write the capture and its tables; a failure is kept as a reason.

        Call it when the samples are written: they are worth more.
        """
        try:
            if self._counter is not None:
                packets = self._counter.file
                write_once(folder / FILE, lambda temporary: _ignore(packets.rename(temporary)))
            for name, table in self._tables.items():
                write_parquet(folder / f"{name}.parquet", table)
        except MeasureError as error:
            self._failure = str(error)


def _ignore(_: object) -> None:
    return None
