"""Exit codes, JSON and sentences of the command line."""

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from modelstress.cli import main
from modelstress.config.project import Project
from modelstress.hosts.containers import daemon
from modelstress.workloads.queries import files

ROOT = Project.find(Path(__file__)).root


def call(*arguments: str, project: Path = ROOT):
    return CliRunner().invoke(main, ["--project", str(project), *arguments])


def test_cells_as_json():
    done = call("cells", "--profile", "smoke", "--json")
    assert done.exit_code == 0
    said = json.loads(done.stdout)
    assert said["profile"] == "smoke"
    assert {run["invocation"] for run in said["runs"]} == {0}
    assert {"runs", "guessed", "hours", "gigabytes"} == set(said["estimate"])


def test_plan_is_listed_in_its_order():
    lines = call("cells", "--profile", "demo", "--plan").stdout.splitlines()
    numbers = [line[:3] for line in lines if re.match(r"i\d\d ", line)]
    assert numbers == sorted(numbers) and set(numbers) == {"i00", "i01"}


def test_what_is_captured_beside_a_profile_is_estimated_too():
    said = call("cells", "--profile", "reduced").stdout.splitlines()
    assert said[-1].startswith("beside them profile 'anatomy', captured: ")
    assert "profile 'anatomy'" not in call("cells", "--profile", "smoke").stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("cells", "--profile", "dmo"), "unknown profile 'dmo'"),
        (("cells", "--study", "model-query"), "did you mean 'model-queries'"),
        (("run",), "give a CELL, --all or --positions"),
        (("run", "x", "--all"), "give a CELL, --all or --positions"),
        (("run", "no-such-cell"), "unknown cell 'no-such-cell'"),
        (("load", "no-such-cell"), "unknown cell 'no-such-cell'"),
        (("load", "--tool", "cdo"), "give a CELL, or --tool, --backend and --model"),
        (
            ("load", "--tool", "cdo", "--backend", "h3", "--model", "m"),
            "has no backend 'h3' (valid: h2)",
        ),
        (("oracle", "train-2016-repair-3"), "unknown model 'train-2016-repair-3'"),
        (("conformance", "cod"), "did you mean 'cdo'"),
        (("new", "tool", "My Tool"), "lower-case"),
    ],
)
def test_mistakes_are_one_sentence_and_exit_code_2(arguments, message):
    done = call(*arguments)
    assert done.exit_code == 2
    assert message in done.stderr
    assert done.stderr.startswith("error: ") and done.stderr.count("\n") == 1


def test_outside_a_project(tmp_path):
    done = call("cells", project=tmp_path)
    assert done.exit_code == 2 and "no modelstress project" in done.stderr


def test_nothing_to_verify(tmp_path):
    done = call("verify", str(tmp_path))
    assert done.exit_code == 2 and "no samples below" in done.stderr


def forget_daemons():
    daemon.CLIENTS.clear()
    for known in (daemon.info, daemon.is_here):
        known.cache_clear()


def test_doctor_says_what_is_missing_and_what_it_costs(monkeypatch, tmp_path):
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/nobody-listens")
    forget_daemons()
    done = call("doctor", "--json")
    forget_daemons()
    assert done.exit_code == 3
    findings = {f["name"]: f for f in json.loads(done.stdout)}
    assert not findings["JDK"]["present"] and findings["JDK"]["cost"]
    assert not findings["Maven"]["present"] and not findings["Executor docker"]["present"]
    assert all(f["present"] or f["cost"] for f in findings.values())


def test_a_missing_jdk_stops_a_run_with_a_sentence(monkeypatch, tmp_path):
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    jar = files.models_jar(Project(ROOT))
    if not jar.is_file():
        pytest.skip("the Java programs are not built")
    done = call("model", "count", "x.xmi")
    assert done.exit_code == 3 and "install JDK 17" in done.stderr
