"""The client library in C++ keeps the contract as those in Python and Java do."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hdrh.histogram import HdrHistogram
from orb_programs import (
    BUILT,
    NO_ORB,
    OPERATIONS,
    ROOT,
    Client,
    make,
    measured,
    samples,
    serving,
    workload,
)

from modelstress.config.base import parse
from modelstress.config.programs import Workload
from modelstress.driver.plan import OperationPlan
from modelstress.driver.schedule import Schedule

pytestmark = NO_ORB


@pytest.fixture(scope="module")
def built() -> None:
    make()


@pytest.fixture(scope="module")
def endpoint(built: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server with one thread for each connection."""
    with serving(tmp_path_factory.mktemp("server")) as (address, _):
        yield address


def test_a_seed_means_the_same_operations_as_in_python(endpoint: str, tmp_path: Path) -> None:
    fields = workload()
    table = measured(endpoint, tmp_path, fields, threads=4)
    plan = OperationPlan(parse(Workload, fields, "workload"))
    for warmup, rows in table.groupby(table["phase"] == "warmup"):
        expected = [
            OPERATIONS[plan.index(warmup=bool(warmup), sequence=n, position=0)]["name"]
            for n in rows["sequence"]
        ]
        assert list(rows["operation"]) == expected
    window = table[table["phase"] == "measure"]
    assert sorted(window["sequence"]) == list(range(400))
    assert set(table["outcome"]) == {"ok"} and set(table["client"]) == {2}
    assert (window["intended_start_ns"] == window["start_ns"]).all()
    assert (window["items"] == window["result_count"]).all()


@pytest.mark.parametrize("arrivals", ["constant", "poisson"])
def test_a_seed_means_the_same_arrivals_as_in_python(
    endpoint: str, tmp_path: Path, arrivals: str
) -> None:
    fields = workload(
        executions=200, mode={"kind": "open", "rate_per_s": 500.0, "arrivals": arrivals}
    )
    table = measured(endpoint, tmp_path, fields, threads=2)
    window = table[table["phase"] == "measure"].sort_values("sequence")
    parsed = parse(Workload, fields, "workload")
    # the window is the second stage: the warm-up has as few threads
    seed = OperationPlan(parsed).seed ^ (1 << 8) ^ 1
    schedule = Schedule(parsed.mode, seed, 200)
    due = np.array([schedule.offset_ns(n) for n in range(200)])
    started = window["intended_start_ns"].to_numpy()
    assert np.array_equal(started - started[0], due - due[0])
    assert (window["start_ns"] >= window["intended_start_ns"]).all()


def test_histograms_hold_what_rows_would(endpoint: str, tmp_path: Path) -> None:
    fields = workload(samples="histogram", executions=5000)
    table = measured(endpoint, tmp_path, fields, threads=2)
    assert table.empty
    lines = [
        json.loads(line)
        for line in (tmp_path / "out.mssf.histograms.jsonl").read_text().splitlines()
    ]
    assert sum(line["executions"] for line in lines if line["phase"] == "measure") == 5000
    for line in lines:
        durations = HdrHistogram.decode(line["duration_ns"])
        assert durations.get_total_count() == line["executions"]
        assert 1000 < durations.get_value_at_percentile(50) < 1e9
        assert HdrHistogram.decode(line["lateness_ns"]).get_max_value() == 0
        assert line["outcome"] == "ok" and line["attempts"] == line["executions"]


def test_slices_and_a_steady_warm_up(endpoint: str, tmp_path: Path) -> None:
    fields = workload(
        slices=4, executions=None, window={"seconds": 0.4},
        warmup={"executions": 100, "seconds": 0.1, "steady": {"within": 0.5, "most_s": 5}},
    )  # fmt: skip
    del fields["executions"]
    client = Client(endpoint, tmp_path, fields, threads=2)
    warmed = []
    for _ in range(4):
        client.say("WARM")
        warmed.append(client.until("WARMED"))
        client.say("PAUSE")
        client.until("PAUSED")
    assert warmed[-1]["steady"] is True
    counts = [said["executions"] for said in warmed]
    assert counts[0] >= 25 and counts[-1] >= 100 and counts == sorted(counts), "sums up to then"
    sums = 0
    for _ in range(4):
        client.say("GO")
        sums += client.until("SLICED")["executions"]
    assert client.until("DONE")["executions"] == sums > 100
    assert client.end()[0] == 0
    rows = samples(client.out)
    assert len(rows.query("phase == 'measure'")) == sums
    numbers = list(rows.query("phase == 'warmup'")["sequence"])
    assert len(set(numbers)) == len(numbers) >= counts[-1]


