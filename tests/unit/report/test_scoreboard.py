"""Pages of the scoreboard: addresses, words that are escaped, profiles, and the exported files."""

import itertools
import re
from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser
from urllib.parse import parse_qs

import numpy as np
import pytest
import yaml
from small_studies import PROJECT

from modelstress.analysis import PlannedCell
from modelstress.analysis.projection import projection_of
from modelstress.analysis.space import Choice, Start, space_of
from modelstress.config.errors import ConfigError
from modelstress.config.profile import Profile
from modelstress.report.scoreboard.address import Addresses, choice_of, query_of
from modelstress.report.scoreboard.board import Board
from modelstress.report.scoreboard.charts import distribution, number, points, scale_of
from modelstress.report.scoreboard.export import Pages, export, file_of
from modelstress.report.scoreboard.page import breakable, page, progress_part, refusal
from modelstress.report.scoreboard.refining import refined
from modelstress.steering.progress_file import Progress, WorkerState, said, write

STUDY = PROJECT.study("configuration-space")
PROFILE = PROJECT.profile("demo", "configuration-space")
HOSTILE = (
    "<script>document.title='owned'</script>", "\"><img src=x onerror=alert(1)>", "' onclick='x",
    "a&b=c#d", "x" * 80, "javascript:alert(1)", "{{ 7 * 7 }}",
)  # fmt: skip


def board(levels=(("p", "0"), ("q", "1")), extra=(), latency=None, study=STUDY, queue=None):
    """Cells with all combinations of three options; the last cell was not measured."""
    factors = {"first": list(levels[0]), "second": list(levels[1]), "third": [1, 2, *extra]}
    every = [dict(zip(factors, one, strict=True)) for one in itertools.product(*factors.values())]
    plan = [PlannedCell("t", f"c{i}", "T", {"tool": "t", **one}, 2) for i, one in enumerate(every)]
    rng = np.random.default_rng(1)
    found = {}
    for place, one in enumerate(plan[:-1]):
        base = latency(one.levels) if latency else 1.0
        found["t", one.cell] = [
            Start(n, "complete", one.levels, machine="<b>m</b>", build=f"b{n}",
                  executions=10, failures=int(place == 0), ended_s=10.0 * place + n,
                  values=(base * rng.lognormal(0, 0.01), 1000 / base, 0.1))
            for n in (0, 1)
        ]  # fmt: skip
    space = space_of(plan, found, factors)
    projection = projection_of(None, list(factors))
    return Board(study, PROFILE, 99, projection, space, 3, 0, queue)


class Tags(HTMLParser):
    """Tags and attributes of a page."""

    def __init__(self, text):
        super().__init__()
        self.found = []
        self.words = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.words.append(data)


@pytest.mark.parametrize(
    "choice",
    [Choice(), Choice(((0, 1),)), Choice(((0, 1), (2, 0)), 0, 1, 2), Choice(measure=1)],
)
def test_an_address_leads_back_to_its_choice(choice):
    space = board().space
    address = Addresses(space).href(choice)
    assert choice_of(space, parse_qs(address.removeprefix("./").removeprefix("?"))) == choice


@pytest.mark.parametrize("word", HOSTILE)
def test_any_level_can_be_in_an_address(word):
    space = board(levels=((word, "0"), ("q", "1"))).space
    choice = Choice(((0, 0),))
    address = Addresses(space).href(choice)
    assert re.fullmatch(r"[\w.?=%+&/~-]+", address)
    assert choice_of(space, parse_qs(address[1:])) == choice
    assert query_of(space, choice) == {"first": word}


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("fist=p", "there is no option 'fist' (did you mean 'first'?)"),
        ("first=w", "'first' has no level 'w' (valid: 0, p)"),
        ("first=p&first=0", "'first' is given 2 times"),
        ("of.measure=speed", "'of.measure' has no level 'speed'"),
        ("of.machine=other", "'of.machine' has no level 'other'"),
        ("tool=other", "'tool' has no level 'other'"),
        ("first=" + 5000 * "x", "'first' has no level 'xxx"),
    ],
)
def test_what_is_unknown_is_refused_in_a_sentence(query, sentence):
    with pytest.raises(ConfigError) as refused:
        choice_of(board().space, parse_qs(query))
    assert sentence in str(refused.value) and len(str(refused.value)) < 300


