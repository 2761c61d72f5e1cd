"""Effects by least squares: designs that are not regular, and starts on several machines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student_t

from modelstress.stats.effects import (
    LEAST_CONTRASTS,
    LEAST_FREEDOM,
    Effect,
    Effects,
    Term,
    aliased,
    largest_t,
    normal_scores,
    term_columns,
    triples,
)
from modelstress.stats.machines import Fit, linear_fit
from modelstress.stats.results import Caveat, Values

MOST_INFLATED = 5.0
"""Variance of an effect over that of the same effect at right angles to all others, at most."""
LEAST_PARTLY = 0.25
"""Share of a pair's effect in that of another term from which on it is named."""
MOST_PARTLY = 3
Column = tuple[Values, list[Term]]


class Fitted(NamedTuple):
    """Effects, and the fit that they are from; None where nothing could be fitted."""

    effects: Effects
    fit: Fit | None


def fitted(
    seconds: Mapping[str, NDArray[np.bool_]],
    starts: Sequence[Values],
    machines: Sequence[Sequence[str]],
    chance: float,
) -> Fitted:
    """Estimate main effects, and interactions as far as the design has them, by least squares.

    All pairs are estimated where each has an estimate that is not much worse than at right angles
    (variance inflation 5 at most), and then those of three options that are strong by themselves,
    where these are apart, too. Otherwise main effects are, and then with them the pairs of
    options that are strong by themselves (heredity, an assumption); what is left out is in the
    others' estimates by its correlation with them (alias matrix, ``Effect.partly``).

    The noise is that around the model, between the starts of a run and of what the model leaves
    out; where the latter is larger by itself, that alone. It has ten degrees of freedom at least.
    An effect is strong where it exceeds what the largest of so
    many Student's t does by ``chance``, and where normal scores of the responses without all other
    strong ones confirm it.

    Args:
        seconds: factor to whether each run had its second level.
        starts: responses of each run, one for each start.
        machines: that of each start.
        chance: that any effect of pure noise is called strong.

    Raises:
        ValueError: numbers differ, or main effects are not apart from one another.
    """
    if not 0 < chance < 1:
        raise ValueError(f"a chance is between 0 and 1, not {chance}")
    if any(run.size != len(names) for run, names in zip(starts, machines, strict=True)):
        raise ValueError("each start has a machine")
    if not all(np.all(np.isfinite(run)) for run in starts):
        raise ValueError("responses are finite numbers")
    terms = term_columns(seconds, len(starts))
    columns = aliased(terms)
    mains = [one for one in columns if min(map(len, one[1])) == 1]
    model = _Model(columns, starts, machines, chance)
    if _apart(columns, model):
        found = model.effects(columns)
        of_three = triples(terms, found.effects.alone)
        more = aliased({**terms, **of_three})
        return model.effects(more) if of_three and _apart(more, model) else found
    if not _apart(mains, model):
        raise ValueError("main effects are not apart from one another in this design")
    first = model.effects(mains)
    alone = first.effects.alone
    chosen = list(mains)
    for one in columns:
        pair = [term for term in one[1] if len(term) == 2 and alone.issuperset(term)]
        if pair and min(map(len, one[1])) == 2 and _apart([*chosen, one], model):
            chosen.append(one)
    return first if len(chosen) == len(mains) else model.effects(chosen)


