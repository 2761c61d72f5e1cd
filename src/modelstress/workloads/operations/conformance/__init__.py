"""Conformance of tools whose drivers have named operations."""

from modelstress.workloads.operations.conformance.suite import check_tool, checks_of

__all__ = ["check_tool", "checks_of"]
