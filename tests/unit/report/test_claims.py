"""Generated sentences: every number in them is one of the tables', every share has its whole."""

import re
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import sick
from claimed import PAIRWISE, RATES, ROWS, beside, derived
from example_cells import cell

from modelstress.analysis.projection import projection_of
from modelstress.analysis.within_starts import verdicts
from modelstress.config.roles import Noun
from modelstress.report import claims, shifts
from modelstress.report import claims_words as words
from modelstress.report.claims_sides import pairs


def test_a_direction_needs_significance_and_an_effect():
    assert list(verdicts(pd.DataFrame(ROWS))) == [
        "slower", "faster", "unclear", "unclear", "slower", "unknown",
    ]  # fmt: skip


def test_few_executions_are_not_taken_for_no_difference():
    rows = pd.DataFrame([beside(1, 1.0, 2.0, 5.0, p=0.1, n=3, baseline_n=3)])
    assert list(verdicts(rows)) == ["few"]
    said = claims.directions(derived([rows.iloc[0].to_dict()]), "protocol")
    assert "slower than tcp in 0 of 1" in said
    assert "0 pairs showed no clear difference, and 1 have too few executions" in said


def test_directions_are_counted_over_starts_first():
    lone = cell("MQ", "http", 1, 5.0, tool="mogwai", cell="mogwai_MQ_http", task="MQ")
    said = claims.directions(derived(more=[lone], rates=RATES), "protocol")
    assert "**http against tcp**, 6 pairs of cells that differ in protocol" in said
    assert "**Over starts**, http was slower than tcp in 2 of 5, faster in 1" in said
    assert "2 are undecided" in said and "Chance alone is allowed 0.1 of 5 directions" in said
    assert "- cdo: slower on average, 7.36 times the latency (99\u202f% interval" in said
    assert "slower in the one pair. Chance alone is allowed 0.0 of 1 direction; no placebo" in said
    assert "- hawk: no claim over all of them, since some are slower and others are faster" in said
    assert "slower in 1 of 4, faster in 1, undecided in 2." in said
    assert "placebo: a direction in 2 of 100 (2\u202f%, at most 6\u202f%); of means, no" in said
    assert "Of 1 pair nothing can be said" in said
    assert "1 further cell with http is in no pair" in said


def test_the_papers_method_stands_second_with_its_placebos():
    said = claims.directions(derived(rates=RATES), "protocol")
    within = said[said.index("**By the papers' method**") :]
    assert "http was slower than tcp in 2 of 5 (Mann–Whitney p < 0.01" in within
    assert "faster in 1 (2 and 1 after Holm's correction for 5); 2 pairs showed no clear" in within
    assert "- hawk: slower in 1 of 4, faster in 1, no clear difference in 2; placebo:" in within
    assert "a direction in 60 of 100 (60\u202f%, at most 68\u202f%)." in within
    # 4 pairs of hawk at 60 %, 1 of cdo at 20 %
    assert "the method would find about 2.6 directions in 5 pairs" in within
    alone = claims.directions(derived(), "protocol")
    assert "is not known: no placebo of this rule could be made" in alone


def test_few_placebos_have_the_calibration_beside_them():
    few = {"pairs": 10, "directions": 1, "calibration_pairs": 200, "calibration_directions": 100}
    rates = [row | few | {"calibration_of": "all"} for row in RATES]
    said = claims.directions(derived(ROWS[:2], rates=rates), "protocol")
    calibrated = "100 of 200 (50\u202f%, at most 56\u202f%) of the calibration dataset, all tools"
    assert f"placebo: a direction in 1 of 10 (10\u202f%, at most 39\u202f%); {calibrated}" in said
    assert "about 1.0 directions in 2 pairs" in said  # 2 pairs at 101 of 210


def test_what_one_start_cannot_say_is_said():
    rows = [row | {"over_ratio_low": np.nan, "over_ratio_high": np.nan} for row in ROWS[:2]]
    said = claims.directions(derived(rows), "protocol")
    assert "**Over starts nothing can be said**: none of 2 pairs has enough starts" in said
    assert "slower in 1 of 2, faster in 1" in said  # by the papers' method
    largest = claims.largest(derived(rows), "protocol")
    assert "In no pair was http slower than tcp over starts." in largest


