"""Classification tree: which combinations of levels the worst runs have in common."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from modelstress.stats.results import Caveat, Values

if TYPE_CHECKING:
    from sklearn.tree import DecisionTreeClassifier

Bools = NDArray[np.bool_]
DEPTH = 3
"""Options on a path: what people can still say in a sentence."""
FOLDS = 5
LEAST_WORST = 4
"""Worst runs below which folds have too few of them to be told from one another."""
LEAST_LEAF = 2
"""Runs of a leaf: a single one is no pattern."""
MOST_PLACEBOS = 999


@dataclass(frozen=True)
class Node:
    """A part of the runs.

    Attributes:
        number: from 0, the root, in the order in which a reader goes down.
        parent: the node that it is a part of; −1 of the root.
        option: whose levels set it apart from its parent's other part; empty of the root.
        levels: of that option that its runs have.
        split: the option that divides it; empty of a leaf.
        runs: how many it has.
        worst: how many of them are among the worst.
        share: of the worst when both classes weigh the same in the whole, 0 to 1.
        depth: 0 of the root.
    """

    number: int
    parent: int
    option: str
    levels: tuple[str, ...]
    split: str
    runs: int
    worst: int
    share: float
    depth: int

    @property
    def bad(self) -> bool:
        """Whether the tree takes its runs to be the worst."""
        return self.share > 0.5


@dataclass(frozen=True)
class Tree:
    """A tree with what it is worth.

    Attributes:
        nodes: parents before their parts; only the root where no tree is told.
        runs: how many there are.
        worst: how many of them are the worst; more than the share of them where values are tied.
        cutoff: from which value on they are.
        quality: balanced accuracy on runs that the tree was not fitted to (mean of the folds), 0.5
            is guessing; NaN where there are too few.
        placebos: the same of trees of permuted classes.
        told: whether the quality is beyond that of every placebo.
        caveats: why there is no tree.
    """

    nodes: tuple[Node, ...]
    runs: int
    worst: int
    cutoff: float
    quality: float
    placebos: Values = field(repr=False)
    told: bool
    caveats: tuple[Caveat, ...] = ()

    def path(self, node: Node) -> tuple[Node, ...]:
        """Return the nodes from below the root to this one."""
        parts = []
        while node.parent >= 0:
            parts.append(node)
            node = self.nodes[node.parent]
        return tuple(reversed(parts))


def worst_of(values: Values, share: float) -> tuple[Bools, float]:
    """Return which values are the worst, the largest, and from which one on.

    They are so many of them as the share says (rounded, one at least), and all that are tied with
    the smallest of these. Infinities count as largest.

    Raises:
        ValueError: there is no value, or one is NaN, or the share is not above 0 and at most 0.5.
    """
    if not 0 < share <= 0.5:
        raise ValueError(f"a share of the worst is above 0 and at most 0.5, not {share}")
    if not values.size or np.isnan(values).any():
        raise ValueError("the worst are of one value at least, each a number")
    count = max(1, round(share * values.size))
    cutoff = float(np.sort(values)[-count])
    return values >= cutoff, cutoff


def tree(
    levels: Mapping[str, Sequence[str]], values: Values, share: float, chance: float = 0.01
) -> Tree:
    """Fit a classification tree of the worst runs, and hold it against trees of permuted classes.

    The tree is scikit-learn's, by entropy, with equal weights of both classes, three options deep
    at most. Its quality is the balanced accuracy over five folds (as many as there are worst runs,
    if fewer) that have both classes. A tree is told where its quality is beyond that of all of
    1 / ``chance`` − 1 trees whose classes are permuted: of noise that has the probability
    ``chance`` (Ojala and Garriga, Permutation tests for studying classifier performance, JMLR 11,
    2010). After Skoll's use case 2 (skoll-ccmperf, sidebar 2), which has J48 without a placebo.

    Args:
        levels: option to the level of each run, in words; options that do not vary are left out.
        values: one for each run, larger is worse; infinite where a median lies among timeouts.
        share: of the runs that are the worst, above 0 and at most 0.5.
        chance: that a tree of pure noise is told.

    Raises:
        ValueError: a share or a chance is no share, or an option has not one level for each run.
    """
    if not 0 < chance < 1:
        raise ValueError(f"a chance is between 0 and 1, not {chance}")
    if any(len(column) != values.size for column in levels.values()):
        raise ValueError("each option has a level for each run")
    bad, cutoff = worst_of(values, share)
    worst, runs = int(bad.sum()), values.size
    root = Node(0, -1, "", (), "", runs, worst, 0.5, 0)
    nothing = np.empty(0)
    varied = {n: np.asarray(c, dtype=object) for n, c in levels.items() if len(set(c)) > 1}
    if caveat := _no_tree(worst, runs, len(varied)):
        return Tree((root,), runs, worst, cutoff, float("nan"), nothing, False, (caveat,))
    columns, names = _coded(varied)
    model = _model()
    quality, placebos = _qualities(model, columns, bad, chance)
    told = bool(quality > placebos.max())
    if not told:
        text = f"classes that were permuted have trees as good as {quality:.2f}"
        caveats = (Caveat("no-tree", text),)
        return Tree((root,), runs, worst, cutoff, quality, placebos, False, caveats)
    nodes = _nodes(model.fit(columns, bad), columns, bad, varied, names)
    return Tree(tuple(nodes), runs, worst, cutoff, quality, placebos, True)


def _no_tree(worst: int, runs: int, options: int) -> Caveat | None:
    """Say why a tree cannot be fitted."""
    if not options:
        return Caveat("too-few", "no option varies")
    for count, what in ((worst, "worst"), (runs - worst, "other")):
        if count < LEAST_WORST:
            text = f"{count} {what} of {runs} are too few for a tree (at least {LEAST_WORST})"
            return Caveat("too-few", text)
    return None


def _model() -> DecisionTreeClassifier:
    from sklearn.tree import DecisionTreeClassifier  # takes two seconds

    return DecisionTreeClassifier(
        criterion="entropy", class_weight="balanced", max_depth=DEPTH,
        min_samples_leaf=LEAST_LEAF, random_state=0,
    )  # fmt: skip


def _qualities(
    model: DecisionTreeClassifier, columns: Values, bad: Bools, chance: float
) -> tuple[float, Values]:
    """Return the balanced accuracy of the tree, and of the placebos."""
    from sklearn.model_selection import StratifiedKFold, permutation_test_score

    folds = min(FOLDS, int(bad.sum()), int((~bad).sum()))
    cuts = StratifiedKFold(folds, shuffle=True, random_state=0)
    placebos = min(MOST_PLACEBOS, ceil(1 / chance - 1e-9) - 1)
    with warnings.catch_warnings():
        # a permuted fold may be predicted as one class: that is what is to be counted
        warnings.filterwarnings("ignore", module="sklearn")
        quality, permuted, _ = permutation_test_score(
            model, columns, bad, scoring="balanced_accuracy", cv=cuts, random_state=0,
            n_permutations=max(1, placebos),
        )  # fmt: skip
    return float(quality), np.asarray(permuted, dtype=np.float64)


def _coded(varied: Mapping[str, NDArray[np.object_]]) -> tuple[Values, list[str]]:
    """Return a column for each option of two levels, one for each level of the others."""
    columns, names = [], []
    for name, column in varied.items():
        known = list(dict.fromkeys(column))
        for level in known[1:] if len(known) == 2 else known:
            columns.append((column == level).astype(np.float64))
            names.append(name)
    return np.array(columns).T, names


def _nodes(
    model: DecisionTreeClassifier,
    columns: Values,
    bad: Bools,
    varied: Mapping[str, NDArray[np.object_]],
    names: Sequence[str],
) -> list[Node]:
    """Return the nodes of a fitted tree; a split of which both parts say the same is left out."""
    fitted = model.tree_
    even = bad.size / (2 * bad.sum()), bad.size / (2 * (~bad).sum())
    found: list[Node] = []

    def share(inside: Bools) -> float:
        heavy, light = even[0] * bad[inside].sum(), even[1] * (~bad)[inside].sum()
        return float(heavy / (heavy + light))

    def says_one(at: int, inside: Bools) -> bool:
        """Whether all leaves below take their runs to be of one class."""
        return len(set(verdicts(at, inside))) == 1

    def verdicts(at: int, inside: Bools) -> list[bool]:
        if fitted.feature[at] < 0:
            return [share(inside) > 0.5]
        return [verdict for below, part in parts(at, inside) for verdict in verdicts(below, part)]

    def parts(at: int, inside: Bools) -> list[tuple[int, Bools]]:
        second = columns[:, fitted.feature[at]] > fitted.threshold[at]
        children = (fitted.children_left[at], fitted.children_right[at])
        return list(zip(map(int, children), (inside & ~second, inside & second), strict=True))

    def add(at: int, inside: Bools, parent: int, option: str, depth: int) -> None:
        number = len(found)
        leaf = fitted.feature[at] < 0 or (depth > 0 and says_one(at, inside))
        split = "" if leaf else names[int(fitted.feature[at])]
        levels = tuple(dict.fromkeys(varied[option][inside])) if option else ()
        found.append(
            Node(
                number, parent, option, levels, split, int(inside.sum()), int(bad[inside].sum()),
                share(inside), depth,
            )
        )  # fmt: skip
        for below, part in [] if leaf else parts(at, inside):
            add(below, part, number, split, depth + 1)

    add(0, np.ones(bad.size, dtype=bool), -1, "", 0)
    return found
