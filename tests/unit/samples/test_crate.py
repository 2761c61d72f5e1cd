"""Crates: what they say, in the same bytes whenever they are made."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from modelstress.samples.crate import Author, Crate, Program, Run, metadata

RUN = Run(
    name="profile demo", description="2 of 2 planned cells measured", ended="2026-11-21T10:00:00Z",
    parameters={"profile": "demo"}, inputs=["config/"], results=["data/raw/s/demo/cdo/"],
)  # fmt: skip
ABOUT = Crate(
    title="A study: measurements", description="Samples.", licence="CC-BY-4.0",
    published="2026-11-21", version="1.0.0",
    authors=[Author("Ada Byron", "Ada", "Byron", "https://orcid.org/0000-0002-1825-0097"),
             Author("The others")],
    keywords=["stress testing"],
    parts={
        "README.md": ("README.md", "What was measured"),
        "config/": ("config", "Configuration"),
        "data/raw/s/demo/cdo/": ("samples of cdo", "Samples"),
        "workflow/Snakefile": ("Snakefile", "Workflow that measured"),
    },
    workflow="workflow/Snakefile",
    program=Program("modelstress", "1.0.0", "EPL-2.0", "https://example.org/modelstress",
                    ["swh:1:rev:" + "a" * 40]),
    runs=[RUN], cited={"https://doi.org/10.1007/x": "An article"},
)  # fmt: skip


def graph(about: Crate) -> dict[str, dict]:
    document = json.loads(metadata(about))
    assert document["@context"] == "https://w3id.org/ro/crate/1.1/context"
    entities = document["@graph"]
    assert len({one["@id"] for one in entities}) == len(entities)
    return {one["@id"]: one for one in entities}


def test_a_run_of_the_workflow():
    found = graph(ABOUT)
    root, run = found["./"], found["#run-1"]
    assert root["mainEntity"] == {"@id": "workflow/Snakefile"}
    assert root["mentions"] == {"@id": "#run-1"}
    assert root["license"] == {"@id": "https://spdx.org/licenses/CC-BY-4.0"}
    assert root["datePublished"] == "2026-11-21"
    assert [one["@id"] for one in root["hasPart"]] == list(ABOUT.parts)
    assert {one["@id"].rpartition("/")[0] for one in root["conformsTo"]} == {
        "https://w3id.org/ro/wfrun/process", "https://w3id.org/ro/wfrun/workflow",
        "https://w3id.org/workflowhub/workflow-ro-crate",
    }  # fmt: skip
    assert run["instrument"] == {"@id": "workflow/Snakefile"}
    assert run["endTime"] == "2026-11-21T10:00:00Z"
    assert run["object"] == [{"@id": "#run-1-profile"}, {"@id": "config/"}]
    assert run["result"] == {"@id": "data/raw/s/demo/cdo/"}
    assert run["agent"] == {"@id": "https://orcid.org/0000-0002-1825-0097"}
    assert found["#run-1-profile"]["exampleOfWork"] == {"@id": "#input-profile"}
    assert found["#input-profile"]["workExample"] == {"@id": "#run-1-profile"}
    assert found["workflow/Snakefile"]["license"] == {"@id": "https://spdx.org/licenses/EPL-2.0"}
    assert found["https://example.org/modelstress"]["identifier"] == "swh:1:rev:" + "a" * 40


def test_persons_and_organizations():
    found = graph(ABOUT)
    assert found["https://orcid.org/0000-0002-1825-0097"]["@type"] == "Person"
    assert found["#author-2"]["@type"] == "Organization"
    assert found["./"]["publisher"] == {"@id": "#author-2"}


def test_two_runs_share_the_parameters_of_the_workflow():
    other = replace(RUN, name="profile wire", parameters={"profile": "wire"})
    found = graph(replace(ABOUT, runs=[RUN, other]))
    examples = found["#input-profile"]["workExample"]
    assert examples == [{"@id": "#run-1-profile"}, {"@id": "#run-2-profile"}]
    assert found["#run-2-profile"]["value"] == "wire"


def test_without_a_workflow_the_program_ran():
    parts = {name: of for name, of in ABOUT.parts.items() if name != ABOUT.workflow}
    found = graph(replace(ABOUT, workflow="", parts=parts))
    assert "mainEntity" not in found["./"]
    assert found["./"]["conformsTo"] == {"@id": "https://w3id.org/ro/wfrun/process/0.5"}
    assert found["#run-1"]["instrument"] == {"@id": "https://example.org/modelstress"}


def test_the_same_words_are_the_same_bytes(monkeypatch: pytest.MonkeyPatch):
    """Whenever, and whatever the library would make up."""
    before = metadata(ABOUT)
    for name in ("root_dataset", "dataset", "file"):
        monkeypatch.setattr(f"rocrate.model.{name}.iso_now", lambda: "2000-01-01T00:00:00+00:00")
    assert metadata(ABOUT) == before
    assert b"2000-01-01" not in before
