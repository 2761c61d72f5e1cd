"""Making models: generated, extracted from Java sources, or somebody's own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from modelstress.config.base import read_model
from modelstress.config.errors import ConfigError, MeasureError, MissingError, ModelstressError
from modelstress.config.packages import how_to_get
from modelstress.config.project import Project
from modelstress.measure.java import find_java
from modelstress.measure.programs import hygiene
from modelstress.samples.files import read_json
from modelstress.samples.provenance import sha256_file
from modelstress.workloads.queries import files
from modelstress.workloads.queries.jdt_ladder import Ladder, Sources
from modelstress.workloads.queries.study import JdtModel, Model, OwnModel, TrainModel

COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy"
FETCH_S = 600
"""Deadline of one download, seconds."""

MAIN = "org.modelstress.models.Main"

HEAP = "-Xmx1536m"
"""Enough to extract the largest step of the ladder."""

EXITS: dict[int, type[ModelstressError]] = {2: ConfigError, 3: ConfigError}
"""Exit code of the ``models`` program to what it means here: arguments or a model are wrong."""


def store_model(project: Project, name: str, described: Model) -> tuple[Path, bool]:
    """Make a model of a study where every tool looks for it, unless it is there.

    Somebody's own model is made again when its files are not the ones it was made of.

    Args:
        project: where everything is.
        name: of the model.
        described: how it is made.

    Returns:
        The model's file, and whether it had to be made.

    Raises:
        ModelstressError: as ``build_model``.
    """
    target = files.model_file(project, name)
    if target.is_file() and _is_of_now(project, described, target):
        return target, False
    if isinstance(described, TrainModel):
        target.parent.mkdir(parents=True, exist_ok=True)
        build_model(project, described, target)
        return target, True
    if not target.is_file() and target.parent.is_dir():
        shutil.rmtree(target.parent)  # what Snakemake made beforehand or left of an older model
    target.parent.parent.mkdir(parents=True, exist_ok=True)
    build_model(project, described, target.parent)
    return target, True


def build_model(project: Project, described: Model, output: Path) -> None:
    """Make a model, whole or not at all.

    Args:
        project: where programs and sources are.
        described: how it is made.
        output: a model file for the Train Benchmark, otherwise the model's folder.

    Raises:
        MissingError: a program or file is not there.
        ConfigError: the sources or own files are not what they should be; says where.
        MeasureError: the program failed; says why.
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
    jars = [fetch(project, ladder.group, sources) for sources in ladder.sources(described.step)]
    named = [word for jar in jars for word in ("--jar", str(jar))]
    wanted = ["--split", described.split, "--output", str(output), "--json"]
    summary = json.loads(_run(project, "jdt", *named, *wanted, flags=[HEAP]))
    step = ladder.steps[described.step]
    for name in ("units", "nodes", "singletons"):
        if summary[name] != getattr(step, name):
            shutil.rmtree(output, ignore_errors=True)
            raise ConfigError(
                f"config/jdt-ladder.yaml: steps.{described.step}.{name} is {getattr(step, name)}, "
                f"but {summary[name]} were found; the counts belong to one version of Eclipse JDT"
            )
    return dict(summary)


def fetch(project: Project, group: str, sources: Sources) -> Path:
    """A jar of sources: beside ``models.jar`` or in ``data/stores/sources``, else fetched by Maven.

    Raises:
        MissingError: it cannot be fetched.
        ConfigError: its hash is not the pinned one.
    """
    folder = project.stores / "sources"
    name = f"{sources.artifact}-{sources.version}-sources.jar"
    built = files.models_jar(project).parent / "sources" / name
    jar = built if built.is_file() else folder / name
    if jar.is_file():
        if sha256_file(jar) != sources.sha256:
            raise ConfigError(
                f"{jar} has another sha256 than config/jdt-ladder.yaml says; remove it, and it is "
                "fetched again"
            )
        return jar
    coordinates = f"{group}:{sources.artifact}:{sources.version}:jar:sources"
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".fetch-", dir=folder) as scratch:
        fetched = Path(scratch) / jar.name
        _copy_by_maven(coordinates, fetched)
        if (sha256 := sha256_file(fetched)) != sources.sha256:
            raise ConfigError(
                f"config/jdt-ladder.yaml: sha256 of {coordinates} is {sources.sha256}, but what "
                f"Maven fetches has {sha256}; do not use it"
            )
        fetched.rename(jar)
    return jar


