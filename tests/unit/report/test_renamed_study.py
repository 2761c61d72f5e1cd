"""The package knows no factor, level or query of study 1: with other words all results are equal.

Every word that the study, its tools and its records define is replaced by a random one; what is
made of the renamed samples is what is made of the original ones, after the words are put back.
"""

import json
import shutil
from pathlib import Path

import pytest
import synthetic
from renamed_words import Words, renamed_calibration

from modelstress.analysis import PlannedCell, derive
from modelstress.analysis.projection import projection_of
from modelstress.config.project import Project
from modelstress.config.roles import Roles
from modelstress.report import cell_summary, claims, front, render, results
from modelstress.workloads.queries.study import QueriesStudy

PROJECT = Project.find(Path(__file__))
SHIPPED = PROJECT.study("model-queries")
RATE = SHIPPED.comparisons["protocol"].model_copy(update={"measure": "throughput"})
STUDY = SHIPPED.model_copy(update={"comparisons": {**SHIPPED.comparisons, "rate": RATE}})
"""The study of this project, which compares throughputs too."""


class Renaming(Words):
    """Words replaced in levels, ids and texts, and put back."""

    def __init__(self, levels: list[dict[str, object]]) -> None:
        cells = [{"cell": synthetic.cell_id(each), "levels": each} for each in levels]
        super().__init__([{"cells": cells}], STUDY.factors)

    def data(self, source: Path, target: Path) -> None:
        """Copy raw data under the other words."""
        for file in source.rglob("cell.json"):
            record = json.loads(file.read_text(encoding="utf-8"))
            tool = self.words[str(record["levels"]["tool"])]
            cell = record["cell"] = self.ids[record["cell"]]
            record["levels"] = self.levels(record["levels"])
            study = file.parents[3].relative_to(source)
            folder = target / study / tool / cell / file.parent.name
            shutil.copytree(file.parent, folder)
            (folder / "cell.json").write_text(json.dumps(record), encoding="utf-8")

    def study(self) -> QueriesStudy:
        """The study with roles and the other words."""
        roles = QueriesStudy.ROLES.model_dump()
        roles |= {
            name: self.word(roles[name]) for name in ("operation", "load", "dataset", "panel")
        }
        roles["series"] = [self.word(name) for name in roles["series"]]
        renamed = {
            name: {
                "title": one.title, "decision": one.decision,
                "groups": one.groups,
                "measure": one.measure,
                **{
                    part: self.levels(getattr(one, part))
                    for part in ("level", "baseline", "only")
                },
                **({"match": [self.word(f) for f in one.match]} if one.match else {}),
            }
            for name, one in STUDY.comparisons.items()
        }  # fmt: skip
        return QueriesStudy.model_validate({
            "study": STUDY.study, "title": STUDY.title, "models": {},
            "factors": self.levels(STUDY.factors),
            "roles": Roles(**roles).model_dump(), "comparisons": renamed,
            "tasks": {
                task: [self.word(query) for query in queries]
                for task, queries in STUDY.tasks.items()
            },
            "nouns": {str(self.word("query")): {"one": "query", "many": "queries"}},
        })  # fmt: skip


def plan(levels, renaming=None) -> list[PlannedCell]:
    """The plan, under the words of a renaming."""
    made = []
    for each in levels:
        cell = synthetic.cell_id(each)
        told = renaming.levels(each) if renaming else each
        name = renaming.ids[cell] if renaming else cell
        made.append(PlannedCell(told["tool"], name, "A store", told, 2, synthetic.CONTENTS))
    return made


def printed(derived) -> dict[str, str]:
    """All that is made of a dataset, as text."""
    made = results(derived)
    texts = {table.number: render.csv(table) + render.html(table) for table in made.tables}
    texts |= {one.number: f"{one.kind}: {one.caption}" for one in made.figures}
    for name in ("care", "measured", "normality", "outcomes", "spread", "ranks", "curves"):
        texts[name] = getattr(claims, name)(derived)
    for name in ("directions", "by_query", "largest", "gains", "overhead", "deltas_by_threads",
                 "crossings", "in_groups"):  # fmt: skip
        texts[name] = getattr(claims, name)(derived, "protocol")
    texts["front"] = front.front(derived).page()
    texts["summary"] = cell_summary.cell_summary(derived).to_csv()
    texts["rate"] = claims.directions(derived, "rate")
    return texts


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    """A dataset, and the same under other words."""
    root = tmp_path_factory.mktemp("renamed")
    levels = synthetic.write_study(root / "a")
    renaming = Renaming(levels)
    renaming.data(root / "a/raw", root / "b/raw")
    asked = renaming.study()
    where = synthetic.STUDY, synthetic.PROFILE
    one = derive(root / "a", *where, plan(levels), asked=STUDY)
    with renamed_calibration(renaming):
        two = derive(root / "b", *where, plan(levels, renaming), asked=asked)
    return one, two, renaming


def test_results_under_other_words_are_equal(both):
    one, two, renaming = both
    assert two.projection.layout == projection_of(STUDY, one.factors).layout
    layout = two.projection.layout
    renamed = layout.model_copy(
        update={
            "medians": {
                number: [renaming.word(name) for name in names]
                for number, names in layout.medians.items()
            }
        }
    )
    object.__setattr__(two.projection, "layout", renamed)
    expected, found = printed(one), printed(two)
    assert found.keys() == expected.keys()
    assert "throughput of http was higher than that of tcp" in expected["rate"]
    assert one.contrasts is not None and len(one.contrasts) == 8
    for name, text in expected.items():
        assert renaming.back(found[name]) == text, name
