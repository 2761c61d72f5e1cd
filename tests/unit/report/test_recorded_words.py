"""Recorded words in sentences, LaTeX and figures: they are shown, and are no markup there."""

import re
from dataclasses import replace

import example_cells as example
import pandas as pd
import papers_data
import pytest
import synthetic
from claimed import PAIRWISE, ROWS, derived
from hypothesis import example as such
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.text import Text
from nbconvert.filters.markdown_mistune import markdown2html_mistune
from papers_data import entry, papers

from modelstress import analysis
from modelstress.analysis import replication
from modelstress.analysis.faults import BY_ITSELF, NOT, WITH_HELP
from modelstress.config.project import Project
from modelstress.report import agreement, boxes, claims, grouping, lines, render, tables
from modelstress.report import claims_words as words
from modelstress.report.images import drawn_image, inline

TAG = re.compile(r"<[^>]*>")
POISON = "a`b | *c* **d** [x](http://e.example/) <img src=x> __f__ ~~g~~ $h$ $$i$$ \\(j\\) &amp;"
BROKEN = f"# {POISON}\n\n---\n\n1. one\r\n| x | y |\n|---|---|\n\n    code"
WORDS = (POISON, BROKEN, "1. x", "- x", "---", "===", "## x", "    x", "```", "\\begin{a}\\end{a}")


def html(markdown):
    """The page that a notebook's Markdown becomes, without code, which words may be shown as."""
    return re.sub("</?code>", "", markdown2html_mistune(markdown))


def text(page):
    return re.sub(r"\s+", " ", page.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", '"')
                  .replace("&#39;", "'").replace("&amp;", "&"))  # fmt: skip


@such("`$`$$`")
@such("a_b _c_")
@such("www.e.example a@e.example https://e.example")
@given(st.one_of(st.sampled_from(WORDS), st.text(st.sampled_from("`*_[]()<>|#~$\\&;!-+=1.: \nxy"))))
def test_a_word_is_shown_and_nothing_of_it_is_markup(word):
    shown = re.sub(r"\s+", " ", words.BREAKS.sub(" ", word).strip(" "))
    for before, after in (("- ", ""), ("", " said"), ("| a |\n|---|\n| ", " |"), ("- **", "**: b")):
        page = html(f"{before}{words.plain(word)}{after}")
        same = html(f"{before}word{after}")
        if shown:
            assert TAG.findall(page) == TAG.findall(same)
            assert shown.strip() in text(TAG.sub("", page))


@pytest.mark.parametrize(
    "word",
    ["Intel(R) Xeon(R) Processor, 6.18.44-fc-v657", "type_check = on", "100 %", "4.1, RQ1",
     "cdo: Eclipse CDO 4.7.0 on H2; x", "-Xmx1g", "Mogwaï's design", "1\u202f815", "+23.17 %"],
)  # fmt: skip
def test_ordinary_words_stay_as_they_are(word):
    assert words.plain(word) == word


def test_ids_are_code_where_they_can_be():
    assert words.code("hawk_neo4j=1.x-t64") == "`hawk_neo4j=1.x-t64`"
    assert "`" not in words.code("a`b")


def poisoned(frame, word):
    """The frame with words after all of its texts but those that the program itself writes."""
    own = {"flags", "magnitude", "comparison", "recovered", "state", "reasons", "factor"}
    names = [name for name in frame.columns if name not in own]
    told = {name: frame[name].map(lambda v: f"{v}{word}" if isinstance(v, str) and v else v)
            for name in names}  # fmt: skip
    return frame.assign(**told)


