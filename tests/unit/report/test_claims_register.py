"""Claims as data: every direction that the sentences tell, with its rule, interval and placebo."""

import json
from dataclasses import replace

import jsonschema
import numpy as np
import pandas as pd
import pytest
import sick
import synthetic
from claimed import ROWS, derived

from modelstress.analysis import derive
from modelstress.analysis.placebos import OVER, TWO_STARTS, WITHIN
from modelstress.config.claims import Claim, Claims
from modelstress.config.schemas import schema_text
from modelstress.report import claims
from modelstress.report.claims_register import COLUMNS, register, save

STARTS = range(4)


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """OrientDB three times as slow as Neo4j, HTTP as TCP: four starts of every cell."""
    data = tmp_path_factory.mktemp("data")
    for number, levels in enumerate(sick.write(data, "nothing", invocations=0)):
        base = 30.0 if levels["backend"] == "orientdb" else 10.0
        for start in STARTS:
            rng = np.random.default_rng(100 * number + start)
            values = base * np.exp(rng.normal(0, 0.1)) * rng.lognormal(0, 0.02, 60)
            table = synthetic.samples(values, threads=levels["threads"], number=start)
            synthetic.write(data, levels, start, table)
    return derive(data, synthetic.STUDY, synthetic.PROFILE, asked=sick.study())


@pytest.fixture(scope="module")
def made(found):
    return register(found)


def of(made, rule):
    return [claim for claim in made.claims if claim.rule == rule]


def test_every_pair_is_claimed_by_both_rules_and_every_decision_once(found, made):
    count = len(found.comparisons)
    assert len(of(made, "over starts")) == len(of(made, "within starts")) == count
    assert len(of(made, "mean over starts")) == len(found.decisions)
    ids = [claim.id for claim in made.claims]
    assert len(set(ids)) == len(ids)
    assert register(found) == made  # ids, order and texts are those of every run


def test_a_claim_is_what_the_tables_say(found, made):
    rows = found.estimates.set_index(["comparison", "tool", "cell"])
    for claim in of(made, "over starts"):
        [cell], [baseline] = claim.cells, claim.baseline_cells
        row = rows.loc[(claim.comparison, claim.tool, cell)]
        assert (claim.estimate, claim.low, claim.high) == (
            row["ratio"], row["ratio_low"], row["ratio_high"],
        )  # fmt: skip
        assert claim.status == row["status"] and baseline == row["baseline_cell"]
        assert claim.status in claim.text or claim.status == "same"
    directed = [claim for claim in of(made, "over starts") if claim.comparison == "backend"]
    assert {claim.status for claim in directed} == {"slower"}


def test_the_rule_within_starts_carries_its_placebos(found, made):
    rates = found.placebo_rates.set_index(["rule", "kind", "tool"])
    for rule in (OVER, WITHIN):
        for claim in of(made, rule):
            row = rates.loc[(rule, TWO_STARTS, claim.tool)]
            assert claim.placebo is not None
            told = claim.placebo.directions, claim.placebo.pairs
            assert told == (row["directions"], row["pairs"])
    protocol = [claim for claim in of(made, WITHIN) if claim.comparison == "protocol"]
    # nothing differs there, and the rule within starts finds directions as in its placebos
    share = np.mean([claim.status != "undecided" for claim in protocol])
    assert share > 0.5 and protocol[0].false_expected == pytest.approx(share, abs=0.4)
    over = [claim for claim in of(made, OVER) if claim.comparison == "protocol"]
    assert np.mean([claim.status in ("slower", "faster") for claim in over]) < 0.1


def test_sentences_are_those_of_the_claims(found, made):
    said = claims.directions(found, "backend")
    [claim] = [c for c in of(made, "mean over starts") if c.comparison == "backend"]
    assert claim.status == "slower"
    sentence = claim.text.split(", ", 1)[1]
    assert sentence in said.replace("\u202f", " ")
    slower = sum(c.status == "slower" for c in of(made, OVER) if c.comparison == "backend")
    assert f"orientdb was slower than neo4j in {slower} of {slower}," in said
    assert said.index("Over starts") < said.index("By the papers' method")


def test_files_are_as_their_schema_and_package_say(made, tmp_path):
    written = save(made, tmp_path)
    assert [path.name for path in written] == [
        "claims.json", "claims.csv", "claims.datapackage.json",
    ]  # fmt: skip
    document = json.loads(written[0].read_text(encoding="utf-8"))
    jsonschema.validate(document, json.loads(schema_text("claims")))
    assert Claims.model_validate(document) == made
    rows = pd.read_csv(written[1], keep_default_na=False)
    assert list(rows["id"]) == [claim.id for claim in made.claims]
    [resource] = json.loads(written[2].read_text(encoding="utf-8"))["resources"]
    fields = resource["schema"]["fields"]
    assert [field["name"] for field in fields] == list(rows.columns) == COLUMNS
    assert all(field["description"] for field in fields)


def test_settings_do_not_share_an_id():
    other = [row | {"topology": "another machine"} for row in ROWS[:1]]
    whole = derived((*ROWS[1:], *other))
    twice = replace(whole, comparisons=pd.concat([whole.comparisons] * 2, ignore_index=True))
    ids = [claim.id for claim in register(twice).claims]
    assert ids and len(set(ids)) == len(ids)


def test_without_estimates_nothing_is_decided_over_starts():
    alone = [row | {"over_ratio_low": np.nan, "over_ratio_high": np.nan} for row in ROWS]
    made = register(derived(alone))
    assert {claim.status for claim in of(made, "over starts")} == {"undecided"}
    assert {claim.low for claim in of(made, "over starts")} == {None}
    assert {claim.placebo for claim in made.claims} == {None}
    directed = [claim for claim in of(made, "within starts") if claim.status != "undecided"]
    assert len(directed) == 3


def test_a_claim_is_never_changed():
    with pytest.raises(ValueError, match="frozen"):
        register(derived()).claims[0].status = "slower"
    assert set(Claim.model_fields) >= {"id", "cells", "rule", "estimate", "status", "placebo"}
