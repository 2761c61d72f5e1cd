"""No module imports one that imports it, not even for its types or late."""

from __future__ import annotations

from graphlib import CycleError, TopologicalSorter

import grimp
import pytest

ROOT = "modelstress"


@pytest.fixture(scope="module")
def imports() -> dict[str, set[str]]:
    graph = grimp.build_graph(ROOT)
    return {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}


def check(imports: dict[str, set[str]]) -> None:
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        pytest.fail(f"modules import one another: {' <- '.join(error.args[1])}")


def test_no_circle_of_imports(imports: dict[str, set[str]]) -> None:
    check(imports)


def test_a_circle_is_found(imports: dict[str, set[str]]) -> None:
    """Also one that only a type checker would see."""
    run, load = f"{ROOT}.measure.run", f"{ROOT}.measure.load"
    assert run in imports[load]
    with pytest.raises(pytest.fail.Exception, match="measure.run"):
        check(imports | {run: imports[run] | {load}})
