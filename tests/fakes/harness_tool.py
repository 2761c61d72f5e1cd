#!/usr/bin/env python3
"""The fake server with the real client program of java-shims/harness (drivers null and flaky)."""

import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
JAR = HERE.parents[1] / "java-shims" / "harness" / "target" / "dist" / "harness.jar"

if __name__ == "__main__":
    if sys.argv[1] == "client":
        flags = ("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", str(JAR))
        os.execvp("java", ("java", *flags, "org.modelstress.harness.Main", *sys.argv[1:]))
    os.execv(str(HERE / "tool.py"), (str(HERE / "tool.py"), *sys.argv[1:]))
