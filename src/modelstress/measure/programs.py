"""The command lines of a tool's programs (docs/contracts.md)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from modelstress.measure.gclog import gc_flag
from modelstress.measure.java import find_java

CLIENT_CLASS = "org.modelstress.harness.Main"


def server_argv(
    jar: Path, verb: str, config: Path, flags: Sequence[str] = (), gc_log: Path | None = None
) -> tuple[str, ...]:
    """Command of ``load`` or ``serve``; a tool that is no jar is a program itself.

    Raises:
        MissingError: no JDK, or too old a one.
    """
    if jar.suffix != ".jar":
        return (str(jar), verb, "--config", str(config))
    logged = () if gc_log is None else (gc_flag(gc_log),)
    return (find_java().program, *flags, *logged, "-jar", str(jar), verb, "--config", str(config))


def client_argv(
    jar: Path,
    driver: str,
    endpoint: str,
    workload: Path,
    threads: int,
    out: Path,
    flags: Sequence[str] = (),
) -> tuple[str, ...]:
    """Command of the client program; ``threads`` are this process's.

    Raises:
        MissingError: no JDK, or too old a one.
    """
    java = (find_java().program, *flags, "-cp", str(jar), CLIENT_CLASS)
    return (
        *(java if jar.suffix == ".jar" else (str(jar),)),
        *("client", "--driver", driver, "--endpoint", endpoint, "--workload", str(workload)),
        *("--threads", str(threads), "--out", str(out)),
    )