def test_queries_are_told_apart():
    said = claims.by_query(derived(rates=RATES), "protocol")
    assert "- **PosLength** — hawk / neo4j / ocl: slower in 1 of 2, faster in 1" in said
    assert "(ratios 0.50 to 4.00)" in said
    assert "**SwitchSet** — hawk / neo4j / ocl: undecided in all 2 (ratios 1.01 to 1.20)" in said
    assert "the rule over starts finds a direction in 2 of 100" in said
    assert "By tool: hawk: 2 of 100 (2\u202f%, at most 6\u202f%); cdo: no placebo" in said
    only = claims.by_query(derived(), "protocol", tool="cdo")
    assert "OQ" in only and "PosLength" not in only
    assert "nothing is said" in claims.by_query(derived(), "protocol", tool="nobody")


def test_the_largest_differences_stand_with_their_intervals():
    said = claims.largest(derived(), "protocol")
    assert "OQ on cdo / neo4j / ocl with 1 thread, 7.36 times the latency" in said
    assert "(+636\u202f%; 99\u202f% interval over starts 5.89 to 9.20)" in said
    ends = "99\u202f% interval +6\u202f935\u202fms to +6\u202f937\u202fms, within one start"
    assert f"+6\u202f936\u202fms ({ends})" in said
    assert "gain in proportion: PosLength on hawk / neo4j / ocl with 8 threads, 0.50 times" in said
    slow = claims.largest(derived(ROWS[:1]), "protocol")
    assert "In no pair was http faster than tcp over starts." in slow


def test_gains_and_overheads_are_those_of_the_fewest_threads():
    gains = claims.gains(derived(ROWS[:4]), "protocol")
    assert "with 1 thread, 2 pairs" in gains
    assert "PosLength 4.00 times the latency" in gains
    assert "SwitchSet undecided (ratio 1.01)" in gains
    faster = claims.gains(derived([ROWS[1]]), "protocol")
    assert "2.00 times as fast (99\u202f% interval over starts 1.60 to 2.50)" in faster
    overhead = claims.overhead(derived(rates=RATES), "protocol")
    assert "+30.0\u202fms (99\u202f% interval +29.0\u202fms to +31.0\u202fms" in overhead
    assert "the median of 2 shifts is +15.1\u202fms; over starts slower in 1 of 2" in overhead
    assert "the rule over starts finds a direction in 2 of 100" in overhead


def test_threads_move_differences():
    said = claims.deltas_by_threads(derived(), "protocol")
    assert "0.95 with 1 thread (3 pairs) and 0.35 with 8 threads (2 pairs)" in said
    assert "fewest threads in 1 of 2 configurations" in said
    assert "changes with the threads in 1 of 2: PosLength on hawk / neo4j / ocl" in said
    assert "(slower with 1 thread, faster with 8 threads)" in said
    ratios = claims.ratios_by_threads(derived(), "protocol")
    assert "rises in 0 of 2 configurations and falls in 1; in 1 the 99\u202f% intervals" in ratios
    assert "4.00 (3.20 to 5.00, over invocations) with 1 thread → 0.50 (0.40 to 0.62" in ratios
    crossings = claims.crossings(derived(), "protocol")
    assert "of 2 configurations" in crossings and "and 1 change sides:" in crossings


def test_groups_and_dunn_are_counted():
    rows = [
        row | {"comparison": "tools", "dunn_p": p}
        for row, p in zip(ROWS[:2], (1e-9, 0.054), strict=True)
    ]
    where = {"executor": ROWS[0]["executor"], "topology": ROWS[0]["topology"]}
    groups = [
        {"comparison": "tools", "cells": 3, "n": 9, "h": h, "p": p} | where
        for h, p in ((12.0, 1e-4), (0.5, 0.7), (np.nan, np.nan))
    ]
    said = claims.in_groups(derived(rows, groups=groups), "tools")
    assert "in 1 of 2 groups" in said and "H between 0.5 and 12" in said
    assert "1 group could not be tested" in said
    assert "1 of 2 pairs with tcp differ; 1 do not differ significantly" in said
    assert "with 8 threads (p = 0.054)" in said
    assert "No groups" in claims.in_groups(derived(), "protocol")


@pytest.mark.parametrize("name", PAIRWISE)
def test_without_pairs_nothing_is_claimed(name):
    whole = derived()
    for nothing in (derived(ROWS[5:]), replace(whole, comparisons=whole.comparisons.iloc[:0])):
        said = getattr(claims, name)(nothing, "protocol")
        assert said and "nan" not in said
        assert " slower in" not in said and "times" not in said
    assert getattr(claims, name)(whole, "no such") == getattr(claims, name)(nothing, "no such")


