"""One live line on a terminal, plain lines elsewhere."""

import io

from modelstress.cli.progress import Counter, Line, PlanProgress, human
from modelstress.measure.events import Event


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_human_times():
    assert [human(s) for s in (5, 89, 120, 7200)] == ["5 s", "89 s", "2 min", "2.0 h"]


def test_a_terminal_is_painted_over():
    stream = Terminal()
    line = Line(stream)
    line.show("a long text")
    line._painted = 0.0
    line.show("short")
    line.end()
    assert "\n" not in stream.getvalue()
    assert stream.getvalue().endswith("\r" + " " * 5 + "\r")
    assert "\rshort      " in stream.getvalue()


def test_a_log_gets_whole_lines_now_and_then():
    stream = io.StringIO()
    line = Line(stream)
    for _ in range(100):
        line.show("working")
    line.say("done")
    assert stream.getvalue() == "working\ndone\n"


def test_plan_progress_counts_and_estimates(tmp_path):
    log = tmp_path / "logs" / "cell.log"
    stream = io.StringIO()
    progress = PlanProgress(total=4, done=1, seconds=[60.0], log=log, _line=Line(stream))
    progress.event(Event("cell", 0, "measure", done=5, total=10))
    progress.event(Event("cell", 0, "measure", done=9, total=10))
    progress.event(Event("cell", 0, "stopping", message="the server said: bye"))
    progress.finished(120.0, "cell i00: 10 ok")
    shown = stream.getvalue()
    assert "[1/4] measure 5/10 executions (50%), about 3 min left: cell i00\n" in shown
    assert "bye" in shown
    assert "[2/4] cell i00: 10 ok, about 3 min left" in shown
    for _ in range(3):
        progress.finished(60.0, "cell: again")
    assert "[5/4] cell: again\n" in stream.getvalue(), "what is measured once more leaves nothing"
    written = log.read_text(encoding="utf-8").splitlines()
    assert len(written) == 2
    assert written[0].endswith("cell i00 measure 5/10 executions")
    assert written[1].endswith("cell i00 stopping: the server said: bye")


def test_the_first_invocation_tells_its_own_time_left(monkeypatch):
    now = [100.0]
    monkeypatch.setattr("modelstress.cli.progress.time.monotonic", lambda: now[0])
    stream = io.StringIO()
    progress = PlanProgress(total=2, done=0, _line=Line(stream))
    for done, at in ((1000, 100.0), (2000, 102.0), (61_000, 160.0)):
        now[0] = at
        progress.event(Event("cell", 0, "measure", done, 181_000, unit="objects"))
    progress.event(Event("cell", 0, "stopping"))
    now[0] = 260.0
    progress.event(Event("cell", 1, "warmup", done=5, total=10))
    shown = stream.getvalue().splitlines()
    assert shown[0] == "[0/2] measure 1000/181000 objects (1%): cell i00"
    left = "about 2 min left of this phase"
    assert shown[1] == f"[0/2] measure 61000/181000 objects (34%), {left}: cell i00"
    assert shown[2] == "[0/2] warmup 5/10 executions (50%): cell i01", "its rate is not known"


def test_counter_survives_an_unknown_total(capsys):
    with Counter("load", "elements") as counter:
        counter.at(0, 0)
