"""`results/report.html` of a project, from its plan and samples."""

import re
import shutil
from base64 import b64encode
from hashlib import sha256
from html import unescape
from pathlib import Path

import captures
import pytest
import synthetic

from modelstress.analysis import planned_cells
from modelstress.config.errors import ConfigError
from modelstress.config.factors import PLACEBO
from modelstress.config.project import Project
from modelstress.report import build, claims_front
from modelstress.workloads.queries import files

ROOT = Path(__file__).parents[3]


@pytest.fixture
def project(tmp_path):
    for folder in ("config", "queries"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    return Project(tmp_path)


def test_the_page_of_a_project(project):
    every = planned_cells(project, synthetic.STUDY, synthetic.PROFILE)
    plan = [cell for cell in every if PLACEBO not in cell.levels]
    one, *others = plan
    query = {"contents": dict(one.contents)}
    for number in range(one.invocations):
        table = synthetic.samples(synthetic.latencies(20, 40, number))
        levels = dict(one.levels)
        synthetic.write(project.root / "data", levels, number, table, cell=one.cell, **query)
    path = build(project, [synthetic.STUDY], synthetic.PROFILE)
    assert path == project.results / "report.html"
    text = path.read_text(encoding="utf-8")
    assert project.study(synthetic.STUDY).title in text
    assert f"<b>1 / {len(plan)}</b>" in text
    assert text.count("planned, not measured</td>") == len(others)
    assert ">stale" not in text
    assert "Anatomy of a query" not in text  # nothing captured yet
    # The query of the cell changes: its samples are stale, and stay.
    levels = one.levels
    file = files.query_file(project, "train", str(levels["language"]), str(levels["query"]))
    file.write_text(file.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    text = build(project, [synthetic.STUDY], synthetic.PROFILE).read_text(encoding="utf-8")
    assert "measured with another content of the query" in text
    assert f"<b>1 / {len(plan)}</b>" in text
    assert {p.name for p in project.results.iterdir()} == {"report.html", synthetic.STUDY}
    tables = project.results / synthetic.STUDY / "tables"
    assert "table-02.csv" in {path.name for path in tables.iterdir()}
    own = (project.results / synthetic.STUDY / "report.html").read_text(encoding="utf-8")
    assert own.replace('href="../', 'href="') == text
    opening = project.results / synthetic.STUDY / "front.md"
    assert claims_front.NOTHING in opening.read_text(encoding="utf-8")  # of one cell
    places = [text.index(one) for one in (
        claims_front.NOTHING, "<nav>", "<h2>Claims</h2>", "<h2>Figures</h2>", "<h2>Tables</h2>",
        "<h2>Care and origin</h2>", ">Flagged cells</h3>", ">Provenance</h3>",
    )]  # fmt: skip
    assert places == sorted(places)
    policy = re.search(r"script-src 'sha256-([^']+)'", unescape(text))
    [script] = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    assert policy and policy[1] == b64encode(sha256(script.encode()).digest()).decode()
    figures = project.results / synthetic.STUDY / "figures"
    assert {path.suffix for path in figures.iterdir()} == {".svg", ".png"}


def test_the_page_has_what_was_captured_beside_the_profile(project):
    data = project.root / "data"
    beside = project.anatomy_of(synthetic.PROFILE)
    raw = data / "raw" / synthetic.STUDY
    for profile in (beside.profile, synthetic.PROFILE):
        one, *_ = planned_cells(project, synthetic.STUDY, profile)
        levels = dict(one.levels)
        captures.capture(data, levels, lambda _: captures.tcp([(10, 20)]), cell=one.cell)
        if profile == beside.profile:
            (raw / synthetic.PROFILE).rename(raw / beside.profile)
    text = build(project, [synthetic.STUDY], synthetic.PROFILE).read_text(encoding="utf-8")
    assert f"captured under profile {beside.profile};" in text
    assert text.count("<b>Table A1.</b>") == text.count("<b>Figure A3.</b>") == 1
    for number in ("table-A1", "figure-A1"):
        assert f'id="{synthetic.STUDY}-{number}"' in text
    for place in ("table-A1", "anatomy"):
        assert (
            f'href="#{synthetic.STUDY}-{place}"' in text
            and f'id="{synthetic.STUDY}-{place}"' in text
        )


def test_a_project_without_samples(project):
    with pytest.raises(ConfigError, match="measure some cells first"):
        build(project, [synthetic.STUDY], synthetic.PROFILE)
    assert not project.results.exists()


def test_the_report_of_one_study_never_replaces_that_of_another(project):
    """`make run STUDY=x` after another study: the first one's report stays, and is linked."""
    other = "other-study"
    text = (project.root / f"config/studies/{synthetic.STUDY}.yaml").read_text(encoding="utf-8")
    renamed = text.replace(f"study: {synthetic.STUDY}", f"study: {other}", 1)
    (project.root / f"config/studies/{other}.yaml").write_text(renamed, encoding="utf-8")
    for study in (synthetic.STUDY, other):
        one = planned_cells(project, study, synthetic.PROFILE)[0]
        table = synthetic.samples(synthetic.latencies(20, 40, 1))
        synthetic.write(project.root / "data", dict(one.levels), 0, table, cell=one.cell)
        if study == synthetic.STUDY:
            raw = project.root / "data/raw"
            shutil.copytree(raw / study, raw / other)
    build(project, [synthetic.STUDY], synthetic.PROFILE)
    first = project.results / synthetic.STUDY / "report.html"
    before = first.read_bytes()
    latest = build(project, [other], synthetic.PROFILE).read_text(encoding="utf-8")
    assert first.read_bytes() == before
    assert f'href="{synthetic.STUDY}/report.html"' in latest
    assert f"Study {other}," in latest and f"Study {synthetic.STUDY}," not in latest
    both = build(project, [synthetic.STUDY, other], synthetic.PROFILE).read_text(encoding="utf-8")
    assert "Reports of other studies" not in both
