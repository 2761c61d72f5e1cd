"""Studies of operations: what is refused, and what makes a cell another one."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from modelstress.config.base import read_model
from modelstress.config.errors import ConfigError
from modelstress.config.profile import Profile
from modelstress.config.project import Project
from modelstress.design.cell import Cell
from modelstress.design.cells import cells_of
from modelstress.design.contents import contents_of
from modelstress.design.kinds import kind_of
from modelstress.workloads.operations.study import OperationsStudy
from modelstress.workloads.operations.work import options_of, work_of

TOOL = {
    "tool": "bank", "title": "Bank", "jar": "bank/serve", "driver": "bank",
    "workload": "operations", "store": "none",
    "supports": {"protocol": ["http"], "durability": ["full", "off"]},
    "driver_options": {"retries": 3},
}  # fmt: skip
STUDY: dict[str, Any] = {
    "study": "bank",
    "title": "A bank",
    "workload": "operations",
    "operations": {
        "pay": {"parameters": {"amount": 10}, "think_ms": 20, "weight": 3, "check": "verdict"},
        "look": {"check": {"unchecked": "it lags"}},
        "count": {"check": {"count": 7, "digest": 5}, "text": "all", "arity": 2, "objects": True},
    },
    "datasets": {"few": {"accounts": 20}, "many": {"accounts": 2000}},
    "invariants": {"money": {"program": "bank/check", "title": "money is conserved"}},
    "factors": {"tool": ["bank"], "dataset": ["few", "many"], "threads": [1, 8]},
    "roles": {"load": "threads", "dataset": "dataset"},
}
Change = Callable[[dict[str, Any]], object]


def described(*changes: Change) -> dict[str, Any]:
    study = copy.deepcopy(STUDY)
    for change in changes:
        change(study)
    return study


@pytest.fixture
def project(tmp_path: Path) -> Project:
    for place, what in (("config.yaml", {"profile": "p"}), ("tools/bank.yaml", TOOL)):
        file = tmp_path / "config" / place
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(yaml.safe_dump(what))
    (tmp_path / "bank").mkdir()
    for program in ("serve", "check"):
        (tmp_path / "bank" / program).write_text(program)
    return Project(tmp_path)


def cells(project: Project, *changes: Change) -> list[Cell]:
    study = OperationsStudy.model_validate(described(*changes))
    profile = Profile.model_validate({"profile": "p", "title": "t", "invocations": 1})
    return cells_of(project, study, profile)


def choosing(study: dict[str, Any]) -> None:
    """Operations are levels of a factor."""
    study["factors"]["work"] = ["pay", "look"]
    study["roles"]["operation"] = "work"


def mixed(study: dict[str, Any]) -> None:
    choosing(study)
    study["mixes"] = {"busy": {"pay": 1, "look": 4}}
    study["factors"]["work"] = ["pay", "busy"]


@pytest.mark.parametrize(
    ("change", "parts"),
    [
        (lambda s: s.pop("operations"), ["'operations'", "missing"]),
        (lambda s: s.update(operations={}), ["operations"]),
        (lambda s: s["operations"]["pay"].pop("check"), ["operations.pay.check", "missing"]),
        (lambda s: s["operations"]["pay"].update(check="verdikt"), ["operations.pay.check"]),
        (lambda s: s["operations"]["pay"].update(check={"unchecked": ""}), ["unchecked"]),
        (lambda s: s["operations"]["pay"].update(chek=1), ["operations.pay.chek", "'check'"]),
        (lambda s: s["operations"]["pay"].update(weight=0), ["operations.pay.weight"]),
        (lambda s: s["operations"]["pay"].update(think_ms=-1), ["operations.pay.think_ms"]),
        (lambda s: s["operations"].update({"a b": {"check": "verdict"}}), ["operations.a b"]),
        (lambda s: s.update(order=[]), ["order"]),
        (lambda s: s.update(order=["pay", "lok"]), ["order names unknown 'lok'", "'look'"]),
        (
            lambda s: s.update(mixes={"m": {"pay": 1, "cont": 1}}),
            ["mixes.m names unknown 'cont'", "'count'"],
        ),
        (lambda s: s.update(mixes={"m": {"pay": 1}}), ["mixes.m"]),
        (
            lambda s: s.update(mixes={"pay": {"look": 1, "count": 1}}),
            ["mixes.pay has the name of an operation", "give it another"],
        ),
        (
            lambda s: (choosing(s), s["factors"].update(work=["pya"])),
            ["factors.work names unknown 'pya'", "'pay'"],
        ),
        (
            lambda s: (choosing(s), s.update(order=["pay"])),
            ["order is of all operations", "roles.operation is 'work'", "leave one"],
        ),
        (
            lambda s: s["factors"].update(dataset=["few", "mny"]),
            ["factors.dataset names unknown 'mny'", "'many'"],
        ),
        (
            lambda s: (s["roles"].update(dataset=""), s["factors"].pop("dataset")),
            ["datasets are levels of no factor", "roles.dataset"],
        ),
        (
            lambda s: s["factors"].update(mode=["closed", "open"], rate_per_s=[1]),
            ["operations.pay.think_ms", "'open'", "leave one of them out"],
        ),
        (
            lambda s: s["invariants"]["money"].update(timeout_s=0),
            ["invariants.money.timeout_s"],
        ),
        (lambda s: s["invariants"]["money"].pop("program"), ["invariants.money.program"]),
        (lambda s: s["roles"].update(load="thread"), ["roles.load", "'thread'", "'threads'"]),
    ],
)  # fmt: skip
def test_a_mistake_is_one_sentence(change: Change, parts: list[str], tmp_path: Path) -> None:
    file = tmp_path / "bank.yaml"
    file.write_text(yaml.safe_dump(described(change)))
    with pytest.raises(ConfigError) as caught:
        read_model(OperationsStudy, file)
    message = str(caught.value)
    assert message.startswith(str(file)) and "\n" not in message
    for part in parts:
        assert part in message


def test_a_missing_invariant_is_refused_before_anything_runs(project: Project) -> None:
    (project.root / "bank" / "check").unlink()
    with pytest.raises(ConfigError, match=r"bank\.yaml.*invariants\.money\.program.*write it"):
        cells(project)


@pytest.mark.parametrize(
    "change",
    [
        lambda s: s["operations"]["pay"]["parameters"].update(amount=11),
        lambda s: s["operations"]["pay"].update(think_ms=21),
        lambda s: s["operations"]["pay"].update(weight=4),
        lambda s: s["operations"]["count"].update(text="some"),
        lambda s: s["operations"]["count"].update(arity=1),
        lambda s: s["operations"]["count"].update(objects=False),
        lambda s: s["operations"].update({"more": {"check": "verdict"}}),
        lambda s: s.update(order=["pay", "look", "count"]),
        lambda s: [each.update(currency="EUR") for each in s["datasets"].values()],
    ],
)
def test_what_clients_do_makes_a_cell_another_one(project: Project, change: Change) -> None:
    before, after = cells(project), cells(project, change)
    assert len(before) == len(after) == 4
    assert not {c.id for c in before} & {c.id for c in after}


@pytest.mark.parametrize(
    "change",
    [
        lambda s: s.update(title="Another title"),
        lambda s: s["operations"]["look"].update(check="verdict"),
        lambda s: s["operations"]["count"]["check"].update(digest=6),
        lambda s: s.pop("invariants"),
        lambda s: s["invariants"]["money"].update(timeout_s=5),
        lambda s: s["datasets"].update(unused={"accounts": 3}),
        lambda s: s.update(mixes={"unused": {"pay": 1, "look": 1}}),
        lambda s: s["operations"].update(  # in another order of the file
            {name: s["operations"].pop(name) for name in ("count", "look", "pay")}
        ),
    ],
)
def test_how_it_is_judged_leaves_a_cell_the_same(project: Project, change: Change) -> None:
    assert {c.id for c in cells(project)} == {c.id for c in cells(project, change)}


def test_another_order_is_another_cell(project: Project) -> None:
    one = cells(project, lambda s: s.update(order=["pay", "look", "count"]))
    other = cells(project, lambda s: s.update(order=["look", "pay", "count"]))
    assert not {c.id for c in one} & {c.id for c in other}
    assert work_of(other[0]).order == ("look", "pay", "count")


def test_a_change_of_one_dataset_leaves_cells_of_the_other(project: Project) -> None:
    before = {c.id: c for c in cells(project)}
    after = cells(project, lambda s: s["datasets"]["few"].update(accounts=21))
    assert {c.levels["dataset"] for c in after if c.id in before} == {"many"}
    assert {c.levels["dataset"] for c in after if c.id not in before} == {"few"}


def test_checks_and_invariants_are_contents(project: Project) -> None:
    """Cells stay the same and become stale."""
    first = cells(project)[0]
    before = contents_of(project, first)
    judged = contents_of(
        project, cells(project, lambda s: s["operations"]["look"].update(check="verdict"))[0]
    )
    assert {name for name in before if before[name] != judged[name]} == {"checks"}
    (project.root / "bank" / "check").write_text("another program")
    changed = contents_of(project, first)
    assert {name for name in before if before[name] != changed[name]} == {"invariants"}


def test_the_think_time_of_a_cell_goes_before_that_of_operations(project: Project) -> None:
    paced = cells(project, lambda s: s["factors"].update(think_ms=[0, 7.5]))
    for cell in paced:
        every = {one.think_ms for one in work_of(cell).described.values()}
        assert every == {float(cell.levels["think_ms"])}
    assert len({c.id for c in paced}) == 8
    usual = work_of(cells(project)[0]).described
    assert {name: one.think_ms for name, one in usual.items()} == {
        "pay": 20, "look": 0, "count": 0,
    }  # fmt: skip


def test_without_a_factor_all_operations_are_executed(project: Project) -> None:
    work = work_of(cells(project)[0])
    assert work.weights == {"pay": 3, "look": 1, "count": 1}


def test_a_level_is_an_operation_or_a_mix(project: Project) -> None:
    found = {
        str(c.levels["work"]): work_of(c).weights for c in cells(project, mixed)
        if c.levels["threads"] == 1 and c.levels["dataset"] == "few"
    }  # fmt: skip
    assert found == {"pay": {"pay": 3}, "busy": {"pay": 1, "look": 4}}


def test_operations_that_a_cell_does_not_execute_leave_it_the_same(project: Project) -> None:
    changed = cells(project, mixed, lambda s: s["operations"]["count"].update(arity=3))
    assert {c.id for c in cells(project, mixed)} == {c.id for c in changed}
    heavier = cells(project, mixed, lambda s: s["mixes"]["busy"].update(look=5))
    same = {c.id for c in cells(project, mixed)} & {c.id for c in heavier}
    assert len(same) == 4 and all("busy" not in one for one in same)


def test_what_an_invocation_gets(project: Project) -> None:
    [cell, *_] = cells(project, lambda s: s["factors"].update(durability=["off"]))
    kind = kind_of(OperationsStudy.model_validate(STUDY))
    found = kind.prepare(project, cell)
    assert [o.name for o in found.operations] == ["pay", "look", "count"]
    [_, _, count] = found.operations
    assert (count.text, count.arity, count.objects) == ("all", 2, True)
    assert found.checks.verdicts == {"pay"}
    assert found.checks.unchecked == {"look": "it lags"}
    assert (found.checks.expected["count"].count, found.checks.expected["count"].digest) == (7, 5)
    assert [one.program for one in found.checks.invariants] == [project.root / "bank/check"]
    assert found.server["dataset"].model_dump() == {
        "name": "few", "parameters": {"accounts": 20},
    }  # fmt: skip
    assert found.server_options["durability"] == found.driver_options["durability"] == "off"
    assert found.store is None and found.ids is None and found.protocol == "http"


def test_a_mix_may_be_in_order(project: Project) -> None:
    def ordered(study: dict[str, Any]) -> None:
        mixed(study)
        study["mixes"]["busy"] = ["look", "pay"]

    drawn, in_order = cells(project, mixed), cells(project, ordered)
    busy = [cell for cell in in_order if cell.levels["work"] == "busy"]
    assert {work_of(cell).order for cell in busy} == {("look", "pay")}
    assert {work_of(cell).order for cell in in_order if cell not in busy} == {()}
    assert dict(work_of(busy[0]).weights) == {"look": 1.0, "pay": 3.0}
    assert {work_of(cell).order for cell in drawn} == {()}
    assert not {cell.id for cell in busy} & {cell.id for cell in drawn}


def test_texts_of_files_are_options_and_make_cells_stale(project: Project) -> None:
    (project.root / "config" / "tools" / "bank.yaml").write_text(
        yaml.safe_dump(
            {
                **TOOL,
                "store": "loaded",
                "loaded_by": ["protocol"],
                "texts": {"rules": ["config/rules/{durability}.yaml"]},
            }
        )
    )
    rules = project.root / "config" / "rules"
    rules.mkdir()
    for level in ("full", "off"):
        (rules / f"{level}.yaml").write_text(f"commits: {level}")

    def durable(study: dict[str, Any]) -> None:
        study["factors"] |= {"durability": ["full", "off"], "protocol": ["http"]}

    full, off = (
        c for c in cells(project, durable) if c.threads == 1 and c.levels["dataset"] == "few"
    )
    assert options_of(project, full)["rules"] == "commits: full"
    assert options_of(project, full, loading=True) == {"protocol": "http"}
    before = contents_of(project, full), contents_of(project, off)
    (rules / "off.yaml").write_text("commits: seldom")
    assert contents_of(project, full) == before[0]
    assert contents_of(project, off) != before[1]
    (rules / "off.yaml").unlink()
    with pytest.raises(ConfigError, match="option rules is the text of .*off.yaml"):
        options_of(project, off)
