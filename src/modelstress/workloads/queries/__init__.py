"""Workload kind ``queries``: queries on models, in several languages, checked by an oracle."""

from modelstress.workloads.queries.attributes import Attributes
from modelstress.workloads.queries.case import Case
from modelstress.workloads.queries.jdt_ladder import Ladder
from modelstress.workloads.queries.study import QueriesStudy

STUDY = QueriesStudy
SCHEMAS = {
    "study": QueriesStudy, "case": Case, "attributes": Attributes, "jdt-ladder": Ladder,
}  # fmt: skip
