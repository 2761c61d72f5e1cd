"""Work divided among processes."""

import multiprocessing
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from typing import Any, Protocol, TypeVar

T = TypeVar("T")


class Apply(Protocol):
    """What `map` does, wherever."""

    def __call__(self, function: Callable[..., T], /, *arguments: Iterable[Any]) -> Iterable[T]:
        """Results of a function over arguments, in their order."""


def plain(function: Callable[..., T], /, *arguments: Iterable[Any]) -> Iterable[T]:
    """`map`, in this process."""
    return map(function, *arguments)


@contextmanager
def several(workers: int) -> Iterator[Apply]:
    """A `map` over some processes, or one in this process; functions must be importable.

    Processes are started afresh, since a copy of one with threads (Arrow's, a notebook's) may
    hang.
    """
    if workers < 2:
        yield plain
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=context) as pool:

        def apply(function: Callable[..., T], /, *arguments: Iterable[Any]) -> Iterable[T]:
            return pool.map(function, *arguments, chunksize=8)

        yield apply
