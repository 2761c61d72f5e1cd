"""What `modelstress run` reads, says and leaves alone."""

from __future__ import annotations

import io
import json
import shutil
from pathlib import Path

import planned_samples
import pytest
from click.testing import CliRunner

from modelstress.cli import main
from modelstress.cli.progress import Line, PlanProgress, human, shortened, size
from modelstress.config.factors import PLACEBO
from modelstress.config.project import Project
from modelstress.design import cells as design
from modelstress.design.cell import Cell
from modelstress.design.cells import cells_of
from modelstress.design.lookup import cell_named
from modelstress.design.plan import plan_of, start_of
from modelstress.design.plan_file import make_plan
from modelstress.measure.events import Event
from modelstress.samples import record as records

ROOT = Project.find(Path(__file__)).root


@pytest.fixture(scope="module")
def measured_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("measured")
    for name in ("config", "queries"):
        shutil.copytree(ROOT / name, root / name)
    (root / "config/profiles/demo.yaml").write_text(planned_samples.PROFILE, encoding="utf-8")
    planned_samples.write_planned(Project(root), left_out=0)
    return root


@pytest.fixture
def measured(measured_once: Path, tmp_path: Path) -> Path:
    """A project with samples of all its cells."""
    return Path(shutil.copytree(measured_once, tmp_path / "project"))


def call(project: Path, *arguments: str):
    return CliRunner().invoke(main, ["--project", str(project), *arguments])


def ids(project: Path) -> list[str]:
    known = Project(project)
    return [c.id for c in cells_of(known, known.study("model-queries"), known.profile("demo"))]


def mates(project: Path, name: str) -> set[str]:
    """The cell and those that share its start."""
    known = Project(project)
    runs = make_plan(known, "model-queries", "demo").runs
    return {r.cell.id for r in start_of(next(r for r in runs if r.cell.id == name), runs)}


@pytest.mark.parametrize("count", [1, 4], ids=["few", "many"])
def test_one_cell_reads_its_own_records_however_many_there_are(measured, monkeypatch, count):
    """A job of one cell in a plan of thousands must not read thousands of records."""
    read: list[Path] = []
    genuine = records.read_record
    monkeypatch.setattr(records, "read_record", lambda file: (read.append(file), genuine(file))[1])
    first = ids(measured)[0]
    own = mates(measured, first)
    others = [other for other in ids(measured) if other not in own]
    for other in others[count - 1 :]:
        shutil.rmtree(next((measured / "data/raw").glob(f"*/*/*/{other}")))
    done = call(measured, "run", first, "--invocation", "0")
    assert done.exit_code == 0, done.output
    assert {file.parents[1].name for file in read} == own
    assert {file.parent.name for file in read} == {"i00"}


def test_one_cell_is_found_without_making_the_plan(measured, monkeypatch):
    made: list[Cell] = []

    def counted(*arguments, **named) -> Cell:
        made.append(Cell(*arguments, **named))
        return made[-1]

    monkeypatch.setattr(design, "Cell", counted)
    name = ids(measured)[-1]
    assert len(made) == 8
    own = mates(measured, name)
    made.clear()
    assert call(measured, "run", name, "--invocation", "0").exit_code == 0
    assert {cell.id for cell in made} == own and len(own) == 2