def other_study(load):
    """The same rows of a study without a load, or with one whose levels are words."""
    whole = derived()
    factors = [name for name in whole.projection.factors if load or name != "threads"]
    projection = replace(
        whole.projection.only(factors), load=load, dataset="",
        nouns={"threads": Noun(one="link", many="links")},
    )  # fmt: skip
    names = {1: "slow", 8: "fast"}
    cells, rows = (
        frame.assign(threads=frame["threads"].map(names))
        for frame in (whole.cells, whole.comparisons)
    )
    return replace(whole, cells=cells, comparisons=rows, projection=projection)


@pytest.mark.parametrize("name", PAIRWISE)
def test_without_a_load_nothing_is_said_of_it(name):
    said = getattr(claims, name)(other_study(""), "protocol")
    assert said and not re.search("link|thread|with *[,:]", said), said
    assert list(shifts(other_study(""), "protocol"))[2:] == ["shift"]


def test_loads_in_words_have_an_order_only():
    study = other_study("threads")
    said = claims.deltas_by_threads(study, "protocol")
    assert "0.95 with link slow (3 pairs) and 0.35 with link fast (2 pairs)" in said
    assert "largest with the first link in 1 of 2" in said and "more than one link" in said
    assert "(slower with link slow, faster with link fast)" in said
    assert "From the first to the last link" in claims.ratios_by_threads(study, "protocol")
    assert "with link slow, 3 pairs" in claims.gains(study, "protocol")
    assert list(shifts(study, "protocol"))[2:] == ["link slow", "link fast"]


ALONE = ("measured", "care", "spread", "outcomes", "normality", "ranks", "curves")


