"""One measurement at a time on a daemon's machine, over all controllers that reach it."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from docker.errors import APIError, NotFound

import docker
from modelstress.config.errors import BusyError
from modelstress.hosts.containers.daemon import LABEL, quietly, told
from modelstress.hosts.containers.sandbox import HELD, STRICT
from modelstress.hosts.user import user_name

NAME = "modelstress-lock"
HOLDER = "modelstress.holder"
"""Label that tells whom the others wait for."""
TICK_S = 0.2
STALE_S = 30.0
"""A lock that does not run so long after it was made belongs to nobody any more."""
CONFLICT = 409


class DaemonLock:
    """A container with the one name, for as long as its controller lives.

    It listens to a connection of the controller's, which the kernel closes however the controller
    ends; the program in it ends with that, and the daemon removes the container.

    Args:
        client: of the daemon.
        image: that the daemon has.
        where: the daemon, for messages.
        holder: what is measured.
        wait_s: how long to wait for another holder.
        check: called while waiting; raises when the controller shall end.
        tell: called once, with a sentence, when there is somebody to wait for.
    """

    def __init__(
        self,
        client: docker.DockerClient,
        image: str,
        where: str,
        holder: str,
        wait_s: float,
        check: Callable[[], None],
        tell: Callable[[str], None],
    ) -> None:
        self._client, self._image, self._where = client, image, where
        self._holder = f"{user_name()}@{socket.gethostname()} (cell {holder})"
        self._wait_s, self._check, self._tell = wait_s, check, tell
        self._container: Any = None
        self._socket: Any = None

    def __enter__(self) -> DaemonLock:
        deadline, waiting = time.monotonic() + self._wait_s, False
        while not self._take():
            self._check()
            who = self._other()
            if time.monotonic() >= deadline:
                raise BusyError(
                    f"Docker's {self._where}: {who} measures there since more than "
                    f"{self._wait_s:g} s; wait for its end or raise 'lock_wait_s'"
                )
            if not waiting:
                self._tell(f"waiting for {who}, which measures on Docker's {self._where}")
                waiting = True
            time.sleep(TICK_S)
        return self

    def __exit__(self, *exc: object) -> None:
        quietly(lambda: self._container.remove(force=True))
        with suppress(OSError, ValueError):
            self._socket.close()

    def _take(self) -> bool:
        with told(f"lock of {self._where}"):
            try:
                self._container = self._client.containers.create(
                    self._image, list(HELD), name=NAME, stdin_open=True, auto_remove=True,
                    network_mode="none", labels={LABEL: "lock", HOLDER: self._holder}, **STRICT,
                )  # fmt: skip
            except APIError as error:
                if error.status_code == CONFLICT:
                    return False
                raise
            try:
                self._socket = self._container.attach_socket(params={"stdin": 1, "stream": 1})
                self._container.start()
            except BaseException:
                quietly(lambda: self._container.remove(force=True))
                raise
        return True

    def _other(self) -> str:
        """Who has it; a lock whose controller died before it ran is removed."""
        with told(f"lock of {self._where}"):
            try:
                container = self._client.containers.get(NAME)
            except NotFound:
                return "somebody who has just ended"
        state = container.attrs["State"]
        made = datetime.fromisoformat(container.attrs["Created"][:19]).replace(tzinfo=UTC)
        age_s = (datetime.now(UTC) - made).total_seconds()
        if state["Status"] in ("created", "exited", "dead") and age_s > STALE_S:
            quietly(lambda: container.remove(force=True))
        return str(container.labels.get(HOLDER, "somebody"))
