"""A loopback proxy that notes who sent which bytes when: messages, though not packets."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from statistics import median
from typing import Literal

from modelstress.config.errors import MeasureError

Event = Literal["open", "payload", "close"]
CHUNK = 1 << 16
START_S = 10.0
STOP_S = 10.0


@dataclass(frozen=True, slots=True)
class Seen:
    """Something that passed the proxy.

    Attributes:
        time_ns: monotonic clock.
        connection: number, in the order of their beginnings.
        event: a side opened the connection, sent bytes, or closed its direction.
        sent: by the client.
        payload: the bytes.
    """

    time_ns: int
    connection: int
    event: Event
    sent: bool
    payload: bytes = b""


class Proxy:
    """Passes connections on to a server; one thread for all of them.

    Attributes:
        seen: everything, in the order of time; read it after ``stop``.
    """

    def __init__(self) -> None:
        self.seen: list[Seen] = []
        self._connections = 0
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="proxy", daemon=True)
        self._servers: list[asyncio.Server] = []

    def forward(self, host: str, port: int) -> tuple[str, int]:
        """Listen on a free loopback port for this server; the address for its clients.

        Raises:
            MeasureError: no port could be had.
        """
        if not self._thread.ident:
            self._thread.start()
        listening: Future[asyncio.Server] = asyncio.run_coroutine_threadsafe(
            asyncio.start_server(
                lambda reader, writer: self._serve(reader, writer, host, port), "127.0.0.1", 0
            ),
            self._loop,
        )
        try:
            server = listening.result(START_S)
        except (OSError, TimeoutError) as error:
            raise MeasureError(f"the proxy of the capture cannot listen: {error}") from error
        self._servers.append(server)
        address = server.sockets[0].getsockname()
        return str(address[0]), int(address[1])

    def stop(self) -> None:
        """End all connections and the thread; may be called again."""
        if not self._thread.is_alive():
            if not self._loop.is_closed():
                self._loop.close()
            return
        ending = asyncio.run_coroutine_threadsafe(self._end(), self._loop)
        with suppress(TimeoutError):
            ending.result(STOP_S)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(STOP_S)
        if not self._thread.is_alive():
            self._loop.close()

    async def _end(self) -> None:
        for server in self._servers:
            server.close()
        others = asyncio.all_tasks(self._loop) - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    async def _serve(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, host: str, port: int
    ) -> None:
        number, self._connections = self._connections, self._connections + 1
        self._note(number, "open", True)
        try:
            to_server = await asyncio.open_connection(host, port)
        except OSError:  # refused: so it is for the client
            self._note(number, "close", False)
            writer.transport.abort()
            return
        try:
            await asyncio.gather(
                self._copy(number, True, reader, to_server[1]),
                self._copy(number, False, to_server[0], writer),
            )
        except (OSError, asyncio.CancelledError):  # reset by one side: so it is for the other
            writer.transport.abort()
            to_server[1].transport.abort()
        finally:
            for stream in (writer, to_server[1]):
                stream.close()

    async def _copy(
        self, number: int, sent: bool, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """One direction, up to its end."""
        try:
            while data := await reader.read(CHUNK):
                self._note(number, "payload", sent, data)
                writer.write(data)
                await writer.drain()
        finally:
            self._note(number, "close", sent)
        with suppress(OSError):
            writer.write_eof()

    def _note(self, number: int, event: Event, sent: bool, payload: bytes = b"") -> None:
        self.seen.append(Seen(time.monotonic_ns(), number, event, sent, payload))


def cost_us(rounds: int = 200) -> float:
    """What the proxy adds to a round trip of 64 bytes on this machine now: µs, median.

    Raises:
        MeasureError: no port could be had.
    """
    proxy = Proxy()
    try:
        with _echo() as (host, port):
            direct = _round_trip_us((host, port), rounds)
            through = _round_trip_us(proxy.forward(host, port), rounds)
    finally:
        proxy.stop()
    return through - direct


@contextmanager
def _echo() -> Iterator[tuple[str, int]]:
    """A server that answers with what it gets, to one connection after another."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def answer() -> None:
            with suppress(OSError):  # closed below
                while True:
                    connection, _ = listening.accept()
                    with connection:
                        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                        while data := connection.recv(CHUNK):
                            connection.sendall(data)

        thread = threading.Thread(target=answer, name="echo", daemon=True)
        thread.start()
        host, port = listening.getsockname()
        try:
            yield host, port
        finally:
            listening.shutdown(socket.SHUT_RDWR)
            thread.join(STOP_S)


def _round_trip_us(address: tuple[str, int], rounds: int) -> float:
    times = []
    with socket.create_connection(address, START_S) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for _ in range(rounds):
            begun = time.perf_counter_ns()
            connection.sendall(b"x" * 64)
            got = 0
            while got < 64:
                got += len(connection.recv(64 - got))
            times.append(time.perf_counter_ns() - begun)
    return median(times) / 1e3
