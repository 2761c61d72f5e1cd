"""`modelstress compare`, `archive` and `unpack` as they are called."""

import csv
import io
import json
import shutil
import zipfile

import captures
import planned_samples
import pytest
import synthetic
from click.testing import CliRunner

from modelstress.analysis import planned_cells
from modelstress.cli import main
from modelstress.config.project import Project
from tests.unit.cli.test_commands import ROOT


def call(*arguments, project=None):
    given = ["--project", str(project)] if project else []
    return CliRunner().invoke(main, [*given, *map(str, arguments)])


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A measured project: four cells of two tools, one of them missing."""
    root = tmp_path_factory.mktemp("archived") / "project"
    for folder in ("config", "queries"):
        shutil.copytree(ROOT / folder, root / folder)
    for file in ("CITATION.cff", "LICENSE"):
        shutil.copy(ROOT / file, root)
    (root / "config/profiles/demo.yaml").write_text(planned_samples.PROFILE, encoding="utf-8")
    planned_samples.write_planned(Project(root))
    return root


@pytest.fixture(scope="module")
def archived(project):
    done = call("archive", project=project)
    assert done.exit_code == 0, done.output
    path = project / "archives/model-queries-demo.zip"
    assert done.stdout.splitlines()[-1].startswith(f"{path}: ")
    assert " MB of " in done.stdout and "samples.parquet" in done.stdout
    return path


@pytest.fixture(scope="module")
def slower(tmp_path_factory, project):
    """The same cells, three times as slow."""
    other = tmp_path_factory.mktemp("slower") / "project"
    shutil.copytree(project / "config", other / "config")
    shutil.copytree(project / "queries", other / "queries")
    planned_samples.write_planned(Project(other), factor=3)
    assert call("derive", project=other).exit_code == 0  # once; it is read back then
    return other


def test_the_archive_has_everything(project, archived):
    with zipfile.ZipFile(archived) as archive:
        names = archive.namelist()
        package = json.loads(archive.read("datapackage.json"))
        readme = archive.read("README.md").decode()
        citation = archive.read("CITATION.cff").decode()
        planned = json.loads(archive.read("data/planned.json"))
    assert names == sorted(names)
    raw = [name for name in names if name.startswith("data/raw/")]
    measured = project / "data/raw"
    assert {name.removeprefix("data/raw/") for name in raw} == {
        file.relative_to(measured).as_posix() for file in measured.rglob("*.*") if file.is_file()
    }
    assert {"LICENSE", "config/config.yaml", "queries/train/ocl/RouteSensor.ocl"} <= set(names)
    assert package["name"] == "model-queries-demo" and package["licenses"]
    cells = next(r for r in package["resources"] if r["path"].endswith("/demo/cells.csv"))
    assert {field["name"] for field in cells["schema"]["fields"]} >= {"cell", "median_ms"}
    [plan] = planned["plans"]
    missing = plan["cells"][-1]["cell"]
    assert f"`{missing}` | missing | planned, not measured" in readme
    assert "aborted" in readme and "make run SOURCE=archive" in readme
    assert "`duration_ns` | ns |" in readme
    assert "type: dataset" in citation and "10.1007/s10270-017-0606-9" in citation


def test_a_second_archive_has_the_same_bytes(project, archived, tmp_path):
    done = call("archive", "--out", tmp_path / "again.zip", "--json", project=project)
    about = json.loads(done.stdout)
    assert about["bytes"] == archived.stat().st_size
    assert about["kinds"]["samples.parquet"]["files"] == 15
    assert (tmp_path / "again.zip").read_bytes() == archived.read_bytes()


def test_unpacked_it_is_a_dataset_with_its_plan(archived, project, tmp_path):
    done = call("unpack", archived, "--to", tmp_path / "u")
    assert done.exit_code == 0 and "all are what the archive's hashes say" in done.stdout
    done = call("unpack", archived, "--to", tmp_path / "u")
    assert f"{tmp_path / 'u'}: 0 files written" in done.stdout
    derived = tmp_path / "u/data/derived/model-queries/demo"
    before = {file.name: file.read_bytes() for file in derived.glob("*.csv")}
    for file in derived.iterdir():
        file.unlink()
    done = call("derive", "--data-dir", tmp_path / "u/data", "--profile", "demo", project=project)
    assert done.exit_code == 0, done.output
    assert {file.name: file.read_bytes() for file in derived.glob("*.csv")} == before
    assert b"planned, not measured" in before["cells.csv"]


def test_an_archive_has_a_place_in_the_project(archived, project):
    done = call("unpack", archived, project=project)
    assert done.exit_code == 0
    assert (project / "data/archive/model-queries-demo/data/planned.json").is_file()
    shutil.rmtree(project / "data/archive")


def test_what_was_captured_beside_it_comes_along(project, tmp_path, monkeypatch):
    other = tmp_path / "project"
    shutil.copytree(project, other, ignore=shutil.ignore_patterns("archives", "derived"))
    profiles = other / "config/profiles"
    wire = planned_samples.PROFILE.replace("profile: demo", "profile: wire").replace(
        "{executions: 12}", "{executions: 2, capture: {pause_ms: 50}}"
    )
    wire = wire.replace("threads: [1, 4]", "threads: [1]").replace(
        "invocations: 2", "invocations: 1"
    )
    (profiles / "wire.yaml").write_text(wire, encoding="utf-8")
    with (profiles / "demo.yaml").open("a", encoding="utf-8") as demo:
        demo.write("anatomy: wire\n")
    first, *rest = planned_cells(Project(other), "model-queries", "wire")
    monkeypatch.setattr(synthetic, "PROFILE", "wire")
    levels = dict(first.levels)
    captures.capture(other / "data", levels, lambda _: captures.tcp([(10, 20)]), cell=first.cell)
    done = call("archive", project=other)
    assert done.exit_code == 0, done.output
    with zipfile.ZipFile(other / "archives/model-queries-demo.zip") as archive:
        names = archive.namelist()
        package = json.loads(archive.read("datapackage.json"))
        readme = archive.read("README.md").decode()
        plans = json.loads(archive.read("data/planned.json"))["plans"]
    folder = f"data/raw/model-queries/wire/{first.tool}/{first.cell}/i00"
    assert {f"{folder}/anatomy.parquet", f"{folder}/capture.pcap"} <= set(names)
    assert "data/derived/model-queries/wire/anatomy.csv" in names
    assert package["modelstress"]["captured"] == "wire"
    assert [plan["profile"] for plan in plans] == ["demo", "wire"]
    assert "## Profile wire" in readme
    for cell in rest:
        assert f"| wire | `{cell.cell}` | missing |" in readme


def test_nothing_measured_is_no_archive(project, tmp_path):
    done = call("archive", "--profile", "smoke", project=project)
    assert done.exit_code == 2 and "measure some cells first" in done.stderr
    empty = tmp_path / "project"
    shutil.copytree(project, empty)
    shutil.rmtree(empty / "data")
    plan = planned_cells(Project(empty), "model-queries", "demo")
    levels = dict(plan[0].levels)
    table = synthetic.samples([5, 6])
    synthetic.write(empty / "data", levels, 0, table, ".aborted-0", cell=plan[0].cell)
    done = call("archive", project=empty)
    assert done.exit_code == 2 and "is complete; measure" in done.stderr
    synthetic.write(empty / "data", levels, 2, table, cell=plan[0].cell)
    [file] = empty.glob("data/raw/*/*/*/*/i02/cell.json")
    record = json.loads(file.read_text(encoding="utf-8"))
    record["validity"] = {"valid": False, "reasons": []}
    file.write_text(json.dumps(record), encoding="utf-8")
    done = call("archive", project=empty)
    assert done.exit_code == 2 and "is valid, 1 is invalid; the report says why" in done.stderr
    synthetic.write(empty / "data", levels, 1, table, ".work", cell=plan[0].cell)
    done = call("archive", project=empty)
    assert done.exit_code == 2 and "is being measured" in done.stderr
    assert not list((empty / "archives").glob(".*"))


def test_a_project_that_cannot_be_cited(project, tmp_path):
    other = tmp_path / "project"
    shutil.copytree(project, other, ignore=shutil.ignore_patterns("archives"))
    (other / "CITATION.cff").write_text("title: x\n", encoding="utf-8")
    done = call("archive", project=other)
    assert done.exit_code == 2 and "CITATION.cff: field 'authors' is missing" in done.stderr
    (other / "CITATION.cff").unlink()
    assert "CITATION.cff: no such file" in call("archive", project=other).stderr
    assert not (other / "archives").exists()


def test_folders_archives_and_profiles_are_datasets(project, archived, slower):
    """Exit code 1, whatever way they are given."""
    profile = slower / "data/raw/model-queries/demo"
    for a in (project, project / "data", project / "data/raw", archived):
        done = call("compare", a, profile)
        assert done.exit_code == 1, done.output
        assert " compared: " in done.stdout
        assert done.stdout.splitlines()[5].startswith("worse ")
    done = call("compare", slower, project)
    assert done.exit_code == 0 and "0 worse" in done.stdout


def test_formats(project, archived, slower, tmp_path):
    rows = list(
        csv.DictReader(io.StringIO(call("compare", project, slower, "--format", "csv").stdout))
    )
    said = json.loads(call("compare", project, slower, "--format", "json").stdout)
    assert [row["verdict"] for row in rows] == [cell["verdict"] for cell in said["cells"]]
    assert said["verdicts"]["worse"] == sum(row["verdict"] == "worse" for row in rows) > 0
    assert said["threshold"] == 0.05 and said["a"] == str(project)
    assert said["unmatched"] == []
    first = said["cells"][0]
    assert first["over_ratio"] == pytest.approx(3, rel=0.2) and first["threads"] == 1
    page = call("compare", project, slower, "--format", "markdown", "--threshold", "400%")
    assert page.exit_code == 0
    table = [line for line in page.stdout.splitlines() if line.startswith("|")]
    assert len({line.count("|") for line in table}) == 1 and len(table) == 2 + len(rows)
    done = call("compare", project, slower, "--out", tmp_path / "c.md", "--format", "markdown")
    assert done.exit_code == 1 and "cells are worse" in done.stdout
    assert "| worse |" in (tmp_path / "c.md").read_text(encoding="utf-8")


def test_the_columns_of_benchstat(project, slower):
    done = call("compare", project, slower, "--format", "benchstat")
    assert done.exit_code == 1 and done.stdout.startswith(f"old: {project}\nnew: {slower}\n\n")
    heads, *rows = done.stdout.splitlines()[3:]
    assert heads.split() == ["cell", "old", "ms", "new", "ms", "Δ", "%"]
    rows = [row.split() for row in rows]
    assert rows[-1][0] == "geomean" and rows[-1][3] == "+200.00%"
    assert {row[3] for row in rows} == {"~", "+200.00%"} or {row[3] for row in rows} == {"+200.00%"}
    same = call("compare", project, project, "--format", "benchstat").stdout.splitlines()[4:]
    assert {row.split()[3] for row in same[:-1]} == {"~"}
    assert same[-1].split()[3] == "+0.00%"


def test_cells_in_the_format_of_jmh(project, archived, tmp_path):
    out = tmp_path / "jmh.json"
    assert call("export", project, "--jmh", "--out", out).exit_code == 0
    made = json.loads(out.read_text(encoding="utf-8"))
    with (project / "data/derived/model-queries/demo/cells.csv").open(encoding="utf-8") as file:
        cells = [row for row in csv.DictReader(file) if row["median_ms"]]
    assert len(made) == len(cells) > 0
    for one, cell in zip(made, cells, strict=True):
        metric = one["primaryMetric"]
        assert one["benchmark"] == f"model_queries.{cell['tool']}.{cell['query']}"
        assert one["params"]["protocol"] == cell["protocol"] and "tool" not in one["params"]
        assert metric["score"] == pytest.approx(float(cell["median_ms"]))
        assert metric["scoreUnit"] == "ms/op" and metric["scorePercentiles"]["100.0"] > 0
        assert len(metric["rawData"]) == one["forks"] == int(cell["invocations"])
    again = call("export", archived, "--jmh")
    assert json.loads(again.stdout) == made
    refused = call("export", project)
    assert refused.exit_code == 2 and "--jmh" in refused.output


def changed(project, where):
    """A copy of a project whose query has changed since it was measured: all cells are stale."""
    shutil.copytree(project, where, ignore=shutil.ignore_patterns("archives"))
    for text in (where / "queries/train").rglob("RouteSensor*"):
        text.write_text(text.read_text(encoding="utf-8") + "\n ", encoding="utf-8")
    return where


def test_a_stale_side_is_said_first_and_never_passes_a_strict_comparison(
    project, archived, slower, tmp_path
):
    """The trap of a tool builder's CI: the old samples, compared with themselves, look fine."""
    stale = changed(project, tmp_path / "project")
    done = call("compare", archived, stale)
    assert done.exit_code == 0
    first = done.stdout.split("\n\n")[1].splitlines()
    assert first[0].startswith("STALE: 7 of 7 cells of B were measured before their tool")
    assert "--rerun stale" in first[0] and first[1].startswith("THE SAME MEASUREMENTS: 7 of 7")
    assert done.stdout.count("B stale") == 7
    assert call("compare", archived, stale, "--strict").exit_code == 6
    out = ("--out", tmp_path / "c.md", "--format", "markdown", "--strict")
    done = call("compare", slower, stale, *out)
    assert done.exit_code == 6 and "STALE" in done.stderr  # although it is all faster
    assert "**STALE: " in (tmp_path / "c.md").read_text(encoding="utf-8")
    done = call("compare", project, changed(slower, tmp_path / "slower"), "--strict")
    assert done.exit_code == 1, "worse is worse"
    rows = list(
        csv.DictReader(io.StringIO(call("compare", archived, stale, "--format", "csv").stdout))
    )
    assert {row["stale"] for row in rows} == {"B"}


