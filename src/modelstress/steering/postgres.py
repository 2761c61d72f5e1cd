"""A PostgreSQL server of the project's own: a child of this process that ends with it."""

from __future__ import annotations

import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from modelstress.config.errors import BusyError, MissingError
from modelstress.hosts.process import LAUNCHER, LOOPBACK
from modelstress.samples.files import write_json, write_text
from modelstress.steering.postgres_programs import programs

NAME = "modelstress"
"""Of the database, and of the role that owns it."""
READY_S = 60.0
END_S = 10.0
POLL_S = 0.05
STILL_ENDING = ("shared memory block", "is another postmaster", "lock file")
"""What a server says whose predecessor was killed and is not gone yet."""
SETTINGS = {
    "unix_socket_directories": "",
    "max_connections": "300",
    "shared_buffers": "32MB",
    "password_encryption": "scram-sha-256",
    "log_checkpoints": "off",
    "log_connections": "off",
}


class PostgresServer:
    """An embedded server: data, log, password and port are in its folder and stay from run to run.

    Only the owner ``modelstress`` (from this machine) and the roles of workers can connect, by
    password (SCRAM). It listens on the loopback interface unless told otherwise. A controller that
    is killed takes it along, by the kernel's parent-death signal; what was committed stays.

    Args:
        folder: of the server, such as ``data/steering/<study>/<profile>/postgresql``.
        listen: another address to listen on, such as that of a private network.
        port: to listen on; 0: the one of its last run, else any that is free.
    """

    def __init__(self, folder: Path, listen: str | None = None, port: int = 0) -> None:
        self.folder = folder
        self._listen, self._asked = listen, port
        self._process: subprocess.Popen[bytes] | None = None
        self.port = 0

    @property
    def data(self) -> Path:
        """Its data folder; beside it are the log and the owner's password."""
        return self.folder / "data"

    @property
    def pid(self) -> int | None:
        """Of its main process; None while it does not run."""
        return None if self._process is None else self._process.pid

    @property
    def alive(self) -> bool:
        """Whether its main process runs."""
        return self._process is not None and self._process.poll() is None

    def url(self, role: str = NAME, password: str | None = None) -> str:
        """Where a role finds the database; by default its owner."""
        word = self._password if password is None else password
        host = self._listen if self._listen and role != NAME else LOOPBACK
        return f"postgresql://{role}:{word}@{host}:{self.port}/{NAME}"

    @property
    def _password(self) -> str:
        return (self.folder / "password").read_text(encoding="ascii").strip()

    def start(self, interrupted: Callable[[], None] = lambda: None) -> None:
        """Start it, with a new data folder the first time, and wait until it answers.

        A killed predecessor may hold the folder for some seconds yet: its end is waited for.

        Args:
            interrupted: called while waiting; may raise.

        Raises:
            MissingError: there are no programs of PostgreSQL, or it does not start; says why.
            BusyError: its port is taken by something else.
        """
        bin_folder = programs(self.folder.parent)
        if not (self.data / "PG_VERSION").is_file():
            self._create(bin_folder)
        self._write_access()
        deadline = time.monotonic() + READY_S
        while True:
            self.port = self._asked or self._last_port() or _free_port()
            self._launch(bin_folder)
            said = self._answers(deadline, interrupted)
            if said is None:
                write_json(self.folder / "port.json", {"port": self.port})
                return
            self.stop()
            if "Address already in use" in said:
                if self._asked or self._last_port():
                    raise BusyError(
                        f"{self.folder}: port {self.port}, which workers know, is in use; end what "
                        "has it, or give another one with --port"
                    )
            elif not any(word in said for word in STILL_ENDING) or time.monotonic() > deadline:
                raise MissingError(
                    f"PostgreSQL does not start: {_last(said)}; its log is {self.folder}/log"
                )
            time.sleep(0.2)

    def stop(self) -> None:
        """End it, as its users would: sessions end, what was committed is on the disk."""
        process, self._process = self._process, None
        if process is None or process.poll() is not None:
            return
        process.send_signal(signal.SIGINT)
        try:
            process.wait(END_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(END_S)

    def _create(self, bin_folder: Path) -> None:
        """Make the data folder, the owner and the database; the password is written first."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self.folder.chmod(0o700)
        if self.data.exists():  # an attempt that was killed
            self.data.rename(self.data.with_name(f"data.{secrets.token_hex(4)}"))
        initdb = (
            str(bin_folder / "initdb"), f"--pgdata={self.data}", "--username=postgres",
            "--auth=reject", "--locale=C", "--encoding=UTF8", "--data-checksums",
        )  # fmt: skip
        _run([*initdb])
        password = secrets.token_urlsafe(24)
        file = self.folder / "password"
        file.unlink(missing_ok=True)
        file.touch(mode=0o600)
        file.write_text(password, encoding="ascii")
        single = [str(bin_folder / "postgres"), "--single", "-D", str(self.data), "postgres"]
        _run(single, f"CREATE ROLE {NAME} LOGIN CREATEROLE PASSWORD '{password}';\n")
        _run(single, f"CREATE DATABASE {NAME} OWNER {NAME};\n")
        _run(single, f"REVOKE ALL ON DATABASE {NAME} FROM PUBLIC;\n")
        _run(single, "REVOKE ALL ON DATABASE postgres FROM PUBLIC;\n")

    def _write_access(self) -> None:
        others = "all" if self._listen else f"{LOOPBACK}/32"
        write_text(
            self.data / "pg_hba.conf",
            f"host {NAME} {NAME} {LOOPBACK}/32 scram-sha-256\n"
            f"host all {NAME},postgres all reject\n"
            f"host {NAME} all {others} scram-sha-256\n",
        )

    def _last_port(self) -> int:
        from modelstress.samples.files import read_json

        port = read_json(self.folder / "port.json").get("port")
        return port if isinstance(port, int) and 0 < port < 65536 else 0

    def _launch(self, bin_folder: Path) -> None:
        addresses = ",".join(dict.fromkeys([LOOPBACK, *([self._listen] if self._listen else [])]))
        settings = {**SETTINGS, "listen_addresses": addresses, "port": str(self.port)}
        flags = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        launcher = [sys.executable, "-I", "-S", LAUNCHER, str(os.getpid()), "-", "-"]
        command = [*launcher, str(bin_folder / "postgres"), "-D", str(self.data), *flags]
        with (self.folder / "log").open("wb") as log:
            self._process = subprocess.Popen(
                [*as_nobody(), *command], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                start_new_session=True,
            )  # fmt: skip

    def _answers(self, deadline: float, interrupted: Callable[[], None]) -> str | None:
        """None when it can be connected to; what it said where it ended or came too late."""
        import psycopg

        assert self._process is not None  # noqa: S101
        while self._process.poll() is None and time.monotonic() < deadline:
            try:
                interrupted()
            except BaseException:
                self.stop()
                raise
            # a server that answers and is not this one would refuse the password
            with suppress(psycopg.Error, OSError):
                psycopg.connect(self.url(), connect_timeout=5).close()
                if self._process.poll() is None:
                    return None
            time.sleep(POLL_S)
        return (self.folder / "log").read_text(encoding="utf-8", errors="replace")


def as_nobody() -> list[str]:
    """What a command begins with where this process is root, which PostgreSQL refuses to be.

    In a user namespace without a mapping it is nobody, and owns its files all the same.
    """
    return ["unshare", "--user"] if os.geteuid() == 0 else []


def _run(command: list[str], text: str = "") -> None:
    """Run a program of PostgreSQL to its end.

    Raises:
        MissingError: it fails or does not end within a minute.
    """
    try:
        done = subprocess.run(
            [*as_nobody(), *command], input=text.encode(), capture_output=True, timeout=READY_S,
            check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        raise MissingError(f"{command[0]} cannot be run: {error}") from error
    if done.returncode:
        said = (done.stdout + done.stderr).decode("utf-8", "replace")
        raise MissingError(f"{command[0]} failed: {_last(said)}")


def _last(said: str) -> str:
    """The last lines of what a program said: the very last often says only that it ends."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    return "; ".join(lines[-3:]) or "it said nothing"


def _free_port() -> int:
    with socket.socket() as taken:
        taken.bind((LOOPBACK, 0))
        port: int = taken.getsockname()[1]
        return port
