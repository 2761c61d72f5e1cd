"""Conformance of tools that answer queries on models."""

from modelstress.workloads.queries.conformance.suite import check_tool, checks_of

__all__ = ["check_tool", "checks_of"]
