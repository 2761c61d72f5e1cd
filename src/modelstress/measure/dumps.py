"""Thread dumps of running JVMs, by the JDK's own ``jcmd``."""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path

from modelstress.config.errors import MeasureError, MissingError
from modelstress.hosts import Host, Program, ProgramSpec
from modelstress.measure import procfs
from modelstress.measure.interrupt import TICK_S, Interrupt
from modelstress.measure.java import find_java
from modelstress.measure.programs import hygiene

DEADLINE_S = 10.0
"""A JVM that does not answer in this time (it is stopped, or out of memory) is not waited for."""
ATTACHED = "attached"
"""File in the work folder with the process ids whose sockets ``forget`` must delete."""
SMALL = ("-J-Xmx64m", "-J-XX:+UseSerialGC", "-J-XX:TieredStopAtLevel=1")


def thread_dump(
    host: Host,
    program: Program,
    file: Path,
    cpus: frozenset[int] | None,
    interrupt: Interrupt,
) -> str | None:
    """Write what all threads of a program do, with the locks they hold and wait for.

    Args:
        host: starts ``jcmd``; it dies with the rest of the run.
        program: runs; the JVM is it or what it started.
        file: to write, in the run's work folder.
        cpus: for ``jcmd``.
        interrupt: ends the wait.

    Returns:
        Why there is no dump, as a sentence; None when there is one.

    Raises:
        InterruptedRunError: the controller was told to end.
    """
    try:
        if (told := program.threads()) is not None:
            file.write_text(told, encoding="utf-8")
            return None
    except MeasureError as error:
        return str(error)
    if program.pid is None:
        return f"{program.name} cannot be asked from here: no thread dump"
    jvms = [pid for pid in sorted(procfs.processes({program.pid})) if _is_jvm(pid)]
    if not jvms:
        return f"{program.name} is no JVM: no thread dump"
    try:
        jcmd = Path(find_java().program).resolve().with_name("jcmd")
    except MissingError as error:
        return f"{program.name}: no thread dump: {error}"
    if not jcmd.is_file():
        return f"{program.name}: no thread dump: {jcmd} is not there; a JDK has it, a JRE has not"
    with (file.parent / ATTACHED).open("a", encoding="utf-8") as attached:
        attached.write(f"{jvms[0]}\n")
    flags = (*SMALL, *(f"-J{flag}" for flag in hygiene(None)))
    argv = (str(jcmd), *flags, str(jvms[0]), "Thread.print", "-l")
    log = file.with_suffix(".log")
    spec = ProgramSpec("thread dump", argv, file.parent, log, cpus)
    lines, code = _output(host.start(spec), interrupt)
    log_lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    log.unlink()
    if code is None:
        return f"{program.name}: no thread dump within {DEADLINE_S:g} s"
    if code != 0:
        return (
            f"{program.name}: no thread dump: {log_lines[0] if log_lines else f'exit code {code}'}"
        )
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return None


def forget(work: Path) -> None:
    """Delete the sockets that JVMs made for ``jcmd``: one that is killed leaves its own behind."""
    with suppress(OSError):
        for pid in (work / ATTACHED).read_text(encoding="utf-8").split():
            if pid.isdecimal() and not Path(f"/proc/{pid}").exists():
                # HotSpot's place, whatever java.io.tmpdir says
                Path(f"/tmp/.java_pid{pid}").unlink(missing_ok=True)  # noqa: S108
        (work / ATTACHED).unlink()


def _output(program: Program, interrupt: Interrupt) -> tuple[list[str], int | None]:
    lines: list[str] = []
    deadline = time.monotonic() + DEADLINE_S
    try:
        while not program.lines.ended or program.exit_code() is None:
            interrupt.check()
            if time.monotonic() > deadline:
                return lines, None
            if (line := program.lines.read(TICK_S)) is not None:
                lines.append(line)
            elif program.lines.ended:
                program.wait(TICK_S)
        while (line := program.lines.next()) is not None:
            lines.append(line)
        return lines, program.exit_code()
    finally:
        program.stop(0.0)


def _is_jvm(pid: int) -> bool:
    """Whether HotSpot runs in a process: ``jcmd`` sends SIGQUIT, which ends any other program."""
    try:
        return b"/libjvm.so" in Path(f"/proc/{pid}/maps").read_bytes()
    except OSError:
        return False
