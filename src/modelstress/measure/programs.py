"""The command lines of a tool's programs (docs/contracts.md)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from modelstress.measure.gclog import gc_flag
from modelstress.measure.java import find_java

CLIENT_CLASS = "org.modelstress.harness.Main"


def server_argv(
    jar: Path,
    verb: str,
    config: Path,
    flags: Sequence[str] = (),
    gc_log: str | None = None,
    tmp: Path | None = None,
) -> tuple[str, ...]:
    """Command of ``load`` or ``serve``; a tool that is no jar is a program itself.

    Args:
        jar: of the tool.
        verb: ``load`` or ``serve``.
        config: file with a ``ServerConfig``.
        flags: of the JVM.
        gc_log: name of the GC log in the program's working folder.
        tmp: folder for temporary files; by default the system's.

    Raises:
        MissingError: no JDK, or too old a one.
    """
    if jar.suffix != ".jar":
        return (str(jar), verb, "--config", str(config))
    logged = () if gc_log is None else (gc_flag(gc_log),)
    java = (find_java().program, *hygiene(tmp), *flags, *logged)
    return (*java, "-jar", str(jar), verb, "--config", str(config))


def client_argv(
    jar: Path,
    driver: str,
    endpoints: Sequence[str],
    workload: Path,
    threads: int,
    out: Path,
    flags: Sequence[str] = (),
    tmp: Path | None = None,
) -> tuple[str, ...]:
    """Command of the client program.

    Args:
        jar: of the client, or a program.
        driver: of the tool.
        endpoints: address of the server, or ``NODE=URL`` of each node in their order.
        workload: file with a ``Workload``.
        threads: of this process.
        out: its sample file.
        flags: of the JVM.
        tmp: as above.

    Raises:
        MissingError: no JDK, or too old a one.
    """
    java = (find_java().program, *hygiene(tmp), *flags, "-cp", str(jar), CLIENT_CLASS)
    return (
        *(java if jar.suffix == ".jar" else (str(jar),)),
        *("client", "--driver", driver),
        *(word for endpoint in endpoints for word in ("--endpoint", endpoint)),
        *("--workload", str(workload)),
        *("--threads", str(threads), "--out", str(out)),
    )


def hygiene(tmp: Path | None) -> tuple[str, ...]:
    """Flags that keep a JVM, even a killed one, from leaving temporary files behind.

    Its statistics file (``UsePerfData``) lies there and can stall a running JVM besides.
    """
    return ("-XX:-UsePerfData", *(() if tmp is None else (f"-Djava.io.tmpdir={tmp}",)))
