"""The register of claims: every statement about a direction as data, from tables to files."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from modelstress.analysis import Derived, sheets
from modelstress.analysis.replication import NOT_MEASURED, Against
from modelstress.analysis.within_starts import FASTER, SLOWER
from modelstress.config.claims import Claim, Claims, PlaceboCount, Rule
from modelstress.config.measures import LATENCY
from modelstress.report import claims_decisions, claims_measures, claims_pairs, placebo_words
from modelstress.report import claims_words as words
from modelstress.report.claims_sides import Pairs, pairs, where
from modelstress.samples import data_package
from modelstress.samples.files import write_text

RATIO = "×"
NUMBERS = ("estimate", "low", "high", "confidence", "false_expected")
COLUMNS = [
    *(name for name in Claim.model_fields if name not in ("placebo", "text")),
    *(f"placebo_{name}" for name in PlaceboCount.model_fields), "text",
]  # fmt: skip
"""Of ``claims.csv``."""
SPACES = str.maketrans({words.SPACE: " "})


def register(derived: Derived, against: Against | None = None) -> Claims:
    """All claims of a study's profile: decisions, then pairs by each rule, then the papers'.

    Args:
        derived: its tables.
        against: what its papers print, held against them; None without papers.
    """
    made: list[Claim] = []
    for comparison in dict.fromkeys(derived.comparisons["comparison"]):
        for sides in pairs(derived, comparison):
            made += _of_latency(sides, comparison)
    measured = derived.contrasts if derived.contrasts is not None else pd.DataFrame()
    for comparison in dict.fromkeys(measured["comparison"] if len(measured) else ()):
        for sides in claims_measures.pairs(derived, comparison):
            made += [_of_measure(row, sides, comparison) for _, row in sides.rows.iterrows()]
    if against is not None:
        made += [_printed(row) for row in against.entries.to_dict("records")]
    return Claims(study=derived.study, profile=derived.profile, claims=_unique(made))


def save(claims: Claims, results_dir: Path) -> list[Path]:
    """Write ``<study>/claims.json``, ``claims.csv`` and ``claims.datapackage.json``.

    Raises:
        MeasureError: a file cannot be written.
    """
    folder = results_dir / claims.study
    folder.mkdir(parents=True, exist_ok=True)
    texts = {
        "claims.json": claims.model_dump_json(indent=1) + "\n",
        "claims.csv": sheets.csv(frame(claims)),
        "claims.datapackage.json": json.dumps(package(claims), indent=1, ensure_ascii=False) + "\n",
    }
    for name, text in texts.items():
        write_text(folder / name, text)
    return [folder / name for name in texts]


def package(claims: Claims) -> dict[str, Any]:
    """The data package of ``claims.csv``."""
    meanings = {name: field.description for name, field in Claim.model_fields.items()}
    counts = PlaceboCount.model_fields.items()
    meanings |= {f"placebo_{name}": field.description for name, field in counts}
    fields = [
        {"name": name, "type": _type(name), "description": meanings[name]} for name in COLUMNS
    ]
    schema = {"primaryKey": ["id"], "fields": fields}
    return {
        "$schema": data_package.PACKAGE_SCHEMA,
        "name": f"{claims.study}-{claims.profile}-claims".lower(),
        "title": f"Claims about {claims.study}, profile {claims.profile}",
        "resources": [data_package.table("claims", "A row per claim", "claims.csv", schema)],
    }


def _type(column: str) -> str:
    if column in NUMBERS:
        return "number"
    return "integer" if column.startswith("placebo_") else "string"


def frame(claims: Claims) -> pd.DataFrame:
    """One row per claim; cells are separated by spaces, placebos have columns of their own."""
    rows = []
    for claim in claims.claims:
        row = claim.model_dump(exclude={"placebo"})
        counts = claim.placebo.model_dump() if claim.placebo else {}
        row |= {f"placebo_{name}": counts.get(name) for name in PlaceboCount.model_fields}
        row |= {name: " ".join(row[name]) for name in ("cells", "baseline_cells")}
        rows.append(row)
    made = pd.DataFrame(rows, columns=COLUMNS)
    counts_of = [name for name in COLUMNS if name.startswith("placebo_")]
    return made.astype(dict.fromkeys(counts_of, "Int64"))


def _of_latency(sides: Pairs, comparison: str) -> Iterator[Claim]:
    """The decisions of a comparison in a setting, and each of its pairs by both rules."""
    for _, row in sides.decisions.iterrows():
        of_tool = sides.rows[sides.rows["tool"] == row["tool"]]
        yield Claim(
            id=f"{comparison}/{row['tool']}/mean-over-starts", source="report",
            comparison=comparison, tool=row["tool"], cells=list(of_tool["cell"]),
            baseline_cells=list(of_tool["baseline_cell"]), rule="mean over starts",
            measure=LATENCY.name, unit=RATIO, **_ends(row, "ratio"),
            confidence=sides.confidence, status=row["status"],
            false_expected=row["false_expected"],
            placebo=_placebo(sides, placebo_words.MEAN, row["tool"], of_tool),
            text=_plain(f"{words.plain(comparison)}, {claims_decisions.whole(row, sides)}"),
        )  # fmt: skip
    for _, row in sides.rows.iterrows():
        decided = row["status"] in claims_decisions.DECIDED
        text = claims_decisions.pair(row, sides)
        yield _pair(
            row, sides, comparison, rule="over starts", status=row["status"] if decided else "",
            unit=RATIO, text=text, **_ends(row, "paired"),
        )  # fmt: skip
        directed = row["verdict"] in (SLOWER, FASTER)
        text = f"{where(row, sides.projection)}: {claims_pairs.within_one(row)}."
        yield _pair(
            row, sides, comparison, rule="within starts", status=row["verdict"] if directed else "",
            unit="Cliff's delta", text=text, **_ends(row, "delta"),
        )  # fmt: skip


def _pair(row: Any, sides: Pairs, comparison: str, **about: Any) -> Claim:
    """The claim of one pair by one rule; blank status: undecided."""
    rule: Rule = about["rule"]
    about["status"] = about["status"] or "undecided"
    about["text"] = _plain(f"{words.plain(comparison)}, {about['text']}")
    return Claim(
        id=f"{comparison}/{row['tool']}/{row['cell']}/{rule.replace(' ', '-')}", source="report",
        comparison=comparison, tool=row["tool"], cells=[row["cell"]],
        baseline_cells=[row["baseline_cell"]], measure=sides.measure.name,
        confidence=sides.confidence, placebo=_placebo(sides, rule, row["tool"], row.to_frame().T),
        false_expected=_by_chance(sides, rule, row["tool"]), **about,
    )  # fmt: skip


def _by_chance(sides: Pairs, rule: Rule, tool: str) -> float | None:
    """The share of equals that a rule calls different: by its placebos, else by its confidence."""
    if rule == placebo_words.WITHIN:
        return _known(placebo_words.share(placebo_words.rate(sides.placebo_rates, rule, tool)))
    return round(1 - sides.confidence, 6)


def _of_measure(row: Any, sides: Pairs, comparison: str) -> Claim:
    """The claim of one pair about another measure, by its interval over invocations."""
    directed = row["verdict"] in (claims_measures.HIGHER, claims_measures.LOWER)
    kind = "difference" if pd.isna(row["ratio"]) else "ratio"
    status = row["verdict"] if directed else "undecided"
    unit = RATIO if kind == "ratio" else sides.measure.unit
    return _pair(
        row, sides, comparison, rule="over invocations", status=status, unit=unit,
        text=f"{sides.measure.title} of {where(row, sides.projection)}: {status}.",
        **_ends(row, kind),
    )  # fmt: skip


def _placebo(sides: Pairs, rule: str, tool: str, rows: pd.DataFrame) -> PlaceboCount | None:
    """The placebos of a rule, and of a tool and rows measured like these; None without any."""
    in_turns = rule != placebo_words.WITHIN and "shared" in rows
    kind = placebo_words.kind_of(rows) if in_turns else placebo_words.TWO_STARTS
    row = placebo_words.rate(sides.placebo_rates, rule, tool, kind)
    if row is None or not (row["pairs"] or row["calibration_pairs"]):
        return None
    return PlaceboCount(**{name: int(row[name]) for name in PlaceboCount.model_fields})


def _printed(row: Any) -> Claim:
    """What a paper prints, and how our direction stands to it."""
    setting = "" if row["verdict"] == NOT_MEASURED else str(row["topology"])
    return Claim(
        id=f"{row['paper']}/{row['entry']}", source=row["paper"], comparison=row["topic"],
        cells=row["rests_on"].split(), rule="as printed", measure=row["kind"], unit=row["unit"],
        estimate=_known(row["theirs_value"]), low=_known(row["theirs_low"]),
        high=_known(row["theirs_high"]), status=row["direction_theirs"] or "number only",
        here=f"{row['verdict']} ({setting})" if setting else row["verdict"],
        text=f"{row['says']} ({row['theirs']}; {row['where']})",
    )  # fmt: skip


def _unique(claims: list[Claim]) -> list[Claim]:
    """The claims with a number behind an id that several settings share, in their order."""
    seen: dict[str, int] = {}
    made = []
    for claim in claims:
        seen[claim.id] = count = seen.get(claim.id, 0) + 1
        made.append(claim.model_copy(update={"id": f"{claim.id}/{count}"}) if count > 1 else claim)
    return made


def _ends(row: Any, column: str) -> dict[str, Any]:
    """Estimate and interval from the columns of a row."""
    names = {"estimate": column, "low": f"{column}_low", "high": f"{column}_high"}
    return {name: _known(row[of]) for name, of in names.items()}


def _known(value: Any) -> float | None:
    return float(value) if np.isfinite(value) else None


def _plain(text: str) -> str:
    return text.translate(SPACES)
