"""The conformance suite of the kind ``queries``: a fake tool passes, and no mistake goes unseen.

Its options are 32 mistakes: 22 of ``load`` and ``serve``, 10 of the driver (docs/own-tool.md).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import tool as fake_tool
from fake_cells import FAKE, processes_of

from modelstress.config.errors import ConfigError
from modelstress.config.project import Project
from modelstress.config.tool import Tool
from modelstress.hosts import ProcessHost, kill_leftovers
from modelstress.measure import deadlines
from modelstress.measure.conformance import bench as bench_module
from modelstress.measure.conformance import driving, leaking, serving, slicing
from modelstress.measure.conformance.bench import BrokenError
from modelstress.workloads.queries import files
from modelstress.workloads.queries.conformance import asking, check_tool, loading
from modelstress.workloads.queries.conformance import bench as queries_bench
from modelstress.workloads.queries.conformance.bench import QueriesBench


@pytest.fixture(autouse=True)
def no_java(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model of the fake tool instead of a generated one; every query finds nothing in it."""

    def models(bench: QueriesBench, verb: str, *arguments: str) -> list[dict[str, Any]]:
        if verb == "train":
            Path(arguments[-1]).write_bytes(fake_tool.MODEL)
        if verb == "jdt":
            folder = Path(arguments[arguments.index("--output") + 1])
            folder.mkdir()
            (folder / "model.json").write_bytes(fake_tool.MODEL)
        said = {"elements": fake_tool.ELEMENTS, "count": 0, "digest": "0"}
        return [said] * max(1, arguments.count("--query"))

    monkeypatch.setattr(QueriesBench, "_models", models)
    for module in (bench_module, queries_bench):
        monkeypatch.setattr(module, "require", lambda file, remedy: None)
    monkeypatch.setattr(driving, "SHORT_MS", 500)


def project(folder: Path) -> Project:
    for language in ("ocl", "eol"):
        queries = folder / "queries" / "train" / language
        queries.mkdir(parents=True, exist_ok=True)
        for name in ("Q", "R"):
            (queries / f"{name}.{language}").write_text("a query")
    case = "case: train\nqueries:\n  Q: {tuple: [a]}\n  R: {tuple: [a, b]}\n"
    (folder / "queries" / "train" / "case.yaml").write_text(case)
    return Project(folder)


def tool(server: dict[str, Any] | None = None, driver: dict[str, Any] | None = None) -> Tool:
    return Tool(
        tool="fake",
        title="Fake",
        jar=str(FAKE),
        driver="fake",
        supports={"backend": ["none"], "protocol": ["tcp", "tcp2"], "language": ["ocl", "eol"]},
        ready_timeout_s=5,
        stop_timeout_s=2,
        load_timeout_s=10,
        options=server or {},
        driver_options=driver or {},
    )


def supporting(**levels: list[str]) -> Tool:
    """The tool, which supports these levels instead."""
    fake = tool()
    return fake.model_copy(update={"supports": {**fake.supports, **levels}})


def test_the_fake_tool_conforms_and_nothing_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    results = list(check_tool(project(tmp_path), tool()))
    assert [r for r in results if not r.passed] == []
    checks = (
        loading.CHECKS,
        serving.CHECKS,
        asking.CHECKS,
        driving.CHECKS,
        slicing.CHECKS,
        leaking.CHECKS,
    )
    assert len(results) == 1 + sum(map(len, checks))
    assert len({r.name for r in results}) == len(results)
    assert all(r.detail for r in results)
    assert list(temporary.iterdir()) == [] and processes_of(str(temporary)) == []