def every(word):
    """All sentences about a dataset in which every text ends so."""
    alone = {"cell": "mogwai_MQ", "tool": "mogwai", "task": "MQ"}
    lone = example.cell("MQ", "http", 1, 5.0, **alone)
    elsewhere = [row | {"topology": "another"} for row in ROWS[:1]]
    found = derived((*ROWS[1:], *elsewhere), [lone, lone | {"topology": "another"}])
    rates = {"throughput_per_s": 5.0, "throughput_low_per_s": 1.0, "throughput_high_per_s": 9.0}
    cells = found.cells.assign(**rates, cod=0.1, state="complete", incorrect=1, **dict.fromkeys(
        ("incorrect_any", "checked_any", "incorrect_warmup", "incorrect_cooldown",
         "failed_warmup", "failed_cooldown"), 0))  # fmt: skip
    rows = [dict(row) for row in ROWS[:4]]
    groups = [{"comparison": "protocol", "cells": 2, "n": 9, "h": 3.0, "p": 1e-4,
               "executor": rows[0]["executor"], "topology": rows[0]["topology"]}]  # fmt: skip
    comparisons = found.comparisons.assign(dunn_p=0.5)
    faults = pd.DataFrame([{
        "tool": "cdo", "fault": "kill", "executor": e, "topology": "one", "recovered": way,
        "lost": 1, "wrong": 1, "executions": 9, "first_correct_s": 1.0, "after_end_s": 1.0,
        "lasted_s": 1.0,
    } for e, way in (("a", WITH_HELP), ("b", NOT), ("b", BY_ITSELF))])  # fmt: skip
    said = replace(
        found, cells=poisoned(cells, word), comparisons=poisoned(comparisons, word),
        groups=poisoned(pd.DataFrame(groups), word), faults=poisoned(faults, word),
        note=f"note{word}",
    )  # fmt: skip
    for name in ("measured", "care", "outcomes", "spread", "ranks", "curves"):
        yield getattr(claims, name)(said)
    yield claims.slowest(said, said.cells["query"].iloc[0])
    for name in ("recoveries", "losses", "wrong_answers"):
        yield getattr(claims, name)(said)
    yield claims.slowest(said, f"none{word}")
    yield claims.directions(said, f"none{word}")
    for name in PAIRWISE:
        yield getattr(claims, name)(said, "protocol")
    captured = {
        "tool": "cdo", "protocol": "http", "backend": "h2", "language": "ocl", "query": "OQ",
        "profile": "wire", "captured": 3, "packets": 58.0, "bytes": 10203.0, "round_trips": 13.0,
        "requests": 11.0, "longest_gap_ms": 5003.0, "duration_ms": 6100.0,
    }  # fmt: skip
    yield claims.wire(poisoned(pd.DataFrame([captured, captured | {"protocol": "tcp"}]), word))


@pytest.mark.parametrize("word", [f" {POISON}", f" {BROKEN}"])
def test_every_sentence_has_the_same_shape_whatever_words_were_recorded(word):
    shown = 0
    for said, same in zip(every(word), every(" x"), strict=True):
        assert TAG.findall(html(said)) == TAG.findall(html(same)), said
        shown += text(TAG.sub("", html(said))).count("[x](http://e.example/) <img src=x> __f__")
    assert shown > 50


@pytest.mark.parametrize("word", [f" {POISON}", f" {BROKEN}"])
def test_machines_keep_their_table(word):
    used = pd.DataFrame({
        "tool": "cdo", "cell": ["a", "a", "b", "b"], "invocation": [0, 1, 0, 1], "used": True,
        "machine": [f"one{word}", f"two{word}"] * 2, "median_ms": [1.0, 2.0, 3.0, 4.0],
        "boot": "",
    })  # fmt: skip
    named = pd.DataFrame({"key": ["machine.name"]})
    only = claims.machines(replace(derived(), invocations=used[::2], provenance=named))
    assert TAG.findall(html(only)) == ["<p>", "</p>"]
    said = claims.machines(replace(derived(), invocations=used, provenance=named))
    plain = used.assign(machine=["one x", "two x"] * 2)
    same = claims.machines(replace(derived(), invocations=plain, provenance=named))
    assert TAG.findall(html(said)) == TAG.findall(html(same))
    assert text(TAG.sub("", html(said))).count("[x](http://e.example/) <img src=x>") == 4


