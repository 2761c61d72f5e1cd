"""Images: a base of Debian packages, and on it one for each tool; made once, found by content."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import shutil
import signal
import subprocess
import tarfile
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import Any

from docker.errors import ImageNotFound

import docker
from modelstress.config.errors import MeasureError, MissingError
from modelstress.config.project import Project
from modelstress.config.tool import Tool
from modelstress.hosts.containers.daemon import LABEL, connect, told
from modelstress.samples.provenance import sha256_jar

BASE = "modelstress/base"
INSIDE = "/opt/modelstress"
"""Where a tool's jars are in its image."""
HEALTHY = "/opt/healthy"
SUITE = "bookworm"
BUILDING_S = 1800
"""Deadline of a build; the base is made of packages that are fetched first."""
ENDING_S = 30
"""How long what makes the base may take to clean up when it is told to end."""
EPOCH = 1704067200
"""Time of every file in an image, so that the same files give the same layer."""
Tell = Callable[[str], None]


def base_tag(folder: Path) -> str:
    """Name of the base image, by what it is made from.

    Args:
        folder: ``docker/`` of the project.
    """
    recipe = _text(folder / "base.sh") + SUITE
    return f"{BASE}:{hashlib.sha256(recipe.encode()).hexdigest()[:12]}"


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except OSError as error:
        raise MissingError(
            f"{file}: {error.strerror}; executor 'docker' makes its images from the project's "
            "folder docker/ (copy it from modelstress)"
        ) from error


def tool_tag(name: str, jar: Path, folder: Path, base: str | None = None) -> str:
    """Name of a tool's image, by its base and its jars.

    Args:
        name: of the tool.
        jar: of the tool, with ``lib/`` beside it.
        folder: ``docker/`` of the project.
        base: name of another base image than our own.
    """
    texts = [_text(folder / file) for file in ("Dockerfile", "healthy")]
    recipe = "\n".join([base or base_tag(folder), sha256_jar(jar), *texts])
    return f"modelstress/{name}:{hashlib.sha256(recipe.encode()).hexdigest()[:12]}"


def has(client: docker.DockerClient, tag: str) -> bool:
    """Whether a daemon has an image."""
    with told(f"image {tag}"):
        try:
            client.images.get(tag)
        except ImageNotFound:
            return False
    return True


def needed(context: str, project: Project, tool: Tool) -> str:
    """Name of a tool's image, which a daemon must have.

    Args:
        context: of the daemon.
        project: with the tool's jar and ``docker/``.
        tool: of the image.

    Raises:
        MissingError: the daemon does not answer or has no such image.
    """
    base = project.main.base_on(context)
    tag = tool_tag(tool.tool, project.jar(tool), project.root / "docker", base)
    if not has(connect(context), tag):
        raise MissingError(
            f"context {context!r} has no image {tag} of tool {tool.tool!r}; make it with "
            "'modelstress images'"
        )
    return tag


def build_base(client: docker.DockerClient, folder: Path, tell: Tell) -> str:
    """Make the base image, unless the daemon has it.

    Returns:
        Its name.

    Raises:
        MissingError: mmdebstrap is not there, or this process is not root.
        MeasureError: it failed.
    """
    tag = base_tag(folder)
    if has(client, tag):
        return tag
    if shutil.which("mmdebstrap") is None:
        raise MissingError(
            "the base image is made by mmdebstrap, which is not on PATH (apt-get install "
            "mmdebstrap)"
        )
    if os.geteuid() != 0:
        raise MissingError("the base image is made by mmdebstrap as root; run this once as root")
    tell(f"making {tag} from Debian packages (a minute or two)")
    with tempfile.TemporaryDirectory(prefix="modelstress-base-") as made:
        archive = Path(made) / "base.tar"
        argv = [str(folder / "base.sh"), SUITE, str(archive)]
        try:
            code, text = _ended(argv)
        except subprocess.TimeoutExpired as error:
            raise MeasureError(f"{argv[0]}: not ended after {BUILDING_S} s") from error
        if code != 0:
            lines = text.strip().splitlines() or [f"exit code {code}"]
            raise MeasureError(f"{argv[0]}: {lines[-1]}")
        repository, _, version = tag.partition(":")
        with told(f"image {tag}"), archive.open("rb") as data:
            client.api.import_image_from_data(
                data, repository=repository, tag=version, changes=[f"LABEL {LABEL}=image"]
            )
    return tag


