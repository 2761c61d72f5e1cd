"""How long the scoreboard takes to answer about a plan of 16,384 cells, and what it costs.

    python benchmarks/scoreboard/answers.py [--measured 16384] [--keep FOLDER]

A project of its own gets a profile with all combinations of 14 options and synthetic samples of
some of its cells; 'modelstress scoreboard' serves it. Every address is asked for once, so that no
answer was made before: the whole space by each metric, every option at each level, and 100 random
choices. It is also asked while the samples are still being read.
"""

from __future__ import annotations

import argparse
import http.client
import json
import random
import subprocess
import sys
import tempfile
import time
import urllib.parse
from pathlib import Path

import numpy as np
import psutil
import pyarrow.parquet as pq
import yaml

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests"))

import space_samples  # noqa: E402
import synthetic  # noqa: E402

from modelstress.config.project import Project  # noqa: E402
from modelstress.design.plan_file import Plan, make_plan, write_plan  # noqa: E402

STUDY, PROFILE = "configuration-space", "everything"
SEED = 7
RANDOM = 100
EXECUTIONS = 40


def project_in(folder: Path) -> Project:
    """A project with a profile of all combinations."""
    for name in ("config", "queries"):
        (folder / name).symlink_to(ROOT / name) if name == "queries" else None
    subprocess.run(["cp", "-r", str(ROOT / "config"), str(folder)], check=True)
    profiles = folder / "config" / "profiles" / STUDY
    profile = yaml.safe_load((profiles / "screening.yaml").read_text(encoding="utf-8"))
    profile |= {"profile": PROFILE, "title": "all combinations", "invocations": 1}
    profile["design"] = {"kind": "full"}
    (profiles / f"{PROFILE}.yaml").write_text(yaml.safe_dump(profile), encoding="utf-8")
    return Project(folder)


def write_samples(project: Project, plan: Plan, count: int) -> None:
    """Samples of the first cells of the plan: 3 strong options, 1 in 50 fails in a region."""
    rng = np.random.default_rng(SEED)
    for run in plan.runs[:count]:
        cell = run.cell
        levels = dict(cell.levels)
        median = space_samples.usual(levels) * rng.lognormal(0, 0.02)
        bad = str(levels["threadPolicy"]) == "SINGLE" and str(levels["maxGIOPVersion"]) == "1.0"
        outcomes = ["error" if bad else "ok"] * 5 + ["ok"] * (EXECUTIONS - 5)
        durations = median * rng.lognormal(0, 0.1, EXECUTIONS)
        folder = project.raw / STUDY / PROFILE / cell.tool.tool / cell.id / "i00"
        folder.mkdir(parents=True)
        pq.write_table(synthetic.samples(durations, outcomes), folder / "samples.parquet")
        record = synthetic.record({**levels, "query": ""}, 0)
        record |= {"study": STUDY, "profile": PROFILE, "cell": cell.id, "levels": levels}
        (folder / "cell.json").write_text(json.dumps(record), encoding="utf-8")


def queries(plan: Plan) -> list[str]:
    """Addresses, each once."""
    levels = {}
    for cell in plan.cells:
        for name, level in cell.levels.items():
            levels.setdefault(name, {}).setdefault(str(level))
    options = {name: list(words) for name, words in levels.items() if len(words) > 1}
    asked = [{}, {"of.measure": "throughput"}, {"of.measure": "jitter"}]
    asked += [{name: word} for name, words in options.items() for word in words]
    chance = random.Random(SEED)
    for _ in range(RANDOM):
        names = chance.sample(sorted(options), chance.randint(2, 6))
        asked.append({name: chance.choice(options[name]) for name in names})
    return ["/?" + urllib.parse.urlencode(sorted(one.items())) for one in asked]


def answer(address: str, path: str) -> str:
    """What the scoreboard answers."""
    where = urllib.parse.urlsplit(address)
    connection = http.client.HTTPConnection(where.hostname, where.port, timeout=60)
    try:
        connection.request("GET", path)
        got = connection.getresponse()
        text = got.read().decode()
    finally:
        connection.close()
    if got.status != 200:
        raise SystemExit(f"{path}: {got.status}")
    return text


def asked(address: str, path: str) -> float:
    """Milliseconds until an answer has come whole."""
    begun = time.perf_counter()
    answer(address, path)
    return 1000 * (time.perf_counter() - begun)


def told(name: str, times: list[float]) -> None:
    """Print what an address took."""
    low, middle, high = np.percentile(times, [0, 50, 95])
    print(f"{name}: {len(times)} answers, median {middle:.0f} ms, 95 % within {high:.0f} ms, "
          f"fastest {low:.0f} ms, slowest {max(times):.0f} ms", flush=True)  # fmt: skip


def unread(address: str) -> bool:
    return "still being read" in answer(address, "/progress")


def measure(project: Project, plan: Plan) -> None:
    argv = [sys.executable, "-m", "modelstress.start", "--project", str(project.root)]
    argv += ["scoreboard", "--study", STUDY, "--profile", PROFILE]
    program = "import sys; from modelstress.start import main; sys.exit(main())"
    argv[1:3] = ["-c", program]
    begun = time.monotonic()
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as server:
        try:
            address = server.stdout.readline().split()[0]
            print(f"listening after {time.monotonic() - begun:.1f} s", flush=True)
            addresses = queries(plan)
            while_reading = []
            chance = random.Random(SEED)
            while unread(address):
                while_reading.append(asked(address, chance.choice(addresses)))
                time.sleep(1)
            print(f"all samples read after {time.monotonic() - begun:.0f} s", flush=True)
            if while_reading:
                told("while samples are read", while_reading)
            time.sleep(3)
            told("each choice for the first time", [asked(address, one) for one in addresses])
            told("asked again", [asked(address, addresses[-1]) for _ in range(20)])
            told("progress", [asked(address, "/progress") for _ in range(20)])
            processes = [psutil.Process(server.pid)]
            processes += processes[0].children(recursive=True)
            before = sum(sum(one.cpu_times()[:2]) for one in processes)
            time.sleep(20)
            spent = sum(sum(one.cpu_times()[:2]) for one in processes) - before
            memory = [one.memory_info().rss // 2**20 for one in processes]
            print(f"memory {memory} MiB (server, then what it started)")
            print(f"without requests they take {100 * spent / 20:.1f} % of a CPU")
        finally:
            server.terminate()
            server.wait(20)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--measured", type=int, default=16_384, help="cells with samples")
    parser.add_argument("--keep", type=Path, help="folder to make the project in, and leave there")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        if (folder / "data").exists():
            project = Project(folder)
            plan = make_plan(project, STUDY, PROFILE)
        else:
            project = project_in(folder)
            plan = make_plan(project, STUDY, PROFILE)
            write_plan(project, plan)
            begun = time.monotonic()
            write_samples(project, plan, arguments.measured)
            print(f"samples written in {time.monotonic() - begun:.0f} s")
        print(f"{len(plan.cells)} cells, {arguments.measured} of them measured", flush=True)
        measure(project, plan)


if __name__ == "__main__":
    main()
