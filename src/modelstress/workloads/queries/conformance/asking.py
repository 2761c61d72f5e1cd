"""Checks of answers: every query in every language over every protocol, and what is no query."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from modelstress.config.programs import WorkloadOperation
from modelstress.measure.conformance.bench import reason_of
from modelstress.measure.conformance.driving import EXECUTIONS_EACH, answered, only
from modelstress.workloads.queries import files
from modelstress.workloads.queries.conformance.bench import CASE, QueriesBench


def answers_are_right(bench: QueriesBench, threads: int, connection: str) -> str:
    """All queries of the case, in every language and over every protocol: the oracle's digest."""
    executed = 0
    with bench.serving() as server:
        for protocol in server.ready.endpoints:
            for language in bench.tool.languages:
                operations = bench.operations(language)
                executed += answered(
                    bench,
                    server,
                    operations,
                    f"{language} over {protocol}",
                    protocol,
                    threads=threads,
                    executions=EXECUTIONS_EACH * len(operations),
                    connection=connection,
                )
    return f"{executed} executions, all with the oracle's digest"


def one_thread_per_execution(bench: QueriesBench) -> str:
    """Right answers: one thread, a connection per execution."""
    return answers_are_right(bench, 1, "per-execution")


def one_thread_reused(bench: QueriesBench) -> str:
    """Right answers: one thread, one connection."""
    return answers_are_right(bench, 1, "reused")


def eight_threads_per_execution(bench: QueriesBench) -> str:
    """Right answers: eight threads, a connection per execution."""
    return answers_are_right(bench, 8, "per-execution")


def eight_threads_reused(bench: QueriesBench) -> str:
    """Right answers: eight threads, a connection each."""
    return answers_are_right(bench, 8, "reused")


def declared_attributes_serve(bench: QueriesBench) -> str:
    """A store with the case's declarations: queries that use them have the oracle's digest."""
    declarations = files.declared(bench.project, CASE)
    store = bench.place("declared") / "store"
    bench.load(store, attributes=declarations).expect_code(0, "load with declarations")
    executed = 0
    with bench.serving(store, attributes=declarations) as server:
        for language in bench.tool.languages:
            operations = bench.operations(language, declared=True)
            executed += answered(
                bench,
                server,
                operations,
                f"{language} with declarations",
                executions=EXECUTIONS_EACH * len(operations),
                ids=store / "ids.mssf",
            )
    return f"{executed} executions, all with the oracle's digest"


def a_malformed_query_is_an_error(bench: QueriesBench) -> str:
    """Outcome ``error``, with the tool's own message, in every language; the session survives."""
    findings = []
    with bench.serving() as server:
        for language in bench.tool.languages:
            right = bench.operations(language)[0]
            wrong = WorkloadOperation(
                name="Malformed",
                text="))) this is no query (((",
                parameters={"language": language, "tuple": ["x"]},
            )
            for connection in ("per-execution", "reused"):
                run = bench.drive(
                    server.addresses(), [wrong, right], executions=12, connection=connection
                )
                wrongs = run.samples.filter(_is(run.samples, "operation", "Malformed"))
                only(wrongs, {"error"}, f"malformed {language}, {connection}")
                rights = run.samples.filter(_is(run.samples, "operation", right.name))
                only(rights, {"ok"}, f"{right.name} beside malformed {language}, {connection}")
                reason = reason_of(run.details, "Malformed", f"malformed {language}")
            findings.append(f"{language}: {reason}")
    return "; ".join(findings)


def _is(samples: pa.Table, column: str, word: str) -> pa.Array:
    return pc.equal(samples[column].cast(pa.string()), word)


DECLARED_CHECKS = (("right answers: declared attributes", declared_attributes_serve),)
"""Of tools whose descriptor says that they know declarations."""

CHECKS = (
    ("right answers: 1 thread, connection per execution", one_thread_per_execution),
    ("right answers: 1 thread, connection reused", one_thread_reused),
    ("right answers: 8 threads, connection per execution", eight_threads_per_execution),
    ("right answers: 8 threads, connections reused", eight_threads_reused),
    ("a malformed query is an error with a message", a_malformed_query_is_an_error),
)
