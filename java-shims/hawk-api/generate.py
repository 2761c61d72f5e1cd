"""Generates src/main/java from src/main/thrift/hawk.thrift; --check says whether that is needed.

The Thrift compiler of Debian 12 (0.17) writes processors for libthrift up to 0.20, whose known
weaknesses were mended in 0.23 only. What newer ones want different is mechanical and is done here;
the asynchronous half of the code, 6,000 lines that nobody calls, is left out. Run by
``make thrift``.
"""

from __future__ import annotations

import argparse
import filecmp
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
IDL = HERE / "src/main/thrift/hawk.thrift"
JAVA = HERE / "src/main/java"
COMPILER = "0.17"
OPTIONS = "java:generated_annotations=suppress,private_members,unsafe_binaries"


def main() -> None:
    """Runs the program."""
    parser = argparse.ArgumentParser(description="Generates the Java code of Hawk's Thrift API.")
    parser.add_argument("--check", action="store_true", help="change nothing; exit 1 if stale")
    check = parser.parse_args().check
    require_compiler()
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder)
        generate(made)
        if check:
            stale = differences(made)
            if stale:
                sys.exit(f"error: {', '.join(stale)} not as generated from {IDL.name}: make thrift")
        else:
            shutil.rmtree(JAVA, ignore_errors=True)
            shutil.copytree(made, JAVA)


def require_compiler() -> None:
    """Ends the program unless the compiler is there in the version the adaptation is for."""
    program = shutil.which("thrift")
    if program is None:
        sys.exit("error: no Thrift compiler: install the package thrift-compiler of Debian 12")
    said = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=10)
    if f"version {COMPILER}." not in said.stdout:
        sys.exit(f"error: {said.stdout.strip()} is there, but version {COMPILER} is wanted")


def generate(into: Path) -> None:
    """Compiles the IDL and adapts the service."""
    subprocess.run(
        ["thrift", "-strict", "--gen", OPTIONS, "-out", str(into), str(IDL)],
        check=True,
        timeout=60,
    )
    service = next(into.rglob("Hawk.java"))
    service.write_text(adapted(service.read_text(encoding="utf-8")), encoding="utf-8")


def adapted(code: str) -> str:
    """The service's code for libthrift 0.21 and later, without its asynchronous half."""
    for member in (
        "interface AsyncIface",
        "static class AsyncClient",
        "static class AsyncProcessor",
    ):
        code, found = re.subn(rf"\n  public {member}\b.*?\n  }}\n", "\n", code, flags=re.DOTALL)
        expect(found == 1, member)
    code = re.sub(
        r"ProcessFunction<I, \? extends\s+(\S+?)>",
        r"ProcessFunction<I, ? extends \1, ? extends \1>",
        code,
    )
    code, found = re.subn(
        r"ProcessFunction<I, (\w+)_args> \{(.*?)protected boolean isOneway\(\)",
        lambda m: (
            f"ProcessFunction<I, {m[1]}_args, {m[1]}_result> {{{m[2]}"
            f"public {m[1]}_result getEmptyResultInstance() {{\n"
            f"        return new {m[1]}_result();\n      }}\n\n"
            "      @Override\n      public boolean isOneway()"
        ),
        code,
        flags=re.DOTALL,
    )
    expect(found > 0, "class Processor")
    return code


def expect(found: bool, what: str) -> None:
    """Ends the program if the compiler's code is not as it should be."""
    if not found:
        sys.exit(f"error: the code of the Thrift compiler has no {what}: adapt this program to it")


def differences(made: Path) -> list[str]:
    """Names of the files that are missing, too many or different."""
    names = {p.relative_to(made) for p in made.rglob("*.java")}
    there = {p.relative_to(JAVA) for p in JAVA.rglob("*.java")}
    wrong = names ^ there
    wrong |= {n for n in names & there if not filecmp.cmp(made / n, JAVA / n, shallow=False)}
    return sorted(n.name for n in wrong)


if __name__ == "__main__":
    main()
