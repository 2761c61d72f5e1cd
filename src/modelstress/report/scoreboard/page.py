"""Pages of the scoreboard: what is known of a choice, as HTML."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from itertools import pairwise
from typing import Any

import numpy as np
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from modelstress.analysis.space import (
    MEASURES,
    Cells,
    Choice,
    Space,
    Told,
    cells_with,
    coverage,
    effects_within,
    fits,
    progress,
    regions,
    revisited,
    settings_of,
)
from modelstress.report.scoreboard import address
from modelstress.report.scoreboard.address import Links
from modelstress.report.scoreboard.board import Board
from modelstress.report.scoreboard.charts import (
    Point,
    Scale,
    distribution,
    number,
    points,
    scale_of,
)
from modelstress.report.scoreboard.refining import refined
from modelstress.stats.main_effects import MainEffect
from modelstress.stats.results import Caveat, Values

EXTREMES = 10
"""Best and worst cells that are shown."""
MOST_REGIONS = 20
CHANCE_OF_REGIONS = 0.05
"""That any region is shown where cells fail at random: a wrong hint costs a look."""
MOST_WORKERS = 200
MOST_PAIRS = 10
QUANTILES = (0, 5, 50, 95, 100)
REFRESH_S = 5
"""How often a page asks for the progress."""


@cache
def environment() -> Environment:
    """The templates; every word is escaped."""
    made = Environment(
        loader=PackageLoader("modelstress.report", "templates/scoreboard"), autoescape=True,
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    made.filters["breakable"] = breakable
    return made


def breakable(name: str) -> Markup:
    """A name that may be broken where a word in it begins, escaped."""
    parts = re.split(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[_-])", name)
    return Markup("<wbr>").join(escape(part) for part in parts)


def page(board: Board, choice: Choice, links: Links, live: bool) -> str:
    """The page of a choice.

    Args:
        board: as it was read last.
        choice: what is fixed and asked about.
        links: to the pages of other choices.
        live: whether a server answers: then there is a form, and progress is asked for again.
    """
    return rendered(board, of_choice(board, choice, links), live)


def rendered(board: Board, shown: Mapping[str, Any], live: bool) -> str:
    """The page with what is shown of a choice (``of_choice``), and the progress of now."""
    template = environment().get_template("page.html.j2")
    return template.render(**shown, progress=_progress(board), refresh_s=REFRESH_S, live=live)


def progress_part(board: Board) -> str:
    """The section of progress alone, which pages ask for again and again."""
    template = environment().get_template("progress.html.j2")
    return template.render(progress=_progress(board), refresh_s=REFRESH_S)


def refusal(status: int, sentence: str) -> str:
    """A page that says what was wrong with a request."""
    template = environment().get_template("refusal.html.j2")
    return template.render(status=status, sentence=sentence)


def of_choice(board: Board, choice: Choice, links: Links) -> dict[str, Any]:
    """What the page of a choice shows beside the progress: it takes most of the time."""
    space = board.space
    every = Choice(measure=choice.measure, machine=choice.machine, build=choice.build)
    whole = cells_with(space, every)
    part = cells_with(space, choice) if choice.fixed else whole
    told = effects_within(space, choice, board.chance)
    changes = revisited(space, choice, board.chance)
    scale = _scale_of_effects([*told.main.effects, *(effect for _, effect in changes)])
    fixed = [(space.options[o].name, space.options[o].levels[level]) for o, level in choice.fixed]
    show = _Shown(board, choice, links, scale)
    name, profile = refined(board.study, board.profile, dict(fixed))
    return {
        "title": board.study.title,
        "study": board.study.study,
        "profile": board.profile.profile,
        "version": metadata.version("modelstress"),
        "measure": choice.about,
        "form": _form(board, choice),
        "shared": sorted(space.shared.items()),
        "fixed": fixed,
        "fits": int(fits(space, choice).sum()),
        "cells": len(space.cells),
        "all_open": links.href(every),
        "distribution": distribution(whole.values, part.values if choice.fixed else None),
        "quantiles": _quantiles(whole, part, bool(choice.fixed)),
        "ratio": _ratio(whole.means, part.means) if choice.fixed else "",
        "chance": board.chance,
        "contrasts": told.contrasts,
        "margin": number(float(np.exp(told.margin))),
        "caveats": list(map(_sentence, told.main.caveats)),
        "effects": [show.effect(effect) for effect in _ordered(told)],
        "pairs": list(_pairs(space, told)),
        "changes": [show.effect(effect, now=level) for level, effect in changes],
        "overall": number(float(np.exp(part.means.mean()))) if part.means.size else "–",
        "refined": {"name": name, "text": profile},
        "extremes": _extremes(board, part, choice),
        "regions": _regions(board, choice),
        "coverage": _coverage(board),
        "measures": [
            {"title": measure.title, "href": links.href(Choice(choice.fixed, choice.machine,
                                                               choice.build, place)),
             "here": place == choice.measure}
            for place, measure in enumerate(MEASURES)
        ],
    }  # fmt: skip


def _sentence(caveat: Caveat) -> str:
    """What a reader of the effects must know, without the full stop."""
    if caveat.code == "too-few":
        return f"No option is marked: {caveat.message}"
    return caveat.message[:1].upper() + caveat.message[1:]


def _ordered(told: Told) -> list[MainEffect]:
    """The strong options first, each kind by its size."""
    return sorted(told.main.effects, key=lambda effect: (not effect.strong, -effect.size))


def _scale_of_effects(effects: Sequence[MainEffect]) -> Scale:
    """One scale for all main effects, so that they can be compared; never of noise alone."""
    values = [float(np.exp(v)) for e in effects for v in e.levels if np.isfinite(v)]
    middle = float(np.exp(np.mean(np.log(values)))) if values else 1.0
    return scale_of(np.array([*values, middle * 0.9, middle * 1.1]))


@dataclass(frozen=True)
class _Shown:
    """Charts of options."""

    board: Board
    choice: Choice
    links: Links
    scale: Scale

    def effect(self, effect: MainEffect, now: int | None = None) -> dict[str, Any]:
        """An option's chart; `now` is the level of one that is fixed."""
        option = self.board.space.options[effect.option]
        means = np.exp(effect.levels)
        places = points(list(means), self.scale)
        ratio = float(np.exp(effect.size))
        return {
            "name": option.name,
            "title": self.board.projection.noun(option.name).one,
            "strong": effect.strong,
            "confounded": effect.confounded,
            "ratio": number(ratio),
            "p": _p(effect, self.board.chance) if np.isfinite(effect.p) else "",
            "levels": [
                {
                    "word": word, "mean": number(float(mean)), "now": place == now,
                    "href": self.links.href(self.choice.but(effect.option, place)),
                }
                for place, (word, mean) in enumerate(zip(option.levels, means, strict=False))
            ],
            "open_href": self.links.href(self.choice.but(effect.option, None)),
            "points": [point for point in places if point],
            "lines": list(_lines(places)),
        }  # fmt: skip


