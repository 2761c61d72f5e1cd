"""Every word of a study replaced by a random one: in plans, records and configuration."""

from __future__ import annotations

import importlib
import json
import random
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml

from modelstress.analysis import placebo_pairs, placebos
from modelstress.config.factors import HARNESS, PLACEBO
from modelstress.samples.seals import is_sealed, resealed
from modelstress.workloads.queries.study import QueriesStudy

RARE, RARER = "jkqvwz", "jqvz"
"""Letters of words that stand in no sentence and are no hatching; of the shortest, fewer."""


class Words:
    """Words of a study, its levels and the ids of its cells, each with a random one for it.

    Factors of the harness keep their names and levels, but for the tools, which are the study's.
    """

    def __init__(
        self, plans: Iterable[Mapping[str, Any]], factors: Mapping[str, list[Any]]
    ) -> None:
        cells = [cell for plan in plans for cell in plan["cells"]]
        known = [*factors.items(), *((n, [v]) for c in cells for n, v in c["levels"].items())]
        kept = {*HARNESS, PLACEBO}
        own = {name for name, _ in known if name not in kept}
        own |= {
            level
            for name, levels in known
            for level in levels
            if isinstance(level, str) and (name not in kept or name == "tool")
        }
        chance = random.Random(20261125)
        taken: set[str] = set()

        def drawn(old: str) -> str:
            """A word as long as the old one: how figures are laid out depends on it."""
            while True:
                new = "".join(chance.choices(RARE if len(old) > 3 else RARER, k=len(old)))
                if new not in taken:
                    taken.add(new)
                    return new

        self.words = {word: drawn(word) for word in sorted(own)}
        self.ids = {cell["cell"]: drawn(cell["cell"]) for cell in cells}
        self._back = {new: old for old, new in (*self.words.items(), *self.ids.items())}
        # the longest first: a short word may stand within a long one
        self._pattern = re.compile("|".join(sorted(self._back, key=len, reverse=True)))

    def word(self, word: Any) -> Any:
        """The word for a word; numbers, truth values and unknown words stay."""
        return self.words.get(word, word) if isinstance(word, str) else word

    def levels(self, levels: Mapping[str, Any]) -> dict[str, Any]:
        """Levels, or lists of levels, by factor."""
        return {
            self.word(name): [self.word(one) for one in level]
            if isinstance(level, list)
            else self.word(level)
            for name, level in levels.items()
        }

    def back(self, text: str, latex: bool = False) -> str:
        """A text with the words of the study again; in LaTeX an underscore has a backslash."""
        underscore = r"\_" if latex else "_"
        return self._pattern.sub(lambda found: self._back[found[0]].replace("_", underscore), text)


@contextmanager
def renamed_calibration(words: Words) -> Iterator[None]:
    """Derives with the calibration dataset of placebos under other words: it is data of tools.

    And which starts are in which pair is drawn by the ids of cells, here by those of before.
    """
    pairs = placebos.calibration()
    renamed = pairs.assign(
        tool=pairs["tool"].map(words.word),
        cell=pairs["cell"].map(lambda cell: words.ids.get(cell, cell)),
    )
    with pytest.MonkeyPatch.context() as patch:
        module = importlib.import_module("modelstress.analysis.derive")
        patch.setattr(module, "calibration", lambda: renamed)
        drawn = placebo_pairs._random
        patch.setattr(placebo_pairs, "_random", lambda cell: drawn(tuple(map(words.back, cell))))
        yield


def rename(folder: Path) -> Words:
    """Put other words into an unpacked archive, its plan, its records and its configuration."""
    plan_file = folder / "data" / "planned.json"
    planned = json.loads(plan_file.read_text(encoding="utf-8"))
    [name] = {plan["study"] for plan in planned["plans"]}
    study_file = _alone(folder / "config", name)
    study = yaml.safe_load(study_file.read_text(encoding="utf-8"))
    words = Words(planned["plans"], study["factors"])
    for cell in (cell for plan in planned["plans"] for cell in plan["cells"]):
        cell |= {
            "tool": words.word(cell["tool"]), "cell": words.ids[cell["cell"]],
            "levels": words.levels(cell["levels"]),
        }  # fmt: skip
    plan_file.write_text(json.dumps(planned), encoding="utf-8")
    _records(folder / "data" / "raw", words)
    _write(study_file, _study(study, words))
    papers = folder / "config" / "papers"
    for file in papers.glob("*.yaml"):
        content = yaml.safe_load(file.read_text(encoding="utf-8"))
        setting = file.name == "setting.yaml"
        _write(file, _setting(content, words) if setting else _paper(content, words))
    return words


