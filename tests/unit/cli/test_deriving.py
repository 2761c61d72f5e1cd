"""`modelstress derive` where there is an archive and nothing else."""

import shutil

import pandas as pd
import sick
import synthetic
from click.testing import CliRunner

from modelstress.analysis import PLANNED, PlannedCell, load, planned_text
from modelstress.cli import main

WHERE = synthetic.STUDY, synthetic.PROFILE


def archive(folder):
    """Samples, plan and the study's file; neither profiles nor tools, queries or jars."""
    (folder / "config" / "studies").mkdir(parents=True)
    for name in ("config.yaml", f"studies/{synthetic.STUDY}.yaml"):
        shutil.copy(sick.ROOT / "config" / name, folder / "config" / name)
    written = sick.write(folder / "data", "tied")
    plan = [
        PlannedCell(levels["tool"], synthetic.cell_id(levels), "Tool", levels, 2)
        for levels in (*written, written[0] | {"threads": 64})
    ]
    text = planned_text({WHERE: plan})
    (folder / "data" / PLANNED).write_text(text, encoding="utf-8")
    return folder / "data"


def test_an_archive_is_derived_after_its_own_plan_and_study(tmp_path):
    data = archive(tmp_path / "archive")
    options = ["--study", WHERE[0], "--profile", WHERE[1], "--data-dir", str(data)]
    done = CliRunner().invoke(main, ["derive", *options])
    assert done.exit_code == 0, done.output
    folder = data / "derived" / WHERE[0] / WHERE[1]
    assert done.stdout.strip() == str(folder)
    cells = pd.read_csv(folder / "cells.csv")
    assert cells["state"].tolist() == ["complete"] * (len(cells) - 1) + ["missing"]
    assert set(cells["task"]) == {"singletons", "PosLength"}
    compared = pd.read_csv(folder / "comparisons.csv", float_precision="round_trip")
    assert {"protocol", "tools", "backend"} == set(compared["comparison"])
    back = load(data, *WHERE)
    assert back.comparisons["p"].tolist() == compared["p"].tolist()


def test_other_comparisons_are_other_tables(tmp_path):
    data = archive(tmp_path)
    options = ["--study", WHERE[0], "--profile", WHERE[1], "--data-dir", str(data)]
    assert CliRunner().invoke(main, ["derive", *options]).exit_code == 0
    study = tmp_path / "config" / "studies" / f"{WHERE[0]}.yaml"
    head, rest = study.read_text(encoding="utf-8").split("\ncomparisons:\n")
    assert "\n  backend:\n" in rest
    rest = rest.replace("\n  backend:\n", "\n  stores:\n")
    study.write_text(f"{head}\ncomparisons:\n{rest}", encoding="utf-8")
    assert "stores" in set(load(data, *WHERE).comparisons["comparison"])