def _ended(argv: Sequence[str]) -> tuple[int, str]:
    """Exit code of a program and what it complained about; what it started ends with it."""
    program = subprocess.Popen(
        argv, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    try:
        _, stderr = program.communicate(timeout=BUILDING_S)
    except BaseException:
        _end(program)
        raise
    return program.returncode, stderr


def _end(program: subprocess.Popen[str]) -> None:
    """End a program and what it started; mmdebstrap unmounts and deletes what it made, if let."""
    try:
        with suppress(ProcessLookupError):
            os.killpg(program.pid, signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            program.communicate(timeout=ENDING_S)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(program.pid, signal.SIGKILL)
        program.wait()


def copied(image: str, source: docker.DockerClient, to: docker.DockerClient) -> None:
    """Bring an image from one daemon to another one: the same bytes on all machines.

    Raises:
        MeasureError: a daemon refused.
    """
    if not has(to, image):
        with told(f"image {image}"), tempfile.TemporaryFile() as packed:
            for chunk in source.images.get(image).save(named=True):
                packed.write(chunk)
            packed.seek(0)
            to.images.load(packed)


def build_tool(
    client: docker.DockerClient, name: str, jar: Path, folder: Path, base: str | None, tell: Tell
) -> str:
    """Make a tool's image, unless the daemon has it; before it our base, where it builds on that.

    Args:
        client: of the daemon.
        name: of the tool.
        jar: of the tool.
        folder: ``docker/`` of the project.
        base: name of another base image than our own.
        tell: told what takes time.

    Returns:
        Its name.

    Raises:
        MissingError: our base cannot be made here; see ``build_base``.
        MeasureError: the build failed.
    """
    tag = tool_tag(name, jar, folder, base)
    if has(client, tag):
        return tag
    below = base or build_base(client, folder, tell)
    tell(f"making {tag}")
    with told(f"image {tag}"):
        client.images.build(
            fileobj=build_context(jar, folder), custom_context=True, encoding="gzip", tag=tag,
            rm=True, forcerm=True, buildargs={"BASE_IMAGE": below}, labels={LABEL: "image"},
            timeout=BUILDING_S,
        )  # fmt: skip
    return tag


def build_context(jar: Path, folder: Path) -> io.BytesIO:
    """What a tool's image is built from: the Dockerfile, the health check and the jars.

    Owners, times and order are always the same.
    """
    root = jar.parent
    files = {"Dockerfile": folder / "Dockerfile", f"root{HEALTHY}": folder / "healthy"}
    files |= {f"root{INSIDE}/{f.relative_to(root)}": f for f in sorted(_files(root))}
    packed = io.BytesIO()
    with (
        gzip.GzipFile(fileobj=packed, mode="wb", mtime=EPOCH, compresslevel=1) as zipped,
        tarfile.open(fileobj=zipped, mode="w", format=tarfile.PAX_FORMAT) as archive,
    ):
        folders = {str(parent) for name in files for parent in PurePosixPath(name).parents}
        for name in sorted(folders - {"."}):
            entry = tarfile.TarInfo(name)
            entry.type, entry.mode, entry.mtime = tarfile.DIRTYPE, 0o755, EPOCH
            archive.addfile(entry)
        for name, file in sorted(files.items()):
            entry = tarfile.TarInfo(name)
            entry.size, entry.mtime = file.stat().st_size, EPOCH
            entry.mode = 0o755 if os.access(file, os.X_OK) else 0o644
            with file.open("rb") as data:
                archive.addfile(entry, data)
    packed.seek(0)
    return packed


def _files(root: Path) -> Iterator[Path]:
    return (file for file in root.rglob("*") if file.is_file())


def layers(client: docker.DockerClient, tag: str) -> list[str]:
    """Hashes of an image's layers, for provenance: the same bytes have the same."""
    with told(f"image {tag}"):
        image: Any = client.images.get(tag)
    return [str(layer) for layer in image.attrs["RootFS"]["Layers"]]
