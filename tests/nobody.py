"""Python as a user without any right, wherever this project and its environment lie.

Both are mounted where nobody may read them, in a mount namespace that ends with the program: a
checkout or a Python below root's home cannot be read otherwise. Only root does that; everybody else
is nobody enough.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from modelstress.config.project import Project

NOBODY = 65534
DEBIAN = "/usr/bin/python3"
"""The environment's own interpreter may lie where nobody can run it."""
MOUNT = 'while [ "$1" != -- ]; do mount --bind "$1" "$2" || exit; shift 2; done; shift; exec "$@"'


def uid() -> int:
    """Who the program runs as."""
    return NOBODY if os.geteuid() == 0 else os.geteuid()


def python(folder: Path) -> list[str]:
    """Begin of a command line that runs Python with this project's packages as nobody.

    Args:
        folder: that the program works in; it is given to nobody, with what is in it.
    """
    if os.geteuid() != 0:
        return [sys.executable]
    _open(folder)
    root = Project.find(Path(__file__)).root
    project = _seen(folder)
    packages = [path for path in sys.path if Path(path).name == "site-packages"]
    sites = [folder.parent / f"packages-{n}-of-{folder.name}" for n in range(len(packages))]
    for place in (project, *sites):
        place.mkdir(exist_ok=True)
        _open(place)
    paths = [project / "src", project / "tests", project / "tests" / "fakes", *sites]
    environment = [f"PYTHONPATH={os.pathsep.join(map(str, paths))}", f"HOME={folder}"]
    pairs = ((root, project), *zip(packages, sites, strict=True))
    mounted = [str(path) for pair in pairs for path in pair]
    user = [f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
    return [
        *("unshare", "--mount", "--", "sh", "-c", MOUNT, "sh", *mounted, "--"),
        *("setpriv", *user, "--", "env", *environment, DEBIAN),
    ]


def seen(folder: Path, file: Path) -> str:
    """Path of one of the project's files as the program of ``python(folder)`` sees it."""
    if os.geteuid() != 0:
        return str(file)
    root = Project.find(Path(__file__)).root
    return str(_seen(folder) / file.relative_to(root))


def _seen(folder: Path) -> Path:
    return folder.parent / f"project-of-{folder.name}"


def _open(folder: Path) -> None:
    """Give a folder to nobody."""
    for path in (folder, *folder.rglob("*")):
        os.chown(path, NOBODY, NOBODY, follow_symlinks=False)
    passable(folder)


def passable(folder: Path) -> None:
    """Let everybody pass the folders above one: pytest's are the caller's only."""
    for parent in folder.parents:
        if parent != Path("/") and parent.stat().st_mode & 0o005 != 0o005:
            parent.chmod(parent.stat().st_mode | 0o055)
