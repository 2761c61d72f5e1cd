"""Listings of the report: words in, text out."""

from modelstress.config.claims import Claim, Claims
from modelstress.report import listings


def claim(number, status, estimate, rule="mean over starts", text="text"):
    return Claim(
        id=f"a/{number}", source="report", comparison="protocol", tool="hawk", rule=rule,
        measure="latency", unit="×", estimate=estimate, low=estimate / 2, high=estimate * 2,
        status=status, text=text,
    )  # fmt: skip


def test_decided_claims_come_first_the_largest_effect_before_others():
    made = Claims(study="s", profile="p", claims=[
        claim(1, "undecided", 50.0), claim(2, "slower", 2.0), claim(3, "faster", 0.1),
        claim(4, "opposed", 1.5), claim(5, "slower", 9.0, rule="over starts"),
    ])  # fmt: skip
    listing = listings.claims(made, listings.DECISIONS)
    assert [row[3] for row in listing.rows] == ["0.10", "2.00", "1.50", "50.0"]
    assert listing.about.startswith("2 of 4 are decided.") and not listing.closed
    [row] = listings.claims(made, listings.SINGLE).rows
    assert row[2:5] == ("slower", "9.00", "4.50–18.0")


def test_a_sentence_kept_as_markdown_is_shown_as_words():
    text = "a&#95;b <code>&#36;x&#36;</code> &lt;img onerror=x&gt; **strong**"
    made = Claims(study="s", profile="p", claims=[claim(1, "slower", 2.0, text=text)])
    [row] = listings.claims(made, listings.DECISIONS).rows
    assert row[5] == "a_b $x$ <img onerror=x> strong"  # the page escapes it
