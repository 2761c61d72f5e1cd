"""Eclipse's UML, as it is published, and a model of it through every tool."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.e2e.conftest import ROOT, check_out, command, ours

# The build unpacks it from Eclipse's own jars.
METAMODELS = ROOT / "java-shims" / "models" / "target" / "uml" / "model"

HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<uml:Model xmi:version="2.0" xmlns:xmi="http://www.omg.org/XMI"
    xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
    xmlns:uml="http://www.eclipse.org/uml2/5.0.0/UML" xmi:id="m" name="shop">
"""

STUDY = """
study: uml
title: A shop in UML
models:
  shop:
    case: uml
    metamodels: [models/uml/UML.ecore, models/uml/Types.ecore]
    files: [models/uml/shop.xmi]
factors:
  tool: [example, cdo, hawk, mogwai]
  backend: [memory, h2, neo4j, neoemf]
  language: [eol, ocl]
  protocol: [http, tcp]
  model: [shop]
  query: [ReadOnly, AbstractParents, OfItself]
  threads: [1]
  signal_timeout_ms: [100000]
constraints:
  - when: {tool: [cdo, hawk]}
    only: {protocol: [tcp]}
  - when: {tool: [example, mogwai]}
    only: {protocol: [http]}
    why: one protocol for each tool is enough
  - when: {tool: [cdo, hawk, mogwai]}
    only: {query: [AbstractParents, OfItself]}
"""

PROFILE = """
profile: uml
title: one start, two executions
invocations: 1
settings:
  executions: 2
  warmup: {executions: 1, seconds: 0.2, threads: 1}
  timeout_ms: 100000
  cell_timeout_s: 300
"""

CASE = """
case: uml
queries:
  ReadOnly: {tuple: [property]}
  AbstractParents: {tuple: [child, parent]}
  OfItself: {tuple: [owner]}
"""

TEXTS = {
    "ocl/ReadOnly.ocl": "uml::Property.allInstances()->select(p | p.isReadOnly/*unique*/)",
    "eol/ReadOnly.eol": "return Property.all.select(p | p.isReadOnly/*unique*/);",
    "ocl/AbstractParents.ocl": """uml::Class.allInstances()
      ->collect(c | c.generalization->select(g | g.general.isAbstract/*unique*/)
        ->collect(g | Tuple{child = c, parent = g.general}))""",
    "eol/AbstractParents.eol": """var matches = new Sequence;
      for (c in Class.all) {
        for (g in c.generalization) {
          if (g.general.isAbstract/*unique*/) { matches.add(Sequence{c, g.general}); }
        }
      }
      return matches;""",
    "ocl/OfItself.ocl": """uml::Class.allInstances()
      ->select(c | c.ownedAttribute->exists(a | a.type = c/*unique*/))""",
    "eol/OfItself.eol": """return Class.all
      .select(c | c.ownedAttribute.exists(a | a.type = c/*unique*/));""",
}

PACKAGES, CLASSES = 50, 27


def shop() -> str:
    """A model of packages with classes, their attributes and generalizations, in XMI."""
    lines = [HEAD]
    for package in range(PACKAGES):
        lines.append(f'<packagedElement xsi:type="uml:Package" xmi:id="p{package}" name="p">')
        for number in range(CLASSES):
            me = f"{package}-{number}"
            abstract = ' isAbstract="true"' if number % 7 == 0 else ""
            lines.append(
                f'<packagedElement xsi:type="uml:Class" xmi:id="c{me}" name="C{number}"{abstract}>'
            )
            if number % 3:
                parent = f"c{(package * 7 + number) % PACKAGES}-{number - 1}"
                lines.append(f'<generalization xmi:id="g{me}" general="{parent}"/>')
            for attribute in range(2):
                kind = f"c{(package + attribute) % PACKAGES}-{(number * 3 + attribute) % CLASSES}"
                fixed = ' isReadOnly="true"' if (package + number) % 5 == 0 else ""
                lines.append(
                    f'<ownedAttribute xmi:id="a{me}-{attribute}" name="a" type="{kind}"{fixed}/>'
                )
            lines.append("</packagedElement>")
        lines.append("</packagedElement>")
    return "\n".join([*lines, "</uml:Model>"])


def write(file: Path, text: str) -> None:
    """Write a file in a folder that need not be there."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


@pytest.mark.long  # models of one's own go through every tool in test_own_model.py
@pytest.mark.timeout(1200)
def test_umls_own_metamodel_goes_through_every_tool(tmp_path: Path) -> None:
    project = check_out(tmp_path / "project")
    write(project / "models/uml/shop.xmi", shop())
    for metamodel in ("UML.ecore", "Types.ecore"):
        shutil.copy2(METAMODELS / metamodel, project / "models/uml" / metamodel)
    write(project / "config/studies/uml.yaml", STUDY)
    write(project / "config/profiles/uml.yaml", PROFILE)
    write(project / "queries/uml/case.yaml", CASE)
    for name, text in TEXTS.items():
        write(project / "queries/uml" / name, text)
    for line in (
        ("model", "build", "shop"),
        ("oracle", "shop"),
        *(
            ("load", "--tool", tool, "--backend", backend, "--model", "shop")
            for tool, backend in (
                ("example", "memory"),
                ("cdo", "h2"),
                ("hawk", "neo4j"),
                ("mogwai", "neoemf"),
            )
        ),
        ("run", "--all", "--study", "uml", "--profile", "uml"),
    ):
        done = command("modelstress", *line, cwd=project)
        assert done.returncode == 0, (line, done.stdout, done.stderr)
    assert ours(project) == []

    folder = project / "data/stores"
    model = json.loads((folder / "models/shop/model.json").read_text(encoding="utf-8"))
    assert len(model["metamodels"]) == 2
    oracle = json.loads((folder / "oracle/shop.json").read_text(encoding="utf-8"))
    counts = {query: found["count"] for query, found in oracle["queries"].items()}
    assert all(counts.values()), counts
    cells = sorted((project / "data/raw/uml/uml").glob("*/*/i00"))
    tools = Counter(cell.parents[1].name for cell in cells)
    assert tools == {"example": 3, "cdo": 2, "hawk": 2, "mogwai": 2}
    for cell in cells:
        measured = pq.read_table(cell / "samples.parquet").to_pandas()
        measured = measured[measured["phase"] == "measure"]
        assert len(measured) == 2 and set(measured["outcome"]) == {"ok"}, cell
        [query] = set(measured["operation"])
        assert set(measured["result_count"]) == {counts[query]}, cell
