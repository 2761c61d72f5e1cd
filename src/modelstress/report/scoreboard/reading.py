"""A process that reads a profile's samples, so that reading keeps no answer waiting."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path

from modelstress.config.errors import MeasureError, ModelstressError
from modelstress.config.project import Project
from modelstress.report.scoreboard.board import Board, reader_of

READ_S = 1.0
"""How long the process reads before it hands over what it has."""
PAUSE_S = 2.0
"""How long it waits then, or ``GENTLE`` times as long as it has read: others measure here."""
GENTLE = 10
LOW = 10
"""Priority of reading samples: a tenth of a busy CPU."""
END_S = 5.0


class Readings:
    """A context in which a process of its own reads; it ends with the context, or with us.

    Args:
        project, study, profile: what is read.
    """

    def __init__(self, project: Project, study: str, profile: str) -> None:
        spawn = multiprocessing.get_context("spawn")
        self._connection, theirs = spawn.Pipe()
        self._process = spawn.Process(
            target=_read, args=(theirs, project.root, study, profile), daemon=True
        )
        self._process.start()
        theirs.close()

    def __enter__(self) -> Readings:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()
        self._process.terminate()
        self._process.join(END_S)
        if self._process.exitcode is None:
            self._process.kill()
            self._process.join(END_S)

    def fileno(self) -> int:
        """What can be read from when there is another board."""
        return self._connection.fileno()

    def board(self) -> Board:
        """The next board, as soon as it is there.

        Raises:
            ModelstressError: the process cannot read, and says why.
        """
        try:
            got = self._connection.recv()
        except (EOFError, OSError) as error:
            raise MeasureError("the process that reads the samples has ended") from error
        if isinstance(got, ModelstressError):
            raise got
        board: Board = got
        return board


def _read(connection: Connection, root: Path, study: str, profile: str) -> None:
    """Hand over boards until the other side is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C ends the other side, and that ends us
    try:
        reader = reader_of(Project(root), study, profile)
        os.nice(LOW)
        _hand_over(reader.read, connection)
    except (BrokenPipeError, ConnectionResetError):
        return
    except ModelstressError as error:
        connection.send(error)


def _hand_over(read: Callable[[float], Board], connection: Connection) -> None:
    before: Board | None = None
    most_s = 0.0  # the plan is shown first
    while True:
        begun = time.monotonic()
        board = read(most_s)
        if before is None or (board is not before and _differ(board, before)):
            connection.send(board)
            before = board
        most_s, spent = READ_S, time.monotonic() - begun
        if connection.poll(0 if board.unread else max(PAUSE_S, GENTLE * spent)):
            return  # nobody says anything: the other side is closed


def _differ(board: Board, before: Board) -> bool:
    return (board.version, board.unread, board.queue) != (
        before.version, before.unread, before.queue,
    )  # fmt: skip
