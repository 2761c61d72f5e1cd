"""What docs/explore.md shows to be run from Python runs, and leaves out no tool."""

import re

from modelstress.report import selection_report
from tests.integration.notebooks.executed import FOLDER

PAGE = FOLDER.parent / "docs" / "explore.md"


def test_the_documented_comparison_has_all_tools(asked, monkeypatch):
    monkeypatch.chdir(asked.parent)
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert blocks
    scope = {}
    for block in blocks:
        exec(compile(block, PAGE.name, "exec"), scope)
    found = scope["found"]
    assert set(found.rows["tool"]) == {"cdo", "hawk", "mogwai"}
    assert {"http_transport", "poll_interval_ms"} <= set(found.follows)
    said = selection_report.sentences(found)
    assert "http_transport" in said[0] and "follows" in said[0]
    [left_out] = [one for one in said if "no partner" in one]
    assert "of the second selection" in left_out and "hawk" in left_out  # OrientDB: over TCP only
