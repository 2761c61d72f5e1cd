"""Machines that measured: how much each is slower than the others, apart from what they measured.

A worker takes whatever is next, so that machines and settings are mixed: what differs between
machines must not be taken for an effect of an option.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from modelstress.stats.results import Values

MIXED, PAIRED = "random intercept", "paired"
LEAST_MACHINES = 3
"""Machines from which on their variance can be estimated; two have a single difference."""


@dataclass(frozen=True)
class Machine:
    """One machine.

    Attributes:
        name: of it.
        starts: that it measured.
        offset: of its responses from those of all machines.
    """

    name: str
    starts: int
    offset: float


@dataclass(frozen=True)
class Fit:
    """A linear model of responses with an intercept for each machine.

    Attributes:
        estimates: coefficients of the columns of the model.
        errors: their standard errors.
        freedom: degrees of freedom of the noise; 0: it cannot be told.
        residual: responses without what is fitted and without machines.
        offsets: of the machines, in each response.
        machines: each with its offset; one where there is no other.
        between: standard deviation between machines; NaN where it is not estimated.
        method: ``random intercept``, ``paired`` (an intercept for each machine, so that only starts
            on one machine are held against one another), or empty for one machine.
        reason: why it is the paired form.
    """

    estimates: Values
    errors: Values
    freedom: int
    residual: Values = field(repr=False)
    offsets: Values = field(repr=False)
    machines: tuple[Machine, ...]
    between: float
    method: str
    reason: str


def linear_fit(columns: Values, responses: Values, machines: Sequence[str]) -> Fit:
    """Fit responses by columns, with a random intercept for each machine.

    The model is statsmodels' ``MixedLM`` (restricted maximum likelihood). With two machines, or
    where it does not converge or finds no variance between machines, each machine has an intercept
    of its own instead: that is least squares within machines, always defined, and loses only what
    the machines' means could add, which with few machines is little (docs/statistics.md).

    Args:
        columns: one row for each response; the first column is the constant.
        responses: such as logarithms of median latencies.
        machines: that of each response.

    Raises:
        ValueError: sizes differ, or a column is determined by the others.
    """
    if columns.shape[0] != responses.size or len(machines) != responses.size:
        raise ValueError("each response has a row and a machine")
    if np.linalg.matrix_rank(columns) < columns.shape[1]:
        raise ValueError("a column is determined by the others")
    names = list(dict.fromkeys(machines))
    if len(names) == 1:
        return _paired(columns, responses, machines, names, "")
    if len(names) < LEAST_MACHINES:
        return _paired(columns, responses, machines, names, "two machines have no variance")
    return _mixed(columns, responses, machines, names)


def _mixed(columns: Values, responses: Values, machines: Sequence[str], names: list[str]) -> Fit:
    from statsmodels.regression.mixed_linear_model import MixedLM  # takes a second

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # what it doubts is not used
            result = MixedLM(responses, columns, groups=np.asarray(machines)).fit(reml=True)
        between = float(np.sqrt(np.asarray(result.cov_re)[0, 0]))
        errors = np.asarray(result.bse_fe, dtype=np.float64)
        sound = result.converged and np.isfinite(errors).all() and between > 0
    except (ValueError, np.linalg.LinAlgError, Warning) as error:
        reason = f"the model did not converge ({str(error).split('.')[0][:80]})"
        return _paired(columns, responses, machines, names, reason)
    if not sound:
        reason = "no variance between machines was found"
        return _paired(columns, responses, machines, names, reason)
    offset = {name: float(np.ravel(effect)[0]) for name, effect in result.random_effects.items()}
    estimates = np.asarray(result.fe_params, dtype=np.float64)
    # between few machines the variance is hardly known: what only they tell is not told
    errors[~within_machines(columns, machines)] = np.inf
    offsets = np.array([offset[name] for name in machines])
    return Fit(
        estimates, errors, max(0, responses.size - columns.shape[1] - len(names) + 1),
        responses - columns @ estimates - offsets, offsets,
        _told(names, machines, offset), between, MIXED, "",
    )  # fmt: skip


def _paired(
    columns: Values, responses: Values, machines: Sequence[str], names: list[str], reason: str
) -> Fit:
    """Fit an intercept for each machine; offsets are from the mean over machines.

    Columns that go with the machines cannot be told then: their errors are infinite.
    """
    dummies = _dummies(machines)
    both = np.column_stack([columns, dummies])
    solution, *_ = np.linalg.lstsq(both, responses, rcond=None)
    rank = int(np.linalg.matrix_rank(both))
    residual: Values = responses - both @ solution
    freedom = responses.size - rank
    variance = float(residual @ residual) / freedom if freedom else float("nan")
    inverse = np.linalg.pinv(both.T @ both)
    errors = np.sqrt(np.maximum(variance * np.diag(inverse), 0))[: columns.shape[1]]
    errors[~within_machines(columns, machines)] = np.inf
    of_names = np.concatenate([[0.0], solution[columns.shape[1] :]])
    middle = float(of_names.mean())
    estimates = np.array(solution[: columns.shape[1]], dtype=np.float64)
    estimates[0] += middle
    offset = {name: float(value - middle) for name, value in zip(names, of_names, strict=True)}
    return Fit(
        estimates, errors, freedom, residual,
        np.array([offset[name] for name in machines]), _told(names, machines, offset),
        float("nan"), PAIRED if len(names) > 1 else "", reason,
    )  # fmt: skip


def within_machines(columns: Values, machines: Sequence[str]) -> NDArray[np.bool_]:
    """Return which columns can be estimated from starts on one machine alone.

    One that goes with the machines cannot. The constant is that of all machines, so it can.
    """
    both = np.column_stack([columns, _dummies(machines)])
    resolution = np.linalg.pinv(both) @ both  # the identity where all can
    known = np.abs(resolution - np.eye(both.shape[1])).max(axis=1) < 1e-6
    known[0] = True
    return np.asarray(known[: columns.shape[1]], dtype=np.bool_)


def _dummies(machines: Sequence[str]) -> Values:
    """Return a column for each machine after the first."""
    names = list(dict.fromkeys(machines))[1:]
    columns = np.array([[name == one for one in names] for name in machines], dtype=np.float64)
    return columns.reshape(len(machines), len(names))


def _told(
    names: Sequence[str], machines: Sequence[str], offset: dict[str, float]
) -> tuple[Machine, ...]:
    return tuple(Machine(name, list(machines).count(name), offset[name]) for name in names)
