"""The oracle: Eclipse OCL and Epsilon EOL and EPL on the in-memory model, through JPype."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from modelstress.config.errors import ConfigError, MissingError, ModelstressError
from modelstress.workloads.queries import files
from modelstress.workloads.queries.jvm import Jvm, QueryError, write_oracle

NAME = "train-2016-repair-1"


def test_languages_agree_and_nothing_is_done_twice(small_project):
    file = write_oracle(small_project, NAME, "train")
    queries = json.loads(file.read_text(encoding="utf-8"))["queries"]
    assert set(queries) == set(files.case(small_project, "train").queries)
    for query, agreed in queries.items():
        plain = [f"{language}/{query}.{language}" for language in ("eol", "epl", "ocl")]
        assert [text for text in agreed["texts"] if ".backward." not in text] == plain
    followed = "ocl/mogwai/SemaphoreNeighbor.backward.ocl"
    assert followed in queries["SemaphoreNeighbor"]["texts"]
    assert queries["PosLength"]["count"] > 0
    before = file.stat().st_mtime_ns
    assert write_oracle(small_project, NAME, "train").stat().st_mtime_ns == before
    query = files.query_file(small_project, "train", "eol", "PosLength")
    query.write_text(query.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    assert write_oracle(small_project, NAME, "train").stat().st_mtime_ns > before


def test_the_jvm_says_which_languages_it_knows(models_jar):
    with Jvm(models_jar) as jvm:
        assert set(jvm.languages()) == {"ocl", "eol", "epl"}


def test_forms_and_unknown_languages_are_not_the_oracles(small_project):
    folder = small_project.root / "queries" / "train"
    (folder / "unheard").mkdir()
    (folder / "unheard" / "PosLength.unheard").write_text("select 1", encoding="utf-8")
    (folder / "eol" / "PosLength.declared.eol").write_text("return nonsense", encoding="utf-8")
    (folder / "eol" / "hawk" / "SwitchSet.eol").write_text("return nonsense", encoding="utf-8")
    file = write_oracle(small_project, NAME, "train")
    queries = json.loads(file.read_text(encoding="utf-8"))["queries"]
    texts = {text for agreed in queries.values() for text in agreed["texts"]}
    others = (".declared.", "hawk/", "unheard/", "sql/", "cypher/")
    assert not {text for text in texts for other in others if other in text}
    assert len(texts) == 3 * len(queries) + 1


def test_disagreement_names_query_languages_and_counts(small_project):
    query = files.query_file(small_project, "train", "eol", "SwitchSet")
    query.write_text("return Sequence{};", encoding="utf-8")
    counts = r"'eol/SwitchSet.eol': 0.*'ocl/SwitchSet.ocl': [1-9]"
    with pytest.raises(ModelstressError, match=f"disagree on SwitchSet.*{counts}"):
        write_oracle(small_project, NAME, "train")
    assert not files.oracle_file(small_project, NAME).exists()


def test_disagreement_names_a_match_that_differs(small_project):
    """Of as many matches in both, and of one that is found twice."""
    query = files.query_file(small_project, "train", "eol", "PosLength")
    with Jvm(files.models_jar(small_project)) as jvm:
        model = files.model_file(small_project, NAME)
        right = jvm.evaluate(model, "eol", query.read_text(encoding="utf-8"), ["segment"])
    query.write_text(
        "return Segment.all.select(s|s.length <= 0).including(Segment.all.first());",
        encoding="utf-8",
    )
    with pytest.raises(ModelstressError) as caught:
        write_oracle(small_project, NAME, "train")
    said = str(caught.value)
    assert "eol/PosLength.eol finds [" in said and "more often than epl/PosLength.epl" in said
    index = int(said.partition(" finds [")[2].partition("]")[0])
    assert right.indices.count(index) == 0 and "1 more and 0 less" in said


def test_a_text_that_follows_references_backward_has_to_agree(small_project):
    query = files.query_file(
        small_project, "train", "ocl", "SemaphoreNeighbor", "mogwai", backward=True
    )
    text = query.read_text(encoding="utf-8")
    assert "route2 <> route1" in text
    query.write_text(text.replace("route2 <> route1", "true"), encoding="utf-8")
    plain, backward = ".*/SemaphoreNeighbor.ocl': [1-9]", ".*mogwai/SemaphoreNeighbor.backward"
    with pytest.raises(ModelstressError, match=f"disagree on SemaphoreNeighbor{plain}{backward}"):
        write_oracle(small_project, NAME, "train")


def test_no_language_may_lack_a_query(small_project):
    files.query_file(small_project, "train", "epl", "SwitchSet").unlink()
    with pytest.raises(ConfigError, match=r"epl/SwitchSet\.epl: no such query"):
        write_oracle(small_project, NAME, "train")


@pytest.mark.parametrize("language", ["ocl", "eol", "epl"])
def test_malformed_query_names_its_file(small_project, language):
    query = files.query_file(small_project, "train", language, "RouteSensor")
    query.write_text("Route.allInstances()->select(", encoding="utf-8")
    with pytest.raises(QueryError, match=rf"{language}/RouteSensor\.{language}: .*\w"):
        write_oracle(small_project, NAME, "train")


def test_missing_model_and_jar(small_project, tmp_path):
    with pytest.raises(MissingError, match="modelstress model build nothing"):
        write_oracle(small_project, "nothing", "train")
    with pytest.raises(MissingError, match="make build"):
        Jvm(tmp_path / "models.jar")


def test_one_jvm_answers_many_questions(models_jar, small_model):
    with Jvm(models_jar) as jvm:
        every = jvm.evaluate(small_model, "ocl", "railway::Segment.allInstances()", ["segment"])
        again = jvm.evaluate(small_model, "eol", "return Segment.all;", ["segment"])
        assert (every.count, every.digest) == (again.count, again.digest)
        assert every.count == len(set(every.indices)) > 1000
        with pytest.raises(QueryError):
            jvm.evaluate(small_model, "ocl", "railway::Segmet.allInstances()", ["segment"])
        none = jvm.evaluate(small_model, "eol", "return Sequence{};", ["segment"])
        assert (none.count, none.digest) == (0, 0)


def test_truncated_model_is_one_sentence(models_jar, small_model, tmp_path):
    cut = tmp_path / "cut.bin"
    cut.write_bytes(small_model.read_bytes()[:1000])
    with Jvm(models_jar) as jvm, pytest.raises(QueryError, match=r"cut\.bin") as caught:
        jvm.evaluate(cut, "ocl", "railway::Segment.allInstances()", ["segment"])
    assert "\n" not in str(caught.value)


def test_a_question_without_end_is_given_up(models_jar, small_model):
    with Jvm(models_jar) as jvm:
        child = jvm._process.pid
        with pytest.raises(ModelstressError, match="no answer from the JVM within 3 s"):
            jvm.evaluate(small_model, "eol", "while (true) { }", ["x"], timeout_s=3)
    assert not Path(f"/proc/{child}").exists() or os.waitpid(child, os.WNOHANG)
