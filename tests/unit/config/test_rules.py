"""The text of the workflow's rules."""

import re
from pathlib import Path

import pytest

from modelstress.config.project import Project

ROOT = Project.find(Path(__file__)).root
FILES = sorted([ROOT / "workflow/Snakefile", *(ROOT / "workflow/rules").glob("*.smk")])
SHELL = re.compile(r'^ +shell:\n((?: +".*"\n)+)', re.MULTILINE)


def shell_lines(text: str) -> list[str]:
    """The command of every rule."""
    return SHELL.findall(text)


def test_every_shell_command_is_found():
    found = {file.name: (file.read_text(encoding="utf-8")) for file in FILES}
    assert sum(text.count("shell:") for text in found.values()) >= 12
    for name, text in found.items():
        assert len(shell_lines(text)) == text.count("shell:"), name


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_every_word_put_into_a_shell_command_is_quoted(file):
    """A name from an archive, `x$(touch PWNED)`, must stay a word."""
    for command in shell_lines(file.read_text(encoding="utf-8")):
        placeholders = re.findall(r"\{[^{}]*\}", command)
        assert [each for each in placeholders if not each.endswith(":q}")] == []


def test_snakemake_deletes_no_program_that_somebody_has_written():
    """Outputs are deleted before they are made again: a tool's script must be none."""
    prepare = (ROOT / "workflow/rules/prepare.smk").read_text(encoding="utf-8")
    [line] = re.findall(r"^BUILT = (.*)$", prepare, re.MULTILINE)
    jars = [
        "java-shims/cdo/target/dist/cdo.jar", "my-store/store.py", "java-shims/own/serve.py",
        "/opt/target/x.jar",
    ]  # fmt: skip
    assert eval(line, {"JARS": jars}) == ["java-shims/cdo/target/dist/cdo.jar"]
    assert re.search(r"rule build_shims:.*?output:\n +BUILT,", prepare, re.DOTALL)
