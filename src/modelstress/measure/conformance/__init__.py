"""The conformance suite: whether a tool's programs keep docs/contracts.md."""

from modelstress.measure.conformance.suite import Result, place_of, run_checks

__all__ = ["Result", "place_of", "run_checks"]