@pytest.mark.parametrize("kind", ["failing", "mixed"])
def test_sick_cells_give_sentences_without_made_up_numbers(kind, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = sick.derived(tmp_path, kind)
        said = [getattr(claims, name)(found) for name in ALONE]
        for comparison in ("protocol", "tools", "precomputed"):
            said += [getattr(claims, name)(found, comparison) for name in PAIRWISE]
            listing = shifts(found, comparison)
            said.append(listing.to_string() if len(listing) else "nothing to list")
        said.append(claims.slowest(found, "PosLength"))
    for text in said:
        assert text and not re.search(r"\b(nan|NaN|inf)\b", text), text
    if kind == "failing":
        assert "slower in" not in " ".join(said).replace("clearly slower in", "")


def test_settings_are_not_pooled():
    other = [row | {"topology": "another machine"} for row in ROWS[:1]]
    cells = [cell("PosLength", "tcp", 1, 9.0, topology="another machine", cell="b", task="x")]
    found = pairs(derived((*ROWS[1:], *other), cells), "protocol")
    assert sorted(len(one.rows) for one in found) == [1, 5]
    said = claims.directions(derived((*ROWS[1:], *other), cells), "protocol")
    assert said.count("*Measured with executor process") == 2


def test_shifts_are_listed_with_their_intervals():
    listing = shifts(derived(), "protocol")
    assert list(listing.columns) == ["query", "configuration", "1 thread", "8 threads"]
    first = listing[listing["query"] == "PosLength"].iloc[0]
    assert first["1 thread"] == "+30.0\u202fms (+29.0 to +31.0\u202fms)"
    assert listing[listing["query"] == "OQ"].iloc[0]["8 threads"] == "–"
    assert shifts(derived(), "nothing").empty


def test_what_was_measured_has_its_denominators():
    cells = [
        cell("OQ", "tcp", 1, 5.0, 0.1, invocations=1, median_interval="within one start"),
        cell("OQ", "tcp", 4, 8.0, 0.2, executions=100, ok=90, timeout=8, incorrect=2),
        cell("MQ", "tcp", 4, state="missing", flags="missing"),
    ]
    found = replace(derived(), cells=pd.DataFrame(cells))
    said = claims.measured(found)
    assert "2 of 3 cells were measured, in 1 to 2 invocations each (3 in all)" in said
    assert "Of 220 measured executions, 210 (95.45\u202f%)" in said
    assert "of the others 2 incorrect and 8 timeout" in said
    care = claims.care(found)
    assert "1 of 2 measured cells have one invocation only" in care
    assert "1 of 3 cells are flagged: missing (1)" in care
    alike = found.cells.assign(flags=["wedged;stale;burst", "burst;unverified", "missing"])
    named = "burst (2), missing (1), stale (1), unverified (1) and wedged (1)"  # equals by name
    assert f"flagged: {named}" in claims.care(replace(found, cells=alike))
    outcomes = claims.outcomes(found)
    assert "8 of 220 executions ended without an answer, in 1 of 2 measured cells" in outcomes
    assert "2 of 220 executions ended with a wrong one" in outcomes
    spread = claims.spread(found)
    assert "Medians of 2 cells lie between 5.00\u202fms" in spread
    assert "1 cell of 3 has no median" in spread


def test_normality_counts_what_was_tested():
    shapes = [
        {"n": n, "w": w, "p": p, "skewness": s}
        for n, w, p, s in ((60, 0.7, 1e-9, 3.0), (40, 0.98, 0.4, -0.1), (2, *[np.nan] * 3))
    ]
    said = claims.normality(derived(shapes=shapes))
    assert "**1 of 2 cells**" in said and "40 to 60 executions" in said
    assert "1 of 2 have their longer tail on the slow side" in said
    assert "No cell has enough" in claims.normality(derived())


def test_ranks_and_curves_follow_the_threads():
    rates = {"throughput_low_per_s": 1.0, "throughput_high_per_s": 2.0, "task": "OQ"}
    cells = [
        cell(
            "OQ", "tcp", t, ms, throughput_per_s=rate, backend=backend, cell=f"{backend}{t}",
            **rates,
        )
        for backend, t, ms, rate in (
            ("h2", 1, 5.0, 200.0), ("h2", 4, 40.0, 100.0),
            ("neo4j", 1, 8.0, 125.0), ("neo4j", 4, 16.0, 250.0),
        )
    ]  # fmt: skip
    found = replace(derived(), cells=pd.DataFrame(cells))
    ranks = claims.ranks(found)
    assert "lowest median of 2 configurations" in ranks
    assert "h2 / ocl / tcp with 1 thread; OQ on cdo / neo4j / ocl / tcp with 4 threads" in ranks
    curves = claims.curves(found)
    assert "Of 2 configurations" in curves and "1 with 1 thread and 1 with 4 threads" in curves
    assert "In 1 of 2 it has fallen below 90\u202f%" in curves
    assert "from 200 to 100 correct answers per second" in curves
    assert "(from 2.00 to 8.00 times)" in curves
    slowest = claims.slowest(found, "OQ")
    assert slowest.index("h2 / ocl / tcp: 5.00") < slowest.index("neo4j / ocl / tcp: 8.00")
    assert "does not ask" in claims.slowest(found, "MQ")


def test_captures_are_counted_and_waits_named():
    row = {
        "tool": "cdo", "protocol": "http", "backend": "h2", "language": "ocl", "query": "OQ",
        "profile": "wire", "captured": 3, "packets": 58.0, "bytes": 10203.0, "round_trips": 13.0,
        "requests": 11.0, "longest_gap_ms": 5003.0, "duration_ms": 6100.0,
    }  # fmt: skip
    other = row | {"protocol": "tcp", "requests": 0.0, "longest_gap_ms": 40.0}
    said = claims.wire(pd.DataFrame([row, other, row | {"captured": 0}]))
    assert "cdo over http, 1 variant, 3 executions: 58 packets, 10\u202f203 bytes" in said
    assert "11 HTTP requests" in said and "0 HTTP" not in said
    assert "1 variant of 3 captured nothing" in said
    assert "In 1 of 2 variants the longest silence" in said
    assert "OQ on http: 5\u202f003\u202fms of 6\u202f100\u202fms" in said
    assert "No executions were captured" in claims.wire(None)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (words.times(0.0123), "0.012"), (words.times(1234.5), "1\u202f234"),
        (words.percent(7.3566), "+636\u202f%"), (words.percent(0.955), "−4.5\u202f%"),
        (words.listed(["a"]), "a"), (words.listed([]), ""), (words.listed("abc"), "a, b and c"),
        (words.listed("abcd", 2), "a, b and 2 more"), (words.many(1, "cell"), "1 cell"),
        (words.runs([1, 2, 8], [1, 2, 4, 8]), "1–2 and 8"), (words.delta(-0.5), "−0.50"),
        (words.with_loads(projection_of(None, ("threads",)), [1], [1, 2]), "with 1 thread"),
        (words.share(188_049, 188_088), "99.97\u202f%"), (words.share(7, 7), "100\u202f%"),
        (words.p_value(0.0), "p < 1e-300"), (words.p_value(0.054), "p = 0.054"),
    ],
)  # fmt: skip
def test_numbers_in_words(said, expected):
    assert said == expected
