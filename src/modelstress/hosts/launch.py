"""Set a new process's limits, then become the program; run by file name, never imported.

``subprocess`` can set none of these safely in a process with threads. Usage:
``python -I -S launch.py PARENT CPUS NOFILE PROGRAM [ARGUMENT…]`` where CPUS is ``0,2`` or ``-`` and
NOFILE a number or ``-``. Only the standard library, and little of it: this runs before every start.
"""

import ctypes
import os
import resource
import signal
import sys

PR_SET_PDEATHSIG = 1  # <linux/prctl.h>


def main(parent: str, cpus: str, nofile: str, *argv: str) -> None:
    """Never returns: becomes ``argv``, or exits with 127."""
    # A controller killed with SIGKILL cannot clean up: the kernel then ends what it started.
    try:
        death_signal = (
            ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL) == 0
        )
    except (AttributeError, OSError):
        death_signal = False
    if not death_signal:
        print("warning: no parent-death signal on this system: a killed controller leaves "
              "this program running", file=sys.stderr)  # fmt: skip
    if os.getppid() != int(parent):  # it died before prctl
        os._exit(128 + signal.SIGKILL)
    if cpus != "-":
        os.sched_setaffinity(0, [int(cpu) for cpu in cpus.split(",")])
    raise_nofile(nofile)
    try:
        os.execvp(argv[0], argv)  # noqa: S606
    except OSError as error:
        print(f"error: {argv[0]} cannot be started: {error.strerror}", file=sys.stderr)
        os._exit(127)


def raise_nofile(nofile: str) -> None:
    """Set the soft limit of open files to ``nofile``, or to the hard limit for ``-``."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = hard if nofile == "-" else int(nofile)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, max(wanted, hard)))
    except (OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        print(f"warning: at most {hard} open files instead of {wanted}; raise the hard limit "
              "(ulimit -Hn)", file=sys.stderr)  # fmt: skip


if __name__ == "__main__":
    main(*sys.argv[1:])
