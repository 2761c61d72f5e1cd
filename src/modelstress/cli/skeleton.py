"""A new tool's files, made from ``java-shims/example``: a skeleton that is tested as it stands."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from modelstress.config.errors import ConfigError
from modelstress.config.project import Project

NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
MODULE = "    <module>example</module>\n"


def write_tool(project: Project, name: str) -> list[Path]:
    """Write ``config/tools/<name>.yaml`` and ``java-shims/<name>``; add the Maven module.

    Returns:
        The files that were written or changed.

    Raises:
        ConfigError: the name is not a tool's name, or taken; the example is not there.
    """
    if not NAME.fullmatch(name):
        raise ConfigError(
            f"tool name {name!r}: use lower-case words joined by '-', such as 'my-store'"
        )
    descriptor = project.root / "config" / "tools" / f"{name}.yaml"
    module = project.root / "java-shims" / name
    for taken in (descriptor, module):
        if taken.exists():
            raise ConfigError(f"{taken} is there already; choose another name or remove it")
    example = project.root / "java-shims" / "example"
    if not (example / "pom.xml").is_file():
        raise ConfigError(
            f"{example}: is not there; a skeleton in Java is made in a clone of the repository, a "
            "workspace gets tools from packages (docs/own-tool.md, 'As a package')"
        )
    written = []
    sources = [p for p in sorted(example.rglob("*")) if p.is_file() and "target" not in p.parts]
    for source in sources:
        target = module / rename(str(source.relative_to(example)), name)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(rename(source.read_text(encoding="utf-8"), name), encoding="utf-8")
        shutil.copymode(source, target)
        written.append(target)
    text = descriptor.with_name("example.yaml").read_text(encoding="utf-8")
    descriptor.write_text(rename(text, name), encoding="utf-8")
    pom = project.root / "java-shims" / "pom.xml"
    modules = pom.read_text(encoding="utf-8")
    pom.write_text(
        modules.replace(MODULE, MODULE + MODULE.replace("example", name)), encoding="utf-8"
    )
    return [*written, descriptor, pom]


def rename(text: str, name: str) -> str:
    """``example`` becomes the tool's name, in the form that its place needs."""
    words = name.split("-")
    package, type_name = "".join(words), "".join(word.capitalize() for word in words)
    for place in ("org.modelstress.example", "org/modelstress/example"):
        text = text.replace(place, place.replace("example", package))
    return text.replace("Example", type_name).replace("example", name)
