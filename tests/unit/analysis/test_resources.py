"""Context switches and memory of an invocation, and the variance of its latencies."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import histogram_samples
import numpy as np
import pytest
import synthetic
from small_studies import study

from modelstress.analysis.derive import derive
from modelstress.analysis.resources import resources
from modelstress.config.figures import OverFactor
from modelstress.config.measures import RESOURCES
from modelstress.measure.footprint import footprint, sizes_of

PLACE = (synthetic.STUDY, synthetic.PROFILE)
MIB = 1 << 20
SIZES = {"program": {"text": MIB, "data": MIB // 2, "bss": MIB // 2}, "libraries": {"libc": MIB}}


def record(**more: object) -> dict[str, object]:
    window = {"server.voluntary": 200, "server.involuntary": 4,
              "client.voluntary": 100, "client.involuntary": 0}  # fmt: skip
    columns = {"server.rss_bytes": [0, 3 * MIB, 3 * MIB, 5 * MIB], "client.rss_bytes": [0] * 4}
    marks = {"ready": 1, "go": 2, "window": 3}
    return {
        "server": {"footprint": SIZES, "disk_bytes": 7 * MIB},
        "clients": [{"footprint": SIZES}, {"footprint": SIZES}],
        "telemetry": {"window": window, "marks": marks, "columns": columns},
    } | more  # fmt: skip


def test_switches_are_by_execution_and_sizes_in_mebibytes() -> None:
    row = resources(record(), 100)
    assert set(row) == set(RESOURCES)
    assert row["server_switches"] == 2 and row["server_preemptions"] == 0.04
    assert row["client_switches"] == 1 and row["client_preemptions"] == 0
    assert row["server_program_mib"] == 2 and row["server_libraries_mib"] == 1
    assert row["client_program_mib"] == 4
    assert row["server_ready_mib"] == 3 and row["server_loaded_mib"] == 5
    assert row["server_disk_mib"] == 7


def test_several_nodes_are_one_server() -> None:
    window = {"reader.voluntary": 30, "writer.voluntary": 70}
    nodes = {"reader": {"footprint": SIZES, "disk_bytes": MIB},
             "writer": {"footprint": SIZES, "disk_bytes": MIB}}  # fmt: skip
    row = resources(record(nodes=nodes, telemetry={"window": window}), 100)
    assert row["server_switches"] == 1 and row["server_program_mib"] == 4
    assert row["server_disk_mib"] == 2
    assert np.isnan(row["server_ready_mib"]) and np.isnan(row["client_switches"])


@pytest.mark.parametrize("damaged", [{}, {"telemetry": {"marks": {"ready": 9}}}, {"server": None}])
def test_what_is_not_recorded_is_not_known(damaged: dict[str, object]) -> None:
    row = resources(damaged, 0)
    assert set(row) == set(RESOURCES) and all(np.isnan(value) for value in row.values())


def test_energy_is_the_sum_of_packages_and_absent_where_none_is_read() -> None:
    window = {"energy.package-0_j": 30.0, "energy.package-1_j": 20.5, "server.user_s": 3}
    row = resources(record(telemetry={"window": window}), 100)
    assert row["energy_j"] == 50.5 and row["energy_per_execution_j"] == 0.505
    assert np.isnan(resources(record(telemetry={"window": window}), 0)["energy_per_execution_j"])
    assert np.isnan(
        [resources(record(), 100)[name] for name in RESOURCES if "energy" in name]
    ).all()
    hostile = {"energy.package-0_j": "30", "energy.package-1_j": 20.5}
    assert np.isnan(resources(record(telemetry={"window": hostile}), 100)["energy_j"])


def test_sections_are_counted_as_by_size() -> None:
    program = Path("/proc/self/exe").resolve()
    told = subprocess.run(["size", program], capture_output=True, text=True, check=False)
    if told.returncode:
        pytest.skip("no binutils")
    text, data, bss = map(int, told.stdout.splitlines()[1].split()[:3])
    found = sizes_of(program)
    assert found is not None and (found.text, found.data, found.bss) == (text, data, bss)


def test_a_process_has_the_sizes_of_its_program_and_libraries(tmp_path: Path) -> None:
    found = footprint(os.getpid())
    assert found is not None
    assert any(name.startswith("libc.") for name in found["libraries"])
    assert found["program"] == sizes_of(Path("/proc/self/exe").resolve()).record()
    assert footprint(None) is None and footprint(1 << 22) is None
    damaged = tmp_path / "damaged"
    damaged.write_bytes(b"\x7fELF\x02\x01" + bytes(10) + b"\xff" * 60)
    assert sizes_of(damaged) is None and sizes_of(tmp_path) is None


@pytest.mark.parametrize("samples", ["rows", "histogram"])
def test_jitter_is_the_variance_of_the_latency(tmp_path: Path, samples: str) -> None:
    latencies = [500.0, 1000.0, 700.0, 800.0]
    written_by = synthetic if samples == "rows" else histogram_samples
    written_by.write(tmp_path, synthetic.LEVELS, 0, synthetic.samples(latencies))
    figure = OverFactor(topic="t", title="t", over="threads", measure="jitter", only={})
    asked = study().model_copy(update={"figures": [figure]})
    rows = derive(tmp_path, *PLACE, asked=asked).invocations
    assert rows["jitter_ms2"].tolist() == pytest.approx([np.var(latencies, ddof=1)], rel=2e-3)
    assert "jitter_ms2" not in derive(tmp_path, *PLACE, asked=study()).invocations
