"""The conformance suite: whether a tool's programs keep docs/contracts.md."""

from modelstress.measure.conformance.suite import Result, check_tool

__all__ = ["Result", "check_tool"]