def test_a_dataset_beside_itself_decides_nothing(project, archived):
    for other in (project, project / "data/raw", archived):
        done = call("compare", project, other)
        assert done.exit_code == 0 and "THE SAME MEASUREMENTS: 7 of 7 pairs" in done.stdout
        assert call("compare", project, other, "--strict").exit_code == 6


def test_nothing_decided_has_a_code_of_its_own(project, slower, tmp_path):
    """Measurements that are all unclear pass without --strict, but not in silence."""
    one = tmp_path / "project"
    shutil.copytree(slower, one, ignore=shutil.ignore_patterns("derived"))
    for start in (one / "data/raw").glob("*/*/*/*/i01"):
        shutil.rmtree(start)
    done = call("compare", project, one, "--threshold", "1000%")
    assert done.exit_code == 0 and "NOTHING IS DECIDED: every verdict is 'unclear'" in done.stdout
    assert call("compare", project, one, "--threshold", "1000%", "--strict").exit_code == 6
    done = call("compare", slower, project, "--strict")
    assert done.exit_code == 0 and "NOTHING" not in done.stdout


def test_selections_of_one_dataset(project):
    arguments = ("--select-a", "threads=1", "--select-b", "threads=4")
    done = call("compare", project, *arguments, "--format", "json")
    said = json.loads(done.stdout)
    assert said["a"] == f"{project} threads=1"
    assert {(cell["threads_a"], cell["threads_b"]) for cell in said["cells"]} == {(1, 4)}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "give A and B, or two selections of A"),
        (("--select-a", "tool=cdo"), "give A and B, or two selections of A"),
        (("--select-a", "tool", "--select-b", "tool=cdo"), "write FACTOR=LEVEL"),
        (("--select-a", "tol=cdo", "--select-b", "tool=cdo"), "did you mean 'tool'"),
        (("--select-a", "tool=cod", "--select-b", "tool=cdo"), "did you mean 'cdo'"),
        (("nowhere.zip",), "nowhere.zip: no such archive"),
        ((ROOT / "config",), "no dataset; give a folder"),
        ((ROOT / "README.md",), "not an archive of modelstress"),
        (("SELF", "--threshold", "fast"), "--threshold is 'fast'; give a share such as 5%"),
        (("SELF", "--threshold", "-1"), "--threshold is '-1'"),
        (("SELF", "--profile", "dem"), "no samples of */dem (valid: model-queries/demo)"),
    ],
)
def test_mistakes_are_one_sentence_and_exit_code_2(project, arguments, message):
    given = [project if argument == "SELF" else argument for argument in arguments]
    done = call("compare", project, *given)
    assert done.exit_code == 2
    assert message in done.stderr.splitlines()[-1] and done.stderr.startswith("error: ")