def _lines(places: Sequence[Point | None]) -> Iterator[tuple[Point, Point]]:
    known = [point for point in places if point]
    return pairwise(known)


def _p(effect: MainEffect, chance: float) -> str:
    text = "p < 0.001" if effect.p < 0.001 else f"p = {effect.p:.3f}"
    return f"{text}, not confirmed by ranks" if effect.p < chance and not effect.strong else text


def _pairs(space: Space, told: Told) -> Iterator[dict[str, str]]:
    """Pairs of options that matter beyond the sum of both."""
    for effect in told.pairs[:MOST_PAIRS]:
        names = [
            " × ".join(space.options[int(option)].name for option in term) for term in effect.terms
        ]
        yield {"names": " or ".join(names), "ratio": number(float(np.exp(abs(effect.estimate))))}


def _quantiles(whole: Cells, part: Cells, chosen: bool) -> list[dict[str, Any]]:
    """Rows of the table beside the distributions."""
    rows = [("the whole space", whole)]
    if chosen:
        rows.append(("what is chosen", part))
    return [
        {
            "title": title, "cells": cells.places.size,
            "values": [
                number(float(np.percentile(cells.values, q))) if cells.places.size else "–"
                for q in QUANTILES
            ],
        }
        for title, cells in rows
    ]  # fmt: skip


def _ratio(whole: Values, part: Values) -> str:
    """Median of the part over that of the whole."""
    if not part.size:
        return ""
    return number(float(np.exp(np.median(part) - np.median(whole))))


