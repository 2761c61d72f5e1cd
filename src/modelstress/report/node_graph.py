"""A picture of nodes and who connects to whom, in layers from left to right."""

import itertools
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

from modelstress.config.base import read_yaml
from modelstress.config.errors import ConfigError
from modelstress.report.artifacts import Drawn
from modelstress.report.style import COLOURS, GREY, laid_out, new_figure, style

STEP, ROW = 1.5, 0.62
BOX = (0.98, 0.36)
Edge = tuple[str, str]


def pictures(files: Sequence[Path], nodes: str, links: str, ends: Sequence[str]) -> Iterator[Drawn]:
    """Pictures of configuration files, with what stands first in them as captions.

    Args:
        files: of YAML.
        nodes: as that of ``of_file``.
        links: as that of ``of_file``.
        ends: as those of ``of_file``.
    """
    for number, file in enumerate(files, start=1):
        draw = partial(of_file, file, nodes, links, ends)
        yield Drawn(f"figure-N{number}", "nodes", _first_words(file), draw, file.stem)


def numbered(file: Path) -> tuple[str, int]:
    """A key by which ``step-10`` stands behind ``step-9``."""
    name, _, number = file.stem.rpartition("-")
    return (name, int(number)) if number.isdigit() else (file.stem, 0)


def _first_words(file: Path) -> str:
    """The comment at a file's begin."""
    lines = file.read_text(encoding="utf-8").splitlines()
    words = itertools.takewhile(lambda line: line.startswith("#"), lines)
    return " ".join(line.lstrip("# ") for line in words)


def of_file(file: Path, nodes: str, links: str, ends: Sequence[str]) -> Figure:
    """A picture of a configuration file.

    Whom nobody connects to is a client, who is not among the nodes what the last of ``ends`` says.

    Args:
        file: of YAML, with a mapping of nodes.
        nodes: key of that mapping.
        links: key of a node's connections.
        ends: keys of a connection, of which the one that is there names the other end.

    Raises:
        ConfigError: the file is no YAML, or has no such nodes.
    """
    try:
        known = dict(read_yaml(file)[nodes])
        edges = [
            (node, str(next(link[end] for end in ends if end in link)))
            for node, about in known.items()
            for link in about.get(links, ())
        ]
    except (LookupError, TypeError, AttributeError, ValueError, StopIteration):
        raise ConfigError(f"{file}: has no {nodes} with {links} to {' or '.join(ends)}") from None
    reached = {end for _, end in edges}
    kinds = {node: "client" for node in known if node not in reached}
    kinds |= {node: "server" for node in known if node in reached}
    kinds |= {end: ends[-1] for _, end in edges if end not in known}
    return layered(edges, kinds, order=("client", "server", ends[-1]))


def layered(
    edges: Collection[Edge], kinds: Mapping[str, str], title: str = "", order: Sequence[str] = ()
) -> Figure:
    """Nodes as boxes, edges as arrows; whoever is connected to stands further right.

    Args:
        edges: who connects, and to whom.
        kinds: each node and what it is.
        title: of the picture.
        order: of the kinds; each has the colour of its place, the same in all pictures.

    Raises:
        ValueError: the edges have a cycle, or a node without a kind.
    """
    unknown = {node for edge in edges for node in edge} - kinds.keys()
    if unknown:
        raise ValueError(f"no kind of {', '.join(sorted(unknown))}")
    layers = _layers(edges, kinds)
    tallest = max(len(layer) for layer in layers)
    places = _places(edges, layers)
    with style():
        figure = new_figure(0.4 + STEP * len(layers), 0.5 + ROW * tallest)
        axes = figure.subplots()
        known = dict.fromkeys((*order, *kinds.values()))
        colours = {kind: COLOURS[i] for i, kind in enumerate(known)}
        for begin, end in edges:
            _arrow(axes, places[begin], places[end])
        for node, place in places.items():
            _box(axes, place, node, colours[kinds[node]])
        axes.set_xlim(-BOX[0], STEP * (len(layers) - 1) + BOX[0])
        axes.set_ylim(-ROW * tallest / 2, ROW * tallest / 2)
        axes.set_axis_off()
        axes.set_title(title)
        return laid_out(figure)


def _layers(edges: Collection[Edge], kinds: Mapping[str, str]) -> Sequence[Sequence[str]]:
    """Nodes by the longest way to the right end; those of the last kind stand there, too."""
    sorter = TopologicalSorter({node: [b for a, b in edges if a == node] for node in kinds})
    depth: dict[str, int] = {}
    try:
        for node in sorter.static_order():
            depth[node] = max((depth[b] + 1 for a, b in edges if a == node), default=0)
    except CycleError as error:
        raise ValueError(f"nodes in a circle: {' → '.join(error.args[1])}") from None
    deepest = max(depth.values(), default=0)
    begins = set(kinds) - {b for _, b in edges}
    for node in begins:  # whom nobody connects to stands left of all
        if any(a == node for a, _ in edges):
            depth[node] = deepest
    return [[n for n in kinds if depth[n] == column] for column in range(deepest, -1, -1)]


def _places(
    edges: Collection[Edge], layers: Sequence[Sequence[str]]
) -> Mapping[str, tuple[float, float]]:
    """Centres of boxes; in a layer, nodes are in the order of those that connect to them."""
    places: dict[str, tuple[float, float]] = {}
    for column, layer in enumerate(layers):
        heights = {
            node: [places[a][1] for a, b in edges if b == node and a in places] for node in layer
        }
        middle = {
            node: -sum(known) / len(known) if known else 0.0 for node, known in heights.items()
        }
        for row, node in enumerate(sorted(layer, key=middle.__getitem__)):
            places[node] = (STEP * column, ROW * ((len(layer) - 1) / 2 - row))
    return places


def _arrow(axes: Axes, begin: tuple[float, float], end: tuple[float, float]) -> None:
    half = BOX[0] / 2
    look = {"arrowstyle": "-|>", "color": GREY, "linewidth": 0.8, "shrinkA": 0, "shrinkB": 0}
    axes.annotate(
        "", (end[0] - half, end[1]), (begin[0] + half, begin[1]), arrowprops=look, zorder=1
    )


def _box(axes: Axes, place: tuple[float, float], text: str, colour: str) -> None:
    corner = (place[0] - BOX[0] / 2, place[1] - BOX[1] / 2)
    axes.add_patch(
        FancyBboxPatch(
            corner, *BOX, boxstyle="round,pad=0,rounding_size=0.06", facecolor="white",
            edgecolor=colour, linewidth=1.4, zorder=2,
        )
    )  # fmt: skip
    axes.text(*place, text, ha="center", va="center", fontsize=7.5, zorder=3)
