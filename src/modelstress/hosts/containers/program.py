"""A program in a container of its own, talked to as if it were a process."""

from __future__ import annotations

import os
import signal
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import requests
from docker.errors import APIError, DockerException, NotFound
from docker.utils.socket import frames_iter

from modelstress.config.errors import MeasureError
from modelstress.hosts.base import ProgramSpec
from modelstress.hosts.containers.commands import executed
from modelstress.hosts.containers.daemon import quietly, told
from modelstress.hosts.lines import LineReader
from modelstress.hosts.logs import last_error

STDOUT = 1
ENDED_S = 10
"""How long the daemon may take to tell the exit code of a container that has ended."""
GONE = 128 + signal.SIGKILL
"""Exit code of a container that was removed while it ran."""
NOT_RUNNING = 409
THREADS = ("jcmd", "1", "Thread.print", "-l")
"""A program is the first process of its container."""
THREADS_S = 10.0
"""A JVM that does not answer in this time is not waited for, as on this machine."""


class ContainerProgram:
    """A container with one program as its first process.

    Args:
        spec: what was started.
        container: created, not started.
        pid_here: whether its process id is one of this machine.
        at_end: called once when it has ended, before its container is removed.

    Attributes:
        healthy: what its health check said last, once it has been stopped; None without one.
    """

    def __init__(
        self,
        spec: ProgramSpec,
        container: Any,
        *,
        pid_here: bool,
        at_end: Callable[[], None] = lambda: None,
    ) -> None:
        self.name = spec.name
        self._at_end = at_end
        self._log = spec.stderr
        self._container = container
        self._code: int | None = None
        self._lost = False
        self._stopped = False
        self.healthy: str | None = None
        reading, self._writing = os.pipe()
        self.lines = LineReader(os.fdopen(reading, "rb", buffering=0))
        try:
            with told(spec.name):
                streams = {"stdin": 1, "stdout": 1, "stderr": 1, "stream": 1}
                self._socket = container.attach_socket(params=streams)
                container.start()
                container.reload()
        except BaseException:
            os.close(self._writing)
            self.lines.close()
            quietly(lambda: container.remove(force=True, v=True))
            raise
        self.pid: int | None = (container.attrs["State"]["Pid"] or None) if pid_here else None
        self._reader = threading.Thread(target=self._read, name=f"{spec.name} output", daemon=True)
        self._reader.start()

    def _read(self) -> None:
        """Pass on what it prints until it ends; then ask for its exit code."""
        try:
            with suppress(OSError, ValueError):
                for stream, data in frames_iter(self._socket, tty=False):  # type: ignore[no-untyped-call]
                    if stream == STDOUT:
                        self._pass_on(data)
                    else:
                        self._note(data)
            self._code = self._asked()
            self._lost = self._code is None
        finally:
            os.close(self._writing)

    def _asked(self) -> int | None:
        """The exit code; None when the daemon does not tell, or says that the program runs on."""
        try:
            return int(self._container.wait(timeout=ENDED_S)["StatusCode"])
        except NotFound:
            return GONE
        except (DockerException, requests.RequestException):
            return None

    def _note(self, data: bytes) -> None:
        with suppress(OSError), self._log.open("ab") as log:  # a full disk must not stop the rest
            log.write(data)

    def _pass_on(self, data: bytes) -> None:
        while data:
            data = data[os.write(self._writing, data) :]

    def send(self, line: str) -> bool:
        """See ``Program.send``."""
        try:
            self._raw.sendall(line.encode() + b"\n")
        except (OSError, ValueError):
            return False
        return self._code is None

    def close_input(self) -> None:
        """See ``Program.close_input``."""
        with suppress(OSError, ValueError):
            self._raw.shutdown(socket.SHUT_WR)

    @property
    def _raw(self) -> Any:
        """The socket itself: with TLS docker-py hands it out, without it wraps it."""
        return getattr(self._socket, "_sock", self._socket)

    def exit_code(self) -> int | None:
        """See ``Program.exit_code``."""
        if self._lost and self._code is None:
            raise MeasureError(f"{self.name}: the connection to its Docker daemon was lost")
        return self._code

    def move(self, cpus: frozenset[int]) -> None:
        """See ``Program.move``."""
        if self._code is None and self.pid is not None:
            listed = ",".join(map(str, sorted(cpus)))
            quietly(lambda: self._container.update(cpuset_cpus=listed))

    def signal(self, number: int) -> None:
        """See ``Program.signal``."""
        if self._code is not None:
            return
        with told(f"signal {number} for {self.name}"):
            try:
                if number == signal.SIGSTOP:  # a signal would reach the first process only
                    self._container.pause()
                elif number == signal.SIGCONT:
                    self._container.unpause()
                else:
                    self._container.kill(signal=number)
            except APIError as error:
                if not isinstance(error, NotFound) and error.status_code != NOT_RUNNING:
                    raise

    def terminate(self) -> None:
        """See ``Program.terminate``."""
        with suppress(MeasureError):
            self.signal(signal.SIGTERM)

    def wait(self, seconds: float) -> int | None:
        """See ``Program.wait``."""
        deadline = time.monotonic() + seconds
        while (code := self._code) is None and time.monotonic() < deadline:
            time.sleep(0.005)
        return code

    def stop(self, seconds: float) -> int:
        """See ``Program.stop``."""
        if self._stopped:
            return self._code if self._code is not None else GONE
        self._stopped = True
        if self._code is None and not self._lost:
            self.terminate()
            self.wait(seconds)
        if self._code is None:
            quietly(lambda: self._container.kill(signal=signal.SIGKILL))
            self.wait(ENDED_S)
        self.healthy = quietly(self._health)
        try:
            self._at_end()
        finally:
            self._remove()
            if self._code is None:
                self._code = GONE
        return self._code

    def _remove(self) -> None:
        quietly(lambda: self._container.remove(force=True, v=True))
        with suppress(OSError, ValueError):
            self._socket.close()
        self._reader.join(ENDED_S)
        self.lines.close()

    def _health(self) -> str | None:
        self._container.reload()
        state: dict[str, Any] = self._container.attrs["State"]
        return str(state["Health"]["Status"]) if "Health" in state else None

    def last_error(self) -> str | None:
        """See ``Program.last_error``."""
        return last_error(self._log)

    def threads(self) -> str | None:
        """See ``Program.threads``: ``jcmd`` must run where the JVM does."""
        what = f"{self.name}: no thread dump"
        code, text = executed(self._container, what, THREADS, seconds=THREADS_S)
        if code != 0:
            lines = text.splitlines() or [f"exit code {code}"]
            raise MeasureError(f"{what}: {lines[0]}")
        return text
