"""Generates a benchmark from its model: python -m benchmark_generator MODEL FOLDER."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from benchmark_generator.generate import generate
from modelstress.config.errors import ConfigError


def main() -> int:
    """Generate, and say how much of the benchmark was."""
    parser = argparse.ArgumentParser(prog="benchmark_generator", description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("folder", type=Path)
    arguments = parser.parse_args()
    try:
        made = generate(arguments.model, arguments.folder)
    except (ConfigError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    lines = sum(made.files.values())
    print(
        f"{arguments.folder}: {lines} lines in {len(made.files)} files, generated of "
        f"{made.by_hand} lines of {arguments.model.name} ({100 * made.share:.1f} % of all)"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
