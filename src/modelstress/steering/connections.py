"""Connections to the queue's database, and procrastinate over them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, LiteralString, TypeVar
from urllib.parse import quote, urlsplit, urlunsplit

import procrastinate
import psycopg
from procrastinate.exceptions import ConnectorException

from modelstress.config.errors import ConfigError, MissingError, first_line

if TYPE_CHECKING:
    from collections.abc import Iterable

    from procrastinate.connector import Notify

T = TypeVar("T")
CONNECT_S = 10
AGAIN_S = 0.5
QUERY_MS = 120_000
"""Longest time that the server gives a statement of ours."""
LOST = (psycopg.OperationalError, psycopg.InterfaceError)
"""What psycopg raises when the connection, or the server, is gone."""


def with_password(url: str, password: str) -> str:
    """A URL with a password in the place of none, or of another one.

    Raises:
        ConfigError: it is none of PostgreSQL's.
    """
    parts = _parts(url)
    role, host = quote(parts.username or "", safe=""), parts.netloc.rpartition("@")[2]
    return str(urlunsplit(parts._replace(netloc=f"{role}:{quote(password, safe='')}@{host}")))


def without_password(url: str) -> str:
    """A URL as it may be shown."""
    parts = _parts(url)
    role, host = parts.username or "", parts.netloc.rpartition("@")[2]
    return str(urlunsplit(parts._replace(netloc=f"{role}@{host}" if role else host)))


def _parts(url: str) -> Any:
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018 - raises where it is no number
        if parts.scheme in ("postgresql", "postgres") and not any(c in url for c in "\n\r\0"):
            return parts
    except ValueError:
        pass
    raise ConfigError(
        "the database's address is no URL of PostgreSQL; give postgresql://ROLE@HOST:PORT/DATABASE"
    )


def connect(url: str, schema: str | None = None) -> psycopg.Connection:
    """A connection whose statements commit at once; ``schema`` is where names are looked up.

    Without one it is the schema that the role has by itself, as those of workers have.

    Raises:
        ConfigError: the server refuses role, password or database; or it is no URL.
        psycopg.OperationalError: it cannot be reached.
    """
    _parts(url)
    options = f"-c statement_timeout={QUERY_MS}" + (f" -c search_path={schema}" if schema else "")
    try:
        return psycopg.connect(
            url, autocommit=True, connect_timeout=CONNECT_S, options=options,
            keepalives_idle=30, keepalives_interval=10, keepalives_count=3,
            application_name="modelstress",
        )  # fmt: skip
    except psycopg.OperationalError as error:
        said = str(error)
        if any(word in said for word in ("password", "pg_hba", "does not exist", "permission")):
            raise ConfigError(
                f"{without_password(url)}: the database refuses: {_reason(said)}; check the URL "
                "and the token"
            ) from error
        raise
    except psycopg.Error as error:
        raise ConfigError(f"{without_password(url)}: {first_line(error)}") from error


def _reason(said: str) -> str:
    return said.strip().splitlines()[-1].rpartition("FATAL:")[2].strip()[:300]


class Patient:
    """A connection that is opened anew when it, or the server, is gone, up to a deadline.

    What it runs must bear to be run twice: the answer to the first time may have been lost.

    Args:
        url: see ``connect``; or a function that gives it, and may start the server.
        schema: see ``connect``.
        patience_s: how long to go on trying.
        check: called while waiting; may raise.
    """

    def __init__(
        self,
        url: Callable[[], str],
        schema: str | None,
        patience_s: float,
        check: Callable[[], None],
    ) -> None:
        self._url, self._schema = url, schema
        self._patience_s, self._check = patience_s, check
        self._connection: psycopg.Connection | None = None

    def run(self, work: Callable[[psycopg.Connection], T]) -> T:
        """What ``work`` makes of the connection.

        Raises:
            MissingError: the database was out of reach for too long.
            ConfigError: it refuses.
        """
        deadline = time.monotonic() + self._patience_s
        while True:
            try:
                if self._connection is None or self._connection.closed:
                    self._connection = connect(self._url(), self._schema)
                return work(self._connection)
            except LOST as error:
                self.close()
                self._check()
                if time.monotonic() > deadline:
                    raise MissingError(
                        f"the database cannot be reached since {self._patience_s:g} s: "
                        f"{_reason(str(error)) or first_line(error)}; start it, or the coordinator,"
                        " again"
                    ) from error
                time.sleep(AGAIN_S)
            except psycopg.Error as error:
                raise ConfigError(
                    f"the database of the queue refuses: {first_line(error)}; see its log"
                ) from error

    def close(self) -> None:
        """Close the connection; ``run`` opens another one."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()


class PatientConnector(procrastinate.PsycopgConnector):
    """Procrastinate's connector, whose heartbeats and endings of jobs outlive a restart.

    Fetching a job is never repeated: a job whose fetch was answered to nobody belongs to a worker
    that registers anew, and so it stalls and is given to another one.
    """

    patience_s = 600.0

    async def execute_query_async(self, query: LiteralString, **arguments: Any) -> None:
        """Repeat it until the database is back; one that finds its job ended has done its work."""
        deadline = time.monotonic() + self.patience_s
        while True:
            try:
                await super().execute_query_async(query, **arguments)
                return
            except ConnectorException as error:
                if not isinstance(error.__cause__, LOST):
                    if "finish_job" in query:
                        return
                    raise
                if time.monotonic() > deadline:
                    raise
                await asyncio.sleep(AGAIN_S)

    async def listen_notify(self, on_notification: Notify, channels: Iterable[str]) -> None:
        """Listen again when the database is back."""
        while True:
            try:
                await super().listen_notify(on_notification, channels)
            except ConnectorException:
                await asyncio.sleep(AGAIN_S)


def connector_of(url: str, schema: str | None = None) -> PatientConnector:
    """A connector of few connections; see ``connect``."""
    options = {} if schema is None else {"options": f"-c search_path={schema}"}
    return PatientConnector(
        conninfo=url, min_size=1, max_size=3, timeout=CONNECT_S,
        kwargs={"connect_timeout": CONNECT_S, **options},
    )  # fmt: skip
