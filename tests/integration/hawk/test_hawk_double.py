"""The driver program against a server that answers as a real Hawk does (``hawk_double``)."""

from __future__ import annotations

import re
import subprocess
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from modelstress.cli import main
from modelstress.config.programs import WorkloadOperation
from modelstress.measure.oracle_check import outcome_counts, verify
from modelstress.samples.mssf import read_mssf
from modelstress.workloads.queries import files
from modelstress.workloads.queries.conformance.bench import SMALL_XMI, QueriesBench
from tests.integration.hawk import hawk_structs as hawk
from tests.integration.hawk.hawk_double import HawkDouble, serving
from tests.integration.hawk.hawk_program import hawk as program
from tests.integration.tools.every_form import PROJECT, loaded

INSTANCE = "set0"
QUERIES = 6
HAWK = PROJECT.tool("hawk")
TOOL = HAWK.model_copy(
    update={"queries": "real-hawk", "supports": {**HAWK.supports, "language": ["eol"]}}
)


@pytest.fixture(scope="module", params=["neo4j", pytest.param("orientdb", marks=pytest.mark.long)])
def bench(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator:
    with loaded(TOOL, request.param, tmp_path_factory.mktemp("double")) as made:
        yield made


@pytest.fixture(scope="module")
def double(bench: QueriesBench) -> Iterator[tuple[HawkDouble, dict[str, str]]]:
    """The double and its addresses, with a store of the small model behind it."""
    with bench.serving() as server:
        made = HawkDouble(server.ready.endpoints["http"], INSTANCE, (hawk.EOL,))
        with serving(made) as endpoints:
            yield made, endpoints


def drive(
    bench: QueriesBench, endpoint: str, wanted: list[WorkloadOperation], *,
    connection: str = "reused", executions: int = 0, **options: Any,
) -> tuple[dict[str, int], list[str]]:  # fmt: skip
    """Outcomes and failure messages of the client program."""
    given = TOOL.driver_options | {"instance": INSTANCE} | options
    bench.tool = TOOL.model_copy(update={"driver_options": given})
    run = bench.drive(
        {"server": endpoint},
        wanted,
        executions=executions or 4 * len(wanted),
        connection=connection,
    )
    samples, unverified = verify(run.samples, bench.oracle)
    assert run.code == 0 and not unverified
    return outcome_counts(samples), [detail["message"] for detail in run.details]


def plain(query: str, name: str = "SwitchSet") -> WorkloadOperation:
    case = files.case(PROJECT, "train").queries[name]
    parameters = {"language": "eol", "tuple": case.tuple}
    return WorkloadOperation(name=name, text=query, arity=len(case.tuple), parameters=parameters)


@pytest.mark.timeout(120)
@pytest.mark.parametrize("querying", ["synchronous", "asynchronous"])
@pytest.mark.parametrize("connection", ["per-execution", "reused"])
@pytest.mark.parametrize("protocol", ["tcp", "http"])
def test_all_six_queries_equal_the_oracle(bench, double, protocol, connection, querying):
    wanted = bench.operations("eol")
    assert len(wanted) == QUERIES
    assert bench.oracle["RouteSensor"].count > 0 and bench.oracle["SwitchSet"].count > 0
    outcomes, details = drive(
        bench, double[1][protocol], wanted, connection=connection, querying=querying
    )
    assert outcomes == {"ok": 4 * QUERIES}, details


@pytest.mark.parametrize("querying", ["synchronous", "asynchronous"])
@pytest.mark.parametrize("protocol", ["tcp", "http"])
def test_a_stack_trace_becomes_one_line_and_a_reused_connection_goes_on(
    bench, double, protocol, querying
):
    literal = files.query_file(PROJECT, "train", "eol", "SwitchSet").read_text(encoding="utf-8")
    outcomes, details = drive(bench, double[1][protocol], [plain(literal)], querying=querying)
    assert outcomes == {"error": 4}
    assert details == ["the query failed: Internal error: UnsupportedOperationException"]


@pytest.mark.parametrize("querying", ["synchronous", "asynchronous"])
def test_a_malformed_text_is_said_to_be_one(bench, double, querying):
    outcomes, details = drive(bench, double[1]["tcp"], [plain("return (;")], querying=querying)
    assert outcomes == {"error": 4}
    assert "Query failed to parse correctly: " in details[0]


@pytest.mark.parametrize("querying", ["synchronous", "asynchronous"])
def test_an_instance_that_is_updated_rejects(bench, double, querying):
    made, endpoints = double
    made.updating = True
    try:
        outcomes, details = drive(bench, endpoints["tcp"], [plain("return 1;")], querying=querying)
    finally:
        made.updating = False
    assert outcomes == {"rejected": 4}
    assert "it is UPDATING instead" in details[0]


@pytest.mark.parametrize("connection", ["per-execution", "reused"])
@pytest.mark.parametrize("protocol", ["tcp", "http"])
def test_a_stopped_instance_rejects_every_execution(bench, double, protocol, connection):
    """Also every second one over one connection: nothing is read past the exception."""
    made, endpoints = double
    made.running = False
    try:
        outcomes, details = drive(
            bench, endpoints[protocol], [plain("return 1;")], connection=connection, executions=6
        )
    finally:
        made.running = True
    assert outcomes == {"rejected": 6}
    assert details == [f"the instance {INSTANCE} is not running: stopped or being updated"]


def test_a_wrong_instance_is_named(bench, double):
    for endpoint in double[1].values():
        outcomes, details = drive(bench, endpoint, [plain("return 1;")], instance="set01234")
        assert outcomes == {"error": 4}
        assert details == ["the server has no instance set01234; see the option instance"]


def test_the_name_of_the_engine_is_an_option(bench, double):
    made, endpoints = double
    made.engines = (hawk.ECLIPSE_EOL,)
    wanted = bench.operations("eol")[:1]
    try:
        for querying in ("synchronous", "asynchronous"):
            outcomes, details = drive(bench, endpoints["tcp"], wanted, querying=querying)
            assert outcomes == {"error": 4} and "options for engines" in details[0]
        outcomes, details = drive(bench, endpoints["tcp"], wanted, eol_engine=hawk.ECLIPSE_EOL)
        assert outcomes == {"ok": 4}, details
    finally:
        made.engines = (hawk.EOL,)


def pairs(file: Path) -> list[tuple[str, int]]:
    read = read_mssf(file)
    texts = read.dictionaries["id"]
    return sorted((texts[record["id"]], int(record["index"])) for record in read.records)


DESCRIPTOR = """
tool: real-hawk
title: A double
jar: java-shims/hawk/target/dist/hawk.jar
driver: hawk
endpoint: {{tcp: "{tcp}", http: "{http}"}}
ids: data/external/real-hawk-ids.mssf
supports:
  backend: [neo4j]
  protocol: [tcp, http]
  language: [eol]
driver_options: {{instance: set0, gzip: true}}
"""


@pytest.mark.parametrize("protocol", ["tcp", "http"])
def test_the_command_ids_writes_the_map_of_the_descriptor(
    bench, double, protocol, small_project, monkeypatch
):
    descriptor = small_project.root / "config/tools/real-hawk.yaml"
    descriptor.write_text(DESCRIPTOR.format(**double[1]), encoding="utf-8")
    monkeypatch.chdir(small_project.root)
    done = CliRunner().invoke(
        main, ["ids", "real-hawk", "train-2016-repair-1", "--protocol", protocol]
    )
    assert done.exit_code == 0, done.output
    written = small_project.root / "data/external/real-hawk-ids.mssf"
    assert done.output.strip() == str(written)
    assert pairs(written) == pairs(bench.store / "ids.mssf")


def test_the_descriptor_of_the_guide_is_one(small_project):
    guide = (PROJECT.root / "docs/tools/hawk.md").read_text(encoding="utf-8")
    [text] = re.findall(r"```yaml\n(    tool: real-hawk.*?)```", guide, flags=re.DOTALL)
    descriptor = small_project.root / "config/tools/real-hawk.yaml"
    descriptor.write_text(textwrap.dedent(text), encoding="utf-8")
    tool = small_project.tool("real-hawk")
    switch_set = files.query_file(small_project, "train", "eol", "SwitchSet", tool.queries)
    assert "#" not in switch_set.read_text(encoding="utf-8")


def test_the_command_ids_says_what_is_wrong(small_project, monkeypatch):
    monkeypatch.chdir(small_project.root)
    model = "train-2016-repair-1"
    own = CliRunner().invoke(main, ["ids", "hawk", model])
    assert own.exit_code != 0 and "no field 'endpoint'" in own.output
    descriptor = small_project.root / "config/tools/real-hawk.yaml"
    nobody = {"tcp": "tcp://127.0.0.1:1", "http": "http://127.0.0.1:1"}
    descriptor.write_text(DESCRIPTOR.format(**nobody), encoding="utf-8")
    for arguments, said in (
        (["--protocol", "htp"], "no protocol 'htp'"),
        ([], "no connection to"),
    ):
        done = CliRunner().invoke(main, ["ids", "real-hawk", model, *arguments])
        assert done.exit_code != 0 and said in done.output
        assert done.output.count("\n") == 1
    missing = CliRunner().invoke(main, ["ids", "real-hawk", "nothing.xmi"])
    assert missing.exit_code != 0 and "is not there" in missing.output


@pytest.mark.parametrize("protocol", ["tcp", "http"])
def test_the_id_map_is_that_of_the_store(bench, double, protocol, tmp_path):
    out = tmp_path / "ids.mssf"
    command = program(
        "ids", "--endpoint", double[1][protocol], "--model", str(bench.model), "--out", str(out),
        "--option", f"instance={INSTANCE}",
    )  # fmt: skip
    subprocess.run(command, check=True, timeout=120)
    assert pairs(out) == pairs(bench.store / "ids.mssf")


BOXES = {
    "boxes.ecore": SMALL_XMI["boxes.ecore"],
    "tree.xmi": """<?xml version="1.0" encoding="UTF-8"?>
<boxes:Box xmi:version="2.0" xmlns:xmi="http://www.omg.org/XMI" xmlns:boxes="urn:modelstress:boxes">
  <inside beside="//@inside.1"><inside/><inside/><inside/></inside>
  <inside/>
  <inside beside="//@inside.0/@inside.1"/>
</boxes:Box>
""",
}
"""A model whose elements have no attributes; references alone tell them apart."""


@pytest.mark.parametrize("last_first", [False, True])
def test_elements_without_attributes_are_found_in_either_order(bench, double, tmp_path, last_first):
    for name, text in BOXES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    metamodel, file = (str(tmp_path / name) for name in BOXES)
    target, store, out = tmp_path / "model", tmp_path / "store", tmp_path / "ids.mssf"
    arguments = ["--metamodel", metamodel, "--file", file, "--output", str(target), "--json"]
    bench._models("import", *arguments)
    bench.load(store, model=str(target / "model.json")).expect_code(0, "load")
    with bench.serving(store) as server:
        made = HawkDouble(server.ready.endpoints["http"], INSTANCE, (hawk.EOL,))
        made.last_first = last_first
        with serving(made) as endpoints:
            command = program(
                "ids", "--endpoint", endpoints["tcp"], "--model", str(target / "model.json"),
                "--out", str(out), "--option", f"instance={INSTANCE}",
            )  # fmt: skip
            subprocess.run(command, check=True, timeout=120)
    assert pairs(out) == pairs(store / "ids.mssf")


def test_another_model_gets_no_id_map(bench, double, tmp_path):
    out, other = tmp_path / "ids.mssf", tmp_path / "other.xmi"
    arguments = ["--line", "2016", "--scenario", "repair", "--size", "2", "--output", str(other)]
    bench._models("train", *arguments)
    command = program(
        "ids", "--endpoint", double[1]["tcp"], "--model", str(other), "--out", str(out),
        "--option", f"instance={INSTANCE}",
    )  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 3
    assert "has another model than" in done.stderr.splitlines()[-1]
    assert not out.exists()
