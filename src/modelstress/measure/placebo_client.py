"""Client program of the placebo: the Python driver of `modelstress.driver`, run by file name."""

from __future__ import annotations

import socket

from modelstress.driver import (
    DriverError,
    Endpoints,
    Operation,
    Outcome,
    SessionContext,
    run,
)

DRIVER = "placebo"
MATCHES = 80
"""Rows of every group in the server's table."""


class _Session:
    """One connection; asks for one group after the other."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._answers = connection.makefile("rb")

    def execute(self, operation: Operation) -> Outcome:
        """Ask for a group and read its keys."""
        self._connection.sendall(b"%d\n" % operation.sequence)
        found = len(self._answers.readline().split())
        if found != MATCHES:
            return Outcome.incorrect(f"{found} rows instead of {MATCHES}")
        return Outcome.ok(count=found)

    def close(self) -> None:
        """End the connection."""
        self._answers.close()
        self._connection.close()


class _Placebo:
    """Opens connections to the server of the placebo."""

    def open(self, endpoints: Endpoints, who: SessionContext) -> _Session:
        """Open a connection.

        Raises:
            DriverError: nobody listens.
        """
        address = (endpoints.first.host, endpoints.first.port)
        try:
            connection = socket.create_connection(address, who.options.timeout_s)
        except OSError as error:
            raise DriverError(str(error)) from error
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return _Session(connection)


if __name__ == "__main__":
    run({DRIVER: _Placebo()})