class _Model(NamedTuple):
    """The responses, and what stays the same whichever terms are fitted."""

    columns: list[Column]
    starts: Sequence[Values]
    machines: Sequence[Sequence[str]]
    chance: float

    @property
    def names(self) -> list[str]:
        return [name for names in self.machines for name in names]

    def rows(self, chosen: Sequence[Column]) -> Values:
        """Return a row for each start: the constant, then the terms."""
        runs = np.column_stack([np.ones(len(self.starts)), *(column for column, _ in chosen)])
        return np.repeat(runs, [run.size for run in self.starts], axis=0)

    def effects(self, chosen: list[Column]) -> Fitted:
        """Return the effects of these terms."""
        if len(chosen) < LEAST_CONTRASTS:
            text = f"{len(chosen)} effects are too few (at least {LEAST_CONTRASTS})"
            return Fitted(Effects((), (Caveat("too-few", text),)), None)
        rows, responses = self.rows(chosen), np.concatenate(self.starts)
        fit = linear_fit(rows, responses, self.names)
        if fit.freedom < LEAST_FREEDOM:
            text = f"{fit.freedom} degrees of freedom are too few to tell the noise"
            return Fitted(Effects((), (Caveat("too-few", text),)), fit)
        wider, freedom = self._left_out(fit, len(chosen) + 1)
        errors = 2 * fit.errors[1:] * wider
        estimates = 2 * fit.estimates[1:]
        margins = largest_t(len(chosen), freedom, self.chance) * errors
        large = np.abs(estimates) > margins
        partly = self._partly(chosen)
        total = float((responses - fit.offsets).var()) or 1.0
        found = []
        for place, (_, terms) in enumerate(chosen):
            others = large & (np.arange(large.size) != place)
            aligned = responses - fit.offsets - rows[:, 1:][:, others] @ (estimates[others] / 2)
            strong = bool(large[place]) and self._ranks_confirm(rows, aligned, place)
            share = float(estimates[place] ** 2 / 4 / total)
            found.append(
                Effect(
                    tuple(terms), float(estimates[place]), float(margins[place]), strong, share,
                    partly[place],
                )
            )  # fmt: skip
        return Fitted(Effects(tuple(sorted(found, key=lambda one: -abs(one.estimate)))), fit)

    def _left_out(self, fit: Fit, terms: int) -> tuple[float, int]:
        """Return by how much to widen errors for what the model leaves out, and their freedom.

        What is left out is the same in all starts of a run: starts are no replicates of it.
        """
        free = len(self.starts) - terms
        around = float(fit.residual @ fit.residual) / fit.freedom
        if free < LEAST_FREEDOM or not around:
            return 1.0, fit.freedom
        runs = np.split(fit.residual, np.cumsum([run.size for run in self.starts])[:-1])
        left = sum(run.size * float(run.mean()) ** 2 for run in runs) / free
        return (float(np.sqrt(left / around)), free) if left > around else (1.0, fit.freedom)

    def _ranks_confirm(self, rows: Values, aligned: Values, place: int) -> bool:
        """Whether noise alone hardly has such an effect on normal scores."""
        scores = normal_scores(aligned)
        fit = linear_fit(rows, scores, [""] * scores.size)  # machines are out of them already
        if fit.freedom < LEAST_FREEDOM or not fit.errors[place + 1]:
            return fit.freedom >= LEAST_FREEDOM
        limit = float(student_t.ppf(1 - self.chance / 2, fit.freedom))
        return bool(abs(fit.estimates[place + 1] / fit.errors[place + 1]) > limit)

    def _partly(self, chosen: Sequence[Column]) -> list[tuple[tuple[Term, float], ...]]:
        """Return the terms that are left out and are in the estimate of each that is not."""
        there = {id(column) for column, _ in chosen}
        out = [one for one in self.columns if id(one[0]) not in there]
        if not out:
            return [()] * len(chosen)
        runs = np.column_stack([np.ones(len(self.starts)), *(column for column, _ in chosen)])
        # rows: what is fitted, columns: what is not (Box and Wilson 1951)
        alias = np.linalg.lstsq(runs, np.column_stack([c for c, _ in out]), rcond=None)[0][1:]
        found = []
        for row in alias:
            order = [i for i in np.argsort(-np.abs(row)) if abs(row[i]) >= LEAST_PARTLY]
            found.append(tuple((out[i][1][0], float(row[i])) for i in order[:MOST_PARTLY]))
        return found


def _apart(chosen: Sequence[Column], model: _Model) -> bool:
    """Whether each of these terms has an estimate of its own that is not much worse for others."""
    rows = model.rows(chosen)
    if len(chosen) + 1 > len(model.starts) or np.linalg.matrix_rank(rows) < rows.shape[1]:
        return False
    # the variance of a coefficient over that of a column at right angles to all others
    inflated = np.diag(np.linalg.inv(rows.T @ rows)) * (rows**2).sum(axis=0)
    starts = sum(run.size - 1 for run in model.starts)
    free = max(starts, rows.shape[0] - rows.shape[1])
    return bool(inflated.max() <= MOST_INFLATED) and free >= LEAST_FREEDOM