def test_several_profiles_are_not_guessed(project, tmp_path):
    data = tmp_path / "data"
    for profile in ("demo", "other"):
        shutil.copytree(
            project / "data/raw/model-queries/demo", data / f"raw/model-queries/{profile}"
        )
    done = call("compare", data, data)
    assert done.exit_code == 2
    assert "has model-queries/demo, model-queries/other; choose one" in done.stderr
    assert call("compare", data, data, "--profile", "other").exit_code == 0
    both = data / "raw/model-queries/demo", data / "raw/model-queries/other"
    assert call("compare", *both).exit_code == 0


def test_levels_say_what_changed_where(project, slower):
    done = call("compare", project, slower, "--levels")
    assert done.exit_code == 1, done.output
    assert "effect B/A" in done.stdout and "Over pairs of cells" in done.stdout
    document = json.loads(call("compare", project, slower, "--levels", "--format", "json").stdout)
    first = document["levels"][0]
    assert first["factor"] == "" and first["ratio"] == pytest.approx(3, rel=0.1)
    rows = csv.DictReader(
        io.StringIO(call("compare", project, slower, "--levels", "--format", "csv").stdout)
    )
    assert {row["factor"] for row in rows} >= {""}
    without = json.loads(call("compare", project, slower, "--format", "json").stdout)
    assert "levels" not in without
