"""Which operations share a table, and which number it has: that of a paper, where it has one."""

from collections.abc import Iterator, Sequence

from modelstress.config.roles import TableLayout


def pages(layout: TableLayout, operations: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    """Number and operations of the tables of medians, for the operations that are there."""
    for number, wanted in layout.medians.items():
        page_operations = [name for name in wanted if name in operations]
        if page_operations:
            yield number, page_operations
    rest = others(layout, operations)
    for i in range(0, len(rest), 2):
        yield layout.first_free + i // 2, rest[i : i + 2]


def ordered(layout: TableLayout, operations: Sequence[str]) -> list[str]:
    """The operations in the order of the tables."""
    return [name for _, page in pages(layout, operations) for name in page]


def cases(layout: TableLayout, operations: Sequence[str]) -> list[list[str]]:
    """The operations of each case of the paper; those that it does not have come last."""
    paper_cases = [
        [name for table in case for name in layout.medians[table]] for case in layout.cases
    ]
    return [*paper_cases, others(layout, operations)]


def others(layout: TableLayout, operations: Sequence[str]) -> list[str]:
    """The operations of no table of the paper, each once."""
    paper_operations = {name for wanted in layout.medians.values() for name in wanted}
    return [name for name in dict.fromkeys(operations) if name not in paper_operations]
