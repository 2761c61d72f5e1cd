"""The conformance suite of the kind ``operations``: the ledger passes, and no mistake goes unseen.

The ledger of docs/own-study.md is the honest tool. Each mistake is one edit of a copy of it, and
the check that is meant to catch it does so, with a sentence of its own. The server:

1. says READY twice, 2. gives addresses that nobody asked for, 3. gives the number of another
process, 4. listens on all interfaces, 5. stays after SIGTERM, 6. accepts unknown keys, 7. ends with
another exit code, or 8. without a sentence, where its port is taken, 9. writes outside its work
folder, 10. uses what another server locks, 11. keeps a descriptor per session, 12. loses money,
13. does not start on the files of one that was killed.

The driver:

14. answers operations that it does not know, 15. gives no reason for an error, 16. finds right
answers wrong, 17. calls failures ok, 18. executes in another order, 19. ends a window early, or
20. late, 21. ends its load as soon as it is steady, 22. never closes a session, 23. calls aborted
what is unfinished, 24. does not hear that the server hangs, 25. does not wait between the slices
of a window.

The program of the invariant: 26. fails, 27. says nothing.
"""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from fake_cells import processes_of

from modelstress.config.project import Project
from modelstress.hosts import ProcessHost, kill_leftovers
from modelstress.measure import deadlines
from modelstress.measure.conformance import driving, leaking, run_checks, serving, slicing
from modelstress.workloads.operations.conformance import check_tool, holding, operating
from modelstress.workloads.operations.conformance.bench import OperationsBench, cell_with

EXAMPLE = Path(__file__).parents[3] / "examples" / "own-study"
SERVER, CLIENT, MONEY = "ledger-server", "ledger-client", "check-money"
RUN = '    run({"ledger": Ledger()})'
"""The client's last line, before which the library's parts are replaced."""


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Do not wait long for what cannot succeed."""
    monkeypatch.setattr(driving, "SHORT_MS", 1000)
    monkeypatch.setattr(deadlines, "HELD_S", 3.0)


def project(folder: Path) -> Project:
    """A project that has the ledger alone, run by this Python."""
    shutil.copytree(EXAMPLE, folder)
    (folder / "config" / "config.yaml").write_text("profile: own-study\nstudies: [own-study]\n")
    for program in (folder / "ledger").iterdir():
        _edit(program, "#!/usr/bin/env python3", f"#!{sys.executable}")
    descriptor = folder / "config" / "tools" / "ledger.yaml"
    descriptor.write_text(descriptor.read_text() + "ready_timeout_s: 8\nstop_timeout_s: 3\n")
    return Project(folder)


def _edit(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert text.count(old) == 1, f"{file.name} has {old!r} {text.count(old)} times"
    file.write_text(text.replace(old, new))


def test_the_ledger_conforms_and_nothing_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    here = project(tmp_path / "project")
    results = list(check_tool(here, here.tool("ledger")))
    assert [r for r in results if not r.passed] == []
    parts = (serving.WITHOUT_STORE, operating.CHECKS, holding.INVARIANTS, driving.CHECKS)
    last = (slicing.CHECKS, leaking.CHECKS)
    names = [name for part in (*parts, *last) for name, _ in part]
    assert [r.name for r in results] == names
    assert all(r.detail for r in results)
    assert list(temporary.iterdir()) == [] and processes_of(str(temporary)) == []


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[OperationsBench]:
    here = project(tmp_path / "project")
    folder = tmp_path / "bench"
    folder.mkdir()
    mark = str(folder)
    cell = cell_with(here, "ledger")
    yield OperationsBench(here, cell.tool, folder, ProcessHost(mark), cell)
    kill_leftovers(mark)


def before_run(code: str) -> tuple[str, str, str]:
    """An edit of the client that replaces a part of the library."""
    lines = "".join(f"    {line}\n" for line in code.strip().splitlines())
    return CLIENT, RUN, lines + RUN


READY = '    print("READY", json.dumps(ready), flush=True)\n'
PID = '"pid": os.getpid()}'
NODE = "    server.node = node\n"
BUSY = 'raise ServerError(5, f"{bind}:{port}: {error}") from error'
GONE = "            return Outcome.error(str(error) or type(error).__name__)"
WORK = "return work[operation.name](operation.parameters)"
LATE = """
from modelstress.driver import generator
honest = generator.Goal
generator.Goal = lambda executions=None, seconds=None, objects=None, *more: (
    honest(executions, {seconds}, objects) if executions is None else honest(executions, seconds))
"""
ORDER = """
from modelstress.driver.plan import OperationPlan
OperationPlan.index = lambda self, *, warmup, sequence, position: sequence % len(self.operations)
"""
STOPPED = """
from modelstress.driver.conversation import Conversation
Conversation.released = lambda self: True
"""
RESTLESS = """
from modelstress.driver.conversation import Conversation
honest = Conversation._slice
Conversation._slice = lambda self: honest(self) or honest(self)
"""
ABORTED = """
from modelstress.driver.generator import LoadGenerator
honest = LoadGenerator._record
LoadGenerator._record = lambda self, taken, outcome: honest(
    self, taken, "aborted" if outcome == "unfinished" else outcome)
"""
DEAF = """
from modelstress.driver.conversation import Conversation
Conversation._wedged = lambda self, said: None
"""
CLOSE = """        for connection in self.nodes.values():
            connection.close()
"""
LEAK = """    timeout = 300

    def setup(self):
        super().setup()
        self.server.__dict__.setdefault("kept", []).append(open(__file__))