def test_open_settings_and_what_all_cells_share_fix_nothing():
    asked = parse_qs("first=*&second=&third=2&tool=t", keep_blank_values=True)
    assert choice_of(board().space, asked) == Choice(((2, 1),))


@pytest.mark.parametrize("word", HOSTILE)
@pytest.mark.parametrize("live", [True, False])
def test_words_of_data_are_text_and_nothing_else(word, live):
    made = board(levels=((word, "0"), ("q", word)), extra=(word,))
    shown = page(made, Choice(((0, 0),)), Addresses(made.space), live)
    plain = board(levels=(("p", "0"), ("q", "1")), extra=("w",))
    usual = page(plain, Choice(((0, 0),)), Addresses(plain.space), live)
    assert [tag for tag, _ in Tags(shown).found] == [tag for tag, _ in Tags(usual).found]
    for tag, attributes in Tags(shown).found:
        assert not any(name.startswith("on") for name in attributes)
        assert tag != "script" or attributes.get("src") == "scoreboard.js"
        assert not str(attributes.get("href", "")).lower().startswith("javascript")
    assert word in "".join(Tags(shown).words)


def test_names_of_machines_and_queues_are_text_too():
    now = datetime.now(UTC)
    queue = Progress(
        study="s", profile="p", at=now, queue=True, queued=7,
        workers=(WorkerState(name="<i>w</i>", why="<u>no</u>"),),
        failures=("<s>bad</s>",), seconds_left=600,
    )  # fmt: skip
    shown = page(board(queue=queue), Choice(), Addresses(board().space), live=True)
    for raw in ("<b>m</b>", "<i>w", "<u>no", "<s>bad"):
        assert raw not in shown and raw in "".join(Tags(shown).words)
    assert "<b>7</b> queued" in shown and "<b>10 min</b> left" in shown


def test_a_page_asks_no_other_host_and_has_no_style_or_script_of_its_own():
    for live in (True, False):
        for tag, attributes in Tags(page(board(), Choice(), Addresses(board().space), live)).found:
            assert "style" not in attributes and tag != "style"
            for name in ("src", "href", "action"):
                assert "//" not in str(attributes.get(name, ""))
        assert ("form" in [t for t, _ in Tags(page(board(), Choice(), _Any(), live)).found]) == live


class _Any:
    def href(self, choice):
        return None


def test_a_page_tells_of_the_whole_space_and_of_what_is_chosen():
    made = board(latency=lambda levels: 2.0 if levels["first"] == "0" else 1.0)
    whole = "".join(Tags(page(made, Choice(), Addresses(made.space), live=True)).words)
    assert "All options are open" in whole and "1 of 7 cells that were tried" in whole
    assert "7 of 8 planned cells are measured" in whole and "99 combinations" in whole
    part = page(made, Choice(((0, 1),)), Addresses(made.space), live=True)
    words = " ".join("".join(Tags(part).words).split())
    assert "Chosen: first 0. 4 of 8 cells fit" in words
    assert "what is chosen, 3 cells" in words and "Chosen settings, revisited" in words
    assert 'aria-label="Change first to p"' in part


def test_a_part_without_measurements_says_so():
    made = board()
    shown = page(made, Choice(((0, 1), (1, 1), (2, 1))), Addresses(made.space), live=True)
    assert "No cell with these settings was measured" in shown


def test_a_space_in_which_nothing_was_measured_has_a_page():
    empty = space_of([PlannedCell("t", "c", "T", {"tool": "t", "a": 1}, 1)], {}, {})
    made = Board(STUDY, PROFILE, 1, projection_of(None, ["a"]), empty)
    shown = page(made, Choice(), Addresses(empty), live=True)
    assert "No cell was measured yet" in shown and "<b>1</b> to come" in shown
    assert "Nothing is being measured now" in progress_part(made)


def test_a_refusal_is_escaped():
    assert "<script" not in refusal(400, "'<script>' is unknown")


def test_names_break_where_a_word_begins_and_stay_escaped():
    assert breakable("maxServerThread_pool") == "max<wbr>Server<wbr>Thread_<wbr>pool"
    assert breakable("a<B>") == "a&lt;B&gt;"


