"""The six queries in Cypher on the real servers of Neo4j and ArcadeDB, by Bolt and HTTP."""

from __future__ import annotations

import pytest

from modelstress.workloads.queries.conformance import check_tool
from tests.integration.tools.every_form import PROJECT, find_it_at_size

TOOLS = ("neo4j", "arcadedb")
QUERIES = 6


@pytest.mark.timeout(600)
@pytest.mark.parametrize("tool", TOOLS)
def test_all_queries_find_what_the_oracle_finds(tmp_path, tool):
    counts = find_it_at_size(PROJECT.tool(tool), "native", tmp_path, 8)
    assert len(counts) == QUERIES and all(counts.values())


@pytest.mark.long
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("size", [1, 2, 4, 16, 32, 64, 128, 256, 512])
def test_all_queries_find_it_at_every_other_size(tmp_path, tool, size):
    counts = find_it_at_size(PROJECT.tool(tool), "native", tmp_path, size)
    assert len(counts) == QUERIES and (size == 1 or all(counts.values()))


@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.parametrize("tool", (*TOOLS, "postgresql"))
def test_the_programs_keep_the_contracts(tool):
    results = list(check_tool(PROJECT, PROJECT.tool(tool)))
    assert [result for result in results if not result.passed] == []
    assert len(results) > 20