def _copy_by_maven(coordinates: str, target: Path) -> None:
    """Have Maven copy an artifact; whatever is wrong is a ``MissingError``."""
    maven = shutil.which("mvn")
    if maven is None:
        raise MissingError(
            f"Maven, which fetches {coordinates}, is not there; install it (Debian: apt-get "
            "install maven)"
        )
    options = [f"-Dartifact={coordinates}", f"-DoutputDirectory={target.parent}"]
    try:
        done = subprocess.run(
            [maven, "-B", "-ntp", "-q", COPY, *options], cwd=target.parent,
            check=False, timeout=FETCH_S, capture_output=True, text=True,
        )  # fmt: skip
    except subprocess.TimeoutExpired as error:
        raise MissingError(
            f"{coordinates} was not fetched by Maven within {FETCH_S} s; try again"
        ) from error
    if done.returncode != 0 or not target.is_file():
        errors = [line for line in done.stdout.splitlines() if "ERROR" in line]
        why = errors[0].removeprefix("[ERROR]").strip()[:300] if errors else "it does not say why"
        raise MissingError(f"{coordinates} cannot be fetched by Maven: {why}")


def import_model(project: Project, described: OwnModel, output: Path) -> None:
    """Check somebody's own metamodels and model files and copy them.

    Raises:
        ConfigError: a pattern matches nothing, or the files do not fit together; says where.
    """
    metamodels, files = own_files(project, described)
    arguments = [word for file in metamodels for word in ("--metamodel", str(file))]
    arguments += [word for file in files for word in ("--file", str(file))]
    _run(project, "import", *arguments, "--output", str(output), "--json")


def own_files(project: Project, described: OwnModel) -> tuple[list[Path], list[Path]]:
    """The metamodels and the model files of somebody's own model, in their order.

    A file that several patterns match has its first place.

    Raises:
        ConfigError: a pattern matches no file, or is no path below the project's folder.
    """
    paths_by_field: dict[str, list[Path]] = {}
    for field in ("metamodels", "files"):
        matched: dict[Path, None] = {}
        for pattern in getattr(described, field):
            below = [] if Path(pattern).is_absolute() else sorted(project.root.glob(pattern))
            named = [file for file in below if file.is_file()]
            if not named:
                names = (
                    f"{n!r} " for n, model in files.models(project).items() if model == described
                )
                raise ConfigError(
                    f"model {next(names, '')}of case {described.case!r}: field '{field}': "
                    f"{pattern!r} matches no file; paths are relative to the project's folder, "
                    f"{project.root}"
                )
            matched |= dict.fromkeys(named)
        paths_by_field[field] = list(matched)
    return paths_by_field["metamodels"], paths_by_field["files"]


def _is_of_now(project: Project, described: Model, target: Path) -> bool:
    """Whether a model in its place was made of the files that its own model has now."""
    if not isinstance(described, OwnModel):
        return True
    made = read_json(target)
    return all(
        [(file.name, sha256_file(file)) for file in files]
        == [(Path(entry["path"]).name, entry["sha256"]) for entry in made.get(field, [])]
        for field, files in zip(("metamodels", "files"), own_files(project, described), strict=True)
    )


def run_models(project: Project, *arguments: str) -> int:
    """Run the ``models`` program; its exit code. Its messages are already for people."""
    return subprocess.run(models_argv(project, [], arguments), check=False).returncode


def _run(project: Project, *arguments: str, flags: list[str] | None = None) -> str:
    """Run the ``models`` program; what it answered. Its progress goes on to stderr."""
    with subprocess.Popen(
        models_argv(project, flags or [], arguments),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as program:  # fmt: skip
        cause = ""
        for line in program.stderr or ():
            if line.startswith("error: "):
                cause = line.removeprefix("error: ").strip()
            else:
                sys.stderr.write(line)
        answer = program.stdout.read() if program.stdout else ""
    if program.returncode != 0:
        error = EXITS.get(program.returncode, MeasureError)
        raise error(cause or f"models {arguments[0]}: failed with code {program.returncode}")
    return answer


def models_argv(project: Project, flags: Sequence[str], arguments: Sequence[str]) -> list[str]:
    """How the ``models`` program is started.

    Raises:
        MissingError: its jar or Java is not there.
    """
    jar = files.models_jar(project)
    if not jar.is_file():
        raise MissingError(f"{jar} is not there; {how_to_get()}")
    # Eclipse JDT lies beside the jar, on the class path of this command only
    path = [str(jar), str(jar.parent / "jdt" / "*")] if arguments[0] == "jdt" else [str(jar)]
    java = [
        find_java().program,
        "-XX:+UseSerialGC",
        *hygiene(None),
        *flags,
        "-cp",
        os.pathsep.join(path),
    ]
    return [*java, MAIN, *arguments]
