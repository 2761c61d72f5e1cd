"""A Java virtual machine for questions, never for measuring: the oracle and ad-hoc queries.

JPype allows one JVM per process, without restart, and a process must not fork once it runs; so the
JVM lives in a spawned child process and is spoken to over a pipe.
"""

from __future__ import annotations

import multiprocessing
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from types import TracebackType
from typing import Any

from modelstress.config.errors import ConfigError, MissingError, ModelstressError
from modelstress.config.packages import how_to_get
from modelstress.config.project import Project
from modelstress.measure.java import find_java
from modelstress.measure.programs import hygiene
from modelstress.samples.files import read_json, write_json
from modelstress.samples.provenance import sha256_file, sha256_jar
from modelstress.workloads.queries import files

ORACLE = "org.modelstress.models.Oracle"
START_S = 60
"""Deadline of a JVM's start, seconds."""


@dataclass(frozen=True)
class Answer:
    """The result of a query: a bag of matches.

    Attributes:
        indices: element indices, ``arity`` for each match, in the order found.
        arity: elements per match.
        count: matches.
        digest: of the bag, an unsigned 64-bit number (docs/contracts.md).
    """

    indices: tuple[int, ...]
    arity: int
    count: int
    digest: int


class QueryError(ConfigError):
    """The query's text is wrong, or its evaluation failed; the message is the language's own."""


