"""The scoreboard on loopback: pages of what was read last, and nothing else."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any
from urllib.parse import parse_qs

from tornado.httpserver import HTTPServer
from tornado.netutil import bind_sockets
from tornado.web import Application, RequestHandler

from modelstress.analysis.space import Choice
from modelstress.config.errors import ConfigError, ModelstressError
from modelstress.report.scoreboard.address import MOST_QUERY, Addresses, choice_of
from modelstress.report.scoreboard.board import Board
from modelstress.report.scoreboard.export import STATIC
from modelstress.report.scoreboard.page import of_choice, progress_part, refusal, rendered
from modelstress.report.scoreboard.reading import Readings

HOST = "127.0.0.1"
NAMES = frozenset({HOST, "localhost", "[::1]"})
"""Names by which a browser on this machine, or at the end of a tunnel, asks for the pages."""
TYPES = {"scoreboard.css": "text/css", "scoreboard.js": "text/javascript",
         "icon.svg": "image/svg+xml"}  # fmt: skip
POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY, "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer", "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin", "Server": "modelstress",
}  # fmt: skip
MOST_FIELDS = 200
MOST_HEADER = 16_384
"""Bytes of a request's line and headers."""
IDLE_S = 60
CLOSING_S = 5
PAGES = 64
"""Pages that are kept."""


class Live:
    """The board that is shown, replaced when there is another one.

    Attributes:
        board: shown now.
    """

    def __init__(self, board: Board) -> None:
        self.board = board
        self._shown: dict[tuple[int, Choice], dict[str, Any]] = {}

    def page(self, query: Mapping[str, Sequence[str]]) -> str:
        """The page that a query asks for; what it shows is made once for each version.

        Raises:
            ConfigError: the query asks for what there is not.
        """
        board = self.board
        choice = choice_of(board.space, query)
        key = board.version, choice
        if key not in self._shown:
            while len(self._shown) >= PAGES:
                del self._shown[next(iter(self._shown))]
            self._shown[key] = of_choice(board, choice, Addresses(board.space))
        return rendered(board, self._shown[key], live=True)


class _Handler(RequestHandler):
    """What all answers have in common."""

    SUPPORTED_METHODS = ("GET", "HEAD")

    def initialize(self, live: Live) -> None:
        """Take what the application hands over."""
        self.live = live

    def set_default_headers(self) -> None:
        """Nothing of a page may come from elsewhere, or be shown elsewhere."""
        for name, value in HEADERS.items():
            self.set_header(name, value)

    def prepare(self) -> None:
        """Refuse who asks for another host (DNS rebinding), and queries that are too long."""
        host = self.request.headers.get("Host", "")
        if host.rpartition(":")[0] not in NAMES and host not in NAMES:
            self.refuse(403, "This server answers as localhost and 127.0.0.1 only")
        elif len(self.request.query) > MOST_QUERY:
            self.refuse(400, f"The query has more than {MOST_QUERY} characters")

    def refuse(self, status: int, sentence: str) -> None:
        """Answer with a sentence."""
        self.set_status(status)
        self.set_header("Content-Type", "text/html; charset=UTF-8")
        self.finish(refusal(status, sentence))

    def write_error(self, status_code: int, **_: Any) -> None:
        """Answer errors without what went wrong inside."""
        self.refuse(status_code, ERRORS.get(status_code, "The request failed"))

    def head(self, *words: str) -> None:
        """Answer as ``get``, whose body tornado leaves out."""
        self.get(*words)


ERRORS = {404: "There is no such page", 405: "Only GET is answered"}


class _Page(_Handler):
    """The page of a choice."""

    def get(self) -> None:
        """Answer with the page, or say what is wrong with the query."""
        try:
            self.finish(self.live.page(_fields(self.request.query)))
        except ConfigError as error:
            self.refuse(400, str(error))


class _Progress(_Handler):
    """The section that pages ask for again."""

    def get(self) -> None:
        """Answer with the section of progress."""
        self.finish(progress_part(self.live.board))


class _File(_Handler):
    """A file of our own."""

    def get(self, name: str) -> None:
        """Answer with the file."""
        self.set_header("Content-Type", TYPES[name])
        self.finish(_content(name))


class _Missing(_Handler):
    """Any other address."""

    def get(self) -> None:
        """Say that there is none."""
        self.refuse(404, ERRORS[404])


@lru_cache
def _content(name: str) -> bytes:
    return (STATIC / name).read_bytes()


def _fields(query: str) -> Mapping[str, list[str]]:
    """Names and words of a query.

    Raises:
        ConfigError: it has too many, or is no UTF-8.
    """
    try:
        return parse_qs(query, max_num_fields=MOST_FIELDS, errors="strict", keep_blank_values=True)
    except UnicodeDecodeError as error:
        raise ConfigError("the query is not UTF-8; use the form") from error
    except ValueError as error:
        raise ConfigError(f"the query has more than {MOST_FIELDS} fields; use the form") from error


def application(live: Live) -> Application:
    """The pages of a board."""
    with_live = {"live": live}
    return Application(
        [
            (r"/", _Page, with_live),
            (r"/progress", _Progress, with_live),
            (r"/(scoreboard\.css|scoreboard\.js|icon\.svg)", _File, with_live),
        ],
        default_handler_class=_Missing, default_handler_args=with_live,
        log_function=lambda _: None,
    )  # fmt: skip


async def serve(
    readings: Readings, port: int, ended: asyncio.Event, listening: Callable[[str], None]
) -> None:
    """Answer on loopback until ``ended`` is set.

    Args:
        readings: boards, one after the other.
        port: 0: any that is free.
        ended: set by whoever wants the server to end.
        listening: is told the address.

    Raises:
        ConfigError: the port cannot be had, or the study or profile is wrong.
        MeasureError: the process that reads has ended.
    """
    live: list[Live] = []
    failed: list[ModelstressError] = []
    read = asyncio.Event()

    def renew() -> None:
        try:
            board = readings.board()
        except ModelstressError as error:
            failed.append(error)
            ended.set()
            return
        if live:
            live[0].board = board
        else:
            live.append(Live(board))
            read.set()

    loop = asyncio.get_running_loop()
    loop.add_reader(readings.fileno(), renew)
    try:
        await _either(read, ended)
        if live and not ended.is_set():
            await _answer(live[0], port, ended, listening)
    finally:
        loop.remove_reader(readings.fileno())
    if failed:
        raise failed[0]


async def _either(*events: asyncio.Event) -> None:
    """Wait for one of several events."""
    waiting = [asyncio.ensure_future(event.wait()) for event in events]
    await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
    for task in waiting:
        task.cancel()


async def _answer(
    live: Live, port: int, ended: asyncio.Event, listening: Callable[[str], None]
) -> None:
    server = HTTPServer(
        application(live), max_header_size=MOST_HEADER, max_body_size=1, body_timeout=5,
        idle_connection_timeout=IDLE_S,
    )  # fmt: skip
    try:
        sockets = bind_sockets(port, HOST)
    except OSError as error:
        raise ConfigError(
            f"--port {port} cannot be had: {error.strerror or error}; give another one, or 0"
        ) from error
    server.add_sockets(sockets)
    listening(f"http://{HOST}:{sockets[0].getsockname()[1]}/")
    try:
        await ended.wait()
    finally:
        server.stop()
        await asyncio.wait_for(server.close_all_connections(), CLOSING_S)
