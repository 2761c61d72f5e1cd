"""Arguments that no file can be called, files that cannot be written, and an early Ctrl-C."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import planned_samples
import pytest
from click.testing import CliRunner

from modelstress.cli import main
from modelstress.cli.listing import listed
from modelstress.config.project import Project

ROOT = Project.find(Path(__file__)).root
COMMANDS = (
    ("run", "WORD"), ("load", "WORD"), ("oracle", "WORD"), ("verify", "WORD"), ("unpack", "WORD"),
    ("model", "count", "WORD"), ("model", "build", "WORD"), ("cells", "--study", "WORD"),
    ("cells", "--profile", "WORD"), ("derive", "--study", "WORD"), ("report", "--study", "WORD"),
    ("report", "--profile", "WORD"), ("compare", "WORD", "WORD"), ("merge", "WORD", "--out", "x"),
    ("conformance", "WORD"), ("new", "tool", "WORD"), ("load", "--tool", "WORD", "--backend", "b",
    "--model", "m"), ("archive", "--study", "WORD"), ("results", "--study", "WORD"),
    ("results", "--archive", "WORD"), ("images", "WORD"),
)  # fmt: skip


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
@pytest.mark.parametrize(
    "word", ["a\0b", "a\udcffb", "x" * 300, "ö" * 200, "a/" + "x" * 5000], ids=range(5)
)
def test_a_word_that_is_no_name_is_one_sentence(arguments, word, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    given = [word if each == "WORD" else each for each in arguments]
    done = CliRunner().invoke(main, ["--project", str(ROOT), *given])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    assert done.exit_code in (0, 2, 3)
    if done.exit_code and arguments[:2] != ("model", "count"):  # a Java program says it there
        said = done.stderr.splitlines()
        assert said[-1].startswith(("error: ", "Error: ")), done.stderr
    assert not list(tmp_path.iterdir())


def test_a_project_that_is_called_so_is_one_sentence():
    for word in ("x" * 300, "a\0b", "a\udcff"):
        done = CliRunner().invoke(main, ["--project", word, "cells"])
        assert isinstance(done.exception, SystemExit) and done.exit_code == 2
        assert done.stderr.splitlines()[-1].startswith(("error: ", "Error: "))


def test_what_the_system_refuses_is_one_sentence_and_code_4(monkeypatch):
    """Whatever command meets it, at a place that has no sentence of its own."""

    def refused(*_):
        raise OSError(30, "Read-only file system", "data/derived/x.csv")

    monkeypatch.setattr("modelstress.cli.cells.planned", refused)
    done = CliRunner().invoke(main, ["--project", str(ROOT), "cells"])
    assert done.exit_code == 4
    assert done.stderr == (
        "error: data/derived/x.csv: Read-only file system; check rights and run the same command "
        "again\n"
    )


def test_derive_into_a_folder_that_cannot_be_written(tmp_path, monkeypatch):
    """As on a read-only disk: rights alone do not hold root back."""
    for name in ("config", "queries"):
        shutil.copytree(ROOT / name, tmp_path / name)
    (tmp_path / "config/profiles/demo.yaml").write_text(planned_samples.PROFILE, encoding="utf-8")
    planned_samples.write_planned(Project(tmp_path))

    def refused(path, *_, **__):
        raise OSError(30, "Read-only file system", str(path))

    monkeypatch.setattr(Path, "unlink", refused)
    monkeypatch.setattr(Path, "mkdir", refused)
    done = CliRunner().invoke(main, ["--project", str(tmp_path), "derive"])
    assert done.exit_code == 4, done.exception
    assert done.stderr.count("\n") == 1 and "Read-only file system" in done.stderr


def test_ctrl_c_while_a_command_is_imported_ends_at_once():
    """Raised inside of compiled code that the import calls, it would be printed and forgotten."""
    code = (
        "import _signal, sys; from modelstress.start import main; "
        "sys.addaudithook(lambda event, about: event == 'exec' and "
        "about[0].co_filename.endswith('MODULE.py') and _signal.raise_signal(2)); "
        "sys.argv = ['modelstress', 'cells', '--profile', 'reduced']; main()"
    )
    module = listed()["cells"].module.replace(".", "/")
    done = subprocess.run(
        [sys.executable, "-c", code.replace("MODULE", module)], cwd=ROOT, capture_output=True,
        text=True, check=False, timeout=60,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (130, "interrupted\n")


@pytest.mark.parametrize("after_s", [0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.7])
def test_ctrl_c_while_everything_is_imported(after_s):
    """From the moment on that the program begins to import its commands."""
    code = (
        "import os, sys; from modelstress.start import main; sys.addaudithook(lambda event, about: "
        "event == 'import' and about[0] == 'modelstress.cli' and os.write(1, b'x')); "
        "sys.argv = ['modelstress', 'cells', '--profile', 'reduced']; main()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        os.read(process.stdout.fileno(), 1)
        time.sleep(after_s)
        process.send_signal(signal.SIGINT)
        said = process.stderr.read().decode()
        printed = process.stdout.read().decode()
    assert "Traceback" not in said
    if process.returncode == -signal.SIGINT:  # all was said, and the interpreter was ending
        assert said == "" and "invocations" in printed.splitlines()[-1]
        return
    assert process.returncode in (130, 0), said
    if process.returncode:
        assert said in ("interrupted\n", "error: interrupted\n")
