"""Workload kind ``operations``: named operations of a driver, given in the study's file."""

from modelstress.workloads.operations.study import OperationsStudy

STUDY = OperationsStudy
SCHEMAS = {"study-operations": OperationsStudy}