def test_go_without_warm_does_all_slices_of_a_warm_up(endpoint: str, tmp_path: Path) -> None:
    warmup = {"executions": 8, "seconds": 0, "threads": 1}
    client = Client(endpoint, tmp_path, workload(slices=4, executions=4, warmup=warmup))
    for _ in range(4):
        client.say("GO")
    client.until("DONE")
    assert client.end()[0] == 0
    assert list(samples(client.out)["phase"]).count("warmup") == 8


def test_a_second_program_may_not_write_over_samples(endpoint: str, tmp_path: Path) -> None:
    (tmp_path / "out.mssf").write_text("measured")
    client = Client(endpoint, tmp_path, workload())
    code, said = client.end()
    assert code == 2 and "exists" in said
    assert (tmp_path / "out.mssf").read_text() == "measured"


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"timeout_ms": 0}, "timeout_ms must be a whole number from 1"),
        ({"nosuch": 1}, "nosuch is not known"),
        ({"executions": 1, "slices": 2}, "more than there is to divide"),
        ({"window": {"seconds": 1}}, "say one of them"),
        ({"order": ["cal"]}, 'unknown operation "cal"'),
        ({"operations": []}, "operations must be a list"),
        ({"client": 64}, "client must be a whole number from 0 to 63"),
        ({"mode": {"kind": "ajar"}}, "must be one of closed, open"),
        ({"options": {"oneCallPerConnection": 7}}, "oneCallPerConnection"),
        ({"options": {"maxGIOPVersion": "9.9"}}, "must be 1.0, 1.1 or 1.2"),
    ],
)
def test_a_workload_that_makes_no_sense_is_refused(
    endpoint: str, tmp_path: Path, fields: dict[str, Any], message: str
) -> None:
    code, said = Client(endpoint, tmp_path, workload(**fields)).end()
    last = said.strip().splitlines()[-1]
    assert code == 2 and last.startswith("error: ") and message in last, said
    assert not (tmp_path / "out.mssf").exists()


def test_every_option_is_confirmed_by_the_orb(built: None, tmp_path: Path) -> None:
    """An option that omniORB takes for another value is refused, not measured."""
    config = {"tool": "omniorb", "bind": "127.0.0.1", "ports": {"tcp": 0}}
    for options, message in (
        ({"threadPerConnectionPolicy": "zz"}, "threadPerConnectionPolicy"),
        ({"connectionWatchPeriod": 1.5}, "connectionWatchPeriod"),
        ({"threadPolicy": "MAIN"}, "threadPolicy is MAIN"),
    ):
        (tmp_path / "server.json").write_text(json.dumps({**config, "options": options}))
        ended = subprocess.run(
            [BUILT / "server", "serve", "--config", tmp_path / "server.json"],
            capture_output=True, text=True, timeout=20, check=False,
        )  # fmt: skip
        assert ended.returncode == 2 and message in ended.stderr.splitlines()[-1], ended


def test_another_model_compiles_without_a_warning_and_runs(built: None, tmp_path: Path) -> None:
    """Nested assemblies, every type, bursts, events to two sinks: a model that is not ours."""
    model = Path(__file__).with_name("nested.yaml")
    folder = tmp_path / "nested"
    subprocess.run(
        [sys.executable, "-m", "benchmark_generator", model, folder],
        cwd=ROOT / "orb", check=True, timeout=60,
    )  # fmt: skip
    made = subprocess.run(
        ["make", "-s", "-C", folder], capture_output=True, text=True, timeout=240, check=False
    )
    assert made.returncode == 0 and made.stderr == "", made.stderr
    run = subprocess.run([folder / "run"], capture_output=True, text=True, timeout=120, check=False)
    assert run.returncode == 0, run.stderr
    assert run.stdout.count("DONE") == 5 and "DETAIL" not in run.stdout
