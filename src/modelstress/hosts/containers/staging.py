"""Files of programs on another machine: sent before the start, fetched after the end."""

from __future__ import annotations

import shutil
import tarfile
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from docker.errors import NotFound
from docker.types import Mount

import docker
from modelstress.config.errors import MeasureError
from modelstress.hosts.containers.daemon import LABEL, quietly, told

IN_MEMORY = 64 << 20
"""Bytes of an archive; a larger one goes through a temporary file."""
GIVEN = "given"
"""Where a volume is mounted while it is filled."""


class Copies:
    """Volumes of one host on another machine, at the same paths as the folders that they stand for.

    Args:
        client: of that machine's daemon.
        image: that it has; its container is created to fill a volume, and never started.
        mark: whose everything is.
        name: of the host.
        owner: user and group of the programs.
    """

    def __init__(
        self, client: docker.DockerClient, image: str, mark: str, name: str, owner: int
    ) -> None:
        self._client, self._image, self._mark = client, image, mark
        self._name, self._owner = name, owner
        self._volumes: dict[Path, Any] = {}

    def mounts(self, cwd: Path, reads: Sequence[Path], made: Sequence[Path] = ()) -> list[Mount]:
        """Volumes with a program's work folder and with what it reads.

        Args:
            cwd: the work folder; of what is in it, settings are copied.
            reads: files and folders elsewhere.
            made: folders below the work folder that must be there, empty.

        Raises:
            MeasureError: the daemon refused.
        """
        settings = [file for file in cwd.glob("*.json") if file.is_file()]
        empty = {folder for folder in cwd.iterdir() if folder.is_dir()}
        for folder in made:
            empty |= {folder, *folder.parents} - {cwd, *cwd.parents}
        self._fill(cwd, settings, sorted(empty))
        mounts = [Mount(str(cwd), self._volumes[cwd].name, type="volume")]
        for path in reads:
            folder = path if path.is_dir() else path.parent
            if folder not in self._volumes:
                files = sorted(path.rglob("*")) if path.is_dir() else [path]
                self._fill(folder, [file for file in files if file.is_file()])
            name = self._volumes[folder].name
            mounts.append(Mount(str(folder), name, type="volume", read_only=True))
        return mounts

    def fetch(self, container: Any, cwd: Path, names: Sequence[str]) -> None:
        """Copy files that a program wrote to its work folder; one that it did not write is none.

        Raises:
            MeasureError: the daemon refused, or sent what it should not; or there is no room here.
        """
        for name in names:
            what = f"file {name} of {self._name}"
            try:
                with told(what), tempfile.TemporaryFile() as packed:
                    chunks, _ = container.get_archive(str(cwd / name))
                    for chunk in chunks:
                        packed.write(chunk)
                    packed.seek(0)
                    with tarfile.open(fileobj=packed) as archive:
                        _extract(archive, what, cwd / name)
            except MeasureError as error:
                if not isinstance(error.__cause__, NotFound):
                    raise
            except (OSError, tarfile.TarError) as error:
                raise MeasureError(f"{what}: cannot be copied here: {error}") from error

    def _fill(self, folder: Path, files: Sequence[Path], empty: Sequence[Path] = ()) -> None:
        with told(f"files of {self._name}"):
            if folder not in self._volumes:
                self._volumes[folder] = self._client.volumes.create(labels={LABEL: self._mark})
            volume = self._volumes[folder].name
            filler = self._client.containers.create(
                self._image, ["true"], labels={LABEL: self._mark}, network_mode="none",
                mounts=[Mount(f"/{GIVEN}", volume, type="volume")],
            )  # fmt: skip
            try:
                with tempfile.SpooledTemporaryFile(max_size=IN_MEMORY) as packed:
                    self._pack(packed, folder, files, empty)
                    packed.seek(0)
                    filler.put_archive("/", packed)
            finally:
                quietly(lambda: filler.remove(force=True))

    def _pack(self, to: Any, folder: Path, files: Sequence[Path], empty: Sequence[Path]) -> None:
        with tarfile.open(fileobj=to, mode="w") as archive:
            for place in (folder, *empty):
                entry = tarfile.TarInfo(str(Path(GIVEN) / place.relative_to(folder)))
                entry.type, entry.mode = tarfile.DIRTYPE, 0o700
                entry.uid = entry.gid = self._owner
                archive.addfile(entry)
            for file in files:
                entry = archive.gettarinfo(str(file), str(Path(GIVEN) / file.relative_to(folder)))
                entry.uid = entry.gid = self._owner
                with file.open("rb") as data:
                    archive.addfile(entry, data)


def _extract(archive: tarfile.TarFile, what: str, to: Path) -> None:
    """Write the one file that an archive should have."""
    entry = archive.next()
    data = None if entry is None else archive.extractfile(entry)
    if data is None:
        raise MeasureError(f"{what}: is no file")
    with data, to.open("wb") as out:
        shutil.copyfileobj(data, out)