def test_a_profile_of_what_is_chosen_is_a_profile():
    fixed = {"threadPerConnectionPolicy": "0", "maxGIOPVersion": "1.2", "protocol": "unix"}
    name, text = refined(STUDY, PROFILE, fixed)
    made = Profile.model_validate(yaml.safe_load(text))
    assert made.profile == name == "demo-refined" and made.design == PROFILE.design
    assert made.levels["threadPerConnectionPolicy"] == [0]  # the number, not its text
    assert made.levels["maxGIOPVersion"] == ["1.2"]
    assert made.settings == PROFILE.settings and made.levels["threads"] == [1]


def test_a_list_of_cells_becomes_a_covering_array_and_unknown_levels_are_left_out():
    listed = PROFILE.model_copy(
        update={"design": Profile.model_validate({
            "profile": "p", "title": "t", "invocations": 1,
            "design": {"kind": "list", "cells": [{"protocol": "tcp"}]},
        }).design}
    )  # fmt: skip
    text = refined(STUDY, listed, {"protocol": "gone"})[1]
    made = Profile.model_validate(yaml.safe_load(text))
    assert made.design.kind == "covering" and "protocol" not in made.levels


def test_numbers_are_short():
    values = (1234.56, 12.345, 0.0123456, 0.0, float("nan"), 999.96)
    assert [number(v) for v in values] == ["1\u202f235", "12.3", "0.0123", "0", "–", "1000"]


@pytest.mark.parametrize("values", [[1.0], [0.013, 0.04], [1e-3, 1e4], [5, 5, 5], [3e-9, 4e9]])
def test_a_chart_has_a_few_labels_and_all_points_are_inside(values):
    values = np.array(values, np.float64)
    scale = scale_of(values)
    assert 1 <= len(scale.ticks()) <= 8
    assert all(0 <= tick.at <= 100 for tick in scale.ticks())
    assert all(0 < point.y < 100 and 0 < point.x < 100 for point in points(list(values), scale))
    drawn = distribution(values, values[:1])
    numbers = [float(n) for n in re.findall(r"-?[\d.]+", drawn.whole + drawn.part)]
    assert all(0 <= n <= 1000 for n in numbers)


def test_a_distribution_of_many_values_has_few_points_and_ends_at_all():
    values = np.random.default_rng(1).lognormal(size=16_384)
    path = distribution(values, None).whole
    assert path.count("V") <= 200 and path.endswith("V0.0H1000")


def test_exported_pages_link_one_another_and_are_all_there(tmp_path):
    made = board()
    pages = export(made, tmp_path, 2)
    there = {path.name for path in tmp_path.iterdir()}
    assert {"index.html", "1.1.html", "1.2-3.1.html", "throughput-2.1.html"} <= there
    assert "throughput-1.1-2.1.html" not in there and pages.depth == 2
    for file in tmp_path.glob("*.html"):
        for _, attributes in Tags(file.read_text(encoding="utf-8")).found:
            target = attributes.get("href", "#")
            assert target.startswith("#") or target in there, (file, target)
        assert all(tag not in ("script", "form") for tag, _ in Tags(file.read_text()).found)


def test_an_export_has_a_bound(monkeypatch):
    monkeypatch.setattr("modelstress.report.scoreboard.export.MOST_PAGES", 30)
    pages = Pages(board().space, 3)
    assert pages.depth == 1 and len(pages.choices) <= 30
    assert len(Pages(board().space, 0).choices) == 3  # one for each metric


def test_names_of_files_are_numbers():
    assert file_of(Choice(((0, 1), (2, 0)))) == "1.2-3.1.html"
    assert file_of(Choice()) == "index.html" and file_of(Choice(measure=2)) == "jitter.html"


def test_a_queue_is_shown_while_its_coordinator_runs(tmp_path):
    file, now = tmp_path / "progress.json", datetime.now(UTC)
    assert said(file) is None
    notes = ("stops in a failing region",)
    queue = Progress(study="s", profile="p", at=now, queue=True, queued=3, notes=notes)
    write(tmp_path, queue)
    assert said(file) == queue
    assert said(file, now + timedelta(minutes=1)) is None
    file.write_text(queue.model_copy(update={"queue": False}).model_dump_json())
    assert said(file) is None
    for damaged in ("", "{", "[]", '{"at": 3', '{"queue": true}', '{"at": "x", "queue": true}'):
        file.write_text(damaged)
        assert said(file) is None
