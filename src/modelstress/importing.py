"""Ctrl-C while libraries are imported: it ends the program at once, without a traceback."""

# what `signal` wraps; that one imports a dozen modules, and Ctrl-C in one would be a traceback
import _signal  # type: ignore[import-not-found]
import os
import sys

INTERRUPTED = 130


class Importing:
    """While libraries are imported, Ctrl-C ends the program at once.

    As an exception inside of a callback of compiled code, it would be printed and forgotten.
    """

    def __enter__(self) -> None:
        """Take Ctrl-C over, in the main thread and where it has Python's own handler."""
        found = _signal.getsignal(_signal.SIGINT)
        self._taken = found is _signal.default_int_handler  # a shell's background job ignores it
        if self._taken:
            self._set(interrupted)

    def __exit__(self, *_: object) -> None:
        """Give it back."""
        if self._taken:
            self._set(_signal.default_int_handler)

    @staticmethod
    def _set(handler: object) -> None:
        try:
            _signal.signal(_signal.SIGINT, handler)
        except ValueError:  # not the main thread, which alone gets signals
            return


def interrupted(*_: object) -> None:
    """End at once, without putting half imported libraries in order."""
    os.write(sys.stderr.fileno(), b"interrupted\n")
    os._exit(INTERRUPTED)
