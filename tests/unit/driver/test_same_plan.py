"""The plan of a client in Python is that of the Java harness; the numbers were computed by it."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from modelstress.config.errors import ConfigError
from modelstress.config.programs import OpenLoop, Workload
from modelstress.driver.plan import OperationPlan
from modelstress.driver.schedule import Schedule
from modelstress.driver.verifier import digest

WEIGHTS = [("A", 1), ("B", 2.5), ("C", 3)]
SEED = 11658411529476709180
WARMUP = "CCBBCCACCBBBCBCABCCCCBBCBCAAAABBBCCBCCAACBBBBCCBBBCACCCCAABC"
MEASURE = "CABCCCCBBBBCCBCBBCBBACCBCBCBCBCCCCCBBCBABBCBBABCCCBCCCBACCCA"
TICKETS = (0, 1, 2, 3, 100, 2047, 2048, 5000)
CONSTANT = [0, 3333333, 6666666, 10000000, 333333333, 6823333333, 6826666666, 16666666666]
POISSON = [918269, 2441198, 3441899, 3762936, 96896745, 2079741478, 2080659747, 5051768799]


def plan(**changed: object) -> OperationPlan:
    given = {
        "operations": [{"name": name, "weight": weight} for name, weight in WEIGHTS],
        "executions": 40,
        "timeout_ms": 5000,
        "client": 3,
        "invocation": 2,
        "seed": 20170822,
    }
    return OperationPlan(Workload.model_validate(given | changed))


def drawn(plan: OperationPlan, *, warmup: bool) -> str:
    indices = (plan.index(warmup=warmup, sequence=n, position=0) for n in range(60))
    return "".join(plan.operations[index].name for index in indices)


def test_a_seed_means_the_same_operations():
    assert plan().seed == SEED
    assert drawn(plan(), warmup=True) == WARMUP
    assert drawn(plan(), warmup=False) == MEASURE
    assert drawn(plan(seed=1), warmup=False) != MEASURE
    negative = plan(operations=[{"name": "A"}], client=0, invocation=0, seed=-7)
    assert negative.seed == 13008279457197585068


@pytest.mark.parametrize(("arrivals", "due"), [("constant", CONSTANT), ("poisson", POISSON)])
def test_a_seed_means_the_same_arrivals(arrivals, due):
    rate = 300.0 if arrivals == "constant" else 1000.0
    schedule = Schedule(OpenLoop(kind="open", rate_per_s=rate, arrivals=arrivals), SEED, 40)
    assert [schedule.offset_ns(ticket) for ticket in TICKETS] == due
    for before in (0, 1, due[2], due[2] + 1, due[-1]):
        counted = sum(1 for ticket in range(6000) if schedule.offset_ns(ticket) < before)
        assert schedule.due_before(before) == counted


def test_a_result_means_the_same_digest():
    assert digest([1, 2, 3, 4, 5, 6], 2) == 18194010468129672293
    assert (
        digest([5, 6, 1, 2, 3, 4], 2)
        == digest([1, 2, 3, 4, 5, 6], 2)
        != digest([2, 1, 3, 4, 5, 6], 2)
    )
    assert digest([], 2) == 0


def test_an_order_goes_before_weights():
    ordered = plan(order=["B", "A", "A"])
    for position, index in enumerate([1, 0, 0, 1, 0, 0, 1]):
        assert ordered.index(warmup=False, sequence=17, position=position) == index


def test_unique_texts_differ_between_executions_and_clients():
    text = "select(x | x.a/*unique*/)"
    operations = [{"name": "A", "text": text}]
    condition = " and %1$d = %1$d"
    texts = Counter(
        plan(operations=operations, unique_condition=condition, client=client)
        .operation(0, 5, number)
        .text
        for client in (0, 1, 63)
        for number in range(50)
    )
    assert len(texts) == 150 and "select(x | x.a and 127 = 127)" in texts
    assert plan(operations=operations).operation(0, 5, 9).text == text


@pytest.mark.parametrize("condition", ["", "no number", "%s", "%1$d %s"])
def test_a_condition_that_makes_nothing_unique_is_refused(condition):
    operations = [{"name": "A", "text": "x/*unique*/"}]
    with pytest.raises(ConfigError, match="unique_condition"):
        plan(operations=operations, unique_condition=condition)
    with pytest.raises(ConfigError, match="text of A has no"):
        plan(operations=[{"name": "A", "text": "x"}], unique_condition="%d")


def test_threads_do_not_begin_in_step():
    paced = plan(operations=[{"name": "A", "think_ms": 100}])
    pauses = [paced.first_pause_ns(0, thread) for thread in range(50)]
    assert len(set(pauses)) == 50 and min(pauses) >= 0 and max(pauses) < 100e6
    assert max(pauses) > 70e6 and min(pauses) < 30e6
    assert plan().first_pause_ns(0, 1) == 0


def test_seeds_of_sessions_differ():
    seeds = {
        plan(client=client).session_seed(thread, session)
        for client in (0, 1)
        for thread in range(4)
        for session in range(4)
    }
    assert len(seeds) == 32
    assert plan().session_seed(1, 2) == plan().session_seed(1, 2)


def test_a_client_starts_without_what_it_does_not_need(tmp_path: Path):
    asked = "import sys, modelstress.driver; print(*sorted({'numpy', 'pyarrow', 'pandas', 'hdrh'}"
    done = subprocess.run(
        [sys.executable, "-c", f"{asked} & set(sys.modules)))"],
        capture_output=True, text=True, check=True, cwd=tmp_path,
    )  # fmt: skip
    assert done.stdout.split() == []