"""
LOCK = """    import fcntl
    server.lock = open(__file__)
    try:
        fcntl.flock(server.lock, fcntl.LOCK_NB | (
            fcntl.LOCK_EX if role == "writer" else fcntl.LOCK_UN))
    except OSError as error:
        raise ServerError(6, f"in use: {error}") from error
"""

Edit = tuple[str, str, str]
Check = Callable[[OperationsBench], str]
MISTAKES: dict[str, tuple[Edit, Check, str]] = {
    "READY twice": ((SERVER, READY, READY * 2), serving.says_ready_once, "more lines than READY"),
    "more addresses": (
        (SERVER, PID, PID.replace("}", "") + "}\n    ready['endpoints']['x'] = 'x://127.0.0.1:1'"),
        serving.says_ready_once,
        r"READY has endpoints for \['http', 'x'\]",
    ),
    "another process": (
        (SERVER, PID, '"pid": os.getppid()}'), serving.says_ready_once, "not the server's",
    ),
    "all interfaces": (
        (SERVER, "Server((bind, port)", 'Server(("0.0.0.0", port)'),
        serving.listens_on_loopback_only, r"beyond the loopback.*0\.0\.0\.0",
    ),
    "stays": (
        (SERVER, "lambda *_: os._exit(0)", "signal.SIG_IGN"),
        serving.stops_and_leaves_nothing, "still runs 3 s after SIGTERM",
    ),
    "unknown keys": (
        (SERVER, "    if unknown:", "    if False:"),
        serving.refuses_unknown_keys, "did not end within 8 s",
    ),
    "exit code": (
        (SERVER, BUSY, BUSY.replace("5", "6", 1)),
        serving.refuses_a_busy_port, "exit code 6 instead of 5",
    ),
    "no sentence": (
        (SERVER, BUSY, "os._exit(5)"), serving.refuses_a_busy_port, "no 'error: …' line",
    ),
    "litter": (
        (SERVER, NODE, NODE + '    server.litter = open("litter", "w")\n'),
        serving.stops_and_leaves_nothing, "outside its work folder: .*litter",
    ),
    "lock": ((SERVER, NODE, NODE + LOCK), serving.two_are_independent, "in use"),
    "server leaks": (
        (SERVER, "    timeout = 300\n", LEAK),
        leaking.nothing_stays_open, "the server keeps descriptors",
    ),
    "money": (
        (SERVER, "(target, amount)):", "(target, amount - 1)):"),
        holding.invariants_hold, "money is conserved: does not hold: the writer's accounts hold",
    ),
    "no second start": (
        (SERVER, "        if not there:\n            file.unlink(missing_ok=True)",
         '        if file.exists():\n            raise ServerError(6, f"{file} is there")'),
        driving.a_killed_server_is_found_again, "ledger.sqlite is there",
    ),
    "any operation": (
        (CLIENT, WORK, WORK.replace("[operation.name]", ".get(operation.name, self.balance)")),
        operating.an_unknown_operation_is_an_error, r"an unknown operation: outcomes \['ok'\]",
    ),
    "no reason": (
        (CLIENT, WORK, f"{WORK} if operation.name in work else Outcome.error('')"),
        operating.an_unknown_operation_is_an_error, "an unknown operation: no message",
    ),
    "wrong verdict": (
        (CLIENT, 'said["balance"] < 0', 'said["balance"] > 0'),
        operating.one_thread_reused, "http: balance: .*'incorrect'",
    ),
    "failures are ok": (
        (CLIENT, GONE, "            return Outcome.ok()"),
        driving.a_killed_server_ends_in_errors, "succeeded without a server",
    ),
    "order": (before_run(ORDER), operating.operations_come_in_order, "the order is"),
    "early": (
        before_run(LATE.format(seconds="seconds / 4")),
        operating.windows_of_seconds_end, "s only, the window has 1 s",
    ),
    "late": (
        before_run(LATE.format(seconds="seconds * 2")),
        operating.windows_of_seconds_end, "measured executions begin .* s apart",
    ),
    "stops at once": (
        before_run(STOPPED), driving.a_warm_up_ends_when_it_is_steady, "did not go on until GO",
    ),
    "restless": (
        before_run(RESTLESS), slicing.a_client_is_idle_between_slices,
        "should have been idle|DONE after the first",
    ),
    "never closed": (
        (CLIENT, CLOSE, "        self.who.options.values.setdefault('kept', []).append(self)\n"),
        leaking.nothing_stays_open, "driver keeps descriptors open",
    ),
    "aborted": (
        before_run(ABORTED), operating.a_stopped_client_says_unfinished, "nothing is unfinished",
    ),
    "deaf": (before_run(DEAF), driving.a_hanging_server_is_replaced, "no HELD after"),
    "invariant fails": (
        (MONEY, "print(json.dumps(", "raise SystemExit(json.dumps("),
        holding.invariants_hold, "check-money: exit code 1",
    ),
    "invariant is silent": (
        (MONEY, "print(json.dumps(", "str(json.dumps("),
        holding.invariants_hold, "its last line is not",
    ),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_are_noticed(bench: OperationsBench, mistake: str) -> None:
    (program, old, new), check, message = MISTAKES[mistake]
    _edit(bench.project.root / "ledger" / program, old, new)
    [result] = run_checks(bench, ((mistake, check),))
    assert not result.passed, result.detail
    assert re.search(message, result.detail), result.detail
