"""Where the command begins: a Ctrl-C while everything is still being imported ends it quietly."""

import os
import sys

INTERRUPTED = 130


def main() -> None:
    """Run the command line."""
    try:
        from modelstress.cli import main as command

        command(prog_name="modelstress")
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        sys.stderr.flush()
        os._exit(INTERRUPTED)  # libraries that are half imported have nothing to put in order