@pytest.mark.parametrize(
    ("study", "profile"),
    [
        ("model-queries", "smoke"), ("model-queries", "demo"), ("model-queries", "anatomy"),
        ("model-queries", "reduced"), ("model-queries-extended", "faults"),
        ("model-queries-extended", "mixed"),
    ],
)  # fmt: skip
def test_a_cell_by_its_id_is_the_same_cell_as_in_the_plan(study, profile):
    project = Project(ROOT)
    asked, chosen = project.study(study), project.profile(profile)
    whole = cells_of(project, asked, chosen)
    some = whole[:: max(1, len(whole) // 25)]
    for cell in some:
        found = cell_named(project, asked, chosen, cell.id)
        assert found == (None if PLACEBO in cell.levels else cell), "copies take the whole plan"
    seeds = {(r.cell.id, r.invocation): r.seed for r in plan_of(whole, 7)}
    for run in plan_of([some[-1]], 7):
        assert seeds[run.cell.id, run.invocation] == run.seed
    for name in ("", "x", "cdo", whole[0].id[:-1], whole[0].id + "0", "cdo_h2_ocl_tcp_m_Q_t1_0"):
        assert cell_named(project, asked, chosen, name) is None


def test_a_measured_cell_says_so(measured):
    first = ids(measured)[0]
    done = call(measured, "run", first, "--invocation", "0")
    assert done.exit_code == 0 and done.stderr == ""
    assert done.stdout.startswith(f"{first} is measured already: ")
    done = call(measured, "run", "--all")
    assert done.stdout == "16 of 16 invocations were measured already\n" and done.stderr == ""


def test_stale_cells_that_are_left_alone_are_counted_and_the_remedy_is_named(measured):
    query = measured / "queries/train/ocl/RouteSensor.ocl"
    query.write_text(query.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    done = call(measured, "run", "--all")
    assert done.exit_code == 0, done.output
    assert "of 16 invocations are stale" in done.stderr
    assert (
        "'modelstress run --all --study model-queries --profile demo --rerun stale'" in done.stderr
    )
    hawk, cdo = (next(c for c in ids(measured) if c.startswith(t)) for t in ("hawk", "cdo"))
    one = call(measured, "run", cdo, "--invocation", "1")
    assert "1 of 1 invocations is stale" in one.stderr and f"run {cdo} --study" in one.stderr
    assert call(measured, "run", hawk).stderr == ""


def test_a_cell_of_another_profile_is_told_where_it_is(measured):
    other = next(
        c.id
        for c in cells_of(
            Project(ROOT), Project(ROOT).study("model-queries"), Project(ROOT).profile("smoke")
        )
        if c.id not in ids(measured)
    )
    for command in ("run", "load"):
        for name in (other, other[-8:]):
            done = call(measured, command, name)
            assert done.exit_code == 2
            assert "is not in profile 'demo'; it is in smoke" in done.stderr
            assert "give --profile smoke" in done.stderr


def test_prefixes_and_hashes_are_documented_and_work(measured):
    name = ids(measured)[0]
    said = " ".join(call(measured, "run", "--help").stdout.split())
    assert "its beginning or its end" in said
    assert name in call(measured, "run", name[-8:]).stdout or "2 of 2" in (
        call(measured, "run", name[-8:]).stdout
    )


def test_why_nothing_can_be_made_is_said_once(measured):
    """Without the Java programs the sentence says what builds them, not what to load."""
    for folder in (measured / "data/raw/model-queries/demo").iterdir():
        shutil.rmtree(folder)
    one = call(measured, "run", ids(measured)[0], "--invocation", "0")
    assert one.exit_code == 3
    assert one.stderr.count("\n") == 1 and "make build" in one.stderr
    every = call(measured, "run", "--all", "--json")
    assert every.exit_code == 3
    *lines, last = every.stderr.splitlines()
    assert "16 of 16 invocations could not be measured; the reasons are above" in last
    assert len(lines) == 8 and all("make build" in line for line in lines), "a line for each start"
    assert all("and 1 that share its start" in line for line in lines)
    assert "left" not in every.stderr
    assert len(json.loads(every.stdout)) == 16


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_eighty_columns_show_phase_share_and_time_left(monkeypatch):
    monkeypatch.setattr("modelstress.cli.progress._columns", lambda: 80)
    stream = Terminal()
    name = "cdo_h2_ocl_tcp_train-2016-repair-1_PosLength_t1_signal-timeout-ms=120000_7e9c8daf"
    progress = PlanProgress(total=7, done=3, seconds=[60.0], _line=Line(stream))
    progress.event(Event(name, 1, "measure", done=50, total=200))
    [shown] = stream.getvalue().split("\r")[1:]
    assert len(shown) <= 79
    assert shown.startswith("[3/7] measure 50/200 executions (25%), about 4 min left: cdo_h2_")
    assert shown.endswith("7e9c8daf i01")


def test_one_cell_needs_no_count():
    stream = io.StringIO()
    PlanProgress(total=1, done=0, _line=Line(stream)).finished(5.0, "cell i00: 10 ok")
    assert stream.getvalue() == "cell i00: 10 ok\n"


def test_names_are_shortened_in_their_middle():
    assert shortened("short", 10) == "short"
    assert shortened("cdo_h2_PosLength_7e9c8daf i01", 20) == "cdo_h2_…7e9c8daf i01"
    assert [len(shortened("x" * 90, room)) for room in (30, 2, 1, 0, -5)] == [30, 2, 0, 0, 0]


def test_numbers_for_people():
    assert [size(n) for n in (0, 3400, 34_000, 1.2e6, 999_999, 3.5e9)] == [
        "0 kB", "3.4 kB", "34 kB", "1.2 MB", "1 MB", "3.5 GB",
    ]  # fmt: skip
    assert human(0.0059 * 3600) == "21 s"


def test_completion_of_cells_studies_and_profiles(measured, monkeypatch):
    monkeypatch.chdir(measured)

    def completed(line: str) -> set[str]:
        words = line.split(" ")
        from click.shell_completion import BashComplete

        completer = BashComplete(main, {}, "modelstress", "_MODELSTRESS_COMPLETE")
        return {item.value for item in completer.get_completions(words[1:-1], words[-1])}

    assert completed("modelstress run hawk") == {c for c in ids(measured) if c.startswith("hawk")}
    assert completed("modelstress load cdo") == {c for c in ids(measured) if c.startswith("cdo")}
    assert completed("modelstress run --profile smo") == {"smoke"}
    assert "model-queries" in completed("modelstress cells --study model")
    assert completed("modelstress run --profile smoke mogwai")