class Jvm:
    """A JVM in a child process, with the ``models`` jar on its class path.

    Use it as a context manager, in a notebook or a step; one question at a time.

    Args:
        jar: ``models.jar``.
        heap: maximum heap, as in ``-Xmx``.
    """

    def __init__(self, jar: Path, heap: str = "2g") -> None:
        if not jar.is_file():
            raise MissingError(f"{jar} is not there; {how_to_get()}")
        find_java()
        self._jar = jar
        self._heap = heap

    def __enter__(self) -> Jvm:
        context = multiprocessing.get_context("spawn")
        self._pipe, child_pipe = context.Pipe()
        self._process = context.Process(
            target=_serve, args=(child_pipe, str(self._jar), self._heap), daemon=True
        )
        self._process.start()
        child_pipe.close()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._pipe.close()
        self._process.join(5)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()

    def evaluate(
        self, model: Path, language: str, text: str, names: Sequence[str], timeout_s: float = 600
    ) -> Answer:
        """Evaluate a query on a model file, in memory.

        Args:
            model: ``.xmi`` or ``.bin``; stays loaded for the next question.
            language: one of ``languages()``.
            text: of the query.
            names: of the elements of a match, in order.
            timeout_s: after so many seconds the JVM is killed.

        Raises:
            QueryError: the query is malformed or fails.
            ModelstressError: the JVM died or did not answer in time.
        """
        question = (str(model), language, text, list(names))
        indices, digest = self._ask(question, str(model), timeout_s)
        arity = len(names)
        return Answer(indices, arity, len(indices) // arity, digest)

    def languages(self) -> tuple[str, ...]:
        """The query languages that can be evaluated."""
        return tuple(self._ask(None, str(self._jar), START_S))

    def _ask(self, question: object, about: str, timeout_s: float) -> Any:
        self._pipe.send(question)
        if not self._pipe.poll(timeout_s):
            self._process.kill()
            raise ModelstressError(f"{about}: no answer from the JVM within {timeout_s:g} s")
        try:
            kind, answer = self._pipe.recv()
        except EOFError as error:
            raise ModelstressError(
                f"{about}: the JVM died (heap {self._heap}); give it more"
            ) from error
        if kind == "error":
            raise QueryError(answer)
        return answer


def write_oracle(project: Project, name: str, case_name: str, timeout_s: float = 3600) -> Path:
    """Evaluate every query of a case in every language it is written in; they must agree.

    Plain texts count, and those that follow references backward (``.backward``), also in a tool's
    folder. Other texts of a tool and other forms (``.declared``, ``.untyped``) use what a plain
    model does not have, and must equal them when measured. So must a query that ``equals`` another
    one: it is not evaluated and has that one's result.

    Args:
        project: where files are.
        name: of the model; its file must be there.
        case_name: of the case.
        timeout_s: deadline of one evaluation.

    Returns:
        ``data/stores/oracle/<model>.json``; kept as it is when nothing it depends on has changed.

    Raises:
        MissingError: the model or the jar is not there.
        QueryError: a query fails; names its file.
        ModelstressError: two texts disagree; names query, texts and counts.
    """
    model, case = files.model_file(project, name), files.case(project, case_name)
    if not model.is_file():
        raise MissingError(f"{model} is not there; make it with 'modelstress model build {name}'")
    written = sorted({p.name for p in project.glob(f"queries/{case_name}/*") if p.is_dir()})
    plain = {
        query: definition for query, definition in case.queries.items() if definition.equals is None
    }
    texts = {
        query: _texts(project, case_name, query, definition.languages or written)
        for query, definition in plain.items()
    }
    content = {
        "model": sha256_file(model),
        "jar": sha256_jar(files.models_jar(project)),
        "case": case.model_dump(),
        "queries": {n: sha256_file(f) for named in texts.values() for n, f in named.items()},
    }
    target = files.oracle_file(project, name)
    if read_json(target).get("content") == content:
        return target
    queries: dict[str, Any] = {}
    with Jvm(files.models_jar(project)) as jvm:
        jvm_languages = jvm.languages()
        languages = [language for language in written if language in jvm_languages]
        for query, definition in plain.items():
            for language in definition.languages or languages:
                files.query_file(project, case_name, language, query)  # none may be missing
            answers = {
                text: _answer(jvm, model, file, definition.tuple, timeout_s)
                for text, file in texts[query].items()
                if _language(file) in languages
            }
            queries[query] = _agreed(query, answers)
    for query, definition in case.queries.items():
        if definition.equals is not None:
            queries[query] = queries[definition.equals]
    write_json(target, {"model": name, "content": content, "queries": queries})
    return target


def _texts(project: Project, case: str, query: str, languages: Sequence[str]) -> dict[str, Path]:
    """The oracle's texts of one query, by their place in the case's folder."""
    folder, texts = f"queries/{case}", []
    for language in languages:
        texts += project.glob(f"{folder}/{language}/{query}.{language}")
        texts += project.glob(f"{folder}/{language}/**/{query}.backward.{language}")
    by_place: dict[str, Path] = {}
    for file in texts:  # the project's own come first
        by_place.setdefault(project.place(file).removeprefix(f"{folder}/"), file)
    return by_place


def _language(file: Path) -> str:
    return file.suffix.removeprefix(".")


def _answer(jvm: Jvm, model: Path, file: Path, names: Sequence[str], timeout_s: float) -> Answer:
    text = file.read_text(encoding="utf-8")
    try:
        return jvm.evaluate(model, _language(file), text, names, timeout_s)
    except QueryError as error:
        raise QueryError(f"{file}: {error}") from error


def _agreed(query: str, answers: dict[str, Answer]) -> dict[str, Any]:
    if not answers:
        raise ConfigError(
            f"query {query!r} has no text that the oracle can evaluate; write it in OCL, EOL or EPL"
        )
    counts = {text: answer.count for text, answer in answers.items()}
    if len({(answer.count, answer.digest) for answer in answers.values()}) != 1:
        raise ModelstressError(
            f"the oracle's texts disagree on {query}: matches {counts}; {_difference(answers)}; "
            "mend the queries"
        )
    answer = next(iter(answers.values()))
    return {"count": answer.count, "digest": str(answer.digest), "texts": list(answers)}


def _difference(answers: Mapping[str, Answer]) -> str:
    """A match that one text finds and another one does not find as often."""
    (first, first_answer), *others = answers.items()
    text, other = next(
        pair
        for pair in others
        if (pair[1].count, pair[1].digest) != (first_answer.count, first_answer.digest)
    )
    matches, other_matches = _matches(first_answer), _matches(other)
    more, less, finder, lacking = matches - other_matches, other_matches - matches, first, text
    if not more:
        more, less, finder, lacking = less, more, text, first
    match = min(more)
    return (
        f"{finder} finds {list(match)} (elements by their index in containment order, the root is "
        f"0) more often than {lacking}; in all {more.total()} more and {less.total()} less"
    )


def _matches(answer: Answer) -> Counter[tuple[int, ...]]:
    """The bag of an answer's matches."""
    return Counter(zip(*[iter(answer.indices)] * answer.arity, strict=True))


def _serve(pipe: Connection, jar: str, heap: str) -> None:
    """The child process: start the JVM, answer questions until the pipe closes."""
    import jpype

    library = Path(find_java().program).resolve().parents[1] / "lib" / "server" / "libjvm.so"
    jpype.startJVM(
        *([str(library)] if library.is_file() else []),
        f"-Xmx{heap}",
        "-XX:+UseSerialGC",
        "-Xss8m",
        "-Djdk.serialFilter=!*",  # nothing here reads objects
        *hygiene(None),
        classpath=[jar],
        convertStrings=True,
    )
    oracle = jpype.JClass(ORACLE)
    while True:
        try:
            question = pipe.recv()
        except EOFError:
            return
        if question is None:
            pipe.send(("ok", [str(language) for language in oracle.LANGUAGES]))
            continue
        model, language, text, names = question
        try:
            indices = oracle.evaluate(model, language, text, names)
            digest = int(oracle.digest(indices, len(names))) & 0xFFFFFFFFFFFFFFFF
            pipe.send(("ok", (tuple(int(i) for i in indices), digest)))
        except jpype.JException as error:
            pipe.send(("error", str(error.getMessage() or error)))
