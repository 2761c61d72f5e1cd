"""A new tool's skeleton passes the conformance suite as it was written."""

import pytest

from tests.e2e.conftest import command, ours


@pytest.mark.timeout(900)
def test_skeleton_conforms(copy):
    made = command("modelstress", "new", "tool", "demo-tool", cwd=copy)
    assert made.returncode == 0, made.stderr
    again = command("modelstress", "new", "tool", "demo-tool", cwd=copy)
    assert again.returncode == 2 and "is there already" in again.stderr
    # only what it needs: the other tools are built already
    maven = ("mvn", "-B", "-q", "-ntp", "-f", "java-shims/pom.xml", "-pl", "demo-tool", "-am",
             "package", "-DskipTests")  # fmt: skip
    built = command(*maven, cwd=copy, timeout=600)
    assert built.returncode == 0, built.stdout + built.stderr
    checked = command("modelstress", "conformance", "demo-tool", cwd=copy, timeout=600)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert ours(copy) == []


def test_a_wrong_name_is_refused(copy):
    refused = command("modelstress", "new", "tool", "Demo Tool", cwd=copy)
    assert refused.returncode == 2 and "lower-case" in refused.stderr
