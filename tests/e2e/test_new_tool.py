"""A new tool's skeleton passes the conformance suite as it was written."""

from pathlib import Path

import pytest

from tests.e2e.conftest import check_out, command, ours


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout with the programs as built; no store is needed."""
    return check_out(tmp_path_factory.mktemp("new-tool") / "project")


@pytest.mark.long  # it is the tool example under another name, whose tests run always
@pytest.mark.timeout(900)
def test_skeleton_conforms(checkout):
    made = command("modelstress", "new", "tool", "demo-tool", cwd=checkout)
    assert made.returncode == 0, made.stderr
    again = command("modelstress", "new", "tool", "demo-tool", cwd=checkout)
    assert again.returncode == 2 and "is there already" in again.stderr
    # only what it needs: the other tools are built already
    maven = ("mvn", "-B", "-q", "-ntp", "-f", "java-shims/pom.xml", "-pl", "demo-tool", "-am",
             "package", "-DskipTests")  # fmt: skip
    built = command(*maven, cwd=checkout, timeout=600)
    assert built.returncode == 0, built.stdout + built.stderr
    checked = command("modelstress", "conformance", "demo-tool", cwd=checkout, timeout=600)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert ours(checkout) == []


def test_a_skeleton_is_written_once(checkout):
    made = command("modelstress", "new", "tool", "other-tool", cwd=checkout)
    assert made.returncode == 0, made.stderr
    again = command("modelstress", "new", "tool", "other-tool", cwd=checkout)
    assert again.returncode == 2 and "is there already" in again.stderr


def test_a_wrong_name_is_refused(checkout):
    refused = command("modelstress", "new", "tool", "Demo Tool", cwd=checkout)
    assert refused.returncode == 2 and "lower-case" in refused.stderr
