"""Where the command begins: a Ctrl-C while everything is still being imported ends it quietly."""

import os
import sys

from modelstress.importing import Importing, interrupted


def main() -> None:
    """Run the command line."""
    if sys.prefix != sys.base_prefix:
        # an environment that is not activated: scripts of tools ask for its `python3`
        folder = os.path.dirname(sys.executable)  # noqa: PTH120 - pathlib imports a dozen modules
        folders = [folder, os.environ.get("PATH")]
        os.environ["PATH"] = os.pathsep.join(filter(None, folders))
    try:
        with Importing():
            from modelstress.cli import main as command
        command(prog_name="modelstress")
    except KeyboardInterrupt:
        interrupted()
