"""The committed Java code is what the Thrift compiler makes of the IDL."""

from __future__ import annotations

import shutil
import subprocess
import sys

import pytest

from tests.integration.hawk.hawk_program import ROOT


def test_generated_code_is_current() -> None:
    program = shutil.which("thrift")
    if program is None:
        pytest.skip("the package thrift-compiler is not installed")
    said = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=10)
    if "version 0.17." not in said.stdout:
        pytest.skip(f"{said.stdout.strip()} is there, not 0.17")
    check = [sys.executable, str(ROOT / "java-shims/hawk-api/generate.py"), "--check"]
    done = subprocess.run(check, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