def _alone(config: Path, study: str) -> Path:
    """Without the studies and papers of others, which keep their words; the file of the study."""
    for file in (config / "studies").glob("*.yaml"):
        if file.stem != study:
            file.unlink()
            (config / "papers" / f"setting-{file.stem}.yaml").unlink(missing_ok=True)
    for file in (config / "papers").glob("*.yaml"):
        if yaml.safe_load(file.read_text(encoding="utf-8")).get("study", study) != study:
            file.unlink()
    return config / "studies" / f"{study}.yaml"


def _write(file: Path, content: Any) -> None:
    file.write_text(yaml.safe_dump(content, allow_unicode=True, sort_keys=False), encoding="utf-8")


def _records(raw: Path, words: Words) -> None:
    for cell in sorted(raw.glob("*/*/*/*")):
        for file in cell.glob("i*/cell.json"):
            record = json.loads(file.read_text(encoding="utf-8"))
            record["cell"] = words.ids[record["cell"]]
            record["levels"] = words.levels(record["levels"])
            if "start" in record:
                record["start"]["cells"] = [words.ids[one] for one in record["start"]["cells"]]
            record = resealed(record) if is_sealed(record) else record
            file.write_text(json.dumps(record), encoding="utf-8")
        tool = cell.parent.with_name(words.words[cell.parent.name])
        tool.mkdir(exist_ok=True)
        shutil.move(cell, tool / words.ids[cell.name])
    for tool in raw.glob("*/*/*"):
        if not any(tool.iterdir()):
            tool.rmdir()


def _study(study: dict[str, Any], words: Words) -> dict[str, Any]:
    """The study's file, with the roles that its kind of workload gives to the old words."""
    roles = QueriesStudy.ROLES.model_dump()
    named = {name: words.word(roles[name]) for name in ("operation", "load", "dataset", "panel")}
    for constraint in study["constraints"]:
        constraint |= {
            part: words.levels(constraint[part]) for part in ("when", "only") if part in constraint
        }
    for comparison in study["comparisons"].values():
        for part in ("level", "baseline", "only"):
            if part in comparison:
                comparison[part] = words.levels(comparison[part])
        if "match" in comparison:
            comparison["match"] = [words.word(name) for name in comparison["match"]]
    return {
        **study,
        "models": {words.word(name): model for name, model in study["models"].items()},
        "factors": words.levels(study["factors"]),
        "interleave": [words.word(name) for name in study["interleave"]],
        "roles": {**named, "series": [words.word(name) for name in roles["series"]]},
        "nouns": {words.word(name): noun.model_dump() for name, noun in QueriesStudy.NOUNS.items()},
        "tasks": {t: [words.word(q) for q in queries] for t, queries in study["tasks"].items()},
    }


def _paper(paper: dict[str, Any], words: Words) -> dict[str, Any]:
    """A paper's file, with the numbers of tables that its kind of workload knows."""
    for case in paper["cases"].values():
        for part in ("queries", "models"):
            case[part] = [words.word(name) for name in case[part]]
    for choice in paper["choices"]:
        for part in ("when", "only"):
            if part in choice:
                choice[part] = words.levels(choice[part])
    for entry in paper["entries"]:
        ours = entry["ours"]
        for part in ("cells", "beside", "group"):
            if isinstance(ours.get(part), dict):
                ours[part] = words.levels(ours[part])
        if "match" in ours:
            ours["match"] = [words.word(name) for name in ours["match"]]
    layout = QueriesStudy.LAYOUT.model_dump()
    medians = layout["medians"].items()
    layout["medians"] = {n: [words.word(query) for query in queries] for n, queries in medians}
    for each in layout["wire"]:
        each["levels"] = words.levels(each["levels"])
    return {**paper, "tables": layout}


def _setting(setting: dict[str, Any], words: Words) -> dict[str, Any]:
    """What differs from the papers' setting: our models, and where records say what they were."""
    for row in setting["rows"]:
        fields = (name.partition(".") for name in row.get("recorded", []))
        row["recorded"] = [f"{begin}.{words.word(rest)}" for begin, _, rest in fields]
    return {**setting, "models": {words.word(n): about for n, about in setting["models"].items()}}