def _form(board: Board, choice: Choice) -> list[dict[str, Any]]:
    """Groups of lists: workload, where and what, then all other options."""
    space, projection = board.space, board.projection
    first = ["tool", projection.operation, projection.dataset, projection.load]
    fixed = dict(choice.fixed)
    same = [
        _select(name, projection.noun(name).one, [space.shared[name]], None)
        for name in first
        if name in space.shared
    ]
    options = [
        _select(option.name, projection.noun(option.name).one, option.levels, fixed.get(place))
        for place, option in enumerate(space.options)
    ]
    where = [
        _select(address.MACHINE, "platform (machine)", address.named(space.machines),
                choice.machine),
        _select(address.BUILD, "version (build of the tool)", address.named(space.builds),
                choice.build),
        _select(address.MEASURE, "metric", [measure.name for measure in MEASURES], choice.measure),
    ]  # fmt: skip
    return [
        {
            "title": "Workload", "named": True,
            "selects": [*same, *(one for one in options if one["name"] in first)],
        },
        {"title": "Platform, version and metric", "named": False, "selects": where},
        {
            "title": "Options", "named": True,
            "selects": [one for one in options if one["name"] not in first],
        },
    ]  # fmt: skip


def _select(name: str, title: str, levels: Sequence[str], chosen: int | None) -> dict[str, Any]:
    return {
        "name": name, "title": title, "levels": levels, "chosen": chosen,
        "open": name != address.MEASURE,
    }  # fmt: skip


def _extremes(board: Board, part: Cells, choice: Choice) -> list[dict[str, Any]]:
    """The best and the worst cells of what is chosen."""
    order = np.argsort(part.means, kind="stable")
    if not choice.about.more_is_worse:
        order = order[::-1]
    count = min(EXTREMES, order.size // 2 if order.size > 1 else order.size)
    best, worst = order[:count], order[::-1][:count] if order.size > 1 else order[:0]
    return [
        {"title": title, "rows": [_extreme(board.space, part, int(place)) for place in places]}
        for title, places in (("Best", best), ("Worst", worst))
    ]


def _extreme(space: Space, part: Cells, place: int) -> dict[str, Any]:
    cell = int(part.places[place])
    return {
        "value": number(float(part.values[place])),
        "settings": list(settings_of(space, cell)),
        "failed": bool(space.failed[cell]),
        "cell": "/".join(space.cells[cell]),
    }


def _regions(board: Board, choice: Choice) -> dict[str, Any]:
    """Where cells fail more often, and how many fail at all."""
    space = board.space
    there = fits(space, choice)
    tried, failed = space.tried & there, space.failed & there
    rows = [
        {
            "settings": [
                (space.options[option].name, space.options[option].levels[level])
                for option, level in region.settings
            ],
            "failed": region.failed, "cells": region.cells,
            "share": f"{100 * region.failed / region.cells:.0f} %",
            "others": f"{region.other_failed} of {region.other_cells}",
        }
        for region in regions(space, there, CHANCE_OF_REGIONS)[:MOST_REGIONS]
    ]  # fmt: skip
    executions, failures = (int(counts.sum()) for counts in (space.executions, space.failures))
    return {
        "rows": rows, "tried": int(tried.sum()), "failed": int((tried & failed).sum()),
        "executions": executions, "failures": failures,
    }  # fmt: skip


def _coverage(board: Board) -> dict[str, Any]:
    """Counts and the heat map of pairs."""
    found, space = coverage(board.space), board.space
    rows = [
        {
            "name": option.name,
            "fields": [
                None if not np.isfinite(share) else {"share": _share(share), "step": _step(share)}
                for share in found.shares[place]
            ],
        }
        for place, option in enumerate(space.options)
    ]  # fmt: skip
    return {
        "counts": found, "rows": rows, "cells": int((space.planned > 0).sum()),
        "measured": int(space.measured.sum()), "combinations": board.combinations,
    }  # fmt: skip


def _share(share: float) -> str:
    """Percent; 100 and 0 only where all or none is."""
    return f"{min(99, max(1, round(100 * share)))}" if 0 < share < 1 else f"{100 * share:.0f}"


def _step(share: float) -> int:
    """The shade of a share, from 0 for none to 5 for all."""
    return 5 if share == 1 else 0 if share == 0 else 1 + min(3, int(4 * share))


def _progress(board: Board) -> dict[str, Any]:
    found, queue = progress(board.space), board.queue
    left_s = found.left_s if queue is None or queue.seconds_left is None else queue.seconds_left
    return {
        "of": found, "version": board.version, "unread": board.unread,
        "done": found.measured + found.invalid + found.failed,
        "left": _human(left_s), "per_hour": number(found.per_hour), "queue": queue,
        "workers": queue.workers[:MOST_WORKERS] if queue else (),
        "read_at": time.strftime("%Y-%m-%d %H:%M:%S", time.localtime()),
    }  # fmt: skip


def _human(seconds: float) -> str:
    """``45 s``, ``12 min`` or ``3.5 h``; empty where it is not known."""
    if not np.isfinite(seconds):
        return ""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
