"""Which file of a query is taken."""

import shutil
from pathlib import Path

import pytest

from modelstress.config.errors import ConfigError
from modelstress.config.project import Project
from modelstress.workloads.queries import files

ROOT = Project.find(Path(__file__)).root


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "queries" / "c" / "epl"
    plain = ("Q.epl", "Q.declared.epl", "Q.backward.epl", "R.epl")
    of_a_tool = ("t/Q.epl", "t/Q.untyped.epl", "t/R.backward.epl", "t/S.epl")
    for name in (*plain, *of_a_tool):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name, encoding="utf-8")
    return Project(tmp_path)


@pytest.mark.parametrize(
    ("query", "tool", "form", "expected"),
    [
        ("Q", "", {}, "Q.epl"),
        ("Q", "t", {}, "t/Q.epl"),
        ("Q", "other", {}, "Q.epl"),
        ("R", "t", {}, "R.epl"),
        ("Q", "t", {"declared": True}, "Q.declared.epl"),
        ("R", "t", {"declared": True}, "R.epl"),
        ("S", "t", {"declared": True}, "t/S.epl"),
        ("Q", "t", {"untyped": True}, "t/Q.untyped.epl"),
        ("Q", "t", {"declared": True, "untyped": True}, "t/Q.untyped.epl"),
        ("Q", "t", {"backward": True}, "Q.backward.epl"),
        ("Q", "t", {"backward": True, "declared": True}, "Q.backward.epl"),
        ("R", "t", {"backward": True}, "t/R.backward.epl"),
    ],
)
def test_a_tools_own_file_and_the_form_that_is_asked_for(project, query, tool, form, expected):
    file = files.query_file(project, "c", "epl", query, tool, **form)
    assert file.read_text(encoding="utf-8") == expected


@pytest.mark.parametrize(
    ("query", "form"),
    [
        ("S", {}),
        ("Nope", {"declared": True}),
        ("R", {"untyped": True}),
        ("R", {"backward": True}),
        ("Q", {"backward": True, "untyped": True}),
    ],
)
def test_what_is_not_there(project, query, form):
    with pytest.raises(ConfigError, match=rf"{query}.*no such query"):
        files.query_file(project, "c", "epl", query, **form)


def test_stores_are_keyed_by_declarations(project):
    plain = files.store_folder(project, "t", "b", "m")
    assert files.store_folder(project, "t", "b", "m", "none") == plain
    assert files.store_folder(project, "t", "b", "m", "declared") == plain.with_name("m+declared")


def test_every_form_has_its_plain_query_and_the_marker():
    for file in (ROOT / "queries").glob("*/*/**/*.*"):
        query, language = file.name.split(".")[0], file.suffix.removeprefix(".")
        case = file.relative_to(ROOT / "queries").parts[0]
        assert query in files.case(Project(ROOT), case).queries
        assert files.query_file(Project(ROOT), case, language, query).is_file()
        assert file.read_text(encoding="utf-8").count("/*unique*/") == 1, file


def test_declarations_of_this_project_are_used_by_a_query():
    plain = (ROOT / "queries/train/eol/PosLength.eol").read_text(encoding="utf-8")
    for case in ("train", "grabats"):
        project, folder = Project(ROOT), ROOT / "queries" / case
        asking = [*folder.glob("*/*.declared.*")]
        for query, described in files.case(project, case).queries.items():
            if described.equals is not None:  # it cannot do without
                asking += folder.glob(f"*/{query}.*")
        texts = "".join(file.read_text(encoding="utf-8") for file in asking)
        for attribute in files.attributes(project, case):
            assert attribute.name in (texts if attribute.kind == "derived" else plain)


def test_queries_of_this_project_that_equal_others_ask_for_declared_attributes():
    names = {attribute.name for attribute in files.attributes(Project(ROOT), "grabats")}
    for query, described in files.case(Project(ROOT), "grabats").queries.items():
        text = ROOT / "queries/grabats" / (described.languages or [""])[0]
        text = (text / f"{query}.{text.name}").read_text(encoding="utf-8")
        assert (described.equals is not None) == any(name in text for name in names)


def test_a_case_without_declarations_says_so(tmp_path):
    shutil.copytree(ROOT / "queries", tmp_path / "queries")
    (tmp_path / "queries/train/attributes.yaml").unlink()
    with pytest.raises(ConfigError, match=r"attributes\.yaml: no such file"):
        files.attributes(Project(tmp_path), "train")
