"""Making models: generated, extracted from Java sources, or somebody's own."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from modelstress.config.base import read_model
from modelstress.config.errors import ConfigError, MeasureError, MissingError
from modelstress.config.ladder import Ladder, Sources
from modelstress.config.project import Project
from modelstress.config.study import JdtModel, Model, OwnModel, TrainModel
from modelstress.measure.java import find_java
from modelstress.samples.provenance import sha256_file

COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy"
FETCH_S = 600
"""Deadline of one download, seconds."""

HEAP = "-Xmx1536m"
"""Enough to extract the largest step of the ladder."""


def build_model(project: Project, described: Model, output: Path) -> None:
    """Make a model, whole or not at all.

    Args:
        project: where programs and sources are.
        described: how it is made.
        output: a model file for the Train Benchmark, otherwise the model's folder.

    Raises:
        MissingError: a program or file is not there.
        ConfigError: the sources or own files are not what they should be.
        MeasureError: the program failed; it has said why.
    """
    if isinstance(described, TrainModel):
        arguments = [
            *("--line", described.line, "--scenario", described.scenario),
            *("--size", str(described.size), "--seed", str(described.seed)),
        ]
        _run(project, "train", *arguments, "--output", str(output))
    elif isinstance(described, JdtModel):
        extract(project, described, output)
    else:
        import_model(project, described, output)


def extract(project: Project, described: JdtModel, output: Path) -> dict[str, Any]:
    """Extract a step of the ladder from its sources, which are fetched if they are not there.

    Returns:
        ``model`` (its ``model.json``), ``units``, ``nodes``, ``elements``, ``singletons``.

    Raises:
        ConfigError: the sources are not the pinned ones, or the counts not the ladder's.
    """
    ladder = read_model(Ladder, project.root / "config" / "jdt-ladder.yaml")
    jars = [fetch(project, ladder.group, each) for each in ladder.sources(described.step)]
    named = [word for jar in jars for word in ("--jar", str(jar))]
    with tempfile.TemporaryDirectory(prefix="modelstress-") as folder:
        said = _run(
            project, "jdt", *named, "--split", described.split, "--output", str(output), "--json",
            answer=Path(folder) / "answer.json", flags=[HEAP],
        )  # fmt: skip
    step = ladder.steps[described.step]
    for name in ("units", "nodes", "singletons"):
        if said[name] != getattr(step, name):
            shutil.rmtree(output, ignore_errors=True)
            raise ConfigError(
                f"config/jdt-ladder.yaml: steps.{described.step}.{name} is {getattr(step, name)}, "
                f"but {said[name]} were found; the counts belong to one version of Eclipse JDT"
            )
    return said


def fetch(project: Project, group: str, sources: Sources) -> Path:
    """A jar of sources in ``data/stores/sources``, fetched by Maven and checked.

    Raises:
        MissingError: it cannot be fetched.
        ConfigError: its hash is another one.
    """
    folder = project.stores / "sources"
    jar = folder / f"{sources.artifact}-{sources.version}-sources.jar"
    if not jar.is_file():
        maven = shutil.which("mvn")
        if maven is None:
            raise MissingError("Maven is not there; install it (Debian: apt-get install maven)")
        coordinates = f"{group}:{sources.artifact}:{sources.version}:jar:sources"
        options = [f"-Dartifact={coordinates}", f"-DoutputDirectory={folder}"]
        try:
            done = subprocess.run(
                [maven, "-B", "-ntp", "-q", COPY, *options],
                check=False, timeout=FETCH_S, capture_output=True, text=True,
            )  # fmt: skip
        except subprocess.TimeoutExpired as error:
            raise MissingError(f"{coordinates} was not fetched within {FETCH_S} s") from error
        if done.returncode != 0 or not jar.is_file():
            why = next((line for line in done.stdout.splitlines() if "ERROR" in line), "")
            raise MissingError(f"{coordinates} cannot be fetched by Maven: {why[:300]}")
    found = sha256_file(jar)
    if found != sources.sha256:
        raise ConfigError(
            f"{jar} has sha256 {found}, not that of config/jdt-ladder.yaml; remove it and try again"
        )
    return jar


def import_model(project: Project, described: OwnModel, output: Path) -> None:
    """Check somebody's own metamodels and model files and copy them.

    Raises:
        ConfigError: a pattern matches nothing.
        MeasureError: they do not fit together; the program has said where.
    """
    arguments = []
    for option, field in (("--metamodel", "metamodels"), ("--file", "files")):
        for pattern in getattr(described, field):
            found = sorted(project.root.glob(pattern)) if not Path(pattern).is_absolute() else []
            found = [file for file in found if file.is_file()]
            if not found:
                raise ConfigError(
                    f"model of case {described.case!r}: field '{field}': {pattern!r} matches no "
                    f"file below {project.root}"
                )
            arguments += [word for file in found for word in (option, str(file))]
    _run(project, "import", *arguments, "--output", str(output), "--json")


def run_models(project: Project, *arguments: str) -> int:
    """Run the ``models`` program; its exit code. Its messages are already for people."""
    return subprocess.run(_argv(project, [], arguments), check=False).returncode


def _run(
    project: Project, *arguments: str, answer: Path | None = None, flags: list[str] | None = None
) -> dict[str, Any]:
    """Run the ``models`` program; what it answered, if that is wanted in a file."""
    argv = _argv(project, flags or [], arguments)
    if answer is None:
        code = subprocess.run(argv, check=False).returncode
    else:
        with answer.open("wb") as out:
            code = subprocess.run(argv, check=False, stdout=out).returncode
    if code != 0:
        raise MeasureError(f"models {arguments[0]}: failed with code {code}")
    return {} if answer is None else dict(json.loads(answer.read_text(encoding="utf-8")))


def _argv(project: Project, flags: list[str], arguments: tuple[str, ...]) -> list[str]:
    jar = project.models_jar
    if not jar.is_file():
        raise MissingError(f"{jar} is not there; build it with 'make build'")
    return [find_java().program, "-XX:+UseSerialGC", *flags, "-jar", str(jar), *arguments]