def test_declarations_are_checked_where_the_tool_knows_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (loading, serving, asking, driving, slicing, leaking):
        monkeypatch.setattr(module, "CHECKS", ())
    here = project(tmp_path)
    declarations = "- {kind: indexed, metamodel: m, type: T, name: a}"
    file = files.attributes_file(here, "train")
    file.write_text(f"case: train\nattributes:\n{declarations}\n", encoding="utf-8")
    knowing = supporting(attributes=["none", "declared"])
    checks = {r.name: r for r in check_tool(here, knowing)}
    names = {name for name, _ in asking.DECLARED_CHECKS}
    assert set(checks) == {"every language has queries to ask", *names}
    for name, check in checks.items():
        assert check.passed, f"{name}: {check.detail}"
    file.unlink()
    [missing] = [r for r in check_tool(here, knowing) if r.name == asking.DECLARED_CHECKS[0][0]]
    assert not missing.passed and "attributes.yaml" in missing.detail


def test_texts_that_are_missing_are_one_failure_or_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A new language needs the texts that a study asks; without any, one sentence has them all."""
    for module in (serving, driving, slicing, leaking):
        monkeypatch.setattr(module, "CHECKS", ())
    monkeypatch.setattr(asking, "CHECKS", asking.CHECKS[:1])
    here, sql = project(tmp_path), supporting(language=["sql"])
    [texts, *others] = list(check_tool(here, sql))
    assert not texts.passed and all(other.passed for other in others)
    for name in ("Q", "R"):
        assert f"queries/train/sql/{name}.sql" in texts.detail
    folder = here.root / "queries/train/sql"
    folder.mkdir()
    (folder / "Q.sql").write_text("a query")
    [texts, *others] = list(check_tool(here, sql))
    assert [other.detail for other in others if not other.passed] == []
    assert texts.passed and "1 in sql; not asked, without a text" in texts.detail
    assert "R.sql" in texts.detail and "Q.sql" not in texts.detail


def test_every_backend_is_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (serving, asking, driving, slicing, leaking):
        monkeypatch.setattr(module, "CHECKS", ())
    monkeypatch.setattr(loading, "CHECKS", loading.CHECKS[:1])
    both = supporting(backend=["a", "b"])
    results = list(check_tool(project(tmp_path), both))
    assert [r.name[-3:] for r in results] == ["[a]", "[a]", "[b]", "[b]"]


@pytest.fixture
def benches(tmp_path: Path) -> Iterator[Any]:
    marks = []

    def make(
        server: dict[str, Any] | None = None, driver: dict[str, Any] | None = None
    ) -> QueriesBench:
        """A bench whose store was loaded without any fault."""
        folder = tmp_path / f"bench-{len(marks)}"
        folder.mkdir()
        marks.append(str(folder))
        good = QueriesBench(project(tmp_path), tool(), folder, ProcessHost(marks[-1]), "none")
        loading.writes_ids(good)
        good.tool = tool(server, driver)
        return good

    yield make
    for mark in marks:
        kill_leftovers(mark)


@pytest.mark.parametrize(
    ("fault", "check", "message"),
    [
        ("drop_id", loading.writes_ids, "index from 0 to 4"),
        ("same_id", loading.writes_ids, "same identifier twice"),
        ("chatter", loading.writes_ids, "no PROGRESS: 'loading'"),
        ("not_restartable", loading.can_be_repeated, "exit code 6 instead of 0"),
        ("not_restartable", loading.survives_a_kill, "exit code 6 instead of 0"),
        ("single_file", loading.takes_several_files, "load of a model.json: exit code 3"),
        ("no_copy", loading.takes_several_files, "the model is gone"),
        ("accept_unknown", loading.refuses_unknown_keys, "exit code 0 instead of 2"),
        ("vague", loading.refuses_unknown_keys, "does not name the key"),
        ("no_model_check", loading.refuses_a_missing_model, "exit code 0 instead of 3"),
        ("no_model_check", loading.refuses_a_truncated_model, "exit code 0 instead of 3"),
        ("no_store_check", serving.refuses_a_missing_store, "did not end within 5 s"),
        ("no_damage_check", serving.refuses_a_damaged_store, "did not end within 5 s"),
        ("other_port", serving.refuses_a_busy_port, "did not end within 5 s"),
        ("wrong_code", serving.refuses_a_busy_port, "exit code 6 instead of 5"),
        ("chatter", serving.says_ready_once, "more lines than READY"),
        ("extra_protocol", serving.says_ready_once, "READY has endpoints for"),
        ("extra_protocol", serving.serves_what_is_asked, "asked for tcp only"),
        ("all_interfaces", serving.listens_on_loopback_only, r"beyond the loopback.*0\.0\.0\.0"),
        ("ignore_term", serving.stops_and_leaves_nothing, "still runs 2 s after SIGTERM"),
        ("grandchild", serving.stops_and_leaves_nothing, "left processes behind"),
        ("litter", serving.stops_and_leaves_nothing, "outside its work folder: .*litter"),
        ("write_store", serving.leaves_the_store_alone, "changed files"),
        ("lock_store", serving.two_are_independent, "the store is in use"),
        ("leak", leaking.nothing_stays_open, "server keeps descriptors .*open"),
        ("forget_resume", driving.a_killed_server_is_found_again, "is not empty"),
    ],
)
def test_broken_servers_are_noticed(benches: Any, fault: str, check: Any, message: str) -> None:
    bench = benches(server={fault: 1})
    with pytest.raises(Exception, match=message) as caught:
        check(bench)
    assert isinstance(caught.value, BrokenError) or fault in (
        "lock_store",
        "no_copy",
        "forget_resume",
    )


@pytest.mark.parametrize(
    ("fault", "check", "message"),
    [
        ({"wrong_every": 5}, asking.eight_threads_reused, "incorrect.*the oracle has 0"),
        ({"swallow": 1}, asking.a_malformed_query_is_an_error, r"malformed ocl.*\['ok'\]"),
        ({"mute": 1}, asking.a_malformed_query_is_an_error, "malformed ocl: no message"),
        ({"swallow_io": 1}, driving.an_unreachable_endpoint_is_an_error, r"listens.*\['ok'\]"),
        ({"mute": 1}, driving.an_unreachable_endpoint_is_an_error, "no message"),
        ({"swallow_io": 1}, driving.a_killed_server_ends_in_errors, "succeeded without a server"),
        ({"deaf": 1}, driving.a_hanging_server_is_replaced, "no HELD after"),
        ({"wrong_every": 5}, driving.a_killed_server_is_found_again, "after a kill"),
        ({"leak": 1}, leaking.nothing_stays_open, "driver keeps descriptors .*open"),
        ({"leak_threads": 1}, leaking.nothing_stays_open, "driver keeps threads open"),
        ({"refuse": 1}, asking.one_thread_reused, "died: exit code 2"),
        ({"die_at": 3}, asking.one_thread_reused, "killed by signal 9"),
    ],
)
def test_broken_drivers_are_noticed(
    benches: Any,
    fault: dict[str, Any],
    check: Any,
    message: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(deadlines, "HELD_S", 2.0)
    with pytest.raises(Exception, match=message):
        check(benches(driver=fault))


def test_a_driver_without_deadlines_is_noticed(
    benches: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("modelstress.measure.deadlines.SLACK_S", 0.0)
    with pytest.raises(Exception, match="no DONE after"):
        driving.an_unreachable_endpoint_is_an_error(benches(driver={"endless": 1}))


def test_later_checks_fail_in_words_when_nothing_was_loaded(tmp_path: Path) -> None:
    results = list(check_tool(project(tmp_path), tool(server={"not_restartable": 1, "fail": 6})))
    failed = {r.name: r.detail for r in results if not r.passed}
    assert "serve says READY exactly once" in failed
    assert all(failed.values())


def test_an_external_server_is_refused(tmp_path: Path) -> None:
    outside = tool().model_copy(update={"endpoint": {"tcp": "tcp://192.0.2.1:1"}, "ids": "x"})
    with pytest.raises(ConfigError, match="endpoint"):
        list(check_tool(project(tmp_path), outside))