@pytest.mark.parametrize("word", [f" {POISON}", f" {BROKEN}"])
def test_sentences_about_papers_have_the_same_shape(word, tmp_path):
    data = papers_data.write(tmp_path / "data")
    study = Project.find(papers_data.ROOT).study(synthetic.STUDY)
    found = analysis.derive(data, synthetic.STUDY, synthetic.PROFILE, asked=study)
    first = {"tool": "cdo", "query": "OQ", "protocol": "tcp", "threads": 1}
    other = first | {"tool": "hawk", "backend": "neo4j", "query": "HQ1"}
    ours = {"kind": "ratio of medians", "cells": other, "beside": first}
    entries = [
        entry(direction, {"value": 2, "direction": direction}, ours, unit="×")
        for direction in ("slower", "faster")
    ]
    made = replication.compare(found, papers(*entries), None, data)

    def said(ending):
        texts = ("says", "title", "theirs", "detail", "executor", "topology")
        ended = {name: made.entries[name].astype(str) + ending for name in texts}
        where = {name: made.causes[name].astype(str) + ending for name in ("executor", "topology")}
        these = replace(
            made, entries=made.entries.assign(**ended), causes=made.causes.assign(**where)
        )
        return [
            agreement.summary(these), agreement.sentences(these, "protocol"),
            agreement.disagreements(these),
        ]  # fmt: skip

    for one, same in zip(said(word), said(" x"), strict=True):
        assert TAG.findall(html(one)) == TAG.findall(html(same))
        assert "<img src=x>" in text(TAG.sub("", html(one)))


TEX = r"[9] * \input{/etc/passwd} \write18{id} $x$ #1 % & _ { } ~ ^ \\ ^^5c"
"""Commands and characters of LaTeX."""


def test_no_recorded_word_is_a_command_in_latex():
    fine = example.cells().assign(executions=120, error=1, incorrect=1)
    cells = poisoned(fine, f" {TEX}")
    cells["query"] = [f"[1cm]\n\n{query}" for query in cells["query"]]
    setting = grouping.Setting(f"process {TEX}", f"one {TEX}")
    for make in (tables.medians, tables.failures, tables.incorrect):
        plain = make("table-02", fine, example.PROJECTION, example.SETTING)
        body = render.tex(make("table-02", cells, example.PROJECTION, setting))
        assert body.count(r"\textbackslash{}input\{/etc/passwd\}") >= 4
        known = set(re.findall(r"\\(?:[a-zA-Z]+|.)", render.tex(plain)))
        escapes = {"\\textbackslash", "\\textasciitilde", "\\textasciicircum"}
        assert set(re.findall(r"\\(?:[a-zA-Z]+|.)", body)) <= known | escapes | set(
            re.findall(r"\\.", r"\$\#\%\&\_\{\}")
        )
        assert "\n\n" not in body and not re.search(r"^[\[*]", body, re.M)
        rows = [re.sub(r"\\.", "", line).count("&") for line in lines_of(body)]
        assert rows == [re.sub(r"\\.", "", line).count("&") for line in lines_of(render.tex(plain))]
        assert not re.search(r"[$#%^]", re.sub(r"\\.", "", body))


def lines_of(body):
    """The rows of a table in LaTeX."""
    inside = body.split(r"\toprule")[1].split(r"\bottomrule")[0]
    return [line for line in inside.splitlines() if line.endswith(r"\\")]


def test_words_of_figures_are_no_formulas():
    cells = poisoned(example.cells(), " $\\foo$ $$ <b>&amp; \n\\bar")
    outliers = pd.DataFrame({"cell": cells["cell"].iloc[:1], "latency_ms": 99.0})
    mine = cells[cells["query"] == cells["query"].iloc[0]]
    drawn = {
        "boxes": boxes.boxes(mine, outliers, example.PROJECTION, "$\\foo$"),
        "lines": lines.medians(cells, example.PROJECTION, "$\\foo$"),
    }
    for figure in drawn.values():
        image = drawn_image(lambda figure=figure: figure, "$\\foo$ <b>")
        assert b"<b>" not in image.svg and image.png.startswith(b"\x89PNG")
        assert "<b>" not in inline(image, "one") and "&lt;b&gt;" in inline(image, "one")
        texts = [one.get_text() for one in figure.findobj(Text)]
        assert sum("$\\foo$" in one for one in texts) > 3
