"""Names of studies and profiles, which become folders and words of command lines."""

from pathlib import Path

import pytest

from modelstress.config.base import parse
from modelstress.config.errors import ConfigError
from modelstress.config.profile import Profile
from modelstress.config.project import Project
from modelstress.config.tool import MainConfig

ROOT = Project.find(Path(__file__)).root
BAD = ["x$(touch PWNED)", "a b", "-x", "../x", "", "x;y", "x\n", "'x'", "Grüße"]


@pytest.mark.parametrize("name", BAD)
def test_a_name_has_letters_digits_and_dashes(name):
    with pytest.raises(ConfigError, match="field 'profile'"):
        parse(MainConfig, {"profile": name}, "config.yaml")
    with pytest.raises(ConfigError, match=r"field 'studies\.1'"):
        parse(MainConfig, {"studies": ["x", name]}, "config.yaml")
    with pytest.raises(ConfigError, match="field 'profile'"):
        parse(Profile, {"profile": name, "title": "t", "invocations": 1}, "p.yaml")


def test_all_studies_and_profiles_that_are_shipped_have_such_names():
    project = Project(ROOT)
    assert [project.study(name).study for name in project.studies] == project.studies
    for file in (ROOT / "config" / "profiles").glob("*.yaml"):
        assert project.profile(file.stem).profile == file.stem
