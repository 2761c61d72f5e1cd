"""Which queries share a table, and which number it has: that of sosym2017, where it has one."""

from collections.abc import Iterator, Sequence

from modelstress.report.compared import Compared

PAGES = {
    1: ("OQ", "MQ", "HQ1", "HQ2", "HQ3", "HQ4"),
    2: ("ConnectedSegments", "PosLength"),
    3: ("RouteSensor", "SwitchMonitored"),
    4: ("SemaphoreNeighbor", "SwitchSet"),
}
"""Queries of the tables of medians, numbered as in sosym2017; other queries follow from 11 on."""
FIRST_FREE = 11
CASES = (PAGES[1], (*PAGES[2], *PAGES[3], *PAGES[4]))
"""Queries of the papers' two cases, on models of Java sources and of railways."""


def pages(queries: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    """Table number and queries of the tables of medians, for the queries that are there."""
    for number, wanted in PAGES.items():
        here = [query for query in wanted if query in queries]
        if here:
            yield number, here
    others = _others(queries)
    for i in range(0, len(others), 2):
        yield FIRST_FREE + i // 2, others[i : i + 2]


def ordered(queries: Sequence[str]) -> list[str]:
    """The queries in the order of the tables."""
    return [query for _, page in pages(queries) for query in page]


def numbered(compared: Compared) -> Iterator[tuple[int, Compared]]:
    """A comparison divided by the papers' cases, each with its number; other queries come last."""
    cases = (*CASES, _others(list(compared.rows["query"])))
    for number, queries in enumerate(cases):
        if part := compared.within(queries):
            yield number, part


def _others(queries: Sequence[str]) -> list[str]:
    known = {query for wanted in PAGES.values() for query in wanted}
    return [query for query in dict.fromkeys(queries) if query not in known]
