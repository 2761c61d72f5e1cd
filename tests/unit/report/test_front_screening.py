"""The front page of a screening: what matters most, in words, and what the design cannot tell."""

from __future__ import annotations

from pathlib import Path

import pytest
import synthetic
from figure_texts import assert_no_overlap
from small_studies import study

from modelstress.analysis import Derived
from modelstress.analysis.derive import derive
from modelstress.config.screening import Screening
from modelstress.report import front

OPTIONS = ("alpha", "beta", "gamma", "delta", "epsilon")


def derived(folder: Path, quarter: bool = False, slow: float = 2.0) -> Derived:
    """Cells of five options, of which one corner of the first two is slow; three starts of each.

    In a quarter of them the last two options are pairs of others: resolution III.
    """
    for place in range(32):
        bits = [place >> i & 1 for i in range(5)]
        if quarter and (bits[3] != bits[0] ^ bits[1] or bits[4] != bits[0] ^ bits[2]):
            continue
        levels = synthetic.LEVELS | dict(zip(OPTIONS, bits, strict=True))
        longer = slow if bits[0] and bits[1] else 1.0
        for number in range(3):
            values = synthetic.latencies(5.0 * longer, 30, 100 * place + number)
            synthetic.write(folder, levels, number, synthetic.samples(values, number=number))
    asked = study(factors={name: [0, 1] for name in OPTIONS}).model_copy(
        update={"effects": Screening(chance=0.05)}
    )
    return derive(folder, synthetic.STUDY, synthetic.PROFILE, asked=asked)


def test_the_largest_effects_are_the_finding(tmp_path: Path) -> None:
    made = front.front(derived(tmp_path))
    [title] = made.finding
    assert title.startswith("Latency changes most with ") and "alpha" in title and "beta" in title
    assert "or " not in title, "all effects of a full design are told from one another"
    [alpha] = [one for one in made.sentences if one.startswith("**alpha**")]
    second = alpha.split(" with ")[1][0]
    ratio, levels = {"1": (1.414, "1 instead of 0"), "0": (0.707, "0 instead of 1")}[second]
    assert alpha.endswith(f"times the latency with {levels}.")
    assert float(alpha.split()[1]) == pytest.approx(ratio, rel=0.05)
    [pair] = [one for one in made.sentences if one.startswith("**alpha × beta**")]
    assert "with both or none of alpha " in pair and pair.endswith(", over that with one of them.")
    assert made.closing[0].startswith("3 of 15 effects of 5 options") and len(made.closing) == 1
    assert made.drawn is not None and made.drawn.kind == "front"
    assert_no_overlap(made.drawn.draw())


def test_what_is_not_told_from_others_is_said(tmp_path: Path) -> None:
    made = front.front(derived(tmp_path, quarter=True))
    assert "alpha (×" in made.finding[0] and ", or 2 others)" in made.finding[0]
    [alpha] = [one for one in made.sentences if one.startswith("**alpha**")]
    assert alpha.endswith("; not told from 2 other effects.")
    assert "`modelstress follow-up`" in made.closing[1]


def test_where_nothing_is_strong_the_title_says_so(tmp_path: Path) -> None:
    made = front.front(derived(tmp_path, slow=1.0))
    assert made.finding == ("No option of 5 matters beyond the noise",)
    assert made.sentences == () and made.closing[0].startswith("0 of 15 effects")
