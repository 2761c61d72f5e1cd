"""The conversation with the controller, one line each way (docs/contracts.md, "Client program")."""

from __future__ import annotations

import json
import math
import os
import queue
import signal
import sys
import threading
import time
from typing import IO, Any, NoReturn

from modelstress.driver.failures import Failures
from modelstress.driver.generator import LoadGenerator, Result, StoppedError, Verdict

PROGRESS_NS = 500_000_000
CLOSING_S = 2.0
ABORTING_S = 4.0
TERMINATED = 143
SIGNALS = (signal.SIGTERM, signal.SIGINT)


class Console:
    """Standard output for the conversation alone: what drivers print goes to standard error."""

    def __init__(self) -> None:
        self._out = os.fdopen(os.dup(1), "w", encoding="utf-8")
        self.lines: IO[str] = os.fdopen(os.dup(0), encoding="utf-8", errors="replace")
        os.dup2(2, 1)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        self._lock = threading.Lock()

    def say(self, word: str, fields: dict[str, Any]) -> None:
        """Say one line; a controller that has gone is noticed by the end of its lines."""
        try:
            with self._lock:
                self._out.write(f"{word} {json.dumps(fields)}\n")
                self._out.flush()
        except OSError:
            pass


class Conversation:
    """Whoever ends it first decides how the file is closed.

    That is the last execution, the end of standard input, or a signal.
    """

    def __init__(self, console: Console, generator: LoadGenerator, failures: Failures) -> None:
        self._console, self._generator, self._failures = console, generator, failures
        self._commands: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._ending = threading.Lock()  # taken once, by who ends it
        self._finishing = threading.Lock()
        self._next_progress_ns = 0
        self._sliced = generator.slices_left > 1
        self._executions = self._cooldown = 0
        self._unasked = False

    def hold(self) -> None:
        """Hold it until everything is measured and the file closed.

        When it ends otherwise (end of input, signal) the process ends with exit code 143.
        """
        # in all threads, which inherit this; the one below waits for them
        signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
        threading.Thread(target=self._await_signal, name="signals", daemon=True).start()
        self._generator.start()
        self._say("READY", pid=os.getpid(), clock_ns=time.monotonic_ns())
        threading.Thread(target=self._read, name="controller", daemon=True).start()
        try:
            self._obey()
        except StoppedError as stopped:
            self._give_up(stopped.__cause__)
        except Exception as error:
            self._give_up(error)

    def _obey(self) -> None:
        warm = False
        while True:
            command = self._commands.get()
            if command == "WARM":
                self._unasked = False
                self._generator.warm_up(self)
                warm = True
            elif command == "GO":
                if not warm:
                    self._unasked = True
                    while self._generator.warmups_left:
                        self._generator.warm_up(self)
                warm = True
                if self._slice():
                    return
            elif command == "PAUSE":
                self._say("PAUSED")  # what a warm-up's rule had going on has ended
            else:
                print(f"not understood: {command}", file=sys.stderr)

    def _slice(self) -> bool:
        """Measure one slice of the window; whether it was the last."""
        result = self._generator.measure(self)
        self._executions += result.executions
        self._cooldown += result.cooldown
        if self._sliced:
            self._say("SLICED", executions=result.executions, cooldown=result.cooldown)
        if self._generator.slices_left:
            return False
        self._finish()
        return True

    def _finish(self) -> None:
        with self._finishing:  # the HELD that ended the last executions comes before DONE
            if not self._ending.acquire(blocking=False):
                _wait_for_end()
            self._generator.close(CLOSING_S)
            self._tell_failures()
            self._say("DONE", executions=self._executions, cooldown=self._cooldown)

    def _give_up(self, cause: BaseException | None) -> NoReturn:
        """A thread met a failure (the cause), or the end of the process has begun (no cause)."""
        if cause is None or not self._ending.acquire(blocking=False):
            _wait_for_end()
        self._generator.abort()
        raise cause

    def _await_signal(self) -> None:
        signal.sigwait(SIGNALS)
        self._terminate()

    def _read(self) -> None:
        for line in self._console.lines:
            self._hear(line.strip())
        self._terminate()

    def _hear(self, line: str) -> None:
        """What must be answered while load runs is answered here."""
        word, _, rest = line.partition(" ")
        if word == "PING":
            self._say("PONG", clock_ns=time.monotonic_ns())
        elif word in ("WEDGED", "RESUME"):
            try:
                message = json.loads(rest)
                self._wedged(message) if word == "WEDGED" else self._resume(message)
            except (ValueError, LookupError, TypeError, AttributeError) as error:
                print(f"not understood ({error}): {line}", file=sys.stderr)
        elif word:
            self._commands.put(line)

    def _wedged(self, message: dict[str, Any]) -> None:
        reason = str(message["reason"])
        with self._finishing:
            self._say("HELD", timeouts=self._generator.hold(reason))

    def _resume(self, message: dict[str, Any]) -> None:
        if "endpoints" in message:
            self._generator.resume({str(k): str(v) for k, v in message["endpoints"].items()})
        else:
            self._generator.resume(str(message["endpoint"]))

    def _terminate(self) -> None:
        """End of input or a signal: keep what was measured, the rest is unfinished, be gone."""
        if not self._ending.acquire(blocking=False):
            return
        # a controller that no longer reads would hold us up while we tell it the last failures
        late = threading.Timer(ABORTING_S, os._exit, (TERMINATED,))
        late.daemon = True
        late.start()
        try:
            self._generator.abort()
            self._tell_failures()
        except Exception as error:
            print(f"error: closing the sample file failed: {error}", file=sys.stderr, flush=True)
        os._exit(TERMINATED)

    def warmed(self, result: Result, verdict: Verdict | None) -> None:
        """Say that the warm-up, or its slice, is over, where it was asked for."""
        self._tell_failures()
        if self._unasked:
            return
        said: dict[str, Any] = {"executions": result.executions, "seconds": result.seconds}
        if verdict is not None:
            change = None if math.isnan(verdict.change) else verdict.change
            said |= {"steady": verdict.steady, "change": change}
        self._say("WARMED", **said)

    def released(self) -> bool:
        """Whether the controller has asked for the window, or for a pause before it."""
        return self._unasked or not self._commands.empty()

    def progress(self, said: dict[str, Any]) -> None:
        """Say how things stand, at most twice a second."""
        self._tell_failures()
        now = time.monotonic_ns()
        if now >= self._next_progress_ns and not self._ending.locked():
            self._next_progress_ns = now + PROGRESS_NS
            self._say("PROGRESS", **said)

    def window_ended(self, clock_ns: int) -> None:
        """The last measured execution has ended."""
        self._say("WINDOW", clock_ns=clock_ns)

    def _tell_failures(self) -> None:
        while (detail := self._failures.poll()) is not None:
            operation, outcome, message = detail
            self._say("DETAIL", operation=operation, outcome=outcome, message=message)

    def _say(self, word: str, **fields: Any) -> None:
        self._console.say(word, fields)


def _wait_for_end() -> NoReturn:
    while True:
        time.sleep(ABORTING_S)
