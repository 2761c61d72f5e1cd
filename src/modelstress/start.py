"""Where the command begins: a Ctrl-C while everything is still being imported ends it quietly."""

# what `signal` wraps; that one imports a dozen modules, and Ctrl-C in one would be a traceback
import _signal  # type: ignore[import-not-found]
import os
import sys

INTERRUPTED = 130


def main() -> None:
    """Run the command line."""
    if sys.prefix != sys.base_prefix:
        # an environment that is not activated: scripts of tools ask for its `python3`
        folder = os.path.dirname(sys.executable)  # noqa: PTH120 - pathlib imports a dozen modules
        folders = [folder, os.environ.get("PATH")]
        os.environ["PATH"] = os.pathsep.join(filter(None, folders))
    handler = _signal.getsignal(_signal.SIGINT)
    default = handler is _signal.default_int_handler  # a shell's background job ignores it
    if default:
        # an exception inside of a callback of compiled code would be printed and forgotten
        _signal.signal(_signal.SIGINT, _interrupted)
    try:
        from modelstress.cli import main as command

        if default:
            _signal.signal(_signal.SIGINT, handler)
        command(prog_name="modelstress")
    except KeyboardInterrupt:
        _interrupted(_signal.SIGINT, None)


def _interrupted(number: int, frame: object) -> None:
    """End at once, without putting half imported libraries in order."""
    os.write(sys.stderr.fileno(), b"interrupted\n")
    os._exit(INTERRUPTED)
